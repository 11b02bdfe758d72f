"""Covariance functions: values, derivatives in their hyperparameters, derivatives in x; sums are in `_compose.py`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy.linalg.blas import dgemm, dsymm

from rsens._errors import Argument, InputError
from rsens._typing import Array

if TYPE_CHECKING:
    from rsens.kernels._compose import Product, Sum

#: Standard deviation of the logarithm of a variance under its weak prior; log sd then has deviation 1.
DEVIATION = 2.0


class Kernel(ABC):
    """A covariance function k(x, z) of rows. It is immutable; `+` and `*` make sums and products.

    All hyperparameters are positive. `theta` holds their logarithms, and every hyperparameter derivative is in `theta`.
    Arguments are float64 arrays of rows: X (n, D) and Z (N, D).

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import EQ, Linear
        >>> kernel = EQ(lengthscale=2.0, dims=(0,)) + Linear(dims=(1,))
        >>> kernel(np.array([[0.0, 1.0], [2.0, 3.0]])).round(3).tolist()
        [[2.0, 3.607], [3.607, 10.0]]
        >>> kernel.hyperparameter_names
        ('terms[0].variance', 'terms[0].lengthscale', 'terms[1].variance')
    """

    @property
    @abstractmethod
    def hyperparameter_names(self) -> tuple[str, ...]:
        """The path of each entry of `theta`, such as "variance", "lengthscale[3]" (column 3), "terms[0].variance"."""

    @property
    @abstractmethod
    def theta(self) -> Array:
        """The logarithms of the hyperparameters, (n_theta,)."""

    @abstractmethod
    def with_theta(self, theta: Array) -> Kernel:
        """The same kernel with other hyperparameters."""

    @property
    @abstractmethod
    def n_dims(self) -> int | None:
        """The least number of columns that X must have, or None if any number will do."""

    @abstractmethod
    def arrays_at(self, n_columns: int) -> int:
        """The most float64 arrays of shape (n, N) that the derivatives of `at` need, not counting results."""

    @abstractmethod
    def on(self, X: Array, Z: Array | None = None) -> KernelOn:
        """The matrix k(X, Z), or k(X, X), and the work that it shares with its gradient in `theta`."""

    @abstractmethod
    def at(self, X: Array, Z: Array) -> KernelAt:
        """k(X, Z) with its derivatives in the columns of X."""

    @abstractmethod
    def diag(self, X: Array) -> Array:
        """k(x_i, x_i), (n,)."""

    @abstractmethod
    def hyper_gradient_diag(self, X: Array, w: Array) -> Array:
        """Σ_i w_i ∂k(x_i, x_i)/∂θ, (n_theta,)."""

    @abstractmethod
    def diag_derivatives(self, X: Array, order: int) -> tuple[Array, Array | None]:
        """Total derivatives of x ↦ k(x, x): first (n, D), and second (n, D, D) or None if order is 1."""

    @abstractmethod
    def in_units(self, scale: Array, variance: float) -> Kernel:
        """The kernel of √variance · f, as a function of columns that are `scale` (D,) times as large."""

    def priors(self, input_scale: Array, output_scale: float) -> list[tuple[float, float]]:
        """The mean and deviation of the weak prior of each entry of `theta`, given the units of columns and f."""
        return [(float(value), DEVIATION) for value in self.theta]

    def rates(self, rows: Array) -> Array:
        """The inverse length-scale of every column (D,), as `rsens.measures` defines it; 0 for columns k ignores."""
        raise InputError(f"ard does not know where {type(self).__name__} keeps its length-scales. Leave ard out.")

    def __call__(self, X: Array, Z: Array | None = None) -> Array:
        """The matrix k(X, Z), (n, N), or k(X, X), exactly symmetric."""
        return self.on(X, Z).value

    def hyper_gradient(self, X: Array, Z: Array | None, M: Array) -> Array:
        """Σ_ij M_ij ∂k(x_i, z_j)/∂θ, (n_theta,). Z = None means Z = X with M symmetric."""
        return self.on(X, Z).hyper_gradient(M)

    def __add__(self, other: Kernel) -> Sum:
        if not isinstance(other, Kernel):
            return NotImplemented
        from rsens.kernels._compose import Sum

        return Sum((self, other))

    def __mul__(self, other: Kernel) -> Product:
        if not isinstance(other, Kernel):
            return NotImplemented
        from rsens.kernels._compose import Product

        return Product((self, other))


@dataclass(frozen=True, eq=False)
class KernelOn:
    """The matrix k(X, Z) (n, N) at one `theta`, in Fortran order; its gradient needs it: do not overwrite it.

    `hyper_gradient` is M ↦ Σ_ij M_ij ∂k(x_i, z_j)/∂θ, (n_theta,); for k(X, X) only the lower triangle of the symmetric
    M is read.
    """

    value: Array
    hyper_gradient: Callable[[Array], Array]


class KernelAt:
    """k(x_i, z_j) with derivatives in x: a kernel gives those in its own `columns`. Weights W are (n, N), or (N,).

    Here derivatives are 0, as of a kernel that changes with x only in steps, if at all. `value` (n, N) is in C order:
    value.T is ready for LAPACK. Derivatives may need it: do not overwrite it.
    """

    def __init__(self, value: Array, columns: tuple[int, ...], n_columns: int) -> None:
        self.value, self.columns, self.n_columns = value, columns, n_columns

    def active_first(self) -> Array:
        """∂k/∂x_d for d in `columns`, as a new array (n, columns, N)."""
        n, N = self.value.shape
        return np.zeros((n, len(self.columns), N))

    def active_weighted_first(self, W: Array) -> Array:
        """Σ_j W_ij ∂k(x_i, z_j)/∂x_d for d in `columns`, (n, columns)."""
        return np.zeros((len(self.value), len(self.columns)))

    def active_second(self, W: Array) -> Array:
        """Σ_j W_ij ∂²k(x_i, z_j)/∂x_d∂x_e for d, e in `columns`, (n, columns, columns)."""
        return np.zeros((len(self.value), len(self.columns), len(self.columns)))

    @property
    def first(self) -> Array:
        """∂k(x_i, z_j)/∂x_d, (n, N, D), a view of a new array in the order of `first_by_column`."""
        return self.first_by_column().transpose(0, 2, 1)

    def first_by_column(self) -> Array:
        """∂k(x_i, z_j)/∂x_d as a new array (n, D, N) in C order: `.reshape(n * D, N).T` is ready for LAPACK."""
        return self._spread(self.active_first(), 1)

    def weighted_first(self, W: Array) -> Array:
        """Σ_j W_ij ∂k(x_i, z_j)/∂x_d, (n, D), without an (n, N, D) array."""
        return self._spread(self.active_weighted_first(W), 1)

    def second(self, W: Array) -> Array:
        """Σ_j W_ij ∂²k(x_i, z_j)/∂x_d∂x_e, (n, D, D), without an (n, N, D, D) array."""
        return self._spread(self._spread(self.active_second(W), 1), 2)

    def _spread(self, values: Array, axis: int) -> Array:
        """`values` with zeros for the columns that k does not depend on."""
        if self.columns == tuple(range(self.n_columns)):
            return values
        shape = list(values.shape)
        shape[axis] = self.n_columns
        full = np.zeros(shape)
        full[(slice(None),) * axis + (list(self.columns),)] = values
        return full


def as_rows(X: Array, n_dims: int | None, what: str = "X") -> Array:
    """X as a float64 matrix with the columns the kernel needs, or an `InputError`."""
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise InputError(f"{what} must be a matrix (rows, columns); got {X.ndim} dimensions. Reshape it.")
    if not X.shape[0]:
        raise InputError(f"{what} has no rows.")
    if n_dims is not None and X.shape[1] < n_dims:
        raise InputError(
            f"the kernel uses {n_dims} columns; got {what} with {X.shape[1]}. Check ",
            Argument("dims"),
            " and lengthscale.",
        )
    return X


def as_theta(theta: Array, n_theta: int) -> Array:
    """`theta` as a vector of the right length whose exponentials are finite and positive, or an `InputError`."""
    theta = np.asarray(theta, dtype=np.float64)
    if theta.shape != (n_theta,):
        raise InputError(
            Argument("theta"), f" must have {n_theta} entries, one per hyperparameter; got shape {theta.shape}."
        )
    if not (np.abs(theta) <= 700.0).all():  # exp is 0 or infinite there
        raise InputError(Argument("theta"), f" holds logarithms, which must lie in ±700; got {theta}.")
    return theta


#: A hyperparameter: one number for all columns, or one per column.
Positive = float | tuple[float, ...]
#: The product of a factor in some columns and a factor in the others; each factor is a product of kernels, and an empty
#: tuple means 1.
Term = tuple[tuple[Kernel, ...], tuple[Kernel, ...]]


class Leaf(Kernel):
    """A kernel that is a frozen dataclass: positive fields, and `dims`, the columns it looks at (None: all)."""

    #: The fields that may have one value per column.
    per_column: ClassVar[tuple[str, ...]] = ()
    dims: tuple[int, ...] | None

    def __post_init__(self) -> None:
        kernel = type(self).__name__
        object.__setattr__(self, "dims", _as_dims(self.dims, kernel))
        for name, given in self._fields.items():
            value = _as_positive(given, kernel, name, vector=name in self.per_column)
            if isinstance(value, tuple) and self.dims is not None and len(value) != len(self.dims):
                raise InputError(
                    f"{kernel}: ",
                    Argument(name),
                    f" must be one number or one per column of dims, {len(self.dims)}; got {len(value)}.",
                )
            object.__setattr__(self, name, value)
        lengths = {len(value) for value in self._fields.values() if isinstance(value, tuple)}
        if len(lengths) > 1:
            raise InputError(
                f"{kernel}: all arguments with one value per column must have the same length; got {sorted(lengths)}."
            )

    @property
    def _fields(self) -> dict[str, Positive]:
        """The hyperparameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "dims"}  # type: ignore[arg-type]

    @property
    def hyperparameter_names(self) -> tuple[str, ...]:
        columns = {name: range(len(v)) if isinstance(v, tuple) else None for name, v in self._fields.items()}
        return tuple(
            name if seen is None else f"{name}[{column}]"
            for name, seen in columns.items()
            for column in ([None] if seen is None else self.dims or seen)
        )

    @property
    def theta(self) -> Array:
        return np.log(np.hstack(list(self._fields.values())))

    def with_theta(self, theta: Array) -> Self:
        numbers = iter(np.exp(as_theta(theta, len(self.hyperparameter_names))).tolist())
        changes: dict[str, Any] = {}
        for name, value in self._fields.items():
            changes[name] = tuple(next(numbers) for _ in value) if isinstance(value, tuple) else next(numbers)
        return replace(self, **changes)  # type: ignore[type-var]

    @property
    def n_dims(self) -> int | None:
        if self.dims is not None:
            return max(self.dims) + 1
        return next((len(value) for value in self._fields.values() if isinstance(value, tuple)), None)

    def __repr__(self) -> str:
        given = self._fields if self.dims is None else self._fields | {"dims": self.dims}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def seen(self, X: Array, what: str = "X") -> Array:
        """The columns of X that k looks at, as a matrix."""
        X = as_rows(X, self.n_dims, what)
        if self.dims is not None:
            return X[:, self.dims]
        if self.n_dims not in (None, X.shape[1]):
            raise InputError(
                f"{type(self).__name__} has values for {self.n_dims} columns; got {what} with {X.shape[1]} columns. "
                "Give one value per column, or ",
                Argument("dims"),
                ".",
            )
        return X

    def on(self, X: Array, Z: Array | None = None) -> KernelOn:
        return self.on_seen(self.seen(X), None if Z is None else self._seen_like(X, Z))

    @abstractmethod
    def on_seen(self, x: Array, z: Array | None) -> KernelOn:
        """`on`, given the columns that k looks at."""

    def at(self, X: Array, Z: Array) -> KernelAt:
        n_columns = np.shape(X)[1]
        return self.at_seen(self.seen(X), self._seen_like(X, Z), self.active_of(n_columns), n_columns)

    @abstractmethod
    def at_seen(self, x: Array, z: Array, columns: tuple[int, ...], n_columns: int) -> KernelAt:
        """`at`, given the columns that k looks at: `columns` of `n_columns`."""

    def _seen_like(self, X: Array, Z: Array) -> Array:
        if np.shape(X)[1:] != np.shape(Z)[1:]:
            raise InputError(
                f"X and Z must have the same number of columns; got shapes {np.shape(X)} and {np.shape(Z)}."
            )
        return self.seen(Z, "Z")

    def active_of(self, n_columns: int) -> tuple[int, ...]:
        """The columns that k looks at, if X has `n_columns`."""
        return tuple(range(n_columns)) if self.dims is None else self.dims

    def arrays_at(self, n_columns: int) -> int:
        # stationary kernels need most. All the time: s, g, g'; for a moment: three for the profile or for g'' and its
        # weights, u and a product with u
        return 6 + 2 * len(self.active_of(n_columns))

    def in_units(self, scale: Array, variance: float) -> Self:
        return self.active_in_units(scale[list(self.active_of(len(scale)))], variance)

    @abstractmethod
    def active_in_units(self, columns: Array, variance: float) -> Self:
        """`in_units`, with the scales of the columns that k looks at."""

    def priors(self, input_scale: Array, output_scale: float) -> list[tuple[float, float]]:
        columns = input_scale[list(self.active_of(len(input_scale)))]
        shared = np.exp(np.mean(np.log(columns)))  # for one value that all columns share
        entries = []
        for name, value in zip(self.hyperparameter_names, self.theta, strict=True):
            field, _, column = name.partition("[")
            size = input_scale[int(column[:-1])] if column else shared
            entries.append(self.prior(field, float(value), float(size), len(columns), output_scale))
        return entries

    def prior(self, field: str, value: float, size: float, q: int, output_scale: float) -> tuple[float, float]:
        """The mean and deviation of the log of one hyperparameter, from its start and the sizes of its column and f."""
        return value, DEVIATION

    def rates(self, rows: Array) -> Array:
        rates = np.zeros(rows.shape[1])
        rates[list(self.active_of(rows.shape[1]))] = self.active_rates(rows)
        return rates

    def active_rates(self, rows: Array) -> Array:
        """`rates` of the columns that k looks at, or one for all of them."""
        return super().rates(rows)  # an error: the kernel does not know

    def split(self, inside: Sequence[int], outside: Sequence[int], n_columns: int) -> list[Term] | None:
        """The terms that add up to k, each a product of a factor in the columns `inside` and one in `outside`."""
        return None

    def restricted(self, columns: Sequence[int], n_columns: int) -> Self:
        """The same kernel on some of the columns that k looks at, with the hyperparameters of these columns."""
        seen = self.active_of(n_columns)
        own = {name: getattr(self, name) for name in self.per_column}
        chosen = {name: tuple(v[seen.index(c)] for c in columns) for name, v in own.items() if isinstance(v, tuple)}
        return replace(self, dims=tuple(columns), **chosen)  # type: ignore[type-var]


class ConstantDiagonal(Leaf):
    """A kernel with k(x, x) = variance, its first hyperparameter."""

    variance: float
    #: Whether k is the variance times a product over columns.
    separates: ClassVar[bool] = False
    #: Hyperparameters without a unit that are expected to be about 1.
    about_one: ClassVar[tuple[str, ...]] = ()

    def split(self, inside: Sequence[int], outside: Sequence[int], n_columns: int) -> list[Term] | None:
        if not self.separates:
            return None
        some, others = self.restricted(inside, n_columns), self.restricted(outside, n_columns)
        return [((some,), (replace(others, variance=1.0),))]  # type: ignore[type-var]

    def prior(self, field: str, value: float, size: float, q: int, output_scale: float) -> tuple[float, float]:
        if field == "variance":
            return np.log(output_scale**2), DEVIATION
        if field in self.about_one:
            return 0.0, 1.0
        return super().prior(field, value, size, q, output_scale)

    def diag(self, X: Array) -> Array:
        return np.full(len(self.seen(X)), self.variance)

    def hyper_gradient_diag(self, X: Array, w: Array) -> Array:
        self.seen(X)
        gradient = np.zeros(len(self.hyperparameter_names))
        gradient[0] = self.variance * np.sum(w)
        return gradient

    def diag_derivatives(self, X: Array, order: int) -> tuple[Array, Array | None]:
        self.seen(X)
        n, D = np.shape(X)
        return np.zeros((n, D)), np.zeros((n, D, D)) if order == 2 else None


class DistanceKernel(ConstantDiagonal):
    """k(x, z) = g(s) for a weighted sum s over columns of a distance of x_d and z_d; sums of these are faster."""

    per_column: ClassVar[tuple[str, ...]] = ("lengthscale",)
    lengthscale: Positive
    #: c, if g' = c·g: then a fit needs no array for g'.
    slope_ratio: ClassVar[float | None] = None
    #: The weight of column d in s is l_d to minus this power.
    power: ClassVar[int]

    @abstractmethod
    def profile(self, s: Array) -> tuple[Array, ...]:
        """g(s), g'(s), and ∂g/∂log of every hyperparameter after the length-scale. May overwrite s."""

    @abstractmethod
    def pair_distance(self, squares: Array, unit: float, lengthscale: float) -> tuple[Array, float]:
        """The distance in one column and its weight in s, given ((x_d − z_d)/unit)² of pairs of rows."""


def shared(slopes: Array, value: Positive) -> Array:
    """Slopes in a hyperparameter, one per column, or their sum if all columns share one value."""
    return slopes if isinstance(value, tuple) else slopes.sum(keepdims=True)


def times(value: Positive, factors: Array) -> Positive:
    """`value` times the factors: one value per column, or one for all if it was one and the factors are the same."""
    product = np.asarray(value) * factors
    if not isinstance(value, tuple) and np.all(product == product[0]):
        return float(product[0])
    return tuple(product.tolist())


def _as_dims(dims: Any, kernel: str) -> tuple[int, ...] | None:
    if dims is None:
        return None
    given = np.atleast_1d(np.asarray(dims))
    if given.ndim != 1 or not given.size or given.dtype.kind not in "iu" or given.min() < 0:
        raise InputError(
            f"{kernel}: ", Argument("dims"), f" must be column numbers from 0, such as (0, 3); got {dims!r}."
        )
    columns = tuple(int(column) for column in given)
    if len(set(columns)) < len(columns):
        raise InputError(f"{kernel}: ", Argument("dims"), f" must name each column once; got {dims!r}.")
    return columns


def _as_positive(value: Any, kernel: str, name: str, *, vector: bool) -> Positive:
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        wrong = "must be a positive number"
    else:
        if numbers.ndim > 1 or not numbers.size or (numbers.ndim and not vector):
            wrong = "must be one number or one per column" if vector else "must be one number"
        elif not (np.isfinite(numbers).all() and (numbers > 0).all()):
            wrong = "must be positive and finite"
        else:
            return tuple(numbers.tolist()) if numbers.ndim else float(numbers)
    raise InputError(f"{kernel}: ", Argument(name), f" {wrong}; got {value!r}.")


# Matrix products, all through SciPy's BLAS. NumPy and SciPy each bring a BLAS with threads; a loop that alternates
# between the two loses its time waiting.

#: How many columns at a time `inner` takes of a triangle.
STRIP = 64


def row_products(A: Array, B: Array) -> Array:
    """A Bᵀ, in C order; without copies if A and B are in C order."""
    return dgemm(1.0, B.T, A.T, trans_a=1).T


def weighted(P: Array, B: Array, symmetric: bool) -> Array:
    """P B; reads only the lower triangle of a symmetric P. Without a copy if P is in Fortran order."""
    return dsymm(1.0, P, B, lower=1) if symmetric else dgemm(1.0, P, B)


def inner(M: Array, K: Array, symmetric: bool) -> float:
    """Σ_ij M_ij K_ij, without an array for the products; reads only the lower triangles of symmetric matrices."""
    if not symmetric:
        return float(np.einsum("ij,ij->", M, K))
    total = 0.0
    for start in range(0, len(M), STRIP):
        stop = start + STRIP
        square = np.tril(M[start:stop, start:stop] * K[start:stop, start:stop])
        total += 2.0 * square.sum() - square.trace()
        total += 2.0 * np.einsum("ij,ij->", M[stop:, start:stop], K[stop:, start:stop])
    return float(total)
