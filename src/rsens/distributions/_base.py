"""The base of every predictive family: parameters λ, Fisher norm, Rényi divergence, log density, sampling.

A family holds the arrays it was given (NumPy, JAX tracers, torch tensors; numbers and lists become NumPy), so a user's
function can build one inside a trace; only `parameters` is computed there. Every other method works on NumPy arrays,
which `checked` checks once.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, reduce
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit

from rsens._errors import Argument, InputError
from rsens._threads import one_thread
from rsens._typing import Array, Flags

RowShaper = Callable[[Array], Array]


@dataclass(frozen=True)
class Domain:
    """Which values a constructor argument may take, and how many trailing axes belong to one row."""

    lower: float = -np.inf
    upper: float = np.inf
    closed: bool = False
    event_ndim: int = 0

    def holds(self, values: Array) -> Flags:
        """Which of the values are allowed."""
        inside = (values > self.lower) & (values < self.upper)
        ends = (values == self.lower) | (values == self.upper)
        return np.isfinite(values) & (inside | ends if self.closed else inside)

    def __str__(self) -> str:
        if np.isfinite(self.upper):
            return f"between {self.lower:g} and {self.upper:g}"
        bound = f" and {'at least' if self.closed else 'greater than'} {self.lower:g}"
        return "finite" + (bound if np.isfinite(self.lower) else "")


REAL = Domain()
POSITIVE = Domain(lower=0.0)
UNIT = Domain(lower=0.0, upper=1.0, closed=True)
SHARES = Domain(lower=0.0, upper=1.0, closed=True, event_ndim=1)

#: Outside the reach of a component lies about this share of it.
NEGLIGIBLE = 1e-18
#: −log of that share, and a little more for the squares of scores.
FAR = 43.0


class Reach(NamedTuple):
    """Where a component has its mass on the line of its family: its ends, its centre, and the finest feature of it."""

    low: Array
    high: Array
    centre: Array
    spread: Array


@dataclass(frozen=True, eq=False)
class Link:
    """The scale η (n, K) on which models of a family usually add up.

    With its derivatives in λ, (n, K, M) and (n, K, M, M), and J = ∂λ/∂η (n, M, K), the rest of λ held.
    """

    eta: Array
    first: Array
    second: Array
    jacobian: Array


class Distribution(ABC):
    """A batch of n predictive distributions of one family, with parameters λ of shape (n, M).

    The constructor takes numbers, lists and arrays, one value per row or one for all rows; in `checked()` they are all
    arrays (n,).

    Example:
        >>> from rsens import Poisson
        >>> family = Poisson(rate=[1.0, 4.0])
        >>> family.parameter_names, family.parameters.tolist(), family.variance.tolist()
        (('rate',), [[1.0], [4.0]], [1.0, 4.0])
        >>> family.fisher().round(4).tolist()
        [[[1.0]], [[0.25]]]
        >>> family.renyi(Poisson(rate=[1.0, 5.0]), alpha=1.0).round(4).tolist()
        [0.0, 0.1074]
        >>> family.log_prob([0.0, 2.0]).round(4).tolist(), family.quantile(0.9).tolist()
        ([-1.0, -1.9206], [2.0, 7.0])
    """

    #: The constructor arguments that hold arrays, in the order of λ, and the values each may take.
    domains: ClassVar[dict[str, Domain]]
    #: The arguments that are not part of λ and may not depend on x.
    fixed_fields: ClassVar[tuple[str, ...]] = ()
    #: The arguments that may be left out.
    optional_fields: ClassVar[tuple[str, ...]] = ()
    #: The kind of y: one real number, a count, a class code, or a vector.
    support: ClassVar[Literal["continuous", "counts", "classes", "vector"]] = "continuous"
    #: Whether the same y are possible for all λ, so that the divergence of order 0 is 0.
    same_support: ClassVar[bool] = True
    #: Blocks of λ, by name, between which the Fisher information is zero.
    orthogonal_blocks: ClassVar[dict[str, slice]] = {}
    #: Whether one distribution in place of draws of this family has their average λ.
    matched_by_average: ClassVar[bool] = True
    #: Weight of each output in `ead` and similar measures; ½ if the outputs add up to a constant (class probabilities).
    output_weight: ClassVar[float] = 1.0
    #: The scale on which models of this family usually add up; None for a family that has no `link`.
    additive_on: ClassVar[Literal["identity", "log", "logit"] | None] = None

    mean: Any
    variance: Any

    def __post_init__(self) -> None:
        for name, values in self.fields().items():
            object.__setattr__(self, name, as_floats(values))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the columns of `parameters`: the arguments that are not fixed, by default."""
        return tuple(name for name in self.domains if name not in self.fixed_fields)

    def columns(self) -> Sequence[Any]:
        """The M columns of λ, of any shapes that broadcast to (n,)."""
        return [getattr(self, name) for name in self.parameter_names]

    @property
    def parameters(self) -> Any:
        """λ, shape (n, M), in the array type the family was built with."""
        return stack(*self.columns())

    def fields(self) -> dict[str, Any]:
        """The arrays this family was built from, by constructor argument."""
        left_out = [name for name in self.optional_fields if getattr(self, name) is None]
        return {name: getattr(self, name) for name in self.domains if name not in left_out}

    def with_parameters(self, λ: Any) -> Self:
        """This family with other parameters, shape (n, M); everything else is the same."""
        fixed = {name: getattr(self, name) for name in self.fixed_fields}
        return type(self)(**fixed, **{name: λ[..., m] for m, name in enumerate(self.parameter_names)})

    def leaves(self) -> list[Any]:
        """The arrays of `fields`, flat; `rebuilt` is the inverse."""
        return list(self.fields().values())

    def event_axes(self) -> list[int]:
        """For each of `leaves` how many of its axes, the last ones, belong to one row."""
        return [self.domains[name].event_ndim for name in self.fields()]

    def rebuilt(self, leaves: Iterator[Any]) -> Self:
        """The same family from other arrays, taken from `leaves` in the order of `self.leaves()`."""
        return type(self)(**{name: next(leaves) for name in self.fields()})

    def _matched(self, average: Callable[..., Any]) -> Distribution:
        """One distribution in place of the draws (S, n) held here; `average(values, event_ndim)` is over draws."""
        fields = self.fields()
        return type(self)(**{name: average(values, self.domains[name].event_ndim) for name, values in fields.items()})

    @cached_property
    def _checked(self) -> Self:
        return self.checked()

    def checked(self, n: int | None = None) -> Self:
        """This family with float64 NumPy arrays of n rows, or an `InputError` about the wrong value."""
        return self._filled(n)

    def _filled(self, n: int | None, draws: int | None = None) -> Self:
        """This family with every array checked and broadcast to (n,), or with draws in front to (draws, n)."""
        self._check_given()
        arrays = {name: self._read_field(name, values, draws is not None) for name, values in self.fields().items()}
        shapes = [a.shape[: a.ndim - self.domains[k].event_ndim] for k, a in arrays.items()]
        known = () if n is None else (n,)
        try:
            rows = np.broadcast_shapes(known if draws is None else (draws, *(known or (1,))), *shapes)
        except ValueError:
            rows = (-1, -1, -1)
        axes = 1 if draws is None else 2
        if len(rows) > axes or (n is not None and rows[-1] != n) or (draws is not None and rows[0] != draws):
            got = ", ".join(f"{k} {a.shape}" for k, a in arrays.items())
            want = ("" if draws is None else f"{draws}, ") + ("rows" if n is None else f"{n} rows")
            raise InputError(
                f"{type(self).__name__}: expected one value per row, shape ({want}); got {got}. Return arrays without "
                "extra axes."
            )
        events = {k: a.shape[a.ndim - self.domains[k].event_ndim :] for k, a in arrays.items()}
        family = self._with({k: np.broadcast_to(a, rows + events[k]) for k, a in arrays.items()})
        family._check_jointly()
        return family

    def _with(self, arrays: dict[str, Array]) -> Self:
        """This family with other arrays, which are known to be valid."""
        family = type(self)(**arrays)
        family.__dict__["_checked"] = family
        return family

    def at_rows(self, rows: Any) -> Self:
        """The distributions of some rows: a slice or positions. Not for mixtures, whose arrays have draws in front."""
        return self._checked._taken(rows)

    def joined(self, others: Sequence[Self]) -> Self:
        """The rows of these families of the same kind, one after the other, in place of mine. Not for mixtures."""
        parts = [other._checked.fields() for other in others]
        return self._with({name: np.concatenate([part[name] for part in parts]) for name in self.fields()})

    def _taken(self, index: Any) -> Self:
        """The part of a checked family at an index into its leading axes."""
        return self._with({name: values[index] for name, values in self.fields().items()})

    def _read_field(self, name: str, values: Any, draws: bool = False) -> Array:
        domain = self.domains[name]
        if values is None:
            raise self._refused(name, " is None; give one value per row.")
        try:
            given = np.asarray(values)
            if given.dtype.kind == "c":
                raise TypeError("it is complex")
            array = given.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise self._refused(name, f" is not numeric ({error}).") from None
        if array.ndim < domain.event_ndim:
            raise self._refused(name, f" needs {domain.event_ndim} axes per row; got shape {array.shape}.")
        if (bad := ~domain.holds(array)).any():
            where = tuple(int(i) for i in np.argwhere(bad)[0])
            places = ["draw", "row"] if draws and array.ndim - domain.event_ndim > 1 else ["row"]
            at = " at " + ", ".join(f"{p} {i}" for p, i in zip(places, where, strict=False)) if where else ""
            wrong = f"{int(bad.sum())} of {bad.size} values are wrong"
            raise self._refused(name, f" must be {domain}; got {array[where]:g}{at} ({wrong}). Check the model there.")
        return array

    def _check_given(self) -> None:  # noqa: B027  (most families take all their arguments)
        """Checks of which arguments were given, for families that may leave some out."""

    def _check_jointly(self) -> None:  # noqa: B027  (most families have nothing to check across arguments)
        """Checks across arguments, for families that need them."""

    def _check_sums(self, name: str, advice: str) -> None:
        """Checks that probabilities add up to 1."""
        total = getattr(self, name).sum(axis=-1)
        wrong = np.abs(total - 1.0) > 1e-8
        if wrong.any():
            got = f"{total[wrong][0]:.10g} ({int(wrong.sum())} of {wrong.size} rows are wrong)"
            raise self._refused(name, f" must add up to 1 in every row; got {got}. {advice}")

    def _check_comparable(self, other: Self) -> None:
        """Checks that two distributions agree in all arguments that are not parameters."""
        if (m := len(self.parameter_names)) != (k := len(other.parameter_names)):
            raise InputError(
                f"{type(self).__name__}: renyi compares distributions with as many parameters (classes, bins, "
                f"dimensions of y); got {m} and {k}."
            )
        for name in self.fixed_fields:
            if (getattr(self, name) != getattr(other, name)).any():
                before = "renyi compares distributions with the same "
                raise self._refused(name, f"; {name} is fixed, not a parameter.", before)

    @classmethod
    def _refused(cls, argument: str, problem: str, before: str = "") -> InputError:
        """The error about an argument of this family."""
        return InputError(f"{cls.__name__}: {before}", Argument(argument), problem)

    def _read_y(self, y: ArrayLike) -> Array:
        """y as float64, with rows (and, for vectors, components) that fit this family."""
        values = as_numbers(y, "y")
        event = self._checked.mean.shape[-1:] if self.support == "vector" else ()
        target = self._shape[:-1] + event
        with suppress(ValueError):
            np.broadcast_shapes(values.shape, target)
            if values.shape[len(values.shape) - len(event) :] == event:
                return values
        want = f"one value per row, shape {target}, perhaps with further axes in front"
        raise self._refused("y", f" needs {want}; got shape {values.shape}.")

    @cached_property
    def _shape(self) -> tuple[int, ...]:
        """The shape of λ, (n, M)."""
        shape: tuple[int, ...] = self._checked.parameters.shape
        return shape

    def _read_change(self, u: ArrayLike) -> Array:
        """A change of λ as float64, (n, M, …)."""
        values, shape = as_numbers(u, "u"), self._shape
        if values.shape[: len(shape)] != shape:
            want = f"the shape (rows, parameters, …), here {shape} and perhaps further axes"
            raise self._refused("u", f", a change of the parameters, must have {want}; got {values.shape}.")
        return values

    def log_prob(self, y: ArrayLike) -> Array:
        """log p(y | λ); y has one value per row, or further axes in front. -inf outside the support."""
        y = self._read_y(y)
        finite = np.isfinite(y)
        with np.errstate(all="ignore"):
            log_p = self._checked._log_prob(np.where(finite, y, 0.5))
            outside = ~finite if self.support != "counts" else ~finite | (y != np.floor(y))
        values = np.where(np.isnan(y), np.nan, np.where(outside, -np.inf, 0.0))
        return log_p + (values.sum(axis=-1) if self.support == "vector" else values)

    def sample(self, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draws: one per row, or `size` of them along a new first axis."""
        try:
            generator = np.random.default_rng(rng)
            shape = () if size is None else (operator.index(size),)
            return self._checked._sample(generator, shape)
        except (TypeError, ValueError, OverflowError) as error:
            wrong = f" a whole number of draws per row; got {rng!r} and {size!r} ({error})."
            parts = Argument("rng"), " must be a NumPy Generator or a seed, and ", Argument("size"), wrong
            raise InputError(f"{type(self).__name__}: ", *parts) from None

    def renyi(self, other: Self, alpha: float = 1.0) -> Array:
        """D_α[self ‖ other] per row for 0 ≤ α ≤ ∞, inf where it is infinite. α = 1 is Kullback–Leibler."""
        if type(other) is not type(self):
            raise InputError(
                f"renyi compares two distributions of one family; got {type(self).__name__} and {type(other).__name__}."
            )
        order = divergence_order(alpha)
        own, others = self._shape[:-1], other._shape[:-1]
        if own != others and own not in ((), (1,)) and others not in ((), (1,)):
            raise InputError(f"renyi compares row with row; got {own[0]} rows and {others[0]} rows.")
        self._checked._check_comparable(other._checked)
        rows = np.broadcast_shapes(own, others)
        if order == 0.0 and self.same_support:
            return np.zeros(rows)
        n = rows[0] if rows else 1
        p, q = (each._checked if each._shape[:-1] == (n,) else each.checked(n) for each in (self, other))
        with np.errstate(all="ignore"):
            if 1e-6 < order < 0.5:
                # D_α[p ‖ q] = α/(1 − α) D_{1−α}[q ‖ p]: a small α would cancel, and the nodes lie around p.
                return (order / (1.0 - order) * q._renyi(p, 1.0 - order)).reshape(rows)
            return p._renyi(q, order).reshape(rows)

    def whiten(self, u: ArrayLike) -> Array:
        """B u with Bᵀ B = I(λ), the Fisher information, for u (n, M, …): a Euclidean view of a change of λ."""
        u = self._read_change(u)
        axis = len(self._shape) - 1

        def row(field: Array) -> Array:
            return field.reshape(field.shape + (1,) * (u.ndim - 1 - field.ndim))

        with np.errstate(all="ignore"):
            return np.stack(self._checked._whiten(np.moveaxis(u, axis, 0), row), axis)

    def fisher_norm(self, u: ArrayLike) -> Array:
        """sqrt(uᵀ I(λ) u) for u (n, M, …), from the factor B, so nothing is squared before it is scaled."""
        return norm(self.whiten(u), len(self._shape) - 1)

    @property
    def part_names(self) -> tuple[str, ...]:
        """The parts of a change of λ, the prediction first; empty where they cannot be separated."""
        return tuple(self.orthogonal_blocks)

    def shares(self, u: ArrayLike) -> dict[str, Array]:
        """The share of each part of u (n, M, …) in uᵀIu, by name: at least 0 and adding up to 1, or 0 where u is."""
        u = as_numbers(u, "u")
        whole, shares = self.fisher_norm(u), {}
        for name, block in self.orthogonal_blocks.items():
            alone, index = np.zeros_like(u), (*(slice(None),) * (len(self._shape) - 1), block)
            alone[index] = u[index]
            shares[name] = (self.fisher_norm(alone) / np.where(whole > 0.0, whole, 1.0)) ** 2
        return shares

    def fisher(self) -> Array:
        """The Fisher information I(λ), shape (n, M, M)."""
        *rows, m = self._shape
        factor = self.whiten(np.broadcast_to(np.eye(m), (*rows, m, m)))
        with np.errstate(over="ignore", under="ignore"):
            information = np.einsum("...ri,...rj->...ij", factor, factor)
        diagonal = np.einsum("...ii->...i", information)
        if not np.isfinite(information).all() or (diagonal < np.finfo(float).tiny).any():
            raise InputError(
                f"{type(self).__name__}: an entry of the Fisher information does not fit in float64. "
                "Use fisher_norm, which does."
            )
        return information

    def score(self, y: ArrayLike) -> Array:
        """∂ log p(y | λ)/∂λ, shape (…, n, M)."""
        y = self._read_y(y)
        with np.errstate(all="ignore"):
            return self._checked._score(y)

    def prediction(self) -> Array:
        """The point prediction f, which methods without uncertainty look at, shape (n, outputs).

        It is the mean; for a Student-t the location, which exists for every df.
        """
        return self._checked._prediction()

    def prediction_gradient(self) -> Array:
        """∂f/∂λ of the point prediction f, shape (n, outputs, M)."""
        return self._checked._prediction_gradient()

    def prediction_hessian(self) -> Array | None:
        """∂²f/∂λ², shape (n, outputs, M, M), or None where f is linear in λ."""
        return self._checked._prediction_hessian()

    @property
    def has_spread(self) -> bool:
        """Whether `variance_gradient` is known."""
        return type(self)._variance_gradient is not Distribution._variance_gradient

    def variance_gradient(self) -> Array:
        """∂V/∂λ of the variance V of y, shape (n, M)."""
        p = self._checked
        return np.stack(np.broadcast_arrays(p.mean, *p._variance_gradient())[1:], axis=-1)

    def link(self) -> Link | None:
        """η, the prediction on the scale that `additive_on` names, with its derivatives in λ; None without one."""
        if self.additive_on is None:
            return None
        with np.errstate(all="ignore"):
            return self._checked._link()

    @abstractmethod
    def _log_prob(self, y: Array) -> Array:
        """log p(y); for counts continued smoothly between them, so that sums over many counts become integrals."""

    @abstractmethod
    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array: ...

    @abstractmethod
    def _renyi(self, other: Self, alpha: float) -> Array:
        """The divergences of order α, (n,), from checked arrays of the same n rows."""

    @abstractmethod
    def _whiten(self, u: Array, row: RowShaper) -> Sequence[Array]:
        """The rows of B u, for u (M, n, …); `row(field)` shapes a field (n,) so that it multiplies u[m]."""

    @abstractmethod
    def _score(self, y: Array) -> Array: ...

    def _collapsed(self, weights: Array) -> Distribution | None:
        """The mixture of the draws (S, n) held here, weights (n, S), if it is of the same family; else None."""
        return None

    def _prediction(self) -> Array:
        mean: Array = self.mean
        return mean if self.support in ("classes", "vector") else mean[..., None]

    def _prediction_gradient(self) -> Array:
        """The default: the first column of λ is the prediction."""
        parameters = self.parameters
        gradient = np.zeros((*parameters.shape[:-1], 1, parameters.shape[-1]))
        gradient[..., 0, 0] = 1.0
        return gradient

    def _prediction_hessian(self) -> Array | None:
        return None

    def _variance_gradient(self) -> Sequence[Any]:
        """The columns of ∂V/∂λ. Without it, `explain` has no effects on the spread."""
        raise NotImplementedError

    def _link(self) -> Link:
        """The default: the first column of λ is a mean, and so is η, or e^η if effects add up on the log scale."""
        λ = self.parameters
        mean, rest = λ[:, 0], (0.0,) * (λ.shape[1] - 1)
        if self.additive_on == "log":
            return scalar_link(np.log(mean), (1.0 / mean, *rest), (-1.0 / mean**2, *rest), (mean, *rest))
        return scalar_link(mean, (1.0, *rest), (0.0, *rest), (1.0, *rest))


class Ordered(Distribution):
    """A family with a distribution function, unless it is a mixture of classes or vectors."""

    def cdf(self, y: ArrayLike) -> Array:
        """P(Y ≤ y) per row; y has one value per row, or further axes in front."""
        return self._tail(y, upper=False)

    def survival(self, y: ArrayLike) -> Array:
        """P(Y > y) per row, with the digits that 1 − cdf(y) loses where it is small."""
        return self._tail(y, upper=True)

    def _tail(self, y: ArrayLike, *, upper: bool) -> Array:
        """P(Y ≤ y), or with `upper` P(Y > y), at every y: NaN for NaN, 0 or 1 at ±∞ and at negative counts."""
        if self._checked.support in ("classes", "vector"):
            raise InputError(f"{type(self).__name__}: {self.support} have no distribution function. Use log_prob.")
        values = self._read_y(y)
        inside = np.isfinite(values)
        if self.support == "counts":
            values = np.floor(values)
            inside &= values >= 0.0
        with np.errstate(all="ignore"):
            p = self._checked._cdf(np.where(inside, values, 0.0), upper)
        outside = np.where(np.isnan(values), np.nan, np.where((values < 0.0) == upper, 1.0, 0.0))
        return np.where(inside, np.clip(p, 0.0, 1.0), outside)

    @abstractmethod
    def _cdf(self, y: Array, upper: bool) -> Array:
        """P(Y ≤ y), or with `upper` P(Y > y), for finite y, and for counts whole y ≥ 0."""


class Univariate(Ordered):
    """A family whose y is one number, and which therefore has a distribution function and quantiles.

    Mixtures are integrated along the whole `line`: t = y for a real or a count y, log y for a positive one and logit y
    between 0 and 1. There densities are smooth, and fall at least exponentially.
    """

    line: ClassVar[Literal["real", "positive", "unit"]] = "real"

    def quantile(self, q: ArrayLike) -> Array:
        """The q-quantile of y per row; q has one value, one per row, or more axes in front; 0 and 1 give its ends."""
        q = as_numbers(q, "q")
        if not ((q >= 0.0) & (q <= 1.0)).all():
            raise InputError("quantile: ", Argument("q"), " must be between 0 and 1.")
        with np.errstate(all="ignore"):
            return self._checked._quantile(q)

    @abstractmethod
    def _quantile(self, q: Array, upper: bool = False) -> Array:
        """The q-quantile, or with `upper` the point y exceeds with probability q, which 1 − q could not express."""

    def _reach(self) -> Reach:
        """Where each of these distributions has its mass, on the line."""
        if self.support == "counts":
            # Bernstein's inequality, for tails that fall at least as e^{−y·mean/variance}.
            sd = np.sqrt(self.variance)
            far = np.sqrt(2.0 * FAR) * sd
            return Reach(self.mean - far, self.mean + far + FAR * self.variance / self.mean, self.mean, sd)
        low, left, centre, right = (self._on_line(self._quantile(np.array(q))) for q in (NEGLIGIBLE, 0.16, 0.5, 0.84))
        high = self._on_line(self._quantile(np.array(NEGLIGIBLE), upper=True))
        return Reach(low, high, centre, np.minimum(right - centre, centre - left))

    def _on_line(self, y: Array) -> Array:
        tiny = np.finfo(float).tiny
        if self.line == "positive":
            return np.log(np.clip(y, tiny, None))
        return y if self.line == "real" else np.log(np.clip(y, tiny, None)) - np.log(np.clip(1.0 - y, tiny, None))

    def _log_prob_and_scores(self, t: Array) -> tuple[Array, list[Array]]:
        """log density of t on the line, and ∂ log p/∂λ_m for each m."""
        y, log_slope = t, np.zeros(())
        if self.line == "positive":
            y, log_slope = np.exp(t), t
        elif self.line == "unit":
            y, log_slope = expit(t), log_expit(t) + log_expit(-t)
        return self._log_prob(y) + log_slope, list(np.moveaxis(self._score(y), -1, 0))


def scalar_link(eta: Array, first: Sequence[Any], bends: Sequence[Any], moved: Sequence[Any]) -> Link:
    """A scalar link that does not mix parameters: ∂η, the diagonal of ∂²η, and ∂λ/∂η, one entry per parameter."""
    slopes, curved, jacobian = (np.stack(np.broadcast_arrays(*each, eta)[:-1], -1) for each in (first, bends, moved))
    second, diagonal = np.zeros((len(eta), 1, len(first), len(first))), range(len(first))
    second[:, 0, diagonal, diagonal] = curved
    return Link(eta[:, None], slopes[:, None], second, jacobian[..., None])


def norm(vectors: Array, axis: int) -> Array:
    """Euclidean length along an axis, without overflow or underflow of the squares."""
    if vectors.shape[axis] == 1:
        return np.abs(vectors.take(0, axis))
    scale = np.max(np.abs(vectors), axis=axis, keepdims=True)
    safe = np.where((scale > 0.0) & (scale < np.inf), scale, 1.0)
    with np.errstate(over="ignore", under="ignore"):
        return (safe * np.sqrt(np.sum((vectors / safe) ** 2, axis=axis, keepdims=True))).squeeze(axis)


def as_numbers(values: ArrayLike, what: str) -> Array:
    """The values as float64, or an error about the argument that is not numeric."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(Argument(what), f" is not numeric ({error}).") from None


def divergence_order(alpha: Any) -> float:
    """The order of a divergence: one number from 0 to ∞."""
    with suppress(OverflowError):
        if isinstance(alpha, Real) and not isinstance(alpha, bool) and float(alpha) >= 0.0:
            return float(alpha)
    raise InputError(Argument("alpha"), f" must be at least 0; got {alpha!r}.")


# ---- operations inside a user's function, for any array type ---------------------------------------------------------


def namespace(*arrays: Any) -> Any:
    """The module (numpy, jax.numpy or torch) whose functions work on these arrays."""
    for array in arrays:
        match type(array).__module__.partition(".")[0]:
            case "jax" | "jaxlib":
                import jax.numpy as jnp

                return jnp
            case "torch":
                import torch

                return torch
    return np


def as_floats(values: Any) -> Any:
    """Values as an array of floats, if NumPy can read them; single precision stays, so that differences know it.

    JAX and PyTorch arrays are left alone, also in a list: NumPy would cut them off from their derivatives.
    """
    if _is_differentiable(values):
        return values
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, RuntimeError):  # a ragged list, or an array type that refuses
        return values
    if array.dtype.kind in "biu" or (array.dtype.kind == "O" and all(isinstance(v, Real) for v in array.flat)):
        return array.astype(np.float64)
    return array if array.dtype.kind == "f" else values


def stack(*columns: Any) -> Any:
    """Broadcast the columns against each other and stack them along a new last axis: λ, shape (n, M)."""
    xp = namespace(*columns)
    broadcast = xp.broadcast_tensors if xp.__name__ == "torch" else xp.broadcast_arrays
    return xp.stack(broadcast(*_as_arrays(xp, columns)), -1)


def flat_draws(λ: Any) -> Any:
    """λ of draws (S, n, M) as (n, S·M), draw after draw."""
    moved = namespace(λ).moveaxis(λ, 0, -2)
    return moved.reshape((*moved.shape[:-2], moved.shape[-2] * moved.shape[-1]))


def rows_first(values: Any, event_ndim: int) -> Any:
    """An array of draws (S, n, …) as (n, S, …), one per row (n, …) as (n, 1, …); one value for all stays."""
    axes = values.ndim - event_ndim
    if axes == 0:
        return values
    return values[:, None] if axes == 1 else namespace(values).moveaxis(values, 0, 1)


def rows_second(values: Any, event_ndim: int) -> Any:
    """The inverse of `rows_first`."""
    return values if values.ndim == event_ndim else namespace(values).moveaxis(values, 0, 1)


def weighted_sum(weights: Any, values: Any, event_ndim: int) -> Any:
    """Σ_s w_s v_s over draws, for weights (S,) or (n, S) that add up to 1 and values that broadcast to (S, n, …).

    Summed as v_0 + Σ w_s (v_s − v_0), so that values that are the same in all draws stay exact.
    """
    xp = namespace(weights, values)
    w, v = _as_arrays(xp, (weights, values))
    if v.ndim - event_ndim < 2:  # no axis of draws
        return v
    if xp is np and w.ndim == 1:  # a product of matrices: thousands of draws, and one array less in memory
        with one_thread("blas"):  # it reads memory, and a second thread would only wait
            return v[0] + np.tensordot(w, v - v[:1], 1)
    w = w[:, None] if w.ndim == 1 else xp.moveaxis(w, 1, 0)
    return v[0] + (w[(..., *(None,) * event_ndim)] * (v - v[:1])).sum(0)


def sigmoid(z: Any) -> Any:
    """1/(1 + e^{−z}) from e^{−|z|}: its first and second derivatives keep full relative accuracy in both tails."""
    xp = namespace(z)
    (z,) = _as_arrays(xp, (z,))
    positive = z >= 0.0
    t = xp.exp(-xp.where(positive, z, -z))  # not abs, whose derivative at 0 is 0
    return xp.where(positive, xp.ones_like(t), t) / (1.0 + t)


def _is_differentiable(values: Any) -> bool:
    """Whether it is an array of JAX or PyTorch, or a list that holds one."""
    if isinstance(values, list | tuple):
        return any(map(_is_differentiable, values))
    return namespace(values) is not np


def _as_arrays(xp: Any, values: Any) -> list[Any]:
    if xp is np:
        arrays = [np.asarray(value) for value in values]
        # Complex numbers are refused later.
        return [array if array.dtype.kind == "c" else array.astype(np.float64, copy=False) for array in arrays]
    if xp.__name__ == "torch":
        tensors = [value for value in values if isinstance(value, xp.Tensor)]
        dtype = reduce(xp.promote_types, (tensor.dtype for tensor in tensors))
        return [xp.as_tensor(value, dtype=dtype, device=tensors[0].device) for value in values]
    return [xp.asarray(value) for value in values]
