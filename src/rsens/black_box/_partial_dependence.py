"""Partial dependence importance: how much the average prediction varies with one variable.

Greenwell, Boehmke and McCarthy (2018), "A simple and effective model-based variable importance measure". The partial
dependence of x_d is the prediction with x_d held at a value, averaged over the rows as they are otherwise,

    f̄_d(t) = 1/n Σ_i f(x_i with x_id = t),

and the importance is the sample standard deviation of f̄_d over a grid of values t; for a categorical variable a quarter
of the range of f̄_d over its levels (equation 5 there). Effects that average out over the other variables are not seen.

The grid is the one `sklearn.inspection.partial_dependence` uses: all values of a column that has fewer than
`budget.grid`, else equally spaced ones between the quantiles 0.05 and 0.95. Budget "paper": the nine deciles 0.1 … 0.9.
The grid of a group of columns is made of joint values in the data: all, or `budget.grid` of the rows at random.
"""

from __future__ import annotations

import numpy as np
from scipy.stats.mstats import mquantiles

from rsens._typing import Array
from rsens.black_box._budget import Budget
from rsens.black_box._predictor import Predictor, sample_rows

DECILES = np.linspace(0.1, 0.9, 9)
#: Where an equally spaced grid begins and ends, as in scikit-learn.
ENDS = (0.05, 0.95)


def pd(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """The spread of the partial dependence on every column (D,), summed over outputs."""
    predictor.check_rows("pd")
    rows = sample_rows(predictor.values, budget.average, rng)
    values = np.zeros(rows.shape[1])
    for d, column in enumerate(predictor.values.T):
        categorical = d in predictor.categorical
        if column.min() < column.max():
            group = d in predictor.grouped
            grid = joint_grid(column, budget.grid, rng) if group else _grid(column, budget, categorical)
            f = predictor.partial_dependence((d,), grid[:, None], rows)  # f̄_d(t), (grid, P)
            values[d] = (np.ptp(f, axis=0) / 4.0 if categorical else f.std(axis=0, ddof=1)).sum()
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
