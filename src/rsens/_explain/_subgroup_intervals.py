"""How far R-sens within a subgroup, and its difference from the other rows, vary.

From refits: every refit is evaluated within each subgroup of its own rows and outside of it, and both the values and
the differences have the standard error of the jackknife. From rows: the model is taken as it is, and a subgroup and the
other rows are independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rsens._explain._intervals import REFITS, ROWS
from rsens._explain._jackknife import jackknife
from rsens._explain._spread import Spread
from rsens._explain._subgroups import Division, Subgroups, average
from rsens._typing import Array, Flags

if TYPE_CHECKING:
    from rsens._explain._refit_intervals import RefitValues


def within_and_rest(local: Array, division: Division, weights: Array, aggregate: str) -> Array:
    """Averages within each subgroup and over all other rows, (2, subgroups, terms); NaN where no row counts."""
    numbers = range(len(division.labels))
    within = [average(local, division.codes == g, weights, aggregate) for g in numbers]
    return np.array([within, [average(local, division.codes != g, weights, aggregate) for g in numbers]])


def with_refit_intervals(part: Subgroups, rounds: Sequence[Sequence[RefitValues]], level: float) -> Subgroups:
    """The subgroups with intervals and p-values from refits; missing where a refit has no row of a subgroup."""
    seen = [np.array([refit.subgroups for refit in refits]) for refits in rounds]  # (K, 2, subgroups, terms)
    degrees = sum(len(refits) - 1 for refits in rounds)
    value = Spread.of(jackknife([each[:, 0] for each in seen]), degrees)
    difference = Spread.of(jackknife([each[:, 0] - each[:, 1] for each in seen]), degrees)
    return _with(part, value, difference, level, REFITS)


def with_row_intervals(
    part: Subgroups, local: Array, division: Division, weights: Array, aggregate: str, level: float
) -> Subgroups:
    """The subgroups with intervals that hold only for which rows are explained."""
    assert part.subgroup_rest is not None
    inside, outside = (
        [
            _of_rows(local, (division.codes == g) == side, weights, aggregate, average_of[g])
            for g in range(len(division.labels))
        ]
        for side, average_of in ((True, part.subgroup_values), (False, part.subgroup_rest))
    )
    value = _stacked(inside)
    return _with(part, value, _stacked([a.plus(b) for a, b in zip(inside, outside, strict=True)]), level, ROWS)


def _with(part: Subgroups, value: Spread, difference: Spread, level: float, kind: str) -> Subgroups:
    assert part.subgroup_rest is not None
    apart = part.subgroup_values - part.subgroup_rest
    return replace(
        part,
        subgroup_intervals=np.maximum(value.around(part.subgroup_values, level), 0.0),
        subgroup_differences=difference.around(apart, level),
        subgroup_p_values=difference.p_values(apart) if kind == REFITS else None,
        subgroup_interval_kind=kind,
    )


def _of_rows(local: Array, rows: Flags, weights: Array, aggregate: str, average: Array) -> Spread:
    """se² = n/(n − 1) Σ w_i² h_i², with h_i the influence of a row on the average of some rows."""
    n = int(np.count_nonzero(weights[rows]))
    if n < 2:
        return Spread.of(np.full(local.shape[1], np.nan), 1.0)
    moved = local[rows] - average
    if aggregate == "rms":
        moved = (local[rows] ** 2 - average**2) / (2.0 * np.where(average > 0.0, average, 1.0))
    share = weights[rows] / weights[rows].sum()
    return Spread.of(np.sqrt(n / (n - 1) * (share**2 @ moved**2)), n - 1.0)


def _stacked(spreads: Sequence[Spread]) -> Spread:
    return Spread(np.array([each.error for each in spreads]), np.array([each.degrees for each in spreads]))
