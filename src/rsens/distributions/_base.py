"""What every predictive family is: parameters λ, Fisher norm, Rényi divergence, log density, sampling.

A family holds the arrays it was given (NumPy, JAX tracers, torch tensors; numbers and lists become NumPy), so a user's
function can build one inside a trace; only `parameters` is computed there. Every other method works on NumPy arrays,
which `checked` checks once.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.distributions._arrays import as_floats, stack
from rsens.distributions._domain import Domain
from rsens.distributions._numbers import as_numbers, divergence_order, norm

RowShaper = Callable[[Array], Array]


class Distribution(ABC):
    """A batch of n predictive distributions of one family, with parameters λ of shape (n, M).

    The constructor takes numbers, lists and arrays, one value per row or one for all rows; in `checked()` they are all
    arrays (n,).
    """

    #: The constructor arguments that hold arrays, in the order of λ, and the values each may take.
    domains: ClassVar[dict[str, Domain]]
    #: What y is: one real number, a count, a class code, or a vector.
    support: ClassVar[Literal["continuous", "counts", "classes", "vector"]] = "continuous"
    #: The arguments that are not part of λ and may not depend on x.
    fixed_fields: ClassVar[tuple[str, ...]] = ()
    #: The arguments that may be left out.
    optional_fields: ClassVar[tuple[str, ...]] = ()
    #: Blocks of λ, by name, between which the Fisher information is zero; empty if there are none.
    orthogonal_blocks: ClassVar[dict[str, slice]] = {}
    #: Whether the distribution that stands for draws of this family has their average λ.
    matched_by_average: ClassVar[bool] = True
    #: Weight of each output in `ead` and similar measures; ½ if the outputs add up to a constant (class probabilities).
    output_weight: ClassVar[float] = 1.0

    mean: Any
    variance: Any

    def __post_init__(self) -> None:
        for name, values in self.fields().items():
            object.__setattr__(self, name, as_floats(values))

    # ---- what works on any array type -------------------------------------------------------------------------------

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the columns of `parameters`: the arguments that are not fixed, unless a family says otherwise."""
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
        """This family with other parameters (n, M)."""
        fixed = {name: getattr(self, name) for name in self.fixed_fields}
        return type(self)(**fixed, **{name: λ[..., m] for m, name in enumerate(self.parameter_names)})

    def leaves(self) -> list[Any]:
        """The arrays of `fields`, flat; `rebuilt` is the inverse."""
        return list(self.fields().values())

    def rebuilt(self, leaves: Iterator[Any]) -> Self:
        """The same family from other arrays, taken from `leaves` in the order of `self.leaves()`."""
        return type(self)(**{name: next(leaves) for name in self.fields()})

    def _matched(self, average: Callable[..., Any]) -> Distribution:
        """One distribution in place of the draws (S, n) held here; `average(values, event_ndim)` is over draws."""
        fields = self.fields()
        return type(self)(**{name: average(values, self.domains[name].event_ndim) for name, values in fields.items()})

    # ---- the boundary: NumPy, float64, shape (n,), valid ------------------------------------------------------------

    def checked(self, n: int | None = None) -> Self:
        """This family with float64 NumPy arrays of n rows, or an `InputError` that says which value is wrong."""
        return self._filled(n)

    def checked_draws(self, draws: int, n: int | None = None) -> Self:
        """The same for arrays with draws in front of the rows, (draws, n): the components of a `Mixture` in one."""
        return self._filled(n, draws)

    def _filled(self, n: int | None, draws: int | None = None) -> Self:
        """This family with every array checked and broadcast to (n,), or with draws to (draws, n)."""
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
            want = "one value per row" if n is None else f"{n} rows, so one value per row, shape ({n},)"
            if draws is not None:
                want = f"one value per draw and row, shape ({draws}, {'rows' if n is None else n})"
            raise InputError(f"{type(self).__name__}: expected {want}; got {got}. Return arrays without extra axes.")
        for name, values in arrays.items():
            event = values.shape[values.ndim - self.domains[name].event_ndim :]
            arrays[name] = np.broadcast_to(values, rows + event)
        family = self._with(arrays)
        family._check_jointly()
        return family

    def _with(self, arrays: dict[str, Array]) -> Self:
        """This family with other arrays, which are known to be valid."""
        family = type(self)(**arrays)
        family.__dict__["_checked"] = family
        return family

    def _taken(self, index: Any) -> Self:
        """The part of a checked family at an index into its leading axes."""
        return self._with({name: values[index] for name, values in self.fields().items()})

    def _read_field(self, name: str, values: Any, draws: bool = False) -> Array:
        domain, family, argument = self.domains[name], f"{type(self).__name__}: ", Argument(name)
        if values is None:
            raise InputError(family, argument, " is None; give one value per row.")
        try:
            given = np.asarray(values)
            if given.dtype.kind == "c":
                raise TypeError("it is complex")
            array = given.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(family, argument, f" is not numeric ({error}).") from None
        if array.ndim < domain.event_ndim:
            raise InputError(family, argument, f" needs {domain.event_ndim} axes per row; got shape {array.shape}.")
        bad = ~domain.holds(array)
        if bad.any():
            where = tuple(int(i) for i in np.argwhere(bad)[0])
            places = ["draw", "row"] if draws and array.ndim - domain.event_ndim > 1 else ["row"]
            at = " at " + ", ".join(f"{p} {i}" for p, i in zip(places, where, strict=False)) if where else ""
            raise InputError(
                family,
                argument,
                f" must be {domain}; got {array[where]:g}{at} "
                f"({int(bad.sum())} of {bad.size} values are wrong). Check the model there.",
            )
        return array

    def _check_given(self) -> None:  # noqa: B027
        """Checks of which arguments were given, for families that may leave some out."""

    def _check_jointly(self) -> None:  # noqa: B027  (most families have nothing to check across arguments)
        """Checks across arguments, for families that need them."""

    @cached_property
    def _checked(self) -> Self:
        return self.checked()

    def _read_y(self, y: ArrayLike) -> Array:
        """y as float64, with rows (and, for vectors, components) that fit this family."""
        values = as_numbers(y, "y")
        event = self._checked.mean.shape[-1:] if self.support == "vector" else ()
        target = self._checked.parameters.shape[:-1] + event
        try:
            fits = values.shape[len(values.shape) - len(event) :] == event
            np.broadcast_shapes(values.shape, target)
        except ValueError:
            fits = False
        if not fits:
            raise InputError(
                f"{type(self).__name__}: ",
                Argument("y"),
                f" needs one value per row, shape {target}, perhaps with further axes in front; "
                f"got shape {values.shape}.",
            )
        return values

    # ---- methods, on NumPy ------------------------------------------------------------------------------------------

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
            raise InputError(
                f"{type(self).__name__}: cannot sample with rng={rng!r}, size={size!r} ({error}). ",
                Argument("rng"),
                " is a NumPy Generator or a seed, ",
                Argument("size"),
                " a whole number of draws per row.",
            ) from None

    def renyi(self, other: Self, alpha: float = 1.0) -> Array:
        """D_α[self ‖ other] per row for 0 ≤ α ≤ ∞, inf where it is infinite. α = 1 is Kullback–Leibler."""
        if type(other) is not type(self):
            raise InputError(
                f"renyi compares two distributions of one family; got {type(self).__name__} and {type(other).__name__}."
            )
        order = divergence_order(alpha)
        rows, others = self._checked.parameters.shape[:-1], other._checked.parameters.shape[:-1]
        if rows != others and rows not in ((), (1,)) and others not in ((), (1,)):
            raise InputError(f"renyi compares row with row; got {rows[0]} rows and {others[0]} rows.")
        with np.errstate(all="ignore"):
            if 1e-6 < order < 0.5:
                # D_α[p ‖ q] = α/(1 − α) D_{1−α}[q ‖ p]: a small α would cancel, and the nodes lie around p.
                return order / (1.0 - order) * other._checked._renyi(self._checked, 1.0 - order)
            return self._checked._renyi(other._checked, order)

    def whiten(self, u: ArrayLike) -> Array:
        """B u with Bᵀ B = I(λ), the Fisher information, for u (n, M, …): a Euclidean view of a change of λ."""
        u = as_numbers(u, "u")
        shape = self._checked.parameters.shape
        if u.shape[: len(shape)] != shape:
            raise InputError(
                f"{type(self).__name__}: ",
                Argument("u"),
                f", a change of the parameters, must have the shape (rows, parameters, …), here {shape} and perhaps "
                f"further axes; got {u.shape}.",
            )
        axis = len(shape) - 1

        def row(field: Array) -> Array:
            return field.reshape(field.shape + (1,) * (u.ndim - 1 - field.ndim))

        with np.errstate(all="ignore"):
            return np.stack(self._checked._whiten(np.moveaxis(u, axis, 0), row), axis)

    def fisher_norm(self, u: ArrayLike) -> Array:
        """sqrt(uᵀ I(λ) u) for u (n, M, …), from the factor B, so nothing is squared before it is scaled."""
        return norm(self.whiten(u), self._checked.parameters.ndim - 1)

    @property
    def part_names(self) -> tuple[str, ...]:
        """What a change of λ is made of, the prediction first; empty where it cannot be told apart."""
        return tuple(self.orthogonal_blocks)

    def shares(self, u: ArrayLike) -> dict[str, Array]:
        """How much of uᵀIu is in each part of u (n, M, …), by name: at least 0 and adding up to 1, or 0 where u is."""
        u = as_numbers(u, "u")
        whole = self.fisher_norm(u)
        safe, axis = np.where(whole > 0.0, whole, 1.0), self._checked.parameters.ndim - 1
        shares = {}
        for name, block in self.orthogonal_blocks.items():
            alone, index = np.zeros_like(u), (*(slice(None),) * axis, block)
            alone[index] = u[index]
            shares[name] = (self.fisher_norm(alone) / safe) ** 2
        return shares

    def fisher(self) -> Array:
        """The Fisher information I(λ), shape (n, M, M)."""
        m = self._checked.parameters.shape[-1]
        rows = self._checked.parameters.shape[:-1]
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

    # ---- what a family fills in, on checked NumPy arrays -----------------------------------------------------------

    @abstractmethod
    def _log_prob(self, y: Array) -> Array:
        """log p(y); for counts continued smoothly between them, so that sums over many counts become integrals."""

    @abstractmethod
    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array: ...

    @abstractmethod
    def _renyi(self, other: Self, alpha: float) -> Array: ...

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
        """The first column of λ is the prediction, unless a family says otherwise."""
        parameters = self.parameters
        gradient = np.zeros((*parameters.shape[:-1], 1, parameters.shape[-1]))
        gradient[..., 0, 0] = 1.0
        return gradient

    def _prediction_hessian(self) -> Array | None:
        return None
