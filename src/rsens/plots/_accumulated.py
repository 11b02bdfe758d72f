"""The way along one column on which local effects are added up: knots where there are rows, and the rows of each step.

Between two neighbouring knots the effect is the mean difference of the prediction over rows that are there, so no row
is moved further than its neighbours are. How a path is made:

- A number has its distinct values as knots, or of many some of them: half evenly spaced, half at quantiles. The rows of
  a step are those between its knots, both included, and the nearest ones up to √n of them, within 5 % of the range.
- What the rows near a knot have in common is averaged over three times as many, within 10 % of the range.
- A gap is a step much wider than others: over 5 % of the range, and over three times the median distance of neighbours.
  The rows on its two sides count half each, so that errors of moving them so far go in opposite directions.
- Levels have no order, so they come in the order in which their rows are alike: along the first principal component of
  the mean of the other columns in each. The rows of its two levels count half each; near a level are its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.sparse.linalg import spsolve
from scipy.spatial.distance import cdist
from scipy.special import ndtr, ndtri

from rsens._errors import InputError
from rsens._table import Table, column_deviations, column_scale
from rsens._typing import Array, Flags, Positions
from rsens.derivatives import Model, rows_of
from rsens.plots._curve import Along, along, central_intervals

#: How far rows may be from a step, and how wide a gap is at least, as a share of the range.
REACH = 0.05
#: A gap is at least this many times as wide as the median distance between neighbouring values.
WIDE = 3.0


@dataclass(frozen=True, eq=False)
class Path:
    """g knots along a column, for n rows with weights that add up to 1."""

    knots: Array  # (g,), in the order in which effects add up; level codes of a categorical column
    steps: tuple[tuple[Positions, ...], ...]  # (g − 1), the rows between two knots, in groups that count the same
    gaps: NDArray[np.bool_]  # (g − 1,), between knots that no row joins
    place: Array  # (n, g), where each row is between the knots: its row of weights adds up to 1
    near: Array  # (g, n), the weights of the rows near each knot: they add up to 1


def path_along(table: Table, column: int, weights: Array, n_knots: int) -> Path:
    """The path along a column of a table, in which every row counts."""
    check_varies(table, column)
    if table.coding is not None and column in table.coding.categorical:
        return _level_path(table, column, weights)
    return _number_path(table.values[:, column], weights, n_knots)


def check_varies(table: Table, column: int) -> None:
    """An `InputError` if there is nothing to go along."""
    data = table.values[:, column]
    if data.min() == data.max():
        raise InputError(
            f"{table.names[column]!r} is the same in all rows that count, so there is no profile along it. "
            "Choose a variable that varies."
        )


def gaps_between(values: Array) -> NDArray[np.bool_]:
    """Which steps between sorted distinct values are gaps: much wider than the others, and than `REACH`."""
    width = np.diff(values)
    return width > max(REACH * (values[-1] - values[0]), WIDE * float(np.median(width)))


def _number_path(data: Array, weights: Array, n_knots: int) -> Path:
    values, place, counts = np.unique(data, return_inverse=True, return_counts=True)
    knots = values[_knots(values, np.sort(data), n_knots)]
    enough, reach = np.sqrt(len(data)), REACH * (values[-1] - values[0])

    def around(low: float, high: float, times: float = 1.0) -> NDArray[np.bool_]:
        first, last = _window(values, counts, (low, high), times * enough, min(times, 2.0) * reach)
        return np.asarray((place >= first) & (place <= last))

    segment = np.concatenate([[0], np.cumsum(gaps_between(values))])  # between gaps
    near = np.zeros((len(knots), len(data)))
    for k, knot in enumerate(knots):
        rows = around(knot, knot, 3.0) & (segment[place] == segment[np.searchsorted(values, knot)])
        # Rows count less the further they are away, so that lines are smooth (tricube weights).
        distance = np.abs(data[rows] - knot)
        near[k, rows] = weights[rows] * (1.0 - (distance / (1.1 * distance.max() or 1.0)) ** 3) ** 3
    gaps = gaps_between(values)[np.searchsorted(values, knots[1:]) - 1]
    steps = []
    for (low, high), gap in zip(pairwise(knots), gaps, strict=True):
        rows = around(low, high)
        groups = (rows & (data <= low), rows & (data >= high)) if gap else (rows,)
        steps.append(tuple(np.flatnonzero(group) for group in groups))
    return Path(
        knots=knots,
        steps=tuple(steps),
        gaps=gaps,
        place=_between(knots, data),
        near=near / near.sum(axis=1, keepdims=True),
    )


def _knots(values: Array, ordered: Array, n_knots: int) -> Positions:
    """Positions of the knots among the distinct values: all, or some that include the ends and those of all gaps."""
    if len(values) <= n_knots:
        return np.arange(len(values))
    half = max(n_knots // 2, 2)
    even = np.linspace(values[0], values[-1], half)
    quantiles = np.quantile(ordered, np.linspace(0.0, 1.0, half), method="nearest")
    right = np.clip(np.searchsorted(values, np.concatenate([even, quantiles])), 1, len(values) - 1)
    wanted = np.concatenate([even, quantiles])
    nearest = right - (wanted - values[right - 1] < values[right] - wanted)
    gaps = np.flatnonzero(gaps_between(values))
    return np.unique(np.concatenate([nearest, gaps, gaps + 1]))


def _window(
    values: Array, counts: NDArray[np.intp], ends: tuple[float, float], enough: float, reach: float
) -> tuple[int, int]:
    """The first and last of the distinct values around an interval that together have enough rows within reach."""
    first, last = np.searchsorted(values, ends)
    found = counts[first : last + 1].sum()
    while found < enough:
        below = ends[0] - values[first - 1] if first > 0 else np.inf
        above = values[last + 1] - ends[1] if last + 1 < len(values) else np.inf
        if min(below, above) > reach:
            break
        if below <= above:
            first -= 1
            found += counts[first]
        if above <= below:  # both, if they are equally far
            last += 1
            found += counts[last]
    return int(first), int(last)


def _between(knots: Array, data: Array) -> Array:
    """The weights that interpolate between knots at the data, (n, g)."""
    right = np.clip(np.searchsorted(knots, data), 1, len(knots) - 1)
    share = (data - knots[right - 1]) / (knots[right] - knots[right - 1])
    place = np.zeros((len(data), len(knots)))
    place[np.arange(len(data)), right - 1] = 1.0 - share
    place[np.arange(len(data)), right] = share
    return place


def _level_path(table: Table, column: int, weights: Array) -> Path:
    codes = table.values[:, column]
    knots = np.unique(codes)
    place = (codes[:, None] == knots).astype(np.float64)
    near = place.T * weights
    near /= near.sum(axis=1, keepdims=True)
    order = order_of_levels(near @ _described(table, column), place.T @ weights)
    knots, place, near = knots[order], place[:, order], near[order]
    return Path(
        knots=knots,
        steps=tuple((np.flatnonzero(one), np.flatnonzero(other)) for one, other in pairwise(place.T)),
        gaps=np.ones(len(knots) - 1, dtype=np.bool_),
        place=place,
        near=near,
    )


def order_of_levels(means: Array, shares: Array) -> Positions:
    """Levels along the first principal component of their means (L, q); as they come where they do not differ."""
    centred = (means - shares @ means / shares.sum()) * np.sqrt(shares)[:, None]
    if not centred.size or np.abs(centred).max() < 1e-12:
        return np.arange(len(means))
    position = means @ np.linalg.svd(centred, full_matrices=False)[2][0]
    order = np.argsort(position, kind="stable")
    return order if order[0] < order[-1] else order[::-1]


def _described(table: Table, column: int) -> Array:
    """The other columns in units of their standard deviations, and an indicator for each level, (n, q)."""
    categorical = () if table.coding is None else table.coding.categorical
    numbers = [d for d in range(len(table.names)) if d != column and d not in categorical]
    scale = column_deviations(table.values[:, numbers])
    columns = [table.values[:, numbers][:, scale > 0.0] / scale[scale > 0.0]]
    for d in categorical:
        if d != column:
            columns.append((table.values[:, [d]] == np.unique(table.values[:, d])).astype(np.float64))
    return np.concatenate(columns, axis=1)


# ---- Accumulated local effects of one column on the prediction (Apley and Zhu, 2020), and how sure they are ----------
# With knots z_0 < … < z_G and S_k the rows of step k (see `_path`), the curve at z_g is
#
#     A(z_g) = Σ_{k ≤ g} mean_{i ∈ S_k} [f(z_k, x_i) − f(z_{k−1}, x_i)],
#
# where f(z, x_i) is the prediction at row i with the column set to z; across a gap and between levels, the mean of the
# means on the two sides. A constant is added so that its mean over the rows is the mean prediction: the axis is in
# units of y.
#
# Why differences, where derivatives ∂f/∂x at the rows are exact too? A mean of slopes times the width of a step is a
# sum with random nodes, and misses what happens between few rows of a steep function. Differences telescope: of a
# function that adds up, f = Σ_d f_d(x_d), they give f_d exactly, however few rows and however wide the steps. They
# exist where derivatives do not (levels, trees). And A is a weighted sum of predictions, so what the model knows of its
# covariance gives the variance of A.


@dataclass(frozen=True, eq=False)
class Effect:
    """The curve at the g knots of a path, for P outputs."""

    values: Array  # (g, P)
    sd: Array  # (g, P), of the curve minus its mean over the rows
    from_fit: bool  # whether `sd` includes what the fit does not know, or only that other rows could have been drawn


def accumulated_effect(
    model: Any, prepared: Model, table: Table, column: int, path: Path, weights: Array, here: Array, *, median: bool
) -> Effect:
    """Add up local effects along a path.

    Args:
        model: The model as it was given; it may know the covariance of its predictions (`prediction_variances`).
        prepared: The same as the measures see it.
        table: The rows.
        column: Its position in the table.
        path: The path along it.
        weights: How much the rows count, adding up to 1.
        here: The prediction at the rows, (n, P).
        median: Whether predictions are medians, for families without a mean.
    """
    g = len(path.knots)
    of = _Entries.of(path, weights)
    # Every row is asked for once at each knot, even if two steps need it.
    left, right = of.row * g + of.step, of.row * g + of.step + 1
    asked, which = np.unique(np.concatenate([left, right]), return_inverse=True)
    left, right = which[: len(of.row)], which[len(of.row) :]
    moved = table.values[asked // g]
    moved[:, column] = path.knots[asked % g]
    there = predictions(prepared, table, moved, median=median)

    change = there[right] - there[left]
    steps = _sums(of.step, of.share[:, None] * change, g - 1)
    added = np.tri(g, g - 1, -1)  # the curve is a sum of steps …
    added -= (weights @ path.place) @ added  # … minus its mean over the rows
    curve = added @ steps
    on_mean = weights[:, None] * (path.place @ curve)
    variance = _variance_over_rows(added, of.influences(change, steps, len(weights)), on_mean)

    known = getattr(model, "prediction_variances", None)  # as adapters ask objects for what they can do
    from_fit = callable(known) and not median
    if callable(known) and from_fit:
        combination = np.zeros((g - 1, len(asked)))
        np.add.at(combination, (of.step, right), of.share)
        np.add.at(combination, (of.step, left), -of.share)
        variance = variance + known(table.like(moved), added @ combination)
    return Effect(weights @ here + curve, np.sqrt(variance), from_fit)


@dataclass(frozen=True, eq=False)
class _Entries:
    """All rows of all steps of a path, one after another: e entries."""

    row: Positions  # (e,)
    step: Positions  # (e,)
    group: Positions  # (e,), the rows of a step, or those on one side of it
    share: Array  # (e,), of the mean of its step: those of a step add up to 1

    @classmethod
    def of(cls, path: Path, weights: Array) -> _Entries:
        groups = [(k, len(step), rows) for k, step in enumerate(path.steps) for rows in step]
        row = np.concatenate([rows for _, _, rows in groups])
        sizes = [len(rows) for _, _, rows in groups]
        step, parts = (np.repeat([each[k] for each in groups], sizes) for k in (0, 1))
        group = np.repeat(np.arange(len(groups)), sizes)
        return cls(row, step, group, weights[row] / np.bincount(group, weights[row])[group] / parts)

    def influences(self, change: Array, steps: Array, n: int) -> Array:
        """How much each of n rows moves each step, (n, steps, P), away from what the other rows of its group say.

        A row alone is compared with the mean of both sides of its step.
        """
        size = np.bincount(self.group)[self.group, None]
        means = _sums(self.group, self.share[:, None] * change, int(self.group[-1]) + 1)
        means /= np.bincount(self.group, self.share)[:, None]
        apart = change - np.where(size > 1, means[self.group], steps[self.step])
        apart *= np.sqrt(np.where(size > 1, size / np.maximum(size - 1.0, 1.0), 2.0))  # few rows know little
        result = np.zeros((n, *steps.shape))
        np.add.at(result, (self.row, self.step), self.share[:, None] * apart)
        return result


def _sums(where: Positions, values: Array, size: int) -> Array:
    """Values (e, P) added up at their positions, (size, P)."""
    result = np.zeros((size, values.shape[1]))
    np.add.at(result, where, values)
    return result


def _variance_over_rows(added: Array, on_steps: Array, on_mean: Array) -> Array:
    """The variance of the curve if other rows had been drawn: the sum of squared influences of the rows, (g, P).

    This is the infinitesimal jackknife, and needs no random numbers. Rows move the steps, and the mean over the rows.
    """
    on_curve = np.einsum("gs,isp->igp", added, on_steps, optimize=True) - on_mean[:, None]
    return np.asarray(np.sum(on_curve**2, axis=0))


def predictions(prepared: Model, table: Table, rows: Array, *, median: bool) -> Array:
    """The point prediction at rows given as values, (m, P), chunk by chunk."""

    def middle(X: Any) -> Array:
        return central_intervals(prepared.predict_distribution(X).checked(), np.zeros(1))[:, 0, :1]

    ask: Callable[[Any], Array] = middle if median else prepared.predict_point
    most = prepared.rows_per_chunk(rows.shape[1], 1)
    found = [ask(table.like(rows[start : start + most])) for start in range(0, len(rows), most)]
    result = np.concatenate([np.asarray(each, dtype=np.float64).reshape(len(each), -1) for each in found])
    if not np.isfinite(result).all():
        raise InputError("The prediction is not finite near some rows, so its effects do not add up.")
    return result


# ----------------------------------------------------------------------------------------------------------------------
# A profile from the rows themselves: accumulated local effects, and averages of what the rows near each knot have.


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


# ---- The joint effect of two columns on the prediction, near the rows: accumulated local effects over a plane --------
# Nodes are the middles of cells of a grid, or levels, that have rows near them. Between neighbouring nodes a and b the
# effect is the mean difference of the prediction over the rows near a and near b, which count half each,
#
#     δ_ab = ½ mean_{i near a} [f(b, x_i) − f(a, x_i)] + ½ mean_{i near b} [f(b, x_i) − f(a, x_i)],
#
# where f(a, x_i) is the prediction at row i with the two columns set to a. The surface h has these differences as
# nearly as it can, by least squares: Σ_ab (h_b − h_a − δ_ab)² is smallest, and its mean over the rows is the mean
# prediction. Of a function f = f₁₂(x₁, x₂) + g(others) it gives f₁₂ exactly, up to a constant. The sum of cells in two
# directions (Apley and Zhu, 2020, section 3) would pass through cells without rows; differences between neighbours
# never do.


#: A node is near the rows if one is within this distance, in standard deviations of the two columns given their
#: correlation (Mahalanobis); of few rows, within NEAR_FEW/√n. Next to levels, in standard deviations and NEAR_FEW/n.
NEAR, NEAR_FEW = 0.35, 2.5
#: How many rows at most count near a node.
ROWS = 6
#: The width of averages over rows around a node, in the same distance.
WIDTH = 0.5
#: Of neighbouring cells: beside, above, and the two diagonals, which join the cells along a line of collinear rows.
NEIGHBOURS = ((1, 0), (0, 1), (1, 1), (1, -1))


@dataclass(frozen=True, eq=False)
class Plane:
    """A grid of g × h nodes over two columns of n rows."""

    axes: tuple[Array, Array]  # values along each column: middles of cells, or level codes
    places: tuple[Positions, Positions]  # where each value stands among its neighbours; levels that are alike do
    distance: Array  # (g, h), from the nearest row; beyond 1 a node is far
    nodes: Positions  # (k, 2), the nodes that are near
    rows: tuple[Positions, ...]  # (k), the rows near each
    own: Positions  # (n,), the node nearest to each row
    near: Array  # (k, n), weights of the rows around each node: they add up to 1

    def spread_out(self, values: Array) -> Array:
        """Values at the nodes that are near, (k, …), as a grid (g, h, …) with NaN elsewhere."""
        grid = np.full((len(self.axes[0]), len(self.axes[1]), *values.shape[1:]), np.nan)
        grid[self.nodes[:, 0], self.nodes[:, 1]] = values
        return grid


def plane_over(table: Table, columns: tuple[int, int], axes: tuple[Array, Array], weights: Array) -> Plane:
    """The plane over two columns of a table, in which every row counts."""
    levels = [table.coding is not None and column in table.coding.categorical for column in columns]
    data = table.values[:, list(columns)]
    apart = _distances(axes, data, levels)  # (g · h, n)
    shape = len(axes[0]), len(axes[1])
    inside = np.argwhere(apart.min(axis=1).reshape(shape) <= 1.0)
    own = apart[np.ravel_multi_index(tuple(inside.T), shape)]
    order = np.argsort(own, axis=1, kind="stable")[:, :ROWS]
    found = tuple(rows[d[rows] <= 1.0] for rows, d in zip(order, own, strict=True))
    scale = _reach(len(data), any(levels))
    around = np.where(np.isfinite(own), np.exp(-0.5 * (np.minimum(own, 1e3) * scale / WIDTH) ** 2), 0.0) * weights
    nearest = np.zeros_like(around)
    nearest[np.arange(len(own)), own.argmin(axis=1)] = 1e-300  # where nothing else counts
    around += nearest
    return Plane(
        axes=axes,
        places=(_places(table, columns[0], axes[0], weights), _places(table, columns[1], axes[1], weights)),
        distance=apart.min(axis=1).reshape(shape),
        nodes=inside,
        rows=found,
        own=own.argmin(axis=0),
        near=around / around.sum(axis=1, keepdims=True),
    )


def joint_effect(
    prepared: Model,
    table: Table,
    columns: tuple[int, int],
    plane: Plane,
    weights: Array,
    here: Array,
    *,
    median: bool,
) -> Array:
    """The surface h at the nodes of a plane, (k, P); `here` is the prediction at the rows, (n, P)."""
    a, b = _edges(plane)
    # Each edge needs the rows near its ends at both ends; every row is asked for once at each node.
    ends = [(plane.rows[i], i, j) for i, j in zip(np.append(a, b), np.append(b, a), strict=True)]
    row = np.concatenate([rows for rows, _, _ in ends])
    sizes = [len(rows) for rows, _, _ in ends]
    edge = np.repeat(np.tile(np.arange(len(a)), 2), sizes)
    share = np.repeat([0.5 / size for size in sizes], sizes)
    k = len(plane.nodes)
    asked, which = np.unique(np.concatenate([row * k + a[edge], row * k + b[edge]]), return_inverse=True)
    moved = table.values[asked // k]
    for axis, column in enumerate(columns):
        moved[:, column] = plane.axes[axis][plane.nodes[asked % k, axis]]
    there = predictions(prepared, table, moved, median=median)
    change = np.zeros((len(a), here.shape[1]))
    np.add.at(change, edge, share[:, None] * (there[which[len(row) :]] - there[which[: len(row)]]))
    h = _integrated(a, b, change, k)
    return h + (weights @ here - weights @ h[plane.own])


def without_main_effects(surface: Array) -> Array:
    """What is left of a surface (g, h) after the best sum a(x₁) + b(x₂), by least squares; NaN stays NaN."""
    inside = np.argwhere(np.isfinite(surface))
    design = np.zeros((len(inside), sum(surface.shape)))
    design[np.arange(len(inside)), inside[:, 0]] = 1.0
    design[np.arange(len(inside)), surface.shape[0] + inside[:, 1]] = 1.0
    values = surface[tuple(inside.T)]
    fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    rest = surface.copy()
    rest[tuple(inside.T)] = values - fitted
    return rest


def _reach(n: int, along_a_line: bool) -> float:
    """How far from a row is near, in standard deviations."""
    return max(NEAR, NEAR_FEW / (n if along_a_line else np.sqrt(n)))


def _distances(axes: tuple[Array, Array], data: Array, levels: list[bool]) -> Array:
    """How far each node (g · h) is from each row, with 1 for what is just near; infinite between different levels.

    A node whose cell holds a row is near, however small standard deviations are beside cells.
    """
    x, y = (axis.ravel() for axis in np.meshgrid(*axes, indexing="ij"))
    nodes = np.column_stack([x, y])
    if all(levels):
        same = (nodes[:, None] == data).all(axis=2)
        return np.where(same, 0.0, np.inf)
    numbers = [k for k in (0, 1) if not levels[k]]
    scale = column_scale(data[:, numbers])
    cells = np.array([axes[k][1] - axes[k][0] for k in numbers])
    apart = nodes[:, None, numbers] - data[:, numbers]
    in_cell = np.abs(apart / cells).max(axis=2) * (2.0 - 1e-9)
    if len(numbers) == 2:
        far = cdist(_whitened(nodes, data, scale), _whitened(data, data, scale)) / _reach(len(data), False)
        return np.asarray(np.minimum(far, in_cell))
    k = 1 - numbers[0]  # the one with levels
    far = np.minimum(np.abs(apart[:, :, 0]) / scale[0] / _reach(len(data), True), in_cell)
    return np.where(nodes[:, None, k] == data[:, k], far, np.inf)


def _whitened(points: Array, data: Array, scale: Array) -> Array:
    """Points in standard deviations of the data, and without their correlation."""
    z = (points - data.mean(axis=0)) / scale
    r = float(np.clip(np.mean(np.prod((data - data.mean(axis=0)) / scale, axis=1)), -0.999, 0.999))
    return np.column_stack([z[:, 0], (z[:, 1] - r * z[:, 0]) / np.sqrt(1.0 - r**2)])


def _places(table: Table, column: int, axis: Array, weights: Array) -> Positions:
    """Numbers stand in their order; levels in the order of `path_along`, those without rows at the end."""
    if table.coding is None or column not in table.coding.categorical:
        return np.arange(len(axis))
    known = path_along(table, column, weights, 2).knots.astype(np.intp)
    places = np.full(len(axis), len(axis), dtype=np.intp)
    places[known] = np.arange(len(known))
    return places


def _edges(plane: Plane) -> tuple[Positions, Positions]:
    """Neighbours among the nodes; and, of pieces that do not touch, the closest nodes, so that all hang together."""
    at = np.column_stack([places[plane.nodes[:, axis]] for axis, places in enumerate(plane.places)])
    position = {(int(i), int(j)): k for k, (i, j) in enumerate(at)}
    pairs = [
        (k, position[i + di, j + dj])
        for (i, j), k in position.items()
        for di, dj in NEIGHBOURS
        if (i + di, j + dj) in position
    ]
    a, b = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    pieces, piece = connected_components(_graph(a, b, len(at)), directed=False)
    if pieces > 1:
        apart = cdist(at / at.max(axis=0).clip(1), at / at.max(axis=0).clip(1))
        tree = minimum_spanning_tree(apart).tocoo()
        between: Flags = piece[tree.row] != piece[tree.col]
        a, b = np.append(a, tree.row[between]), np.append(b, tree.col[between])
    return a, b


def _graph(a: Positions, b: Positions, k: int) -> coo_array:
    return coo_array((np.ones(len(a)), (a, b)), shape=(k, k))


def _integrated(a: Positions, b: Positions, change: Array, k: int) -> Array:
    """The h (k, P) with h[0] = 0 whose differences h[b] − h[a] are nearest to `change`: normal equations on a graph."""
    if k == 1:
        return np.zeros((1, change.shape[1]))
    edges = np.arange(len(a))
    ends = (np.concatenate([-np.ones(len(a)), np.ones(len(a))]), (np.append(edges, edges), np.append(a, b)))
    D = coo_array(ends, shape=(len(a), k)).tocsc()[:, 1:]
    solved = spsolve((D.T @ D).tocsc(), D.T @ change)
    return np.concatenate([np.zeros((1, change.shape[1])), np.asarray(solved).reshape(k - 1, -1)])
