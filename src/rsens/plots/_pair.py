"""The numbers of a surface: what a model predicts, and how two variables interact, over a grid of the two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._arguments import whole_number
from rsens._errors import Argument, InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives import Derivatives, Model, iterate, prepare, rows_of
from rsens.measures import finite, rsens2_of
from rsens.plots._along import Kind, output_names, predictive, spread_of
from rsens.plots._line import find_column, typical_row
from rsens.plots._model_and_rows import model_and_table, step_of

#: Points farther than this from every row are far from the data, as a share of the range of the data. Of few rows it is
#: NEAR_FEW over √n in the plane and over n on a line: 1.5 times the mean distance of a point from rows spread evenly.
NEAR, NEAR_FEW = 0.1, 0.75


@dataclass(frozen=True, eq=False)
class SurfaceValues:
    """A grid of g × h points over two variables; the other variables stay fixed.

    Entry [i, j] of an array is at `first[i]` and `second[j]`. A categorical variable has level codes as values, and its
    labels are in `labels`.
    """

    names: tuple[str, str]
    first: Array  # (g,)
    second: Array  # (h,)
    labels: tuple[tuple[str, ...] | None, tuple[str, ...] | None]
    prediction: Array  # (g, h)
    spread: Array  # (g, h), predictive standard deviation
    sensitivity: Array  # (g, h), R-sens₂ in the units of the explanation
    distance: Array  # (g, h), from the nearest row; beyond 1 the grid is far from the data
    data: Array  # (n, 2), the two variables in the rows
    kind: Kind  # what the prediction is
    middle: str  # "mean" or "median"
    output: str | None  # whose prediction it is, where the model has several outputs
    unit: str  # of the sensitivity
    others: str  # where the other variables stay, in words; empty where there are none

    @property
    def far(self) -> NDArray[np.bool_]:
        """Where no row is near, (g, h): what the model says there is extrapolation."""
        return self.distance > 1.0

    @property
    def held(self) -> str:
        """Where the other variables stay, for the label of an axis."""
        return f" (others {self.others})" if self.others else ""


def pair_surface(
    explanation: Any,
    first: str | int,
    second: str | int,
    n_grid: int = 40,
    *,
    at: Any = "median",
    output: str | int | None = None,
    model: Any = None,
    X: Any = None,
) -> SurfaceValues:
    """What `surface` draws, without drawing it; the arguments are the same."""
    n_grid = whole_number(n_grid, "n_grid", 2)
    source, table = model_and_table(explanation, model, X, "plot_surface")
    columns = find_column(table.names, first, "first"), find_column(table.names, second, "second")
    if columns[0] == columns[1]:
        raise InputError(f"A surface needs two different variables; got {table.names[columns[0]]!r} twice.")
    steps = [step_of(explanation, table, column) for column in columns]
    point, others = typical_row(table, at)
    axes = [_points(table, column, n_grid) for column in columns]
    labels = [_labels(table, column) for column in columns]

    shape = len(axes[0]), len(axes[1])
    rows = np.repeat(point[np.newaxis], shape[0] * shape[1], axis=0)
    rows[:, columns[0]] = np.repeat(axes[0], shape[1])
    rows[:, columns[1]] = np.tile(axes[1], shape[0])
    factor = float(np.prod([step if isinstance(step, float) else 0.0 for step, _ in steps]))
    with_levels = any(of is not None for of in labels)
    kinds, predictions, spreads, sensitivities = [], [], [], []
    for where, record in _records(source, table, rows, with_levels):
        kind, middle, prediction, _ = predictive(record.distribution, np.empty(0))
        kinds.append((kind, middle))
        predictions.append(prediction)
        spreads.append(spread_of(record.distribution))
        with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float64 is found by `finite`
            local = rsens2_of(record, explanation.alpha)[:, columns[0], columns[1]] * factor
        names = (f"{table.names[columns[0]]}:{table.names[columns[1]]}",)
        sensitivities.append(finite(local[:, None], where, names, 1, "R-sens₂")[:, 0])
    kind, middle = kinds[0]
    prediction = np.concatenate(predictions)
    outputs = output_names(explanation.model if model is None else model, kind, prediction.shape[1])
    chosen = _output(prediction, outputs, output)
    data = table.values[:, list(columns)]
    return SurfaceValues(
        names=(table.names[columns[0]], table.names[columns[1]]),
        first=axes[0],
        second=axes[1],
        labels=(labels[0], labels[1]),
        prediction=prediction[:, chosen].reshape(shape),
        spread=np.concatenate(spreads).reshape(shape),
        sensitivity=np.concatenate(sensitivities).reshape(shape),
        distance=_distance(axes, data, [of is not None for of in labels]),
        data=data,
        kind=kind,
        middle=middle,
        output=outputs[chosen] if len(outputs) > 1 else None,
        unit=_unit([name for _, name in steps]),
        others=others if len(table.names) > 2 else "",
    )


def _points(table: Table, column: int, n_grid: int) -> Array:
    """The values of a variable: evenly spaced over its range, or its levels."""
    labels = _labels(table, column)
    if labels is not None:
        return np.arange(float(len(labels)))
    low, high = float(table.values[:, column].min()), float(table.values[:, column].max())
    if low == high:
        raise InputError(
            f"{table.names[column]!r} is {low:g} in all rows of X, so it has no range to draw a surface over. "
            "Choose a variable that varies."
        )
    return np.linspace(low, high, n_grid)


def _labels(table: Table, column: int) -> tuple[str, ...] | None:
    if table.coding is None or column not in table.coding.categorical:
        return None
    return tuple(str(label) for label in table.coding[column].labels)


def _records(model: Model, table: Table, rows: Array, with_levels: bool) -> Iterator[tuple[slice, Derivatives]]:
    """The derivatives at these rows, chunk by chunk; contrasts only where they are needed, as they take long."""
    prepared = prepare(model, table)  # steps and levels come from the data, not from the grid
    if with_levels or table.coding is None:
        yield from iterate(prepared, rows_of(prepared, table.like(rows)), 2, watch=False)
        return
    most = prepared.rows_per_chunk(len(table.names), 2)
    for start in range(0, len(rows), most):
        where = slice(start, min(start + most, len(rows)))
        yield where, prepared.derivatives(table.like(rows[where]), 2)


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
