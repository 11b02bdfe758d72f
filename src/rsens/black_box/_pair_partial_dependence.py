"""Interactions from the partial dependence of two columns (Greenwell, Boehmke and McCarthy, 2018, section 4).

The importance of a column is how far its partial dependence spreads: its standard deviation over a grid. If d does not
interact with e, the importance of d within the partial dependence of both, F_de(·, x_e), does not depend on x_e:

    i(d | x_e) = spread over x_d of F_de(x_d, x_e)        ι_d|e = spread over x_e of i(d | x_e).

The value of the pair is the mean of ι_d|e and ι_e|d.

A spread has no sign: F = x_d·x_e gives i(d | x_e) ∝ |x_e|, the same at x_e = −1 and 1. With a main effect the same
interaction gets a larger value: x_d + x_d·x_e gives i(d | x_e) ∝ |1 + x_e|. And a column whose levels are categorical
has a quarter of their range for its spread (equation 5 there).
"""

from __future__ import annotations

import numpy as np

from rsens._typing import Array
from rsens.black_box._budget import Budget
from rsens.black_box._pairs import over_pairs
from rsens.black_box._partial_dependence import joint_grid
from rsens.black_box._predictor import Predictor, sample_rows

#: The grid of a column lies between these quantiles: with 3 points 0.1, 0.5 and 0.9, with 9 the deciles.
LOWEST, HIGHEST = 0.1, 0.9


def pd_pairs(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """(ι_d|e + ι_e|d)/2 of every pair, summed over the outputs of the model.

    The grid of a column is `budget.pair_grid` of its quantiles; all its levels if it is categorical, all its values if
    they are fewer (budget "paper": quantiles all the same); of a group of columns, joint values of as many rows at
    random. Averages are over at most `budget.average` rows.
    """
    predictor.check_rows("pd")
    rows = sample_rows(predictor.values, budget.average, rng)
    by_levels = [d in predictor.categorical for d in range(rows.shape[1])]
    grids = [
        joint_grid(column, budget.pair_grid, rng) if d in predictor.grouped else _grid(column, budget, by_levels[d])
        for d, column in enumerate(predictor.values.T)
    ]

    def value(d: int, e: int) -> float:
        if min(np.ptp(grids[d]), np.ptp(grids[e])) == 0.0:  # nothing changes with a column that does not
            return 0.0
        at = np.array([(u, v) for u in grids[d] for v in grids[e]])
        F = predictor.partial_dependence((d, e), at, rows).reshape(len(grids[d]), len(grids[e]), -1)
        of_d = _spread(_spread(F, by_levels[d]), by_levels[e])  # over the first axis, then over the second
        of_e = _spread(_spread(F.swapaxes(0, 1), by_levels[e]), by_levels[d])
        return float(np.sum(0.5 * (of_d + of_e)))

    return over_pairs(rows.shape[1], value)


def _grid(column: Array, budget: Budget, by_levels: bool) -> Array:
    different = np.unique(column)
    if by_levels or (len(different) < budget.pair_grid and not budget.paper):
        return different
    return np.quantile(column, np.linspace(LOWEST, HIGHEST, budget.pair_grid))


def _spread(F: Array, by_levels: bool) -> Array:
    """How much F differs along its first axis: the sample standard deviation, or a quarter of the range of levels."""
    return np.ptp(F, axis=0) / 4.0 if by_levels else np.std(F, axis=0, ddof=1)
