"""The record of a mixture of draws, draw by draw: what each draw's own predictive does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from rsens._typing import Array, Positions
from rsens.derivatives._contrasts import Contrast
from rsens.derivatives._derivatives import Derivatives
from rsens.distributions import Distribution, Mixture

#: How many derivatives to hold at once.
_BLOCK = 100_000


def is_of_draws(distribution: Distribution) -> bool:
    """Whether a predictive is a mixture of posterior draws, or of the members of an ensemble."""
    return isinstance(distribution, Mixture) and distribution.draws


def draw_records(derivatives: Derivatives, draws: Positions) -> Iterator[tuple[Positions, Derivatives]]:
    """Records of order 1 in which the rows are those of one draw after another: (which draws, their record).

    `draws` are positions among the components of the mixture; they come in blocks, by family.
    """
    mixture: Any = derivatives.distribution
    n = len(derivatives)
    for group, positions in zip(mixture.groups, mixture.positions, strict=True):
        chosen = np.flatnonzero(np.isin(positions, draws))
        size = max(1, _BLOCK // max(1, n * group.columns.shape[1] * derivatives.first.shape[-1]))
        for start in range(0, len(chosen), size):
            block = chosen[start : start + size]
            columns = group.columns[block]
            first = np.moveaxis(derivatives.first[:, columns], 1, 0)  # (draws, n, M, D)
            record = Derivatives(_flat(group.family, block), first.reshape(-1, *first.shape[2:]))
            contrasts = tuple(_of_block(c, positions[block], len(block)) for c in derivatives.contrasts)
            yield positions[block], replace(record, contrasts=contrasts)


def _of_block(contrast: Contrast, draws: Positions, count: int) -> Contrast:
    levels = []
    for level in contrast.levels:
        mixture: Any = level
        (found,) = (
            _flat(group.family, np.flatnonzero(np.isin(positions, draws)))
            for group, positions in zip(mixture.groups, mixture.positions, strict=True)
            if np.isin(positions, draws).any()
        )
        levels.append(found)
    return Contrast(contrast.column, contrast.name, np.tile(contrast.weights, (count, 1)), tuple(levels))


def _flat(family: Distribution, draws: Positions) -> Distribution:
    """Some of the draws (S, n) of a family as rows, one draw after another."""

    def rows(values: Array, event_ndim: int) -> Array:
        taken = values[draws]
        return taken.reshape(-1, *taken.shape[taken.ndim - event_ndim :])

    fields = family.fields().items()
    return type(family)(**{name: rows(values, family.domains[name].event_ndim) for name, values in fields})
