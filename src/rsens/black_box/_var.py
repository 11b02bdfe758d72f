"""VAR: how much the prediction varies when one variable follows its distribution given the others.

Paananen, Piironen, Andersen and Vehtari (2019), "Variable selection for Gaussian processes via sensitivity analysis of
the posterior predictive distribution", section 3.2:

    var_d = 1/n Σ_i Var[f(x_d, x_i,−d)],   x_d ~ p(x_d | x_i,−d),

a variance, not a standard deviation. The distribution of x_d given the others comes from a Gaussian with the mean and
covariance of the rows, and the variance is a Gauss–Hermite sum. Few nodes distort functions that turn often: of sin(3x)
with a standard normal x, nine nodes (budget "paper") give a variance of 0.003 in place of 0.5.

Among the others only the continuous ones are conditioned on. A categorical variable takes its levels with their
frequencies, independent of the others. A variable that the others determine (a sum of them, or any at all where X has
no more rows than columns) cannot vary given them, and gets 0.

A group of columns follows its joint distribution given the columns outside. Where it can vary in more than two
directions, an average over quasi-random normal points takes the place of the sum; they have mean 0 and covariance I
exactly, but the variance of a product can be off by a tenth.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from rsens._typing import Array
from rsens.black_box._budget import Budget
from rsens.black_box._gaussian import SampleGaussian
from rsens.black_box._predictor import MOST_ROWS, OfRows, Predictor, sample_positions

#: Normal points for the distribution of a group: in two directions a square of nodes of this side.
SIDE = 16
POINTS = SIDE**2


def var(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """The mean over rows of the variance of the prediction given all other columns, of every column (D,)."""
    predictor.check_rows("var")
    chosen = sample_positions(len(predictor.values), budget.average, rng)
    rows = predictor.values[chosen]
    numbers, places = predictor.numbers()
    values = np.zeros(rows.shape[1])
    gaussian = SampleGaussian.of(numbers).at(chosen) if places else None
    for d, columns in places.items():
        assert gaussian is not None
        means, directions = gaussian.conditional(columns)
        if not len(directions):
            continue
        points, weights = _normal_points(len(directions), budget, rng)
        if predictor.grouping is None or d not in predictor.grouped:
            f = _moved(predictor.predict, rows, [d], means, points @ directions)
        else:
            members, whole = list(predictor.grouping.terms.members[d]), predictor.grouping.whole.values[chosen]
            f = _moved(predictor.predict_columns, whole, members, means, points @ directions)
        values[d] = _variance(f, weights, budget.paper)
    for d in predictor.categorical:
        assert predictor.coding is not None  # has categorical columns
        shares = predictor.coding[d].frequencies
        levels = np.flatnonzero(shares)
        f = _moved(predictor.predict, rows, [d], np.zeros((len(rows), 1)), levels.astype(np.float64)[:, None])
        values[d] = _variance(f, shares[levels], budget.paper)
    return values


def _moved(predict: OfRows, rows: Array, columns: list[int], centres: Array, steps: Array) -> Array:
    """The predictions (m, n, P) with columns set to centres (n, columns) + each of m steps; a row is one question.

    The paper's imperfect models draw new errors for every question, and only this way give the published numbers.
    """
    most, parts = max(1, MOST_ROWS // len(steps)), []
    for k in range(0, len(rows), most):
        nodes = np.repeat(rows[k : k + most, None], len(steps), axis=1)
        nodes[:, :, columns] = centres[k : k + most, None] + steps
        parts.append(predict(nodes))
    return np.concatenate(parts).swapaxes(0, 1)


def _normal_points(r: int, budget: Budget, rng: np.random.Generator) -> tuple[Array, Array]:
    """Points (m, r) and weights of Σ_k w_k g(t_k) ≈ E[g(t)] for t ~ N(0, I)."""
    if r == 1:
        t, weights = _nodes(budget.nodes)
        return t[:, None], weights
    if r == 2:
        t, weights = _nodes(SIDE)
        return np.column_stack([np.repeat(t, SIDE), np.tile(t, SIDE)]), np.outer(weights, weights).ravel()
    ratio = brentq(lambda x: x ** (r + 1) - x - 1.0, 1.0, 2.0)
    steps = ratio ** -np.arange(1.0, r + 1.0)  # the points k·steps mod 1 fill the cube evenly (Roberts, 2018)
    uniform = (rng.random(r) + np.arange(POINTS)[:, None] * steps) % 1.0
    t = ndtri(np.clip(uniform, 1e-10, 1.0 - 1e-10))
    t = np.linalg.solve(np.linalg.cholesky(np.cov(t.T, ddof=0)), (t - t.mean(axis=0)).T).T
    return t, np.full(POINTS, 1.0 / POINTS)


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
