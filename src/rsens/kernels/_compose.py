"""Sums and products of kernels, and the additive kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache, reduce
from itertools import combinations
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import pdist, squareform

from rsens._arguments import whole_number
from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.kernels._base import DistanceKernel, Kernel, KernelAt, KernelOn, as_rows, as_theta
from rsens.kernels._categorical import Categorical
from rsens.kernels._stationary import EQ

#: A sum keeps the matrices of its terms for the gradient up to this size; larger ones are computed again.
KEEP_BYTES = 2**28
#: The most vectors that a leaf holds: g, g', and the slope in one further hyperparameter.
VECTORS = 3


class Composed(Kernel):
    """A frozen dataclass with one field, a tuple of two or more kernels; `theta` joins theirs in order."""

    def __post_init__(self) -> None:
        given = getattr(self, self._field)
        if not (isinstance(given, tuple | list) and all(isinstance(part, Kernel) for part in given)):
            raise InputError(
                f"{type(self).__name__}: ", Argument(self._field), f" must be a tuple of kernels; got {given!r}."
            )
        # (a + b) + c and a + (b + c) are one kernel with three terms
        flat = tuple(inner for part in given for inner in (part.parts if isinstance(part, type(self)) else (part,)))
        if len(flat) < 2:
            raise InputError(
                f"{type(self).__name__}: ", Argument(self._field), f" must be two kernels or more; got {len(flat)}."
            )
        object.__setattr__(self, self._field, flat)

    @property
    def _field(self) -> str:
        return fields(self)[0].name  # type: ignore[arg-type]

    @property
    def parts(self) -> tuple[Kernel, ...]:
        return getattr(self, self._field)

    @property
    def hyperparameter_names(self) -> tuple[str, ...]:
        return tuple(
            f"{self._field}[{i}].{name}" for i, part in enumerate(self.parts) for name in part.hyperparameter_names
        )

    @property
    def theta(self) -> Array:
        return np.concatenate([part.theta for part in self.parts])

    def with_theta(self, theta: Array) -> Self:
        lengths = [len(part.hyperparameter_names) for part in self.parts]
        pieces = np.split(as_theta(theta, sum(lengths)), np.cumsum(lengths)[:-1])
        return type(self)(tuple(part.with_theta(piece) for part, piece in zip(self.parts, pieces, strict=True)))  # type: ignore[call-arg]

    @property
    def n_dims(self) -> int | None:
        return max((part.n_dims for part in self.parts if part.n_dims is not None), default=None)


@dataclass(frozen=True, repr=False)
class Sum(Composed):
    """k = k₁ + k₂ + …: a sum of independent functions, one per term."""

    terms: tuple[Kernel, ...]

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.terms))

    def in_units(self, scale: Array, variance: float) -> Sum:
        return Sum(tuple(term.in_units(scale, variance) for term in self.terms))

    def priors(self, input_scale: Array, output_scale: float) -> list[tuple[float, float]]:
        return [entry for term in self.terms for entry in term.priors(input_scale, output_scale)]

    def rates(self, rows: Array) -> Array:
        """The largest rate among the terms, each times the square root of its share of the prior variance."""
        variances = np.array([term.diag(rows).mean() for term in self.terms])
        shares = variances / (variances.sum() or 1.0)  # no variance at all: Linear where all rows are 0
        return np.max([np.sqrt(s) * term.rates(rows) for s, term in zip(shares, self.terms, strict=True)], axis=0)

    def on(self, X: Array, Z: Array | None = None) -> KernelOn:
        return on_condensed_sum(self.terms, X) if Z is None and self.condenses(X) else on_sum(self.terms, X, Z)

    def condenses(self, X: Array) -> bool:
        """Whether k(X, X) and its gradient come from pairs of rows: only for distance kernels and their products."""
        leaves = [leaf for term in self.terms for leaf in (term.factors if isinstance(term, Product) else (term,))]
        if not all(isinstance(leaf, DistanceKernel) for leaf in leaves):
            return False
        n, columns = as_rows(X, self.n_dims).shape
        return fits(n * n // 2 * (columns + VECTORS * (len(leaves) + 1)))

    def at(self, X: Array, Z: Array) -> KernelAt:
        return AtSum([term.at(X, Z) for term in self.terms])

    def arrays_at(self, n_columns: int) -> int:
        return 1 + sum(term.arrays_at(n_columns) for term in self.terms)

    def diag(self, X: Array) -> Array:
        return np.sum([term.diag(X) for term in self.terms], axis=0)

    def hyper_gradient_diag(self, X: Array, w: Array) -> Array:
        return np.concatenate([term.hyper_gradient_diag(X, w) for term in self.terms])

    def diag_derivatives(self, X: Array, order: int) -> tuple[Array, Array | None]:
        firsts, seconds = zip(*(term.diag_derivatives(X, order) for term in self.terms), strict=True)
        return np.sum(firsts, axis=0), np.sum(seconds, axis=0) if order == 2 else None


@dataclass(frozen=True, repr=False)
class Product(Composed):
    """k = k₁ · k₂ · …: if each has its own columns, the shape in one column changes with the others."""

    factors: tuple[Kernel, ...]

    def __repr__(self) -> str:
        return " * ".join(f"({factor!r})" if isinstance(factor, Sum) else repr(factor) for factor in self.factors)

    def in_units(self, scale: Array, variance: float) -> Product:
        first, *others = self.factors  # one factor carries the unit of y, the others have none
        return Product((first.in_units(scale, variance), *(factor.in_units(scale, 1.0) for factor in others)))

    def priors(self, input_scale: Array, output_scale: float) -> list[tuple[float, float]]:
        first, *others = self.factors
        return [*first.priors(input_scale, output_scale), *(e for f in others for e in f.priors(input_scale, 1.0))]

    def rates(self, rows: Array) -> Array:
        """The largest rate among the factors."""
        return np.max([factor.rates(rows) for factor in self.factors], axis=0)

    def on(self, X: Array, Z: Array | None = None) -> KernelOn:
        return on_product([factor.on(X, Z) for factor in self.factors])

    def at(self, X: Array, Z: Array) -> KernelAt:
        return AtProduct([factor.at(X, Z) for factor in self.factors])

    def arrays_at(self, n_columns: int) -> int:
        # more than the arrays of the factors: the value, two products of values, two slopes and their product
        return 3 + 3 * n_columns + sum(factor.arrays_at(n_columns) for factor in self.factors)

    def diag(self, X: Array) -> Array:
        return product([factor.diag(X) for factor in self.factors])

    def hyper_gradient_diag(self, X: Array, w: Array) -> Array:
        diags = [factor.diag(X) for factor in self.factors]
        return np.concatenate(
            [factor.hyper_gradient_diag(X, w * product(diags, but=[i])) for i, factor in enumerate(self.factors)]
        )

    def diag_derivatives(self, X: Array, order: int) -> tuple[Array, Array | None]:
        """The product rule for κ = Π_i κ_i, κ_i(x) = k_i(x, x)."""
        diags = [factor.diag(X) for factor in self.factors]
        parts = [factor.diag_derivatives(X, order) for factor in self.factors]
        first, second = np.zeros_like(parts[0][0]), np.zeros((*parts[0][0].shape, np.shape(X)[1]))
        for i, (f, s) in enumerate(parts):
            first += product(diags, but=[i])[:, None] * f
            if s is not None:
                second += product(diags, but=[i])[:, None, None] * s
        if order == 1:
            return first, None
        for (i, (f, _)), (j, (g, _)) in combinations(enumerate(parts), 2):
            cross = product(diags, but=[i, j])[:, None, None] * f[:, :, None] * g[:, None, :]
            second += cross + cross.transpose(0, 2, 1)
        return first, second


def additive(
    n_columns: int,
    pairs: Iterable[tuple[int, int]] = (),
    kernel: Callable[..., Kernel] = EQ,
    categorical: Iterable[int] = (),
) -> Kernel:
    """A sum of functions of one column each, and of two columns for each of `pairs`.

    Args:
        n_columns: The number of columns D; each gets a term `kernel(dims=(d,))`.
        pairs: The pairs (d, e) that interact; each gets a term with a length-scale for each of its two columns.
        kernel: The kind of the terms, such as `EQ` or `Matern52`.
        categorical: The columns of level codes. Their terms are `Categorical`. A pair of a categorical and another
            column gets a product: a function of the other column for every level.

    Example:
        >>> from rsens import GPRegressor
        >>> from rsens.kernels import additive
        >>> kernel = additive(3, pairs=[(0, 2)])  # f₀(x₀) + f₁(x₁) + f₂(x₂) + f₀₂(x₀, x₂)
        >>> len(kernel.terms), kernel.terms[-1].dims
        (4, (0, 2))
        >>> model = GPRegressor(kernel=kernel)
    """
    n_columns = whole_number(n_columns, "n_columns", 1)
    given = list(categorical) if isinstance(categorical, Iterable) else [categorical]
    if not all(_is_column(d, n_columns) for d in given):
        raise InputError("additive: ", Argument("categorical"), f" must be columns below {n_columns}; got {given}.")
    levels = {int(d) for d in given}

    def term(*columns: int) -> Kernel:
        """A function of one or two columns of the same kind."""
        kind = Categorical if columns[0] in levels else kernel
        return kind(dims=columns) if len(columns) == 1 else kind(lengthscale=(1.0, 1.0), dims=columns)

    terms = [term(d) for d in range(n_columns)]
    seen: set[frozenset[int]] = set()
    for pair in pairs if isinstance(pairs, Iterable) else [pairs]:
        columns = tuple(pair) if isinstance(pair, Iterable) else (pair,)
        two = len(columns) == 2 and all(_is_column(d, n_columns) for d in columns) and columns[0] != columns[1]
        if not two or frozenset(columns) in seen:
            raise InputError(
                "additive: ",
                Argument("pairs"),
                f" must be different pairs of two columns from 0 to {n_columns - 1}, such as [(0, 1)]; got {pair!r}.",
            )
        seen.add(frozenset(columns))
        d, e = columns
        alike = (d in levels) == (e in levels)
        terms.append(term(d, e) if alike else Product((term(d), term(e))))
    return terms[0] if len(terms) == 1 else Sum(tuple(terms))


def _is_column(d: Any, n_columns: int) -> bool:
    return isinstance(d, int | np.integer) and not isinstance(d, bool) and 0 <= int(d) < n_columns


def fits(numbers: int) -> bool:
    """Whether we may keep this many numbers."""
    return 8 * numbers <= KEEP_BYTES


def product(values: Sequence[Array], but: Iterable[int] = ()) -> Array:
    """The product of all `values` except those numbered `but`."""
    kept = [value for i, value in enumerate(values) if i not in but]
    return reduce(np.multiply, kept) if kept else np.ones_like(values[0])


def on_sum(terms: tuple[Kernel, ...], X: Array, Z: Array | None) -> KernelOn:
    """∂k/∂θ = ∂k_t/∂θ for the term k_t that θ belongs to."""
    n, N = len(X), len(X if Z is None else Z)
    # A term holds g and g'; further slopes are rare.
    kept = [term.on(X, Z) for term in terms] if fits(2 * n * N * len(terms)) else []

    def matrices() -> Iterable[KernelOn]:
        return kept or (term.on(X, Z) for term in terms)

    value = np.zeros((n, N), order="F")
    for term in matrices():
        value += term.value
    return KernelOn(value, lambda M: np.concatenate([term.hyper_gradient(M) for term in matrices()]))


def on_product(factors: list[KernelOn]) -> KernelOn:
    """∂k/∂θ = ∂k_f/∂θ for the factor k_f that θ belongs to, times the other factors."""
    values = [factor.value for factor in factors]

    def hyper_gradient(M: Array) -> Array:
        return np.concatenate([f.hyper_gradient(M * product(values, but=[i])) for i, f in enumerate(factors)])

    return KernelOn(product(values), hyper_gradient)


def on_condensed_sum(terms: tuple[Kernel, ...], X: Array) -> KernelOn:
    """`on_sum` for k(X, X) of distance kernels and their products, from vectors with one entry per pair of rows.

    These are the pairs i < j in the condensed order of SciPy, and a last pair of equal rows for the diagonal.
    """

    @cache
    def squares(column: int) -> tuple[Array, float]:
        """((x_i − x_j)/unit)² by pair, and the unit of this column, which keeps the squares within float64."""
        x = X[:, column]
        unit = float(np.ptp(x)) or 1.0
        by_pair = np.empty(len(x) * (len(x) - 1) // 2 + 1)
        by_pair[-1] = 0.0
        pdist((x / unit)[:, None], "sqeuclidean", out=by_pair[:-1])
        return by_pair, unit

    by_term = [_on_pairs(term, X, squares) for term in terms]
    total = by_term[0].value.copy()
    for term in by_term[1:]:
        total += term.value
    value = squareform(total[:-1], checks=False).T if len(X) > 1 else np.zeros((1, 1))
    np.fill_diagonal(value, total[-1])

    def hyper_gradient(M: Array) -> Array:
        # Every pair counts for two entries of the symmetric M. The upper triangle of Mᵀ is the lower one of M.
        m = np.empty(len(total))
        np.multiply(squareform(M.T, checks=False), 2.0, out=m[:-1])
        m[-1] = np.trace(M)
        return np.concatenate([term.hyper_gradient(m) for term in by_term])

    return KernelOn(value, hyper_gradient)


def _on_pairs(kernel: Kernel, X: Array, squares: Callable[[int], tuple[Array, float]]) -> KernelOn:
    """A distance kernel g(s), s = Σ_d w_d s_d, or a product of them, by pair of rows."""
    if isinstance(kernel, Product):
        return on_product([_on_pairs(factor, X, squares) for factor in kernel.factors])
    assert isinstance(kernel, DistanceKernel)
    columns = kernel.active_of(kernel.seen(X).shape[1])
    lengthscales = np.broadcast_to(kernel.lengthscale, (len(columns),))
    each = [kernel.pair_distance(*squares(c), l) for c, l in zip(columns, lengthscales, strict=True)]
    s = each[0][1] * each[0][0]
    for distance, weight in each[1:]:
        s += weight * distance
    value, slope, *shapes = kernel.profile(s)
    ratio, factor = kernel.slope_ratio, -float(kernel.power)
    if ratio is not None:  # the slope is that many times the value
        del slope

    def hyper_gradient(M: Array) -> Array:
        """∂k/∂log σ² = g, ∂k/∂log l_d = −g'·power·w_d s_d, and the rest as the profile gives it; M (P + 1,) by pair."""
        if ratio is None:
            weighted, variance, share = M * slope, _dot(M, value), factor
        else:
            weighted, share = M * value, factor * ratio
            variance = float(weighted[:-1].sum() + weighted[-1])
        slopes = [share * weight * _dot(weighted, distance) for distance, weight in each]
        if not isinstance(kernel.lengthscale, tuple):
            slopes = [sum(slopes)]
        return np.array([variance, *slopes, *(_dot(M, shape) for shape in shapes)])

    return KernelOn(value, hyper_gradient)


def _dot(M: Array, values: Array) -> float:
    """Σ_p M_p v_p, the diagonal after all pairs."""
    return float(M[:-1] @ values[:-1] + M[-1] * values[-1])


class AtSum(KernelAt):
    """Derivatives of a sum: the derivatives of its parts, added in the columns of all parts."""

    def __init__(self, parts: list[KernelAt]) -> None:
        self._values = [part.value for part in parts]
        columns = tuple(sorted({column for part in parts for column in part.columns}))
        super().__init__(self._composed(), columns, parts[0].n_columns)
        self._parts = [(part, np.array([self.columns.index(c) for c in part.columns], dtype=int)) for part in parts]

    def _composed(self) -> Array:
        return sum(self._values[1:], self._values[0])

    def _weighted(self, W: Array, i: int) -> Array:
        """The weights W (…, N) times the factor of the derivatives of part i."""
        return W

    def active_first(self) -> Array:
        first = super().active_first()
        for i, (part, at) in enumerate(self._parts):
            consecutive = len(at) and (np.diff(at) == 1).all()
            places = slice(at[0], at[-1] + 1) if consecutive else at  # a slice adds in place
            first[:, places] += self._weighted(part.active_first(), i)
        return first

    def active_weighted_first(self, W: Array) -> Array:
        first = super().active_weighted_first(W)
        for i, (part, at) in enumerate(self._parts):
            first[:, at] += part.active_weighted_first(self._weighted(W, i))
        return first

    def active_second(self, W: Array) -> Array:
        second = super().active_second(W)
        for i, (part, at) in enumerate(self._parts):
            if len(at):
                second[:, at[:, None], at] += part.active_second(self._weighted(W, i))
        return second


class AtProduct(AtSum):
    """The product rule: ∂k = Σ_i k₋ᵢ ∂k_i, ∂²k = Σ_i k₋ᵢ ∂²k_i + Σ_{i≠j} k₋ᵢⱼ ∂k_i ∂k_jᵀ; k₋ᵢ is k without factor i."""

    def _composed(self) -> Array:
        return product(self._values)

    def _weighted(self, W: Array, i: int) -> Array:
        others = product(self._values, but=[i])
        return np.multiply(W, others[:, None, :], out=W) if W.ndim == 3 else W * others

    def active_second(self, W: Array) -> Array:
        second = super().active_second(W)
        moving = [(i, factor, at) for i, (factor, at) in enumerate(self._parts) if len(at)]
        for (i, factor, at), (j, other, there) in combinations(moving, 2):
            weights = W * product(self._values, but=[i, j])
            cross = (weights[:, None, :] * factor.active_first()) @ other.active_first().transpose(0, 2, 1)
            second[:, at[:, None], there] += cross
            second[:, there[:, None], at] += cross.transpose(0, 2, 1)
        return second
