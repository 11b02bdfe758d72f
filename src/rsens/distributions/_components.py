"""How a mixture is put together: its components as a list, or as one family whose arrays have them in front."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array, Positions
from rsens.distributions._arrays import flat_draws, rows_first, rows_second, weighted_sum
from rsens.distributions._base import Distribution
from rsens.distributions._domain import Domain
from rsens.distributions._histogram import check_same_bins
from rsens.distributions._mixture_groups import Group, group_of_draws, groups_of
from rsens.distributions._normal import Normal


@dataclass(frozen=True, eq=False)
class Components(Distribution):
    """What a `Mixture` consists of, in either spelling; `groups` is what its methods work on."""

    components: Any
    weights: Any
    draws: bool = field(default=False, kw_only=True)
    domains: ClassVar[dict[str, Domain]] = {"weights": Domain(0.0, 1.0, closed=True, event_ndim=1)}
    fixed_fields: ClassVar[tuple[str, ...]] = ("weights",)

    # ---- what works on any array type -------------------------------------------------------------------------------

    @property
    def held_as_arrays(self) -> bool:
        """Whether the components were given as one family with (S, n) arrays."""
        return isinstance(self.components, Distribution)

    @property
    def kinds(self) -> set[type[Distribution]]:
        """The families of the components."""
        return {type(component) for component in ([self.components] if self.held_as_arrays else self.components)}

    @property
    def members(self) -> list[Distribution]:
        """The components, one object each, of any array type."""
        return (
            [self._member(s) for s in range(self.weights.shape[-1])] if self.held_as_arrays else list(self.components)
        )

    @property
    def member(self) -> Distribution:
        """The first component, for what all of them share."""
        first: Distribution = self._member(0) if self.held_as_arrays else self.components[0]
        return first

    def _member(self, s: int) -> Distribution:
        fields = self.components.fields().items()
        return type(self.components)(**{k: v[s] if v.ndim > 1 + self._event_ndim(k) else v for k, v in fields})

    @property
    def _any(self) -> Distribution:
        """One of the components, for what all of them share."""
        component: Distribution = self.components if self.held_as_arrays else self.components[0]
        return component

    @property
    def support(self) -> str:  # type: ignore[override]
        return self._any.support

    @property
    def output_weight(self) -> float:  # type: ignore[override]
        return self._any.output_weight

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return self._names

    @cached_property
    def _names(self) -> tuple[str, ...]:
        if self.held_as_arrays:
            own = self.components.parameter_names
            return tuple(f"{s}.{name}" for s in range(self.weights.shape[-1]) for name in own)
        return tuple(f"{s}.{name}" for s, c in enumerate(self.components) for name in c.parameter_names)

    def columns(self) -> list[Any]:
        if self.held_as_arrays:
            return [self.parameters[..., m] for m in range(len(self.parameter_names))]
        return [column for component in self.components for column in component.columns()]

    @property
    def parameters(self) -> Any:
        return flat_draws(self.components.parameters) if self.held_as_arrays else super().parameters

    def event_axes(self) -> list[int]:
        if self.held_as_arrays:
            return [1 + axes for axes in self.components.event_axes()] + [1]
        return [axes for component in self.components for axes in component.event_axes()] + [1]

    def leaves(self) -> list[Any]:
        """Rows come first in all of them, also where the components have draws in front."""
        if not self.held_as_arrays:
            return [leaf for component in self.components for leaf in component.leaves()] + [self.weights]
        fields = self.components.fields()
        if not any(values.ndim > 1 + self._event_ndim(name) for name, values in fields.items()):
            raise TypeError("one family without an axis of draws in front of the rows")
        return [rows_first(values, self._event_ndim(name)) for name, values in fields.items()] + [self.weights]

    def rebuilt(self, leaves: Iterator[Any]) -> Self:
        if not self.held_as_arrays:
            components = [component.rebuilt(leaves) for component in self.components]
            return type(self)(components, next(leaves), draws=self.draws)
        fields = {name: rows_second(next(leaves), self._event_ndim(name)) for name in self.components.fields()}
        return type(self)(type(self.components)(**fields), next(leaves), draws=self.draws)

    def _event_ndim(self, name: str) -> int:
        return self._any.domains[name].event_ndim

    def matched(self) -> Distribution:
        """One distribution in place of the mixture, in the components' own λ, of any array type.

        Classes and events are the mixture itself. Real y has the mean and the variance of the mixture; other families
        say what they take, mostly the average of λ. R-sens₂ of posterior draws looks at this.
        """
        if self.held_as_arrays:
            weights = self.weights

            def average(values: Any, event_ndim: int = 0) -> Any:
                return weighted_sum(weights, values, event_ndim)

            return self.components._matched(average)
        groups = self._checked.groups
        if len(groups) == 1:
            return type(self)(groups[0].family, groups[0].weights).matched()
        if self.support != "continuous":
            raise InputError("Mixture: components of different families have no common λ. Use one family.")
        return Normal(self.mean, self.variance)

    # ---- the boundary ----------------------------------------------------------------------------------------------

    def checked(self, n: int | None = None) -> Self:
        weights = self._read_field("weights", self.weights)
        total = weights.sum(axis=-1)
        draws = weights.shape[-1]
        count = draws if self.held_as_arrays else len(self._listed())
        if draws != count or (np.abs(total - 1.0) > 1e-8).any():
            raise InputError(
                f"Mixture: {count} components need {count} ",
                Argument("weights"),
                f" that add up to 1; got shape {weights.shape} and sums around {np.mean(total):.6g}.",
            )
        if self.held_as_arrays:
            if isinstance(self.components, Components):
                raise InputError("Mixture: ", Argument("components"), " is itself a Mixture. Use its own.")
            return self._checked_draws(weights, n)
        components = [component.checked(n) for component in self._listed()]
        if components[0].support in ("classes", "vector") and len({len(c.parameter_names) for c in components}) > 1:
            raise InputError(
                "Mixture: all ", Argument("components"), " must have the same number of classes, or of dimensions."
            )
        check_same_bins(components)
        shapes = [weights.shape[:-1], *(c.parameters.shape[:-1] for c in components)]
        try:
            rows = np.broadcast_shapes(*shapes)
        except ValueError:
            raise _unequal_rows(shapes) from None
        if len(rows) == 1:
            components = [component.checked(rows[0]) for component in components]
        return self._settled(components, np.broadcast_to(weights, rows + weights.shape[-1:]))

    def _checked_draws(self, weights: Array, n: int | None) -> Self:
        components = self.components.checked_draws(weights.shape[-1], n)
        rows = components.parameters.shape[1]
        if weights.shape[:-1] not in ((), (1,), (rows,)):
            if rows > 1:
                raise _unequal_rows([weights.shape[:-1], (rows,)])
            components, rows = components.checked_draws(weights.shape[-1], len(weights)), len(weights)
        return self._settled(components, np.broadcast_to(weights, (rows, weights.shape[-1])))

    def _settled(self, components: Any, weights: Array) -> Self:
        family = type(self)(components, weights, draws=self.draws)
        family.__dict__["_checked"] = family
        return family

    def _listed(self) -> list[Distribution]:
        """The components, if they are a list of families that can be mixed."""
        components = list(self.components) if isinstance(self.components, Sequence) else []
        if not components or not all(isinstance(component, Distribution) for component in components):
            raise InputError(
                "Mixture: ",
                Argument("components"),
                " must be a non-empty list of families, such as [Normal(…), Normal(…)], or one family with arrays "
                f"(components, rows); got {[type(c).__name__ for c in components] or type(self.components).__name__}.",
            )
        if any(isinstance(component, Components) for component in components):
            raise InputError(
                "Mixture: one of the ",
                Argument("components"),
                " is itself a Mixture. List its components instead, and multiply the weights.",
            )
        if len({component.support for component in components}) > 1:
            raise InputError(
                "Mixture: all ",
                Argument("components"),
                " must be distributions of the same kind of y; got "
                + ", ".join(sorted({f"{type(c).__name__} ({c.support})" for c in components}))
                + ".",
            )
        return components

    # ---- on checked NumPy arrays -----------------------------------------------------------------------------------

    @cached_property
    def groups(self) -> list[Group]:
        """The components of a checked mixture with n rows, those of one family in one."""
        me = self._rowed
        return (
            [group_of_draws(me.components, me.weights)] if me.held_as_arrays else groups_of(me.components, me.weights)
        )

    @property
    def positions(self) -> list[Positions]:
        """Which of the components each of the groups holds."""
        return [group.members for group in self.groups]

    @property
    def _rowed(self) -> Self:
        """This mixture with an axis of rows, also where one distribution was given without."""
        return self if self.weights.ndim > 1 else self.checked(1)

    def _unrowed(self, values: Array) -> Array:
        """Values (n, …) of `_rowed` without the rows that were not given."""
        return values if self.weights.ndim > 1 else values[0]

    @cached_property
    def whole(self) -> Distribution | None:
        """The mixture as one distribution of the components' family, where it is one: classes, events."""
        if len(self.groups) > 1:
            return None
        return self.groups[0].family._collapsed(self.groups[0].weights)

    def _average(self, of: Callable[[Distribution], Array]) -> Array:
        """Σ_s w_s f_s for f (S, n, …) of each family."""
        return self._unrowed(
            np.sum([np.einsum("ns,sn...->n...", group.weights, of(group.family)) for group in self.groups], axis=0)
        )


def _unequal_rows(shapes: list[tuple[int, ...]]) -> InputError:
    return InputError(
        "Mixture: ",
        Argument("weights"),
        " and ",
        Argument("components"),
        f" must have the same number of rows; got {sorted(set(shapes))}.",
    )
