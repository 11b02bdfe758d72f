"""Average predictive comparison: how far the prediction moves when one variable takes its value in another row.

Gelman and Pardoe (2007), "Average predictive comparisons for models with nonlinearity, interactions, and variance
components", section 4. With u the variable, v all others, and a weight for pairs of rows whose v are alike,

    apc = Σ_ij w_ij |f(u_j, v_i) − f(u_i, v_i)| / Σ_ij w_ij |u_j − u_i|,
    w_ij = 1/(1 + squared distance of v_i and v_j),

a difference quotient per unit of u. Their signed version multiplies both differences by sign(u_j − u_i), so that the
two directions of an effect which is not monotone cancel; without signs it can rank such effects too. Distances are
Mahalanobis distances with the covariance of the rows. A categorical column adds 2/P(two rows differ) where two rows
differ: 2 on average, as a standardised continuous column does. If u is categorical, [u_j ≠ u_i] takes the place
of |u_j − u_i|, and the value is the average change at a switch (theirs is the root of the average square). If u is a
group of columns, |u_j − u_i| is the length of the step in units, such as the standard deviations of its columns.

Budget "paper": one random row j, the same for all columns, replaces all others, and w_i = 1/(squared distance)².
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rsens._typing import Array, Positions
from rsens.black_box._budget import Budget
from rsens.black_box._gaussian import SampleGaussian
from rsens.black_box._predictor import Predictor, sample_positions

#: Rows that are practically equal in v count as this far apart, squared; without v, all rows are equal.
LEAST_DISTANCE = 1e-8


def apc(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """The average predictive comparison of every column (D,), per unit of a column or per switch of a level."""
    predictor.check_rows("apc")
    return _with_one_row(predictor, rng) if budget.paper else _over_all_pairs(predictor, budget, rng)


def _over_all_pairs(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    chosen = sample_positions(len(predictor.values), budget.rows, rng)
    rows, itself = predictor.values[chosen], np.arange(len(chosen))
    values = np.zeros(rows.shape[1])
    for d, distances in enumerate(_distances_of_others(predictor, chosen)):
        weights = 1.0 / (1.0 + distances)  # w_ij, symmetric
        u, of_row = np.unique(rows[:, d], return_inverse=True)
        f = predictor.with_column(d, u[:, None], rows)  # f(u_k, v_i) for all different u, (k, i, P)
        changes = np.abs(f - f[of_row, itself]).sum(axis=2)[of_row]  # |f(u_j, v_i) − f(u_i, v_i)|, (j, i)
        steps = _steps(predictor, d, rows[:, None, d], rows[:, d])
        values[d] = _quotient(weights, changes, steps)
    return values


def _with_one_row(predictor: Predictor, rng: np.random.Generator) -> Array:
    j = int(rng.integers(len(predictor.values)))
    others = np.delete(np.arange(len(predictor.values)), j)
    rows = predictor.values[others]
    values = np.zeros(rows.shape[1])
    for d, distances in enumerate(_distances_of_others(predictor, np.append(others, j), -1)):
        weights = 1.0 / np.maximum(distances[:-1, 0], LEAST_DISTANCE) ** 2
        u_j, u = np.full(len(rows), predictor.values[j, d]), rows[:, d]
        at_u_j, at_u = predictor.with_column(d, np.stack([u_j, u]), rows)
        values[d] = _quotient(weights, np.abs(at_u_j - at_u).sum(axis=1), _steps(predictor, d, u_j, u))
    return values


def _distances_of_others(predictor: Predictor, chosen: Positions, j: int | None = None) -> Iterator[Array]:
    """The squared distances in all other columns, for every column: of all pairs (n, n), or of the jth row (n, 1)."""
    numbers, places = predictor.numbers()
    gaussian = SampleGaussian.of(numbers).at(chosen) if places else None
    of_levels = {c: _of_levels(predictor.values[:, c], chosen, j) for c in predictor.categorical}
    total = sum(of_levels.values(), np.zeros((1, 1))) + (0.0 if gaussian is None else gaussian.distances(j))
    for d in range(predictor.values.shape[1]):
        if gaussian is None or d in of_levels:
            yield total - of_levels[d]
        elif d in predictor.grouped:
            rest = np.delete(numbers, places[d], axis=1)
            of_rest = SampleGaussian.of(rest).at(chosen).distances(j) if rest.shape[1] else 0.0
            yield sum(of_levels.values(), np.zeros((1, 1))) + of_rest
        else:  # rounding may leave −1e-16
            yield np.maximum(total - gaussian.distances_in(places[d][0], j), 0.0)


def _of_levels(codes: Array, chosen: Positions, j: int | None) -> Array:
    """2/P(two rows differ) where two rows differ."""
    share = 1.0 - np.sum((np.unique(codes, return_counts=True)[1] / len(codes)) ** 2)
    here = codes[chosen]
    differ = here[:, None] != (here if j is None else here[[j]])
    return 2.0 / share * differ if share > 0.0 else np.zeros(differ.shape)


def _steps(predictor: Predictor, d: int, u_j: Array, u_i: Array) -> Array:
    """|u_j − u_i| in column d: 1 for another level, and in a group the length in units."""
    if d in predictor.categorical:
        return (u_j != u_i).astype(np.float64)
    if predictor.grouping is None or d not in predictor.grouped:
        return np.abs(u_j - u_i)
    at = predictor.grouping.coordinates[d]
    return np.linalg.norm(at[u_j.astype(np.intp)] - at[u_i.astype(np.intp)], axis=-1)


def _quotient(weights: Array, changes: Array, steps: Array) -> float:
    """Σ w |Δf| / Σ w |Δu|; 0 for a column that does not vary."""
    total = np.sum(weights * steps)
    return float(np.sum(weights * changes) / total) if total > 0.0 else 0.0
