"""The arrays that a family holds: as they were given inside a user's function, and checked at its boundary.

A family holds the arrays it was given (NumPy, JAX tracers, torch tensors; numbers and lists become NumPy), so a user's
function can build one inside a trace; only `parameters` is computed there. Every other method works on NumPy arrays,
which `checked` checks once.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.distributions._arrays import as_floats, stack
from rsens.distributions._domain import Domain


class Fields(ABC):
    """The arrays of a family, one value per row or one for all rows; in `checked()` they are all arrays (n,)."""

    #: The constructor arguments that hold arrays, in the order of λ, and the values each may take.
    domains: ClassVar[dict[str, Domain]]
    #: The arguments that are not part of λ and may not depend on x.
    fixed_fields: ClassVar[tuple[str, ...]] = ()
    #: The arguments that may be left out.
    optional_fields: ClassVar[tuple[str, ...]] = ()

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
        """This family with other parameters, shape (n, M); what is not part of λ stays as it is."""
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
        arrays: dict[str, Array] = {}
        for name, values in self.fields().items():
            arrays[name] = self._read_field(name, values, draws is not None)
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

    def _check_given(self) -> None:  # noqa: B027  (most families take all their arguments)
        """Checks of which arguments were given, for families that may leave some out."""

    def _check_jointly(self) -> None:  # noqa: B027  (most families have nothing to check across arguments)
        """Checks across arguments, for families that need them."""

    @cached_property
    def _checked(self) -> Self:
        return self.checked()
