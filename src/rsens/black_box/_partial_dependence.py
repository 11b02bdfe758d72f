"""Partial dependence importance: how much the average prediction varies with one variable.

Greenwell, Boehmke and McCarthy (2018), "A simple and effective model-based variable importance measure". The partial
dependence of x_d is the prediction with x_d held at a value, averaged over the rows,

    f̄_d(t) = 1/n Σ_i f(x_i with x_id = t),

and the importance is the sample standard deviation of f̄_d over a grid of values t; for a categorical variable a quarter
of the range of f̄_d over its levels (equation 5 there). Effects that average out over the other variables are not seen.

The grid is as in `sklearn.inspection.partial_dependence`: all values of a column that has fewer than
`budget.grid`, else equally spaced ones between the quantiles 0.05 and 0.95. Budget "paper": the nine deciles 0.1 … 0.9.
The grid of a group of columns is made of joint values in the data: all, or `budget.grid` of the rows at random.
"""

from __future__ import annotations

import numpy as np
from scipy.stats.mstats import mquantiles

from rsens._typing import Array
from rsens.black_box._budget import Budget
from rsens.black_box._predictor import Predictor, over_pairs, sample_rows

DECILES = np.linspace(0.1, 0.9, 9)
#: Where an equally spaced grid begins and ends, as in scikit-learn.
ENDS = (0.05, 0.95)


def pd(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """The spread of the partial dependence on every column (D,), summed over outputs."""
    predictor.check_rows("pd")
    rows = sample_rows(predictor.values, budget.average, rng)
    values = np.zeros(rows.shape[1])
    for d, column in enumerate(predictor.values.T):
        by_levels = d in predictor.categorical
        if column.min() < column.max():
            group = d in predictor.grouped
            grid = joint_grid(column, budget.grid, rng) if group else _grid(column, budget, by_levels)
            f = predictor.partial_dependence((d,), grid[:, None], rows)  # f̄_d(t), (grid, P)
            values[d] = _spread(f, by_levels).sum()
    return values


def joint_grid(numbers: Array, most: int, rng: np.random.Generator) -> Array:
    """The numbers of the joint values of a group, or of `most` rows if there are more."""
    different = np.unique(numbers)
    return different if len(different) < most else sample_rows(numbers, most, rng)


def _grid(column: Array, budget: Budget, categorical: bool) -> Array:
    if budget.paper and not categorical:
        return np.quantile(column, DECILES)
    different = np.unique(column)
    if categorical or len(different) < budget.grid:
        return different
    start, stop = mquantiles(column, prob=ENDS)
    least, most = different[[0, -1]]
    if stop - start <= 1e-9 * (most - least):  # nearly all rows have one value, and scikit-learn gives up
        start, stop = least, most
    return np.linspace(start, stop, budget.grid)


# The importance of a column is how far its partial dependence spreads: its standard deviation over a grid. If d does
# not interact with e, the importance of d within the partial dependence of both, F_de(·, x_e), does not depend on x_e:
#
#     i(d | x_e) = spread over x_d of F_de(x_d, x_e)        ι_d|e = spread over x_e of i(d | x_e).
#
# A spread has no sign: F = x_d·x_e gives i(d | x_e) ∝ |x_e|, the same at x_e = −1 and 1. With a main effect the same
# interaction gets a larger value: x_d + x_d·x_e gives i(d | x_e) ∝ |1 + x_e|.


#: The grid of a column lies between these quantiles: with 3 points 0.1, 0.5 and 0.9, with 9 the deciles.
LOWEST, HIGHEST = 0.1, 0.9


def pd_pairs(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """(ι_d|e + ι_e|d)/2 of every pair, summed over the outputs of the model.

    The grid of a column is `budget.pair_grid` of its quantiles, or all its levels or values if they are fewer (budget
    "paper": quantiles all the same); of a group of columns, joint values of as many rows at random.
    """
    predictor.check_rows("pd")
    rows = sample_rows(predictor.values, budget.average, rng)
    by_levels = [d in predictor.categorical for d in range(rows.shape[1])]
    grids = []
    for d, column in enumerate(predictor.values.T):
        grid = np.unique(column)
        if d in predictor.grouped:
            grid = joint_grid(column, budget.pair_grid, rng)
        elif not by_levels[d] and (len(grid) >= budget.pair_grid or budget.paper):
            grid = np.quantile(column, np.linspace(LOWEST, HIGHEST, budget.pair_grid))
        grids.append(grid)

    def value(d: int, e: int) -> float:
        if min(np.ptp(grids[d]), np.ptp(grids[e])) == 0.0:  # nothing changes with a column that does not
            return 0.0
        at = np.array([(u, v) for u in grids[d] for v in grids[e]])
        F = predictor.partial_dependence((d, e), at, rows).reshape(len(grids[d]), len(grids[e]), -1)
        of_d = _spread(_spread(F, by_levels[d]), by_levels[e])  # over the first axis, then over the second
        of_e = _spread(_spread(F.swapaxes(0, 1), by_levels[e]), by_levels[d])
        return float(np.sum(0.5 * (of_d + of_e)))

    return over_pairs(rows.shape[1], value)


def _spread(F: Array, by_levels: bool) -> Array:
    """The spread of F along its first axis: the sample standard deviation, or a quarter of the range of levels."""
    return np.ptp(F, axis=0) / 4.0 if by_levels else np.std(F, axis=0, ddof=1)
