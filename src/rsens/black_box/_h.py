"""The H-statistic of Friedman and Popescu (2008, section 8.1), for pairs of columns.

With the partial dependences F, each with mean 0 over the rows,

    H²_de = Σ_i [F_de(x_id, x_ie) − F_d(x_id) − F_e(x_ie)]² / Σ_i F_de(x_id, x_ie)²:

the part of what two columns do together that is not the sum of what they do alone. The value is H.

It is a share, and says nothing about the size of an effect: where both main effects are weak, a negligible interaction
has a large H. It can exceed 1, mostly where columns are correlated: F_d and F_e then are no orthogonal parts of F_de,
and can cancel in it at the rows.
"""

from __future__ import annotations

import numpy as np

from rsens._typing import Array
from rsens.black_box._asked import Asked, sampled
from rsens.black_box._budget import Budget
from rsens.black_box._pairs import over_pairs

#: What is smaller than this share of the largest partial dependence, or of how far it ranges, is taken for rounding.
#: Predictions have 16 digits; sums of large terms that cancel, as the mean of a GP can be, have fewer.
ROUNDING_OF_SIZE, ROUNDING_OF_RANGE = 1e-13, 1e-10


def h_statistic(asked: Asked, budget: Budget, rng: np.random.Generator) -> Array:
    """H of every pair, on at most `budget.rows` rows.

    For a model with several outputs both sums run over the outputs too. A pair whose numerator is at the level of
    rounding gets 0, also where the model does not depend on either column and H would be 0/0.
    """
    asked.check_rows("h")
    rows = sampled(asked.values, budget.rows, rng)
    alone = [asked.partial_dependence((d,), rows[:, [d]], rows) for d in range(rows.shape[1])]
    size = np.max([np.abs(F).max() for F in alone])
    spread = np.max([np.ptp(F, axis=0).max() for F in alone])

    def value(d: int, e: int) -> float:
        both = asked.partial_dependence((d, e), rows[:, [d, e]], rows)
        rounding = ROUNDING_OF_SIZE * max(size, np.abs(both).max()) + ROUNDING_OF_RANGE * max(spread, np.ptp(both))
        least = both.size * rounding**2  # the sum of squares of numbers of this size
        joint = _centred(both)
        interaction = np.sum((joint - _centred(alone[d]) - _centred(alone[e])) ** 2)
        return float(np.sqrt(interaction / max(np.sum(joint**2), least))) if interaction > least else 0.0

    return over_pairs(rows.shape[1], value)


def _centred(F: Array) -> Array:
    return F - F.mean(axis=0)
