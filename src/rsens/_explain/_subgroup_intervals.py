"""How far R-sens within a subgroup, and its difference from the other rows, vary between refits.

Every refit is evaluated within each subgroup of its own rows and outside of it, and both the values and the differences
have the standard error of the jackknife. Intervals over rows are in `SubgroupSums`: there the model is taken as it is,
and a subgroup and the other rows are independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rsens._explain._intervals import REFITS
from rsens._explain._jackknife import jackknife
from rsens._explain._spread import Spread
from rsens._explain._subgroups import Division, Subgroups, average
from rsens._typing import Array

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
    assert part.subgroup_rest is not None
    apart = part.subgroup_values - part.subgroup_rest
    return replace(
        part,
        subgroup_intervals=np.maximum(value.around(part.subgroup_values, level), 0.0),
        subgroup_differences=difference.around(apart, level),
        subgroup_p_values=difference.p_values(apart),
        subgroup_interval_kind=REFITS,
    )
