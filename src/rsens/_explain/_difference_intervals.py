"""How far the difference of two explanations varies.

Where both were refitted without the same rows, refit k has the difference d_k = a_k − b_k, and the standard error is
the jackknife of these. Else se² = se_a² + se_b², with the degrees of freedom of Welch and Satterthwaite,

    ν = (se_a² + se_b²)² / (se_a⁴/ν_a + se_b⁴/ν_b),

which is right for two independent samples, and too wide for two models of the same rows.

Without refits only the rows vary. The influence of row i on a mean is h_i = n w_i (r_i − r̄), and
se² = Σ h_i² / (n (n − 1)); on the same rows, that of h_i = h_i(a) − h_i(b).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from rsens._explain._comparable import Comparable, Side
from rsens._explain._intervals import PER_TERM, Spread, jackknife
from rsens._explain._kept_refits import KeptRefits
from rsens._typing import Array

#: What the intervals of a difference come from.
PAIRED_REFITS, REFITS, PAIRED_ROWS, ROWS = "paired refits", "refits", "paired rows", "rows"
OF_REFITS = (PAIRED_REFITS, REFITS)


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What is known of the terms, or of the pairs, besides their values."""

    kind: str
    first: Array  # (2, values) intervals of one explanation
    second: Array
    difference: Array
    p_values: Array | None
    differs: NDArray[np.bool_] | None


def uncertainty(both: Comparable, order: int, level: float, *, same_rows: bool, marks: bool) -> Uncertainty | None:
    """The intervals of both sides and of their difference; None where one of the explanations has none.

    `marks` says whether the values are fit for p-values and marks: those of pure noise are not.
    """
    a, b = both.first, both.second
    if a.explanation._intervals is None or b.explanation._intervals is None:
        return None
    value_a, value_b = a.values(order), b.values(order)
    if value_a is None or value_b is None:
        return None
    found = _from_refits(a, b, order, same_rows) or _from_rows(a, b, order, level, same_rows)
    first, second = (
        np.maximum(spread.around(value, level), 0.0)
        for spread, value in ((found.first, value_a), (found.second, value_b))
    )
    ends = found.difference.around(value_a - value_b, level)
    if not all(np.isfinite(each).all() for each in (first, second, ends)):  # a single row says nothing of its spread
        return None
    p = found.difference.p_values(value_a - value_b) if found.kind in OF_REFITS and marks else None
    return Uncertainty(found.kind, first, second, ends, p, None if p is None else p <= PER_TERM)


@dataclass(frozen=True, eq=False)
class _Spreads:
    """The spread of each side, and of the difference."""

    kind: str
    first: Spread
    second: Spread
    difference: Spread


def _from_refits(a: Side, b: Side, order: int, same_rows: bool) -> _Spreads | None:
    one, other = a.explanation._refits, b.explanation._refits
    values_a, values_b = _replicates(a, order), _replicates(b, order)
    if one is None or other is None or values_a is None or values_b is None:
        return None
    first, second = _of_refits(one, values_a), _of_refits(other, values_b)
    if same_rows and one.refit_folds == other.refit_folds:
        return _Spreads(PAIRED_REFITS, first, second, _of_refits(one, values_a - values_b))
    return _Spreads(REFITS, first, second, first.plus(second))


def _from_rows(a: Side, b: Side, order: int, level: float, same_rows: bool) -> _Spreads:
    moved_a, moved_b = _influences(a, order), _influences(b, order)
    if moved_a is None or moved_b is None:
        first, second = _from_ends(a, order, level), _from_ends(b, order, level)
        return _Spreads(ROWS, first, second, first.plus(second))
    first, second = _of_rows(moved_a), _of_rows(moved_b)
    if same_rows:
        return _Spreads(PAIRED_ROWS, first, second, _of_rows(moved_a - moved_b))
    return _Spreads(ROWS, first, second, first.plus(second))


def _of_refits(kept: KeptRefits, values: Array) -> Spread:
    return Spread.of(jackknife(list(kept.by_round(values))), kept.degrees)


def _replicates(side: Side, order: int) -> Array | None:
    """The values of the refits, in the common units if these are others than the explanation's."""
    kept = side.explanation._refits
    values = None if kept is None else kept.refit_main if order == 1 else kept.refit_pairs
    if kept is None or values is None:
        return None
    values = values[:, side.positions if order == 1 else side.pair_positions]
    if not side.is_converted:
        return values
    factors = side.factors_of_refits(kept.refit_units)
    if order == 2:
        first, second = np.triu_indices(factors.shape[1], 1)
        factors = factors[:, first] * factors[:, second]
    return np.asarray(values * factors)


def _influences(side: Side, order: int) -> Array | None:
    """How far each row moves each value, (n, values), in the common units; None where local values were not kept."""
    e = side.explanation
    found, averages = e._values, e._values.main if order == 1 else e._values.pairs
    local = found.local_main if order == 1 else found.local_pairs
    if local is None:
        return None
    if order == 2:
        local = local[:, *np.triu_indices(len(e.names), 1)]
    assert averages is not None
    weights = len(local) * e._rows.shares[:, np.newaxis]
    moved = weights * (local - averages)
    return side.of_terms(moved) if order == 1 else side.of_pairs(moved)


def _of_rows(influences: Array) -> Spread:
    n = len(influences)
    if n < 2:
        return Spread.of(np.full(influences.shape[1], np.nan), 1.0)
    return Spread.of(np.sqrt((influences**2).sum(axis=0) / (n * (n - 1))), n - 1.0)


def _from_ends(side: Side, order: int, level: float) -> Spread:
    """From the interval that the explanation has: half of it is z standard errors."""
    intervals = side.explanation._intervals
    assert intervals is not None
    ends = intervals.intervals if order == 1 else intervals.pair_intervals
    assert ends is not None
    half = (ends[1] - ends[0]) / (2.0 * norm.ppf(0.5 + level / 2.0))
    return Spread.of(side.of_terms(half) if order == 1 else side.of_pairs(half), np.inf)
