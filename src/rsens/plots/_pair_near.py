"""The joint effect of two columns on the prediction, near the rows: accumulated local effects over a plane.

Nodes are the middles of cells of a grid, or levels, that have rows near them. Between neighbouring nodes a and b the
effect is the mean difference of the prediction over the rows near a and near b, which count half each,

    δ_ab = ½ mean_{i near a} [f(b, x_i) − f(a, x_i)] + ½ mean_{i near b} [f(b, x_i) − f(a, x_i)],

where f(a, x_i) is the prediction at row i with the two columns set to a. The surface h has these differences as nearly
as it can, by least squares: Σ_ab (h_b − h_a − δ_ab)² is smallest, and its mean over the rows is the mean prediction.
Of a function f = f₁₂(x₁, x₂) + g(others) it gives f₁₂ exactly, up to a constant. The sum of cells in two directions
(Apley and Zhu, 2020, section 3) would pass through cells without rows; differences between neighbours never do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.sparse.linalg import spsolve
from scipy.spatial.distance import cdist

from rsens._table import Table, column_scale
from rsens._typing import Array, Flags, Positions
from rsens.derivatives import Model
from rsens.plots._effect import predictions
from rsens.plots._path import path_along

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
