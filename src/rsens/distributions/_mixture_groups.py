"""The components of a mixture, those of one family as one family whose arrays have an axis of components in front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._typing import Array, Positions
from rsens.distributions._base import Distribution


@dataclass(frozen=True, eq=False)
class Group:
    """Components of one family in one: its arrays are (S, n), and with an event (S, n, …)."""

    family: Distribution
    #: (n, S).
    weights: Array
    #: Where each of their parameters stands in the λ of the mixture, (S, M).
    columns: Positions
    #: Where they stand among the components of the mixture, (S,).
    members: Positions

    def row(self, i: int) -> Group:
        """The components with a weight at one row; arrays are (S,) and (S, …)."""
        weights = self.weights[i]
        held = weights > 0.0
        if held.all():
            return Group(self.family._taken((slice(None), i)), weights, self.columns, self.members)
        return Group(self.family._taken((held, i)), weights[held], self.columns[held], self.members[held])


def groups_of(components: Sequence[Distribution], weights: Array) -> list[Group]:
    """The groups of checked components, each with n rows; weights (n, S)."""
    sizes = [len(component.parameter_names) for component in components]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    alike: dict[Any, list[int]] = {}
    for s, component in enumerate(components):
        shapes = tuple((name, values.shape[1:]) for name, values in component.fields().items())
        alike.setdefault((type(component), shapes), []).append(s)
    groups = []
    for members in alike.values():
        first = components[members[0]]
        fields = {name: np.stack([getattr(components[s], name) for s in members]) for name in first.fields()}
        columns = starts[members][:, None] + np.arange(sizes[members[0]])
        groups.append(Group(first._with(fields), weights[:, members], columns, np.array(members, dtype=np.intp)))
    return groups


def group_of_draws(family: Distribution, weights: Array) -> Group:
    """The one group of a mixture that was given as one family."""
    draws, _, size = family.parameters.shape
    return Group(family, weights, np.arange(draws * size).reshape(-1, size), np.arange(draws))
