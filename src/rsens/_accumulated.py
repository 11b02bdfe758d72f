"""Accumulated local effects (Apley and Zhu, 2020) of one column along a path, and of two columns over a plane.

Between neighbouring nodes a and b the effect is the mean difference of the prediction over the rows near them,

    δ_ab = mean_i [f(b, x_i) − f(a, x_i)],

where f(a, x_i) is the prediction at row i with the columns set to a. Where rows lie on two sides, each side
counts half. The differences add up to the effect, and a constant makes its mean over the rows the mean prediction.

Differences and not derivatives, because they telescope: of a function that adds up, f = Σ_d f_d(x_d), they give f_d
exactly, however few rows and however wide the steps. They exist where derivatives do not (levels, trees), and the
covariance of the model's predictions gives the variance of their sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.sparse.linalg import spsolve
from scipy.spatial.distance import cdist

from rsens._coding import Levels
from rsens._errors import InputError
from rsens._table import Table, column_deviations, column_scale
from rsens._typing import Array, Flags, Positions

#: Gives the prediction (m, P) at rows (m, D) of values.
Predict = Callable[[Array], Array]
#: Both ends of edges between nodes.
Edges = tuple[Positions, Positions]


def levels_of(table: Table, column: int) -> Levels | None:
    """The levels of a categorical column."""
    return None if table.coding is None or column not in table.coding.categorical else table.coding[column]


@dataclass(frozen=True, eq=False)
class Moves:
    """Rows that are moved from one end of an edge to the other: e moves, and their P changes of the prediction."""

    row: Positions  # (e,)
    edge: Positions  # (e,)
    group: Positions  # (e,), the rows of an edge, or those on one side of it
    share: Array  # (e,), of the mean of its edge; they add up to 1 for each edge
    change: Array  # (e, P)
    differences: Array  # (edges, P), the mean change along each edge
    asked: Array  # (q, D), the rows at which the model was asked: each once at every node
    combination: csr_array  # (edges, q), the differences as sums of the predictions there

    def influences(self, n: int) -> Array:
        """How much each of n rows moves each difference, (n, edges, P), away from the others of its group."""
        size = np.bincount(self.group)[self.group, None]
        groups = coo_array((self.share, (self.group, np.arange(len(self.group))))).tocsr()
        means = np.asarray(groups @ self.change) / np.bincount(self.group, self.share)[:, None]
        apart = self.change - np.where(size > 1, means[self.group], self.differences[self.edge])
        apart *= np.sqrt(np.where(size > 1, size / np.maximum(size - 1.0, 1.0), 2.0))  # few rows know little
        result = np.zeros((n, *self.differences.shape))
        np.add.at(result, (self.row, self.edge), self.share[:, None] * apart)
        return result


def moves_along(
    predict: Predict, table: Table, columns: Sequence[int], nodes: Array, edges: Edges,
    groups: list[tuple[int, Positions]], weights: Array,
) -> Moves:  # fmt: skip
    """Move groups of rows, (edge, rows), along edges between nodes (k, columns); groups of an edge count the same."""
    sizes = [len(rows) for _, rows in groups]
    row = np.concatenate([rows for _, rows in groups])
    edge = np.repeat([edge for edge, _ in groups], sizes)
    group = np.repeat(np.arange(len(groups)), sizes)
    sides = np.bincount([edge for edge, _ in groups])
    share = weights[row] / np.bincount(group, weights[row])[group] / sides[edge]
    k = len(nodes)
    asked, ends = np.unique(np.concatenate([row * k + end[edge] for end in edges]), return_inverse=True)
    moved = table.values[asked // k]
    moved[:, list(columns)] = nodes[asked % k]
    there = predict(moved)
    change = there[ends[len(row) :]] - there[ends[: len(row)]]
    combination = coo_array((np.concatenate([-share, share]), (np.tile(edge, 2), ends))).tocsr()
    mean_of_edge = coo_array((share, (edge, np.arange(len(row))))).tocsr()
    return Moves(row, edge, group, share, change, mean_of_edge @ change, moved, combination)


# ---- One column: knots along a path ----------------------------------------------------------------------------------
# - A number has its distinct values as knots, or of many some of them: half evenly spaced, half at quantiles. The rows
#   of a step are those between its knots, both included, and the nearest ones, up to √n, within 5 % of the range.
#   Averages near a knot are over three times as many, within 10 % of the range.
# - A gap is a step over 5 % of the range, and over three times the median distance of neighbours. The rows on its two
#   sides count half each.
# - Levels come in the order in which their rows are alike: along the first principal component of the mean of the other
#   columns in each. The rows of its two levels count half each; near a level are its own.

#: How far rows may be from a step, and how wide a gap is at least, as a share of the range.
REACH = 0.05
#: A gap is at least this many times as wide as the median distance between neighbouring values.
WIDE = 3.0


@dataclass(frozen=True, eq=False)
class Path:
    """g knots along a column, for n rows with weights that add up to 1."""

    knots: Array  # (g,), in the order in which effects add up; level codes of a categorical column
    groups: list[tuple[int, Positions]]  # the rows of each of the g − 1 steps, those on its two sides apart
    gaps: NDArray[np.bool_]  # (g − 1,), between knots that no row joins
    place: Array  # (n, g), where each row is between the knots: its row of weights adds up to 1
    near: Array  # (g, n), the weights of the rows near each knot: they add up to 1


def accumulated_effect(
    predict: Predict, table: Table, column: int, path: Path, weights: Array, here: Array,
    variances: Callable[[Any, Array], Array] | None = None,
) -> tuple[Array, Array]:  # fmt: skip
    """Add up local effects along a path: the effect at the knots (g, P), and its standard deviation around its mean.

    `weights` of the rows add up to 1, and `here` is the prediction there, (n, P). `variances` of sums of predictions
    come from the model; without them the rows alone are uncertain.
    """
    g = len(path.knots)
    edges = np.arange(g - 1), np.arange(1, g)
    moves = moves_along(predict, table, (column,), path.knots[:, None], edges, path.groups, weights)
    added = np.tri(g, g - 1, -1)  # the curve is a sum of steps …
    added -= (weights @ path.place) @ added  # … minus its mean over the rows
    curve = added @ moves.differences
    # The variance if other rows had been drawn: the sum of squared influences of the rows (infinitesimal jackknife).
    # It needs no random numbers. Rows move the steps, and the mean over the rows.
    on_curve = np.einsum("gs,isp->igp", added, moves.influences(len(weights)), optimize=True)
    on_mean = weights[:, None] * (path.place @ curve)
    variance = np.sum((on_curve - on_mean[:, None]) ** 2, axis=0)
    if variances is not None:
        variance = variance + variances(table.like(moves.asked), added @ moves.combination)
    return weights @ here + curve, np.sqrt(variance)


def path_along(table: Table, column: int, weights: Array, n_knots: int) -> Path:
    """The path along a column of a table, in which every row counts."""
    check_varies(table, column)
    if levels_of(table, column) is None:
        return _number_path(table.values[:, column], weights, n_knots)
    return _level_path(table, column, weights)


def check_varies(table: Table, column: int) -> None:
    """An `InputError` if there is nothing to go along."""
    if np.ptp(table.values[:, column]) == 0.0:
        name = table.names[column]
        raise InputError(f"{name!r} is the same in all rows that count. Choose a variable that varies.")


def _number_path(data: Array, weights: Array, n_knots: int) -> Path:
    values, place = np.unique(data, return_inverse=True)
    width, reach = np.diff(values), REACH * (values[-1] - values[0])
    wide = width > max(reach, WIDE * float(np.median(width)))  # gaps between values
    knots = values[_knots(values, np.sort(data), wide, n_knots)]

    def around(low: float, high: float, times: float = 1.0) -> NDArray[np.bool_]:
        """The rows between two values, and the nearest others within reach until there are enough."""
        distance = np.maximum(low - data, data - high).clip(0.0)
        enough = min(int(np.ceil(times * np.sqrt(len(data)))), len(data))
        return distance <= min(np.partition(distance, enough - 1)[enough - 1], min(times, 2.0) * reach)

    segment = np.concatenate([[0], np.cumsum(wide)])  # between gaps
    near = np.zeros((len(knots), len(data)))
    for k, knot in enumerate(knots):
        rows = around(knot, knot, 3.0) & (segment[place] == segment[np.searchsorted(values, knot)])
        # Rows count less the further they are away, so that lines are smooth (tricube weights).
        distance = np.abs(data[rows] - knot)
        near[k, rows] = weights[rows] * (1.0 - (distance / (1.1 * distance.max() or 1.0)) ** 3) ** 3
    gaps = wide[np.searchsorted(values, knots[1:]) - 1]
    groups = []
    for step, ((low, high), gap) in enumerate(zip(pairwise(knots), gaps, strict=True)):
        rows = around(low, high)
        sides = (rows & (data <= low), rows & (data >= high)) if gap else (rows,)
        groups += [(step, np.flatnonzero(side)) for side in sides]
    between = np.column_stack([np.interp(data, knots, at_knot) for at_knot in np.eye(len(knots))])
    return Path(knots, groups, gaps, between, near / near.sum(axis=1, keepdims=True))


def _knots(values: Array, ordered: Array, wide: Flags, n_knots: int) -> Positions:
    """Positions of the knots among the distinct values: all, or some, with the ends of the range and of gaps."""
    if len(values) <= n_knots:
        return np.arange(len(values))
    half = max(n_knots // 2, 2)
    even = np.linspace(values[0], values[-1], half)
    quantiles = np.quantile(ordered, np.linspace(0.0, 1.0, half), method="nearest")
    wanted = np.concatenate([even, quantiles])
    right = np.clip(np.searchsorted(values, wanted), 1, len(values) - 1)
    nearest = right - (wanted - values[right - 1] < values[right] - wanted)
    gaps = np.flatnonzero(wide)
    return np.unique(np.concatenate([nearest, gaps, gaps + 1]))


def _level_path(table: Table, column: int, weights: Array) -> Path:
    codes = table.values[:, column]
    knots = np.unique(codes)
    place = (codes[:, None] == knots).astype(np.float64)
    near = place.T * weights
    near /= near.sum(axis=1, keepdims=True)
    order = _order_of_levels(near @ _described(table, column), place.T @ weights)
    place = place[:, order]
    groups = [(step, np.flatnonzero(side)) for step, sides in enumerate(pairwise(place.T)) for side in sides]
    return Path(knots[order], groups, np.ones(len(knots) - 1, dtype=np.bool_), place, near[order])


def _order_of_levels(means: Array, shares: Array) -> Positions:
    """Levels along the first principal component of their means (L, q); in the given order where these are equal."""
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


# ---- Two columns: nodes over a plane ---------------------------------------------------------------------------------
# Nodes are the middles of cells of a grid, or levels, that have rows near them. The surface h has the differences δ_ab
# of neighbouring nodes as nearly as it can, by least squares: Σ_ab (h_b − h_a − δ_ab)² is smallest. For a function
# f = f₁₂(x₁, x₂) + g(others) it gives f₁₂ exactly, up to a constant. The sum of cells in two directions (Apley and Zhu,
# 2020, section 3) would pass through cells without rows; differences between neighbours never do.

#: A node is near the rows if one is within this distance, in standard deviations of the two columns given their
#: correlation (Mahalanobis); of few rows, within NEAR_FEW/√n. Next to levels, in standard deviations and NEAR_FEW/n.
NEAR, NEAR_FEW = 0.35, 2.5
#: How many rows at most count near a node.
ROWS = 6
#: The width of averages over rows around a node, in the same distance.
WIDTH = 0.5


@dataclass(frozen=True, eq=False)
class Plane:
    """A grid over two columns of n rows."""

    axes: tuple[Array, Array]  # values along each column: middles of cells, or level codes
    nodes: Positions  # (k, 2), the nodes that are near rows
    edges: Edges  # neighbours among these
    rows: tuple[Positions, ...]  # (k), the rows near each
    own: Positions  # (n,), the node nearest to each row
    near: Array  # (k, n), weights of the rows around each node: they add up to 1

    def spread_out(self, values: Array) -> Array:
        """Values at the nodes that are near, (k, …), as a grid (g, h, …) with NaN elsewhere."""
        grid = np.full((len(self.axes[0]), len(self.axes[1]), *values.shape[1:]), np.nan)
        grid[tuple(self.nodes.T)] = values
        return grid


def joint_effect(
    predict: Predict, table: Table, columns: tuple[int, int], plane: Plane, weights: Array, here: Array
) -> Array:
    """The surface h at the nodes of a plane, (k, P); `here` is the prediction at the rows, (n, P)."""
    groups = [(edge, plane.rows[node]) for end in plane.edges for edge, node in enumerate(end)]
    h = np.zeros((1, here.shape[1]))
    if groups:  # more than a single node
        nodes = np.column_stack([axis[plane.nodes[:, k]] for k, axis in enumerate(plane.axes)])
        moves = moves_along(predict, table, columns, nodes, plane.edges, groups, np.ones(len(table)))
        h = _integrated(*plane.edges, moves.differences, len(nodes))
    return h + (weights @ here - weights @ h[plane.own])


def plane_over(table: Table, columns: tuple[int, int], axes: tuple[Array, Array], weights: Array) -> Plane:
    """The plane over two columns of a table, in which every row counts."""
    apart = _distances(table, columns, axes)  # (g · h, n)
    shape = len(axes[0]), len(axes[1])
    inside = np.argwhere(apart.min(axis=1).reshape(shape) <= 1.0)
    own = apart[np.ravel_multi_index(tuple(inside.T), shape)]
    order = np.argsort(own, axis=1, kind="stable")[:, :ROWS]
    scale = _reach(len(table), any(levels_of(table, column) is not None for column in columns))
    around = np.where(np.isfinite(own), np.exp(-0.5 * (np.minimum(own, 1e3) * scale / WIDTH) ** 2), 0.0) * weights
    around[np.arange(len(own)), own.argmin(axis=1)] += 1e-300  # where nothing else counts
    places = [_places(table, column, axis, weights) for column, axis in zip(columns, axes, strict=True)]
    edges = _edges(np.column_stack([place[inside[:, k]] for k, place in enumerate(places)]))
    rows = tuple(rows[d[rows] <= 1.0] for rows, d in zip(order, own, strict=True))
    return Plane(axes, inside, edges, rows, own.argmin(axis=0), around / around.sum(axis=1, keepdims=True))


def without_main_effects(surface: Array) -> Array:
    """The rest of a surface (g, h) after the best sum a(x₁) + b(x₂), by least squares; NaN stays NaN."""
    i, j = np.nonzero(np.isfinite(surface))
    design = np.zeros((len(i), sum(surface.shape)))
    design[np.arange(len(i)), i] = 1.0
    design[np.arange(len(i)), surface.shape[0] + j] = 1.0
    rest = surface.copy()
    rest[i, j] -= design @ np.linalg.lstsq(design, surface[i, j], rcond=None)[0]
    return rest


def _distances(table: Table, columns: tuple[int, int], axes: tuple[Array, Array]) -> Array:
    """How far each node (g · h) is from each row: at most 1 if its cell holds the row; infinite between levels."""
    data = table.values[:, list(columns)]
    nodes = np.column_stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")])
    numbers = [k for k in (0, 1) if levels_of(table, columns[k]) is None]
    if not numbers:
        return np.where((nodes[:, None] == data).all(axis=2), 0.0, np.inf)
    scale = column_scale(data[:, numbers])
    cells = np.array([axes[k][1] - axes[k][0] for k in numbers])
    apart = nodes[:, None, numbers] - data[:, numbers]
    in_cell = np.abs(apart / cells).max(axis=2) * (2.0 - 1e-9)
    if len(numbers) == 2:
        far = cdist(_whitened(nodes, data, scale), _whitened(data, data, scale)) / _reach(len(data), False)
        return np.asarray(np.minimum(far, in_cell))
    k = 1 - numbers[0]  # the column with levels
    far = np.minimum(np.abs(apart[:, :, 0]) / scale[0] / _reach(len(data), True), in_cell)
    return np.where(nodes[:, None, k] == data[:, k], far, np.inf)


def _reach(n: int, along_a_line: bool) -> float:
    """How far from a row is near, in standard deviations."""
    return max(NEAR, NEAR_FEW / (n if along_a_line else np.sqrt(n)))


def _whitened(points: Array, data: Array, scale: Array) -> Array:
    """Points in standard deviations of the data, and without their correlation."""
    z = (points - data.mean(axis=0)) / scale
    r = float(np.clip(np.mean(np.prod((data - data.mean(axis=0)) / scale, axis=1)), -0.999, 0.999))
    return np.column_stack([z[:, 0], (z[:, 1] - r * z[:, 0]) / np.sqrt(1.0 - r**2)])


def _places(table: Table, column: int, axis: Array, weights: Array) -> Positions:
    """Numbers keep their order; levels come in the order of `path_along`, levels without rows at the end."""
    if levels_of(table, column) is None:
        return np.arange(len(axis))
    known = path_along(table, column, weights, 2).knots.astype(np.intp)
    places = np.full(len(axis), len(axis), dtype=np.intp)
    places[known] = np.arange(len(known))
    return places


def _edges(at: Positions) -> Edges:
    """Neighbours among nodes (k, 2); and, of pieces that do not touch, the closest nodes, so that all hang together."""
    # Beside, above, and on the diagonals, which join the cells along a line of collinear rows.
    touching = cdist(at, at, "chebyshev") == 1.0
    pieces, piece = connected_components(touching, directed=False)
    a, b = np.nonzero(np.triu(touching))
    if pieces > 1:
        apart = cdist(at / at.max(axis=0).clip(1), at / at.max(axis=0).clip(1))
        tree = minimum_spanning_tree(apart).tocoo()
        between: Flags = piece[tree.row] != piece[tree.col]
        a, b = np.append(a, tree.row[between]), np.append(b, tree.col[between])
    return a, b


def _integrated(a: Positions, b: Positions, change: Array, k: int) -> Array:
    """The h (k, P) with h[0] = 0 whose differences h[b] − h[a] are nearest to `change`: normal equations on a graph."""
    edges = np.arange(len(a))
    ends = (np.concatenate([-np.ones(len(a)), np.ones(len(a))]), (np.append(edges, edges), np.append(a, b)))
    D = coo_array(ends, shape=(len(a), k)).tocsc()[:, 1:]
    solved = spsolve((D.T @ D).tocsc(), D.T @ change)
    return np.concatenate([np.zeros((1, change.shape[1])), np.asarray(solved).reshape(k - 1, -1)])
