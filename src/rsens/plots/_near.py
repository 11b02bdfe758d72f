"""A profile from the rows themselves: accumulated local effects, and averages of what the rows near each knot have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives import Model, rows_of
from rsens.plots._along import Along, along
from rsens.plots._effect import accumulated_effect
from rsens.plots._path import Path, path_along

#: With more rows than this, a profile is made from this many: evenly spaced in the order of the variable.
MOST_ROWS = 500
#: Fewer rows near a knot say too little of where observations are.
FEW = 5
#: The probabilities of y at which the rows near a knot are pooled, dense in the tails; each stands for one share.
_EDGES = ndtr(np.linspace(-4.5, 4.5, 201))
NODES, NODE_SHARES = 0.5 * (_EDGES[1:] + _EDGES[:-1]), np.diff(_EDGES) / (_EDGES[-1] - _EDGES[0])


@dataclass(frozen=True, eq=False)
class NearRows:
    """What a profile near the data draws."""

    path: Path
    numbers: Along


def near_rows(
    model: Any,
    prepared: Model,
    table: Table,
    column: int,
    weights: Array,
    *,
    n_knots: int,
    step: float,
    shares: Array,
    alpha: float,
) -> NearRows:
    """Effects, predictive bands and sensitivities along a column, from the rows of a table and their weights."""
    table, weights = counted_rows(prepared, table, weights, column)
    path = path_along(table, column, weights, n_knots)
    nodes = np.abs(2.0 * NODES - 1.0)[len(NODES) // 2 :]  # central intervals that end at all nodes
    at_rows = along(prepared, table, column, step=step, shares=nodes, alpha=alpha)
    effect = accumulated_effect(
        model, prepared, table, column, path, weights, at_rows.prediction, median=at_rows.middle == "median"
    )
    # Levels are drawn in their own order, not in the one in which their effects were added up.
    drawn = np.argsort(path.knots, kind="stable")
    path = replace(path, knots=path.knots[drawn], near=path.near[drawn])
    half = ndtri(0.5 + 0.5 * shares[-1:, None, None]) * np.array([[-1.0], [1.0]])  # (≤ 1, 2, 1)
    values, sd = effect.values[drawn], effect.sd[drawn]
    numbers = Along(
        kind=at_rows.kind,
        middle=at_rows.middle,
        prediction=values,
        bands=_pooled(path.near, at_rows, shares),
        rsens=path.near @ at_rows.rsens,
        parts={name: path.near @ part for name, part in at_rows.parts.items()},
        slope=path.near @ at_rows.slope,
        spread=path.near @ at_rows.spread,
        curve=values[:, None] + half[0] * sd[:, None] if len(shares) else None,
        from_fit=effect.from_fit,
    )
    return NearRows(path, numbers)


def counted_rows(
    prepared: Model, table: Table, weights: Array, column: int, most: int = MOST_ROWS
) -> tuple[Table, Array]:
    """The rows that count; of many, some that are evenly spaced in the order of a column, both ends included."""
    rows = np.flatnonzero(weights)
    if len(rows) > most:
        order = rows[np.argsort(table.values[rows, column], kind="stable")]
        rows = np.sort(order[np.linspace(0, len(order) - 1, most).round().astype(np.intp)])
    if len(rows) == len(weights):
        return table, weights
    some = rows_of(prepared, table.like(table.values[rows]))
    return replace(some, coding=table.coding), weights[rows] / weights[rows].sum()


def _pooled(near: Array, at_rows: Along, shares: Array) -> Array:
    """Central intervals of y over the rows near each knot, (g, shares, 2, P): quantiles of the mixture of their p(y).

    Each row gives its quantiles at `NODES`, and these are pooled under the weights of the rows. NaN near fewer rows
    than `FEW`.
    """
    g, outputs = len(near), at_rows.prediction.shape[1]
    if not at_rows.bands.shape[1]:  # probabilities have none
        return np.empty((g, 0, 2, outputs))
    lower, upper = at_rows.bands[:, ::-1, 0], at_rows.bands[:, :, 1]
    nodes = np.concatenate([lower, upper], axis=1)  # (n, NODES, P)
    tail = 0.5 * (1.0 - shares)
    wanted = np.stack([tail, 1.0 - tail], axis=1)  # (shares, 2)
    bands = np.full((g, len(shares), 2, outputs), np.nan)
    for k, w in enumerate(near):
        rows = np.flatnonzero(w)
        if len(rows) < min(FEW, near.shape[1]):
            continue
        mass = np.outer(w[rows], NODE_SHARES).ravel()
        for p in range(outputs):
            values = nodes[rows, :, p].ravel()
            order = np.argsort(values, kind="stable")
            below = np.cumsum(mass[order])
            if at_rows.kind == "count":  # the first count that is reached with this probability
                reached = np.searchsorted(below, wanted - 1e-9)
                bands[k, :, :, p] = values[order][np.minimum(reached, len(order) - 1)]
            else:
                bands[k, :, :, p] = np.interp(wanted, below - 0.5 * mass[order], values[order])
    return bands
