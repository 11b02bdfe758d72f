"""VAR: how much the prediction varies when one variable follows its distribution given the others.

Paananen, Piironen, Andersen and Vehtari (2019), "Variable selection for Gaussian processes via sensitivity analysis of
the posterior predictive distribution", section 3.2:

    var_d = 1/n Σ_i Var[f(x_d, x_i,−d)],   x_d ~ p(x_d | x_i,−d),

a variance, not a standard deviation. The distribution of x_d given the others comes from a Gaussian with the mean and
covariance of the rows, and the variance is a Gauss–Hermite sum. Few nodes distort functions that turn often: of sin(3x)
with a standard normal x, nine nodes (budget "paper") give a variance of 0.003 in place of 0.5.

Among the others only the continuous ones are conditioned on. A categorical variable takes its levels with their
frequencies, whatever the others are. A variable that the others determine (a sum of them, or any at all where X has no
more rows than columns) cannot vary given them, and gets 0.
"""

from __future__ import annotations

import numpy as np

from rsens._typing import Array
from rsens.black_box._budget import Budget
from rsens.black_box._gaussian import SampleGaussian
from rsens.black_box._predictor import MOST_ROWS, Predictor, sample_positions


def var(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """The mean over rows of the variance of the prediction given all other columns, of every column (D,)."""
    predictor.check_rows("var")
    chosen = sample_positions(len(predictor.values), budget.average, rng)
    rows = predictor.values[chosen]
    continuous = list(predictor.continuous)
    values = np.zeros(rows.shape[1])
    t, weights = _nodes(budget.nodes)
    if continuous:
        gaussian = SampleGaussian.of(predictor.values[:, continuous]).at(chosen)
        for k, d in enumerate(continuous):
            mean, deviation = gaussian.conditional(k)
            if deviation > 0.0:
                f = _with_column(predictor, d, mean + deviation * t[:, None], rows)
                values[d] = _variance(f, weights, budget.paper)
    for d in predictor.categorical:
        assert predictor.coding is not None  # has categorical columns
        shares = predictor.coding[d].frequencies
        levels = np.flatnonzero(shares)
        f = _with_column(predictor, d, levels.astype(np.float64)[:, None], rows)
        values[d] = _variance(f, shares[levels], budget.paper)
    return values


def _with_column(predictor: Predictor, column: int, values: Array, rows: Array) -> Array:
    """The predictions (m, n, P) with a column set to each of m values; every row with its m values is one question.

    A question is what one expectation needs. The paper's imperfect models draw new errors at every call, and only
    this way do they give the published numbers.
    """
    of_row = np.broadcast_to(values.T, (len(rows), len(values)))
    most = max(1, MOST_ROWS // len(values))
    parts = []
    for k in range(0, len(rows), most):
        nodes = np.repeat(rows[k : k + most, None], len(values), axis=1)
        nodes[:, :, column] = of_row[k : k + most]
        parts.append(predictor.predict(nodes))
    return np.concatenate(parts).swapaxes(0, 1)


def _nodes(n: int) -> tuple[Array, Array]:
    """Nodes and weights of Σ_k w_k g(t_k) ≈ E[g(t)] for t ~ N(0, 1)."""
    t, weights = np.polynomial.hermite_e.hermegauss(n)
    return t, weights / weights.sum()


def _variance(f: Array, weights: Array, paper: bool) -> float:
    """The variance over the first axis of f (nodes, n, P), summed over P and averaged over n."""
    mean = np.tensordot(weights, f, 1)
    if paper:
        # E[f²] − E[f]² loses digits where other variables make f huge, as they do in the paper's heavy-tailed
        # experiment; its published numbers have this in them, and are not reproduced by the exact sum of squares.
        return float((np.tensordot(weights, f**2, 1) - mean**2).sum(axis=1).mean())
    return float(np.tensordot(weights, (f - mean) ** 2, 1).sum(axis=1).mean())
