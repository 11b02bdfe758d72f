"""The H-statistic of Friedman and Popescu (2008, section 8.1), for pairs of columns.

With the partial dependences F, each with mean 0 over the rows,

    H²_de = Σ_i [F_de(x_id, x_ie) − F_d(x_id) − F_e(x_ie)]² / Σ_i F_de(x_id, x_ie)²:

the part of the joint effect of two columns that is not the sum of their single effects. The value is H.

It is a share of the effects, large or small: where both main effects are weak, a negligible interaction has a large H.
It can exceed 1, mostly where columns are correlated: F_d and F_e are then not orthogonal parts of F_de, and can cancel
at the rows.
"""

from __future__ import annotations

import numpy as np

from rsens._typing import Array
from rsens.black_box._budget import Budget
from rsens.black_box._predictor import Predictor, over_pairs, sample_rows

#: Anything smaller than this share of the largest partial dependence, or of its range, counts as rounding.
#: Predictions have 16 digits; sums of large terms that cancel, such as the mean of a GP, have fewer.
ROUNDING_OF_SIZE, ROUNDING_OF_RANGE = 1e-13, 1e-10


def h_statistic(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """H of every pair, on at most `budget.rows` rows, with sums over outputs too; 0 where the numerator is rounding."""
    predictor.check_rows("h")
    rows = sample_rows(predictor.values, budget.rows, rng)
    alone = [predictor.partial_dependence((d,), rows[:, [d]], rows) for d in range(rows.shape[1])]
    size = np.max([np.abs(F).max() for F in alone])
    spread = np.max([np.ptp(F, axis=0).max() for F in alone])

    def value(d: int, e: int) -> float:
        both = predictor.partial_dependence((d, e), rows[:, [d, e]], rows)
        rounding = ROUNDING_OF_SIZE * max(size, np.abs(both).max()) + ROUNDING_OF_RANGE * max(spread, np.ptp(both))
        least = both.size * rounding**2  # the sum of squares of numbers of this size
        joint = _centre(both)
        interaction = np.sum((joint - _centre(alone[d]) - _centre(alone[e])) ** 2)
        return float(np.sqrt(interaction / max(np.sum(joint**2), least))) if interaction > least else 0.0

    return over_pairs(rows.shape[1], value)


def _centre(F: Array) -> Array:
    return F - F.mean(axis=0)
