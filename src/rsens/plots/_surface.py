"""Prediction and R-sens₂ over two variables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rsens._arguments import one_of, whole_number
from rsens._errors import Argument, InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives import Model, iterate, prepare, rows_of
from rsens.measures import check_weights, finite, rsens2_of
from rsens.plots._accumulated import counted_rows, joint_effect, plane_over, without_main_effects
from rsens.plots._curve import (
    Kind,
    find_column,
    model_and_table,
    output_names,
    predictive,
    spread_of,
    step_of,
    typical_row,
    with_contrasts_of,
)
from rsens.plots._heatmap import DIGIT, number_format
from rsens.plots._plot import NARROW, Layout, Plot, name_in_text
from rsens.plots._style import (
    BLACK,
    DASHES,
    SERIES,
    axes_points,
    axis_label,
    check_plot,
    font_size,
    legend_above,
    legend_on_top,
    low_high,
    name_ticks,
    new_axes,
    plain,
    short_labels,
    small,
    tidy,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Quantity = Literal["prediction", "interaction", "uncertainty", "rsens2"]
QUANTITIES = ("prediction", "interaction", "uncertainty", "rsens2")

#: With more rows than this, this many are drawn, evenly spaced in the order of the first variable.
POINTS = 500
#: About how many steps of colour, and how many lines.
STEPS, LINES = 12, 4
#: What varies by less than this share of its size has no lines.
FLAT = 1e-6
#: How much of the colour is left where the grid is far from the data.
FADED = 0.25


def surface(
    explanation: Any,
    first: str | int,
    second: str | int,
    *,
    quantity: Quantity = "prediction",
    n_grid: int | None = None,
    at: Any = None,
    output: str | int | None = None,
    model: Any = None,
    X: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """What two variables do to the prediction, as colours near the rows, with lines of equal R-sens₂: they interact.

    Colours are the joint accumulated local effect of the two: how the prediction changes from a cell to the next,
    averaged over the rows that are there, and added up, with the mean prediction as its mean over the rows. The other
    variables stay as they are in these rows. A cell without a row near it is not drawn (near: in the cell, or within
    0.35 standard deviations, given the correlation of the two; a little more if there are few rows). R-sens₂ and the
    uncertainty are averages over the rows near each cell. Of more than 500 rows, 500 are used: evenly spaced in the
    order of the first variable. A categorical variable gives one line for each of its levels, and two of them a table.

    With `at`, a slice instead: the prediction while the other variables stay fixed. Its colours fade where no row is
    near in the two variables; in the others, rows may be far all the same.

    Args:
        explanation: What `rsens.explain` returned. R-sens₂ is in its units.
        first: Name or position of the column along the horizontal axis.
        second: Name or position of the column along the vertical axis.
        quantity: What the colours show: "prediction"; "interaction" (what is left of it after the best sum of a
            function of each variable); "uncertainty" (the predictive standard deviation); or "rsens2", then the lines
            join places of equal prediction.
        n_grid: How many cells along each continuous variable, over the range of the data (30; on a slice 40 points).
        at: None for a surface near the rows; for a slice the values of the other columns, as in `rsens.plots.profile`.
        output: Whose prediction, by name or position, for a model with several outputs such as class probabilities;
            None for the one that changes most.
        model: The model, for an explanation read from a file.
        X: The rows, for an explanation read from a file.
        ax: Where to draw; None for a figure of its own. The colour bar takes a little of its room.

    Returns:
        The Axes.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> explanation = rsens.explain(model, X, random_state=0)
        >>> ax = rsens.plots.surface(explanation, "x0", "x1")
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('x0', 'x1')
    """
    check_plot(explanation, "surface", "rsens.explain", ("main", "scale_kind"), ax=ax)
    one_of(quantity, "quantity", QUANTITIES)
    values = pair_surface(explanation, first, second, n_grid, at=at, output=output, model=model, X=X)
    shown = {
        "prediction": values.prediction,
        "interaction": values.interaction,
        "uncertainty": values.spread,
        "rsens2": values.sensitivity,
    }[quantity]
    label = _labels(values)[quantity]

    ax = new_axes(6.2, 4.6) if ax is None else ax
    if all(values.labels):
        draw_tiles(ax, values, shown, colours_of(quantity), label)
    elif any(values.labels):
        draw_lines(ax, values, shown, label)
    else:
        # R-sens₂ that is nothing beside R-sens is the rounding of differences.
        size = 0.0 if quantity == "rsens2" else float(explanation.main.max())
        _draw_surface(ax, values, shown, quantity, label, size)
    return ax


def _labels(values: SurfaceValues) -> dict[str, str]:
    """What each quantity is called."""
    of = "" if values.output is None else f" of {short_labels([values.output])[0]}"
    what = "probability" if values.kind == "probability" else values.middle
    return {
        "prediction": f"predicted {what}{of}",
        "interaction": f"interaction in the {what}{of}",
        "uncertainty": "predictive standard deviation",
        "rsens2": f"R-sens₂ {values.unit}",
    }


def colours_of(quantity: str) -> Any:
    """Low to high for a prediction; from white for what starts at 0."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    if quantity in ("prediction", "interaction"):
        return low_high()
    return ListedColormap(colormaps["Blues"](np.linspace(0.0, 0.7, 256)))


def _draw_surface(ax: Axes, values: SurfaceValues, shown: Array, quantity: str, label: str, size: float) -> None:
    x, y = values.first, values.second
    steps = _steps(shown[np.isfinite(shown)], quantity)
    filled = _draw_cells(ax, values, shown, steps, quantity) if values.near else None
    if filled is None:
        filled = ax.contourf(x, y, shown.T, levels=steps, cmap=colours_of(quantity))
    handles = _draw_contours(ax, values, quantity, size)
    far = values.distance.T
    if values.far.any() and not values.near:
        ax.contourf(x, y, far, levels=[1.0, float(far.max()) + 1.0], colors="white", alpha=1.0 - FADED, zorder=1.5)
        handles.append(_patch())
    handles.append(_draw_rows(ax, values.data))
    half = [0.5 * (axis[1] - axis[0]) if values.near else 0.0 for axis in (x, y)]  # of a cell
    ax.set_xlim(x[0] - half[0], x[-1] + half[0])
    ax.set_ylim(y[0] - half[1], y[-1] + half[1])
    plain(ax.set_xlabel(axis_label(ax, values.names[0], values.held)))
    plain(ax.set_ylabel(axis_label(ax, values.names[1], along="height")))
    bar = ax.figure.colorbar(filled, ax=ax, fraction=0.06, pad=0.03, aspect=25)
    bar.outline.set_visible(False)
    plain(bar.ax.yaxis.label).set_text(label)
    legend_on_top(ax, handles)
    tidy(ax)


def _draw_cells(ax: Axes, values: SurfaceValues, shown: Array, steps: Array, quantity: str) -> Any:
    """A cell of colour around each point; nothing where no row is near."""
    from matplotlib.colors import BoundaryNorm

    (left, right), (low, high) = (
        (axis[0] - 0.5 * (axis[1] - axis[0]), axis[-1] + 0.5 * (axis[1] - axis[0]))
        for axis in (values.first, values.second)
    )
    colours = colours_of(quantity)
    return ax.imshow(
        np.ma.masked_invalid(shown.T),
        origin="lower",
        extent=(left, right, low, high),
        aspect="auto",
        interpolation="nearest",
        cmap=colours,
        norm=BoundaryNorm(steps, colours.N),
    )


def _steps(shown: Array, quantity: str) -> Array:
    """At least two round values that enclose everything shown; about 0 for an interaction."""
    from matplotlib.ticker import MaxNLocator

    if quantity == "interaction":
        most = float(np.abs(shown).max()) or 1.0
        return np.asarray(MaxNLocator(STEPS, min_n_ticks=2, symmetric=True).tick_values(-most, most))
    from_zero = quantity != "prediction"
    low, high = (0.0 if from_zero else float(shown.min())), float(shown.max())
    if high - low <= 1e-9 * max(abs(low), abs(high)):  # the same everywhere
        room = 0.5 * abs(high) or 0.5
        low, high = (0.0 if from_zero else low - room), high + room
    return np.asarray(MaxNLocator(STEPS, min_n_ticks=2).tick_values(low, high))


def _draw_contours(ax: Axes, values: SurfaceValues, quantity: str, size: float) -> list[Any]:
    """Lines of the other quantity, with their values; where it is the same everywhere, only that value."""
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

    other, label = values.sensitivity, _labels(values)["rsens2"]
    if quantity == "rsens2":
        other, label = values.prediction, _labels(values)["prediction"]
    low, high = float(np.nanmin(other)), float(np.nanmax(other))
    if high - low <= FLAT * max(abs(low), abs(high), size):
        constant = 0.0 if max(abs(low), abs(high)) <= FLAT * size else high
        return [Line2D([], [], linestyle="none", label=f"{label.split(' per ')[0]} {constant:.3g} everywhere")]
    levels = np.asarray(MaxNLocator(LINES).tick_values(low, high))
    levels = levels[(levels > low) & (levels < high)]
    style: dict[str, Any] = {"colors": BLACK, "linewidths": 0.9, "linestyles": "solid", "zorder": 1.2}
    # Rounding would tilt straight lines by a hair, and turn their labels upside down.
    straight = np.round(other.T / (high - low), 6) * (high - low)
    lines = ax.contour(values.first, values.second, np.ma.masked_invalid(straight), levels=levels, **style)
    ax.clabel(lines, fontsize=0.9 * small(), fmt=lambda value: f"{value:.3g}")
    return [Line2D([], [], color=BLACK, linewidth=0.9, label=label)]


def _patch() -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor="#EDEAEC", edgecolor="none", label="far from the rows")


def _draw_rows(ax: Axes, data: Array) -> Any:
    order = np.argsort(data[:, 0], kind="stable")
    shown = data[order[np.linspace(0, len(order) - 1, min(len(order), POINTS)).round().astype(np.intp)]]
    style: dict[str, Any] = {"color": BLACK, "markersize": 2.6, "alpha": 0.55, "markeredgewidth": 0.0, "clip_on": False}
    (points,) = ax.plot(*shown.T, "o", zorder=2.0, label="rows", **style)
    return points


# ---- for results and the report --------------------------------------------------------------------------------------


SURFACE = Plot(
    name="surface",
    draw=surface,
    of="pair",
    file="pair",
    section="surfaces",
    takes=("model", "X"),
    caption=lambda explanation, first, second: "",
    alt=lambda explanation, first, second: (
        f"What {name_in_text(first)} and {name_in_text(second)} do to the prediction, with lines of equal R-sens₂."
    ),
    layout=lambda explanation: Layout(width=NARROW, height=4.0),
)


# ---- The numbers of a surface: what a model predicts, and how two variables interact, over a grid of the two ---------


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
        labels=(_axis_labels(table, columns[0]), _axis_labels(table, columns[1])),
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
        distance=_distance(list(axes), data, [_axis_labels(table, column) is not None for column in columns]),
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
    labels = _axis_labels(table, column)
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


def _axis_labels(table: Table, column: int) -> tuple[str, ...] | None:
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


# ---- Surfaces over categorical variables: a line for each level of one, a table for the levels of two ----------------


#: Larger tables, along one side, have no values in their cells.
WRITTEN = 10
#: How light red, green and blue are.
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
#: With more rows than this, the ticks of a level are evenly spaced quantiles.
RUG = 200


def draw_lines(ax: Axes, values: SurfaceValues, shown: Array, label: str) -> None:
    """One line per level; where no row of that level is near, none, or on a slice thin. Of many levels the frequent."""
    k = 0 if values.labels[0] is not None else 1  # which of the two is categorical
    x, lines, far = (values.second, shown, values.far) if k == 0 else (values.first, shown.T, values.far.T)
    labels, codes = values.labels[k] or (), values.data[:, k].astype(np.intp)
    counts = np.bincount(codes, minlength=len(labels))
    frequent = sorted(np.argsort(-counts, kind="stable")[: len(SERIES)])
    texts = short_labels([labels[code] for code in frequent], 20)
    title = f"{short_labels([values.names[k]])[0]}:"
    ax.plot([], [], linestyle="none", label=title)
    for row, code in enumerate(frequent):
        colour, dash = SERIES[row], DASHES[row % len(DASHES)]
        if not values.near:
            ax.plot(x, lines[code], color=tint(colour, 0.45), linewidth=0.9)
        near = np.where(far[code], np.nan, lines[code])
        ax.plot(x, near, color=colour, linestyle=dash, linewidth=2.0, label=texts[row])
        _draw_ticks(ax, values.data[codes == code, 1 - k], colour, row)
    low, high = float(np.nanmin(lines[frequent])), float(np.nanmax(lines[frequent]))
    if values.kind == "probability" and label.startswith("predicted"):
        legend_on_top(ax, ax.get_legend_handles_labels()[0])
        ax.set_ylim(0.0, 1.0)
    else:
        high = high if high > low else low + (abs(low) or 1.0)
        legend_above(ax, low, high, first=title, below=0.04 + 0.03 * len(frequent))
    ax.set_xlim(x[0], x[-1])
    hidden = len(labels) - len(frequent)
    more = f"\n{hidden} less frequent levels not shown" if hidden else ""
    plain(ax.set_xlabel(axis_label(ax, values.names[1 - k], values.held) + more))
    plain(ax.set_ylabel(label))
    tidy(ax)


def _draw_ticks(ax: Axes, data: Array, colour: str, row: int) -> None:
    """The rows of one level along the lower edge, each level on a line of its own."""
    shown = data if len(data) <= RUG else np.quantile(data, np.linspace(0.0, 1.0, RUG), method="nearest")
    ax.plot(
        shown,
        np.full(len(shown), 0.012 + 0.022 * row),
        "|",
        transform=ax.get_xaxis_transform(),
        color=colour,
        markersize=4.0,
        markeredgewidth=0.7,
    )


def draw_tiles(ax: Axes, values: SurfaceValues, shown: Array, colours: Any, label: str) -> None:
    """A cell for every two levels, with its value and below it R-sens₂; where no row has the two, empty or faded."""
    first, second = (list(labels or ()) for labels in values.labels)
    high = float(np.nanmax(shown))
    low = 0.0 if label.startswith(("predictive ", "R-sens")) else float(np.nanmin(shown))
    mesh = ax.pcolormesh(
        np.ma.masked_invalid(shown.T),
        cmap=colours,
        vmin=low,
        vmax=high if high > low else low + 1.0,
        edgecolors="white",
        linewidth=1.5,
    )
    if not values.near:
        far = np.ma.masked_where(~values.far.T, np.ones_like(shown.T))
        ax.pcolormesh(far, cmap=_white(), alpha=0.75, vmin=0.0, vmax=1.0)
    ax.invert_yaxis()
    _write(ax, values, shown, mesh)
    size = font_size(ax, len(second))
    width = axes_points(ax)[0] / len(first)
    across = font_size(ax, len(first), along="width")
    wide = DIGIT * across * max(map(len, short_labels(first))) > 0.95 * width
    turned: dict[str, Any] = {"rotation": 45.0, "ha": "right", "va": "center", "rotation_mode": "anchor"}
    name_ticks(ax.xaxis, first, across, offset=0.5, **(turned if wide else {}))
    name_ticks(ax.yaxis, second, size, offset=0.5)
    ax.tick_params(length=0)
    note = f"\n{'empty' if values.near else 'faded'}: no such row" if values.far.any() else ""
    plain(ax.set_xlabel(axis_label(ax, values.names[0], values.held) + note))
    plain(ax.set_ylabel(axis_label(ax, values.names[1], along="height")))
    bar = ax.figure.colorbar(mesh, ax=ax, fraction=0.06, pad=0.03, aspect=25)
    bar.outline.set_visible(False)
    plain(bar.ax.yaxis.label).set_text(label)
    tidy(ax, keep=())


def _white() -> Any:
    from matplotlib.colors import ListedColormap

    return ListedColormap(["white"])


def _write(ax: Axes, values: SurfaceValues, shown: Array, mesh: Any) -> None:
    """The values, white on dark cells, and below them R-sens₂ where it is not shown already."""
    g, h = shown.shape
    dark = mesh.to_rgba(shown)[..., :3] @ LUMINANCE < 0.4
    with_sensitivity = shown is not values.sensitivity
    if max(g, h) > WRITTEN:
        return
    number = number_format(float(np.nanmax(np.abs(shown))))
    second = number_format(float(np.nanmax(values.sensitivity)))
    cell = np.array(axes_points(ax)) / [g, h]
    longest = max(len(number.format(value)) for value in shown.ravel())
    size = float(min(1.1 * small(), 0.85 * cell[0] / (DIGIT * longest), 0.35 * cell[1]))
    for i in range(g):
        for j in range(h):
            if np.isnan(shown[i, j]):
                continue
            colour = "#808080" if values.far[i, j] else "white" if dark[i, j] else "black"
            options: dict[str, Any] = {"ha": "center", "color": colour}
            place = "bottom" if with_sensitivity else "center"
            ax.text(i + 0.5, j + 0.5, number.format(shown[i, j]), va=place, fontsize=size, **options)
            if with_sensitivity:
                below = f"R-sens₂ {second.format(values.sensitivity[i, j])}"
                fitting = min(0.8 * size, 0.9 * cell[0] / (DIGIT * len(below)))
                ax.text(i + 0.5, j + 0.54, below, va="top", fontsize=fitting, **options)
