"""Prediction and R-sens₂ over two variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rsens._accumulated import distances, joint_effect, levels_of, plane_over, without_main_effects
from rsens._arguments import one_of, whole_number
from rsens._errors import Argument, InputError
from rsens._table import Table
from rsens._text import aligned
from rsens._typing import Array
from rsens.derivatives import Derivatives, prepare, rows_of
from rsens.measures import check_weights, rsens2_of
from rsens.plots import _style as look
from rsens.plots._plot import Plot, name_in_text
from rsens.plots._predictions import (
    Kind,
    at_rows,
    counted_rows,
    find_column,
    model_and_table,
    output_names,
    predict_with,
    slice_rows,
    step_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Quantity = Literal["prediction", "interaction", "uncertainty", "rsens2"]

#: With more rows than this, this many are used and drawn, evenly spaced in the order of the first variable.
POINTS = 500
LINES = 4
#: A quantity that varies by less than this share of its size has no lines.
FLAT = 1e-6
#: How much of the colour is left where the grid is far from the data.
FADED = 0.25
#: Larger tables, along one side, have no values in their cells.
WRITTEN = 10
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
#: How many cells along each number near the rows, and how many points on a slice.
CELLS, SLICE_POINTS = 30, 40
#: A slice fades from this many times the distance on, within which cells are near the rows.
SLICE_REACH = 1.5
#: With more rows than this, distances of a slice from the rows are measured from this many.
MOST_ROWS = 2_000


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
    """Joint effect of two variables on the prediction, as colours near the rows, with lines of equal R-sens₂.

    Colours are the joint accumulated local effect of the two: how the prediction changes from a cell to the next,
    averaged over the rows near them, and added up, with the mean prediction as its mean over the rows. The other
    variables keep their values in these rows. A cell without a row near it is not drawn (near: in the cell, or within
    0.35 standard deviations, given the correlation of the two; a little more if there are few rows). R-sens₂ and the
    uncertainty are averages over the rows near each cell. At most 500 rows are used, evenly spaced in the order of the
    first variable. A categorical variable gives one line for each of its levels, and two of them a table.

    With `at`, a slice instead: the prediction while the other variables stay fixed. Its colours fade where no row is
    near (half as far again) in the two variables; in the others, rows may be far all the same.

    Args:
        explanation: The result of `rsens.explain`. R-sens₂ has its units.
        first: Name or position of the column along the horizontal axis.
        second: Name or position of the column along the vertical axis.
        quantity: The quantity that the colours show: "prediction"; "interaction" (the rest after the best sum of a
            function of each variable); "uncertainty" (the predictive standard deviation); or "rsens2", then the lines
            join places of equal prediction.
        n_grid: How many cells along each continuous variable, over the range of the data (30; on a slice 40 points).
        at: None for a surface near the rows; for a slice the values of the other columns, as in `rsens.plots.profile`.
        output: Whose prediction, by name or position, for a model with several outputs such as class probabilities;
            None for the output that changes most.
        model: The model, for an explanation read from a file.
        X: The rows, for an explanation read from a file.
        ax: The Axes to draw in; None for a new figure. The colour bar takes a little of its room.

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
    look.check_plot(explanation, "surface", "rsens.explain", ("main", "scale_kind"), ax=ax)
    one_of(quantity, "quantity", get_args(Quantity))
    values = pair_surface(explanation, first, second, n_grid, at=at, output=output, model=model, X=X)
    shown = getattr(values, {"uncertainty": "spread", "rsens2": "sensitivity"}.get(quantity, quantity))
    ax = look.new_axes(4.4) if ax is None else ax
    if all(values.labels):
        _draw_tiles(ax, values, shown, quantity)
    elif any(values.labels):
        _draw_lines(ax, values, shown, quantity)
    else:
        # R-sens₂ that is tiny compared with R-sens is the rounding of differences.
        _draw_surface(ax, values, shown, quantity, 0.0 if quantity == "rsens2" else float(explanation.main.max()))
    return ax


SURFACE = Plot(
    name="surface",
    draw=surface,
    of="pair",
    file="pair",
    section="surfaces",
    takes=("model", "X"),
    alt=lambda explanation, first, second: (
        f"The joint effect of {name_in_text(first)} and {name_in_text(second)}, with lines of equal R-sens₂."
    ),
)


@dataclass(frozen=True, eq=False)
class SurfaceValues:
    """A grid of g × h points over two variables: near the rows the middles of cells, with NaN far from all rows."""

    names: tuple[str, str]
    first: Array  # (g,), level codes of a categorical variable
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
    others: str  # where the other variables stay, for the label of an axis; empty near the rows
    near: bool  # whether it is made from the rows themselves

    @property
    def far(self) -> NDArray[np.bool_]:
        """Where no row is near, (g, h): predictions there are extrapolation."""
        return self.distance > 1.0

    def label(self, quantity: str) -> str:
        """The name of a quantity."""
        of = "" if self.output is None else f" of {look.short_labels([self.output])[0]}"
        what = "probability" if self.kind == "probability" else self.middle
        return {
            "prediction": f"predicted {what}{of}",
            "interaction": f"interaction in the {what}{of}",
            "uncertainty": "predictive standard deviation",
            "rsens2": f"R-sens₂ {self.unit}",
        }[quantity]


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
    """The numbers that `surface` draws; the arguments are the same."""
    near = at is None
    n_grid = whole_number((CELLS if near else SLICE_POINTS) if n_grid is None else n_grid, "n_grid", 2)
    source, table = model_and_table(explanation, model, X, "plot_surface")
    columns = find_column(table.names, first, "first"), find_column(table.names, second, "second")
    if columns[0] == columns[1]:
        raise InputError(f"A surface needs two different variables; got {table.names[columns[0]]!r} twice.")
    (step, unit), (other_step, other_unit) = (step_of(explanation, table, column) for column in columns)
    factor = step * other_step if isinstance(step, float) and isinstance(other_step, float) else 0.0
    prepared = prepare(source, table)  # steps and levels come from the data, not from the grid

    def local(record: Derivatives) -> dict[str, Array]:
        return {"R-sens₂": rsens2_of(record, 1.0)[:, columns[0], columns[1]] * factor}

    given = explanation.weights if near and (X is None or X is explanation.data) else None
    weights = check_weights(given, len(table))
    some, weights = counted_rows(prepared, table, weights, columns[0], POINTS if near else MOST_ROWS)
    levels = [levels_of(some, column) for column in columns]
    axes = _points(some, columns[0], n_grid, cells=near), _points(some, columns[1], n_grid, cells=near)
    shape = len(axes[0]), len(axes[1])
    if near:
        here, plane = at_rows(prepared, some, columns, local, np.empty(0)), plane_over(some, columns, axes, weights)
        predict = predict_with(prepared, some, median=here.middle == "median")
        effect = joint_effect(predict, some, columns, plane, weights, here.prediction)
        prediction, distance, others = plane.spread_out(effect), plane.distance, ""
        spread, sensitivity = (plane.spread_out(plane.near @ each) for each in (here.spread, here.local["R-sens₂"]))
    else:
        rows, others = slice_rows(table, columns, axes, at)
        here = at_rows(prepared, rows_of(prepared, rows), columns, local, np.empty(0))
        distance = distances(some, columns, axes).min(axis=1) / SLICE_REACH
        prediction = here.prediction.reshape(*shape, -1)
        spread, sensitivity = here.spread.reshape(shape), here.local["R-sens₂"].reshape(shape)
    first_labels, second_labels = (None if of is None else tuple(map(str, of.labels)) for of in levels)
    outputs = output_names(explanation.model if model is None else model, here.kind, prediction.shape[2])
    chosen = _output(prediction[np.isfinite(prediction[..., 0])], outputs, output)
    return SurfaceValues(
        names=(table.names[columns[0]], table.names[columns[1]]),
        first=axes[0],
        second=axes[1],
        labels=(first_labels, second_labels),
        prediction=prediction[..., chosen],
        interaction=without_main_effects(prediction[..., chosen]),
        spread=spread,
        sensitivity=sensitivity,
        distance=distance.reshape(shape),
        data=some.values[:, list(columns)],
        kind=here.kind,
        middle=here.middle,
        output=outputs[chosen] if len(outputs) > 1 else None,
        unit=f"{unit or 'per given unit'} × {(other_unit or 'per given unit').removeprefix('per ')}",
        others=others,
        near=near,
    )


def _points(table: Table, column: int, n_grid: int, *, cells: bool) -> Array:
    """The values of a variable: evenly spaced over its range, or the middles of cells, or its levels."""
    levels = levels_of(table, column)
    if levels is not None:
        return np.arange(float(len(levels)))
    low, high = float(table.values[:, column].min()), float(table.values[:, column].max())
    if low == high:
        raise InputError(
            f"{table.names[column]!r} is {low:g} in all rows of X, so it has no range to draw a surface over. "
            "Choose a variable that varies."
        )
    if cells:
        return low + (high - low) * (np.arange(n_grid) + 0.5) / n_grid
    return np.linspace(low, high, n_grid)


def _output(prediction: Array, outputs: tuple[str, ...], output: str | int | None) -> int:
    """The output to show: as requested, or else the output that changes most."""
    if output is None:
        return int(np.ptp(prediction, axis=0).argmax())
    if isinstance(output, str) and output in outputs:
        return outputs.index(output)
    if isinstance(output, int) and not isinstance(output, bool) and 0 <= output < len(outputs):
        return output
    raise InputError(
        Argument("output"), f" must be one of {', '.join(map(repr, outputs[:10]))}, or a position; got {output!r}."
    )


def _draw_surface(ax: Axes, values: SurfaceValues, shown: Array, quantity: str, size: float) -> None:
    """Two numbers: colours, and lines of equal R-sens₂."""
    from matplotlib.patches import Patch

    x, y = values.first, values.second
    half = [0.5 * (axis[1] - axis[0]) for axis in (x, y)]  # a cell of colour around each point
    cells = x[0] - half[0], x[-1] + half[0], y[0] - half[1], y[-1] + half[1]
    image = {"extent": cells, "interpolation": "nearest" if values.near else "bilinear", **_colours(shown, quantity)}
    filled = ax.imshow(np.ma.masked_invalid(shown.T), origin="lower", aspect="auto", **image)
    handles = [_draw_contours(ax, values, quantity, size)]
    if values.far.any() and not values.near:
        far = values.distance.T
        ax.contourf(x, y, far, levels=[1.0, float(far.max()) + 1.0], colors="white", alpha=1.0 - FADED, zorder=1.5)
        handles.append(Patch(facecolor="#EDEAEC", edgecolor="none", label="far from the rows"))
    points = values.data[look.some_rows(values.data[:, 0], POINTS)].T
    style: dict[str, Any] = {"color": look.BLACK, "markersize": 2.6, "clip_on": False, **look.FAINT}
    handles += ax.plot(*points, "o", zorder=2.0, label="rows", **style)
    ax.set(xlim=cells[:2] if values.near else x[[0, -1]], ylim=cells[2:] if values.near else y[[0, -1]])
    look.plain(ax.set_xlabel(look.axis_name(values.names[0]) + values.others))
    look.plain(ax.set_ylabel(look.axis_name(values.names[1])))
    look.draw_colour_bar(ax, filled, values.label(quantity))
    look.add_legend(ax, handles)
    look.tidy(ax)


def _colours(shown: Array, quantity: str) -> dict[str, Any]:
    """Low to high for a prediction, centred at 0 for an interaction; from white for quantities of at least 0."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    low, high = float(np.nanmin(shown)), float(np.nanmax(shown))
    if quantity == "interaction":
        high = max(-low, high) or 1.0
        return {"cmap": look.low_high(), "vmin": -high, "vmax": high}
    low = low if quantity == "prediction" else 0.0
    if high - low <= 1e-9 * max(abs(low), abs(high)):  # the same everywhere
        high = low + (abs(low) or 1.0)
    pale = ListedColormap(colormaps["Blues"](np.linspace(0.0, 0.7, 256)))
    return {"cmap": look.low_high() if quantity == "prediction" else pale, "vmin": low, "vmax": high}


def _draw_contours(ax: Axes, values: SurfaceValues, quantity: str, size: float) -> Any:
    """Lines of the other quantity, with their values; where it is the same everywhere, only that value."""
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

    other, label = values.sensitivity, values.label("rsens2")
    if quantity == "rsens2":
        other, label = values.prediction, values.label("prediction")
    low, high = float(np.nanmin(other)), float(np.nanmax(other))
    if high - low <= FLAT * max(abs(low), abs(high), size):
        constant = 0.0 if max(abs(low), abs(high)) <= FLAT * size else high
        return Line2D([], [], linestyle="none", label=f"{label.split(' per ')[0]} {constant:.3g} everywhere")
    levels = np.asarray(MaxNLocator(LINES).tick_values(low, high))
    levels = levels[(levels > low) & (levels < high)]
    style: dict[str, Any] = {"colors": look.BLACK, "linewidths": 0.9, "linestyles": "solid", "zorder": 1.2}
    # Rounding would tilt straight lines by a hair, and turn their labels upside down.
    straight = np.round(other.T / (high - low), 6) * (high - low)
    lines = ax.contour(values.first, values.second, np.ma.masked_invalid(straight), levels=levels, **style)
    ax.clabel(lines, fontsize=0.9 * look.small(), fmt=lambda value: f"{value:.3g}")
    return Line2D([], [], color=look.BLACK, linewidth=0.9, label=label)


def _draw_lines(ax: Axes, values: SurfaceValues, shown: Array, quantity: str) -> None:
    """One line for each of the most frequent levels; where no row of that level is near, none, or on a slice thin."""
    k = 0 if values.labels[0] is not None else 1  # which of the two is categorical
    x, lines, far = (values.second, shown, values.far) if k == 0 else (values.first, shown.T, values.far.T)
    labels, codes = values.labels[k] or (), values.data[:, k].astype(np.intp)
    counts = np.bincount(codes, minlength=len(labels))
    frequent = sorted(np.argsort(-counts, kind="stable")[: len(look.SERIES)])
    texts = look.short_labels([labels[code] for code in frequent], 20)
    ax.plot([], [], linestyle="none", label=f"{look.short_labels([values.names[k]])[0]}:")
    for row, code in enumerate(frequent):
        colour, dash, _ = look.series(row)
        if not values.near:
            ax.plot(x, lines[code], color=look.tint(colour, 0.45), linewidth=0.9)
        near = np.where(far[code], np.nan, lines[code])
        ax.plot(x, near, color=colour, linestyle=dash, linewidth=2.0, label=texts[row])
        look.draw_rug(ax, values.data[codes == code, 1 - k], colour, height=0.012 + 0.022 * row, size=4.0)
    low, high = float(np.nanmin(lines[frequent])), float(np.nanmax(lines[frequent]))
    span = high - low if high > low else abs(low) or 1.0
    whole = values.kind == "probability" and quantity == "prediction"
    ax.set_ylim(*(0.0, 1.0) if whole else (low - (0.04 + 0.03 * len(frequent)) * span, low + 1.05 * span))
    look.add_legend(ax)
    ax.set_xlim(x[0], x[-1])
    hidden = len(labels) - len(frequent)
    look.plain(ax.set_xlabel(look.axis_name(values.names[1 - k]) + values.others))
    look.add_notes(ax, [f"{hidden} less frequent levels not shown"] if hidden else [])
    look.plain(ax.set_ylabel(values.label(quantity)))
    look.tidy(ax)


def _draw_tiles(ax: Axes, values: SurfaceValues, shown: Array, quantity: str) -> None:
    """A cell for every two levels, with its value and below it R-sens₂; where no row has the two, empty or faded."""
    first, second = (list(labels or ()) for labels in values.labels)
    style: dict[str, Any] = {"edgecolors": "white", "linewidth": 1.5, **_colours(shown, quantity)}
    mesh = ax.pcolormesh(np.ma.masked_invalid(shown.T), **style)
    if not values.near:
        far = np.ma.masked_where(~values.far.T, np.ones_like(shown.T))
        ax.pcolormesh(far, cmap="gray", alpha=1.0 - FADED, vmin=0.0, vmax=1.0)
    ax.invert_yaxis()
    if max(shown.shape) <= WRITTEN:
        dark = mesh.to_rgba(shown)[..., :3] @ LUMINANCE < 0.4
        ink = np.where(values.far, "#808080", np.where(dark, "white", "black"))
        largest = (float(np.nanmax(np.abs(each))) for each in (shown, values.sensitivity))
        write, write_second = map(aligned, largest)
        texts = {}
        for (i, j), value in np.ndenumerate(shown):
            if np.isfinite(value):
                below = "" if quantity == "rsens2" else f"\nR-sens₂ {write_second(float(values.sensitivity[i, j]))}"
                texts[i + 0.5, j + 0.5] = write(float(value)) + below, str(ink[i, j])
        look.write_cells(ax, texts)
    look.name_cells(ax, second, first)
    look.plain(ax.set_xlabel(look.axis_name(values.names[0]) + values.others))
    look.add_notes(ax, [f"{'empty' if values.near else 'faded'}: no such row"] if values.far.any() else [])
    look.plain(ax.set_ylabel(look.axis_name(values.names[1])))
    look.draw_colour_bar(ax, mesh, values.label(quantity))
