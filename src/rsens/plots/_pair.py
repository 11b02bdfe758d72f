"""The numbers of a surface: what a model predicts, and how two variables interact, over a grid of the two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._arguments import whole_number
from rsens._errors import Argument, InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives import Model, iterate, prepare, rows_of
from rsens.measures import check_weights, finite, rsens2_of
from rsens.plots._along import Kind, output_names, predictive, spread_of, with_contrasts_of
from rsens.plots._line import find_column, typical_row
from rsens.plots._model_and_rows import model_and_table, step_of
from rsens.plots._near import counted_rows
from rsens.plots._pair_near import joint_effect, plane_over, without_main_effects

#: Points farther than this from every row are far from the data, as a share of the range of the data. Of few rows it is
#: NEAR_FEW over √n in the plane and over n on a line: 1.5 times the mean distance of a point from rows spread evenly.
NEAR, NEAR_FEW = 0.1, 0.75


#: How many cells along each number near the rows, and how many points on a slice.
CELLS, SLICE_POINTS = 30, 40
#: With more rows than this, a surface is made from this many: evenly spaced in the order of the first variable.
MOST_ROWS = 500


@dataclass(frozen=True, eq=False)
class SurfaceValues:
    """A grid of g × h points over two variables.

    Entry [i, j] of an array is at `first[i]` and `second[j]`. A categorical variable has level codes as values, and its
    labels are in `labels`. Near the rows, points are the middles of cells, and what is far from all rows is NaN.
    """

    names: tuple[str, str]
    first: Array  # (g,)
    second: Array  # (h,)
    labels: tuple[tuple[str, ...] | None, tuple[str, ...] | None]
    prediction: Array  # (g, h); near the rows, the joint effect of the two variables on it
    interaction: Array  # (g, h), what is left of it after the best sum of one function of each variable
    spread: Array  # (g, h), predictive standard deviation
    sensitivity: Array  # (g, h), R-sens₂ in the units of the explanation
    distance: Array  # (g, h), from the nearest row; beyond 1 the grid is far from the data
    data: Array  # (n, 2), the two variables in the rows
    kind: Kind  # what the prediction is
    middle: str  # "mean" or "median"
    output: str | None  # whose prediction it is, where the model has several outputs
    unit: str  # of the sensitivity
    others: str  # where the other variables stay, in words; empty near the rows, and where there are none
    near: bool  # whether it is made from the rows themselves

    @property
    def far(self) -> NDArray[np.bool_]:
        """Where no row is near, (g, h): what the model says there is extrapolation."""
        return self.distance > 1.0

    @property
    def held(self) -> str:
        """Where the other variables stay, for the label of an axis."""
        return f" (others {self.others})" if self.others else ""


@dataclass(frozen=True, eq=False)
class _AtRows:
    """What the model says at rows: the prediction (m, P), its spread (m,), R-sens₂ of the pair (m,)."""

    kind: Kind
    middle: str
    prediction: Array
    spread: Array
    sensitivity: Array


def pair_surface(
    explanation: Any,
    first: str | int,
    second: str | int,
    n_grid: int | None = None,
    *,
    at: Any = None,
    output: str | int | None = None,
    model: Any = None,
    X: Any = None,
) -> SurfaceValues:
    """What `surface` draws, without drawing it; the arguments are the same."""
    n_grid = whole_number((CELLS if at is None else SLICE_POINTS) if n_grid is None else n_grid, "n_grid", 2)
    source, table = model_and_table(explanation, model, X, "plot_surface")
    columns = find_column(table.names, first, "first"), find_column(table.names, second, "second")
    if columns[0] == columns[1]:
        raise InputError(f"A surface needs two different variables; got {table.names[columns[0]]!r} twice.")
    steps = [step_of(explanation, table, column) for column in columns]
    factor = float(np.prod([step if isinstance(step, float) else 0.0 for step, _ in steps]))
    prepared = prepare(source, table)  # steps and levels come from the data, not from the grid
    look = partial(_at_rows, prepared, columns=columns, alpha=explanation.alpha, factor=factor)
    if at is None:
        weights = check_weights(explanation.weights if X is None or X is explanation.data else None, len(table))
        found = _near_rows(prepared, table, columns, n_grid, weights, look)
    else:
        found = _on_slice(prepared, table, columns, n_grid, at, look)
    outputs = output_names(explanation.model if model is None else model, found.kind, found.prediction.shape[2])
    chosen = _output(found.prediction[np.isfinite(found.prediction[..., 0])], outputs, output)
    prediction = found.prediction[..., chosen]
    return SurfaceValues(
        names=(table.names[columns[0]], table.names[columns[1]]),
        first=found.axes[0],
        second=found.axes[1],
        labels=(_labels(table, columns[0]), _labels(table, columns[1])),
        prediction=prediction,
        interaction=without_main_effects(prediction),
        spread=found.spread,
        sensitivity=found.sensitivity,
        distance=found.distance,
        data=found.data,
        kind=found.kind,
        middle=found.middle,
        output=outputs[chosen] if len(outputs) > 1 else None,
        unit=_unit([name for _, name in steps]),
        others=found.others if len(table.names) > 2 else "",
        near=at is None,
    )


@dataclass(frozen=True, eq=False)
class _Grid:
    """What the two kinds of surface have to say, on their grid; see `SurfaceValues`. Predictions are (g, h, P)."""

    axes: tuple[Array, Array]
    kind: Kind
    middle: str
    prediction: Array
    spread: Array
    sensitivity: Array
    distance: Array
    data: Array
    others: str = ""


def _near_rows(
    prepared: Model,
    table: Table,
    columns: tuple[int, int],
    n_grid: int,
    weights: Array,
    look: Callable[[Table], _AtRows],
) -> _Grid:
    """The joint effect of the two columns, and averages of what the rows near each cell have."""
    table, weights = counted_rows(prepared, table, weights, columns[0], MOST_ROWS)
    axes = _points(table, columns[0], n_grid, cells=True), _points(table, columns[1], n_grid, cells=True)
    at_rows, plane = look(table), plane_over(table, columns, axes, weights)
    median = at_rows.middle == "median"
    effect = joint_effect(prepared, table, columns, plane, weights, at_rows.prediction, median=median)
    return _Grid(
        axes,
        at_rows.kind,
        at_rows.middle,
        prediction=plane.spread_out(effect),
        spread=plane.spread_out(plane.near @ at_rows.spread),
        sensitivity=plane.spread_out(plane.near @ at_rows.sensitivity),
        distance=plane.distance,
        data=table.values[:, list(columns)],
    )


def _on_slice(
    prepared: Model, table: Table, columns: tuple[int, int], n_grid: int, at: Any, look: Callable[[Table], _AtRows]
) -> _Grid:
    """The prediction while the other columns stay fixed."""
    point, others = typical_row(table, at)
    axes = _points(table, columns[0], n_grid), _points(table, columns[1], n_grid)
    shape = len(axes[0]), len(axes[1])
    rows = np.repeat(point[np.newaxis], shape[0] * shape[1], axis=0)
    rows[:, columns[0]] = np.repeat(axes[0], shape[1])
    rows[:, columns[1]] = np.tile(axes[1], shape[0])
    at_rows, data = look(rows_of(prepared, table.like(rows))), table.values[:, list(columns)]
    return _Grid(
        axes,
        at_rows.kind,
        at_rows.middle,
        prediction=at_rows.prediction.reshape(*shape, -1),
        spread=at_rows.spread.reshape(shape),
        sensitivity=at_rows.sensitivity.reshape(shape),
        distance=_distance(list(axes), data, [_labels(table, column) is not None for column in columns]),
        data=data,
        others=others,
    )


def _at_rows(prepared: Model, rows: Table, *, columns: tuple[int, int], alpha: float, factor: float) -> _AtRows:
    """Evaluate the model at rows, chunk by chunk; contrasts only of the two columns, as they take long."""
    kinds, predictions, spreads, sensitivities = [], [], [], []
    name = f"{rows.names[columns[0]]}:{rows.names[columns[1]]}"
    for where, record in iterate(prepared, with_contrasts_of(rows, columns), 2, watch=False):
        kind, middle, prediction, _ = predictive(record.distribution, np.empty(0))
        kinds.append((kind, middle))
        predictions.append(prediction)
        spreads.append(spread_of(record.distribution))
        with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float64 is found by `finite`
            local = rsens2_of(record, alpha)[:, columns[0], columns[1]] * factor
        sensitivities.append(finite(local[:, None], where, (name,), 1, "R-sens₂")[:, 0])
    joined = (np.concatenate(each) for each in (predictions, spreads, sensitivities))
    return _AtRows(*kinds[0], *joined)


def _points(table: Table, column: int, n_grid: int, *, cells: bool = False) -> Array:
    """The values of a variable: evenly spaced over its range, or the middles of cells, or its levels."""
    labels = _labels(table, column)
    if labels is not None:
        return np.arange(float(len(labels)))
    low, high = float(table.values[:, column].min()), float(table.values[:, column].max())
    if low == high:
        raise InputError(
            f"{table.names[column]!r} is {low:g} in all rows of X, so it has no range to draw a surface over. "
            "Choose a variable that varies."
        )
    if cells:
        return low + (high - low) * (np.arange(n_grid) + 0.5) / n_grid
    return np.linspace(low, high, n_grid)


def _labels(table: Table, column: int) -> tuple[str, ...] | None:
    if table.coding is None or column not in table.coding.categorical:
        return None
    return tuple(str(label) for label in table.coding[column].labels)


def _output(prediction: Array, outputs: tuple[str, ...], output: str | int | None) -> int:
    """Which output to show: the requested one, or else the one that changes most."""
    if output is None:
        return int(np.ptp(prediction, axis=0).argmax())
    if isinstance(output, str) and output in outputs:
        return outputs.index(output)
    if isinstance(output, int) and not isinstance(output, bool) and 0 <= output < len(outputs):
        return output
    raise InputError(
        Argument("output"), f" must be one of {', '.join(map(repr, outputs[:10]))}, or a position; got {output!r}."
    )


def _unit(names: list[str | None]) -> str:
    first, second = ("per given unit" if name is None else name for name in names)
    return f"{first} × {second.removeprefix('per ')}"


def _distance(axes: list[Array], data: Array, levels: list[bool]) -> Array:
    """How far each point of the grid is from the nearest row: beyond 1 it is far. See `NEAR`.

    Levels have no distance between them: only rows of the same level count.
    """
    from scipy.spatial import KDTree

    result = np.full((len(axes[0]), len(axes[1])), np.inf)
    if all(levels):
        result[tuple(data.astype(np.intp).T)] = 0.0
        return result
    if any(levels):
        k = levels.index(True)
        values, rows = _of_range(axes[1 - k], data[:, 1 - k])
        by_level = result if k == 0 else result.T
        for code in range(len(axes[k])):
            same = rows[data[:, k] == code]
            if len(same):
                nearest = KDTree(same[:, np.newaxis]).query(values[:, np.newaxis])[0]
                by_level[code] = nearest / max(NEAR, NEAR_FEW / len(same))
        return result
    (x, rows_x), (y, rows_y) = (_of_range(axis, column) for axis, column in zip(axes, data.T, strict=True))
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
    nearest = KDTree(np.column_stack([rows_x, rows_y])).query(grid)[0]
    return np.asarray(nearest / max(NEAR, NEAR_FEW / np.sqrt(len(data))))


def _of_range(axis: Array, column: Array) -> tuple[Array, Array]:
    """Points and data as shares of the range."""
    return (axis - axis[0]) / (axis[-1] - axis[0]), (column - axis[0]) / (axis[-1] - axis[0])
