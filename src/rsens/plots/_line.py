"""The variable that a profile runs along, from arguments that are checked here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

import numpy as np

from rsens._coding import Levels
from rsens._errors import Argument, InputError
from rsens._table import Table, column_deviations
from rsens._text import listed, quoted
from rsens._typing import Array, Flags


@dataclass(frozen=True)
class Line:
    """A variable, and what the labels of its profile need to know."""

    name: str
    column: int
    step: float  # what one step of the variable is
    unit: str
    data: Array  # (n,), the variable in the data
    targets: Array | None  # (n,)
    target_name: str
    levels: Levels | None  # of a categorical column
    values: Array  # (g,), the points, in increasing order
    gaps: Flags  # (g − 1,), between which points nothing is drawn
    others: str = ""  # where the other columns stay, for the label of the axis
    near: bool = False  # whether all points are values that rows have

    @property
    def labels(self) -> tuple[str, ...] | None:
        """Of the levels that are drawn, for a categorical column."""
        return None if self.levels is None else tuple(str(self.levels.labels[int(code)]) for code in self.values)

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of the axis; near the rows with room for marks at the first and the last."""
        low, high = float(self.values[0]), float(self.values[-1])
        room = 0.02 * (high - low) if self.near else 0.0
        return low - room, high + room

    def at(self, values: Array, **known: Any) -> Line:
        """The same with these points, and what else is known of them."""
        return replace(self, values=values, **{"gaps": np.zeros(len(values) - 1, dtype=np.bool_)} | known)


def line_of(table: Table, variable: Any, *, scale: Any, y: Any) -> Line:
    """The line along one column of a table, without points yet, or an `InputError` that says what is wrong."""
    column = find_column(table.names, variable)
    name, data = table.names[column], table.values[:, column]
    levels = None if table.coding is None or column not in table.coding.categorical else table.coding[column]
    step, unit = _step(scale, data, name) if levels is None else _levels_step(scale, levels)
    targets, target_name = _targets(y, len(data))
    return Line(name, column, step, unit, data, targets, target_name, levels, np.empty(0), np.empty(0, np.bool_))


def slice_of(table: Table, variable: Any, *, at: Any, grid: Any) -> tuple[Array, str]:
    """Rows (g, D) along a column while the other columns stay fixed, and where they stay, for the label of the axis."""
    column = find_column(table.names, variable)
    point, others = typical_row(table, at)
    if table.coding is not None and column in table.coding.categorical:
        values = np.arange(float(len(table.coding[column])))
    else:
        values = _grid(grid, table.values[:, column], table.names[column])
    rows = np.repeat(point[None], len(values), axis=0)
    rows[:, column] = values
    return rows, f" (others {others})" if len(table.names) > 1 else ""


def number_of_knots(grid: Any) -> int:
    """About how many points a line near the rows has."""
    if not _is_whole(grid) or grid < 2:
        raise InputError(
            Argument("grid"),
            " must be a whole number of at least 2: a profile near the rows has its points where rows are; "
            f"got {grid!r}. Points of your own need the values of the other columns: give ",
            Argument("at", "median"),
            ".",
        )
    return int(grid)


def _levels_step(scale: Any, levels: Levels) -> tuple[float, str]:
    """A step between levels, as `explain` counts it: a switch, times √(P(two rows differ)/2) in standard deviations."""
    if isinstance(scale, str) and scale == "raw":
        return 1.0, "per switch"
    f = levels.frequencies
    if isinstance(scale, str) and scale == "sd" and np.count_nonzero(f) > 1:
        return float(np.sqrt(0.5 * (1.0 - f @ f))), "per sd"
    return _step(scale, np.zeros(1), levels.name)


def find_column(names: tuple[str, ...], variable: Any, what: str = "variable") -> int:
    """The position of a column that is given by name or position."""
    if isinstance(variable, str) and variable in names:
        return names.index(variable)
    if _is_whole(variable) and 0 <= variable < len(names):
        return int(variable)
    near = get_close_matches(str(variable), names, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InputError(
        Argument(what),
        f" must be a column of X, by name or position; got {variable!r}.{hint} X has {listed(names, 10)}.",
    )


def typical_row(table: Table, at: Any) -> tuple[Array, str]:
    """Values of all columns, and where they come from, in words."""
    # A median that occurs: halfway between two values of a binary column there is nothing to predict.
    median = _with_commonest(table, np.quantile(table.values, 0.5, axis=0, method="lower"))
    if isinstance(at, str):
        if at == "median":
            return median, "at the median"
        if at == "mean":
            return _with_commonest(table, table.values.mean(axis=0)), "at the mean"
    elif _is_whole(at):
        if not 0 <= at < len(table.values):
            raise InputError(Argument("at"), f" must be a row of X, from 0 to {len(table.values) - 1}; got {at}.")
        return table.values[int(at)].copy(), f"as in row {at}"
    elif hasattr(at, "keys"):
        given = {str(key): at[key] for key in at.keys()}  # noqa: SIM118  (a Series iterates over its values)
        unknown = [key for key in given if key not in table.names]
        if unknown:
            raise InputError(Argument("at"), f" names columns that X does not have: {quoted(unknown)}.")
        point = median.copy()
        for key, value in given.items():
            position = table.names.index(key)
            point[position] = _numbers(_code(table, position, value), f"at[{key!r}]", ())
        return point, "as given"
    elif np.ndim(at) == 1:
        if table.coding is not None and len(at) == len(median):
            at = [_code(table, position, value) for position, value in enumerate(at)]
        return _numbers(at, "at", median.shape), "as given"
    raise InputError(
        Argument("at"),
        f" must be 'median', 'mean', the position of a row, one number per column, or a dict by name; got {at!r}.",
    )


def _with_commonest(table: Table, point: Array) -> Array:
    """The point with the most frequent level in categorical columns."""
    for levels in () if table.coding is None else table.coding.columns:
        point[levels.position] = float(np.bincount(table.values[:, levels.position].astype(np.intp)).argmax())
    return point


def _code(table: Table, position: int, value: Any) -> Any:
    """The level code of a label in a categorical column; other values as they are."""
    if table.coding is None or position not in table.coding.categorical:
        return value
    return table.coding[position].codes([value], "at")[0]


def _grid(grid: Any, data: Array, name: str) -> Array:
    if _is_whole(grid):
        if grid < 2:
            raise InputError(Argument("grid"), f" must be at least 2 points; got {grid}.")
        low, high = float(data.min()), float(data.max())
        if low == high:
            raise InputError(
                f"{name!r} is {low:g} in all rows of X, so it has no range. Give the points as ", Argument("grid"), "."
            )
        return np.linspace(low, high, int(grid))
    values = np.unique(_numbers(grid, "grid", None))
    if len(values) < 2:
        raise InputError(
            Argument("grid"), f" must be a number of points, or at least two different points; got {grid!r}."
        )
    return values


def _step(scale: Any, data: Array, name: str) -> tuple[float, str]:
    if isinstance(scale, str):
        if scale == "raw":
            return 1.0, "per unit"
        if scale == "sd":
            deviation = float(column_deviations(data[:, None])[0])
            if deviation == 0.0:
                raise InputError(
                    f"{name!r} does not vary in X: it has no standard deviation. Give ", Argument("scale", "raw"), "."
                )
            return deviation, "per sd"
    elif isinstance(scale, Real) and not isinstance(scale, bool) and 0.0 < float(scale) < np.inf:
        return float(scale), f"per {float(scale):.3g}"
    raise InputError(Argument("scale"), f" must be 'sd', 'raw' or a number greater than 0; got {scale!r}.")


def _targets(y: Any, n: int) -> tuple[Array | None, str]:
    name = getattr(y, "name", None)
    label = "y" if name is None else str(name)
    return (None if y is None else _numbers(y, "y", (n,))), label


def _numbers(values: Any, what: str, shape: tuple[int, ...] | None) -> Array:
    """Finite numbers of this shape; None for any number of them along one axis."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(Argument(what), f" must be numbers; got {values!r:.80}.") from None
    if array.shape != shape and not (shape is None and array.ndim == 1):
        want = "one axis" if shape is None else f"shape {shape}" if shape else "a single number"
        raise InputError(Argument(what), f" must have {want}; got shape {array.shape}.")
    if not np.isfinite(array).all():
        wrong = int((~np.isfinite(array)).sum())
        raise InputError(Argument(what), f" must be finite; got {wrong} values that are not.")
    return array


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
