"""Prediction and R-sens₂ over two variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rsens._accumulated import joint_effect, levels_of, plane_over, without_main_effects
from rsens._arguments import one_of, whole_number
from rsens._errors import Argument, InputError
from rsens._table import Table
from rsens._text import aligned
from rsens._typing import Array
from rsens.derivatives import Derivatives, prepare
from rsens.measures import rsens2_of
from rsens.plots import _style as look
from rsens.plots._plot import Plot
from rsens.plots._predictions import (
    Kind,
    at_rows,
    counted_rows,
    find_column,
    output_names,
    predict_with,
    rows_explained,
    step_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Quantity = Literal["prediction", "interaction"]

#: With more rows than this, this many are used and drawn, evenly spaced in the order of the first variable.
POINTS = 500
LINES = 4
#: A quantity that varies by less than this share of its size has no lines.
FLAT = 1e-6
#: Larger tables, along one side, have no values in their cells.
WRITTEN = 10
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
#: How many cells along each number.
CELLS = 30


def surface(
    explanation: Any,
    first: str | int,
    second: str | int,
    *,
    quantity: Quantity = "prediction",
    n_grid: int = CELLS,
    output: str | int | None = None,
    model: Any = None,
    X: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Joint effect of two variables on the prediction, as colours near the rows, with lines of equal R-sens₂.

    Colours are the joint accumulated local effect of the two: how the prediction changes from a cell to the next,
    averaged over the rows near them, and added up, with the mean prediction as its mean over the rows. The other
    variables keep their values in these rows. A cell without a row near it is not drawn (near: in the cell, or within
    0.35 standard deviations, given the correlation of the two; a little more if there are few rows). R-sens₂ is an
    average over the rows near each cell. At most 500 rows are used, evenly spaced in the order of the
    first variable. A categorical variable gives one line for each of its levels, and two of them a table.

    Args:
        explanation: The result of `rsens.explain`. R-sens₂ has its units.
        first: Name or position of the column along the horizontal axis.
        second: Name or position of the column along the vertical axis.
        quantity: The quantity that the colours show: "prediction", or "interaction" (the rest after the best sum of a
            function of each variable).
        n_grid: How many cells along each continuous variable, over the range of the data.
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
    values = pair_surface(explanation, first, second, n_grid, output=output, model=model, X=X)
    ax = look.new_axes(4.4) if ax is None else ax
    if all(values.labels):
        _draw_tiles(ax, values, quantity)
    elif any(values.labels):
        _draw_lines(ax, values, quantity)
    else:
        _draw_surface(ax, values, quantity, float(explanation.main.max()))
    return ax


SURFACE = Plot(
    name="surface",
    draw=surface,
    of="pair",
    file="pair",
    section="surfaces",
    takes=("model", "X"),
    alt="The joint effect of two variables on the prediction, with lines of equal R-sens₂.",
)


@dataclass(frozen=True, eq=False)
class SurfaceValues:
    """A grid of g × h cells over two variables, with NaN in cells far from all rows."""

    names: tuple[str, str]
    first: Array  # (g,), the middles of the cells; level codes of a categorical variable
    second: Array  # (h,)
    labels: tuple[tuple[str, ...] | None, tuple[str, ...] | None]
    prediction: Array  # (g, h), the joint effect of the two variables on the prediction
    interaction: Array  # (g, h), the rest of it after the best sum of one function of each variable
    sensitivity: Array  # (g, h), R-sens₂ in the units of the explanation
    data: Array  # (n, 2), the two variables in the rows
    kind: Kind  # of the prediction
    middle: str  # "mean" or "median"
    output: str | None  # whose prediction it is, where the model has several outputs
    unit: str  # of the sensitivity

    @property
    def far(self) -> NDArray[np.bool_]:
        """Where no row is near, (g, h)."""
        return np.isnan(self.prediction)

    def label(self, quantity: str) -> str:
        """The name of a quantity."""
        of = "" if self.output is None else f" of {look.short_labels([self.output])[0]}"
        what = "probability" if self.kind == "probability" else self.middle
        return f"predicted {what}{of}" if quantity == "prediction" else f"interaction in the {what}{of}"


def pair_surface(
    explanation: Any,
    first: str | int,
    second: str | int,
    n_grid: int = CELLS,
    *,
    output: str | int | None = None,
    model: Any = None,
    X: Any = None,
) -> SurfaceValues:
    """The numbers that `surface` draws; the arguments are the same."""
    whole_number(n_grid, "n_grid", 2)
    model, source, table, weights = rows_explained(explanation, model, X, "plot_surface")
    columns = find_column(table.names, first, "first"), find_column(table.names, second, "second")
    if columns[0] == columns[1]:
        raise InputError(f"A surface needs two different variables; got {table.names[columns[0]]!r} twice.")
    (step, unit), (other_step, other_unit) = (step_of(explanation, table, column) for column in columns)
    factor = step * other_step if isinstance(step, float) and isinstance(other_step, float) else 0.0
    prepared = prepare(source, table)  # steps and levels come from the data, not from the grid

    def local(record: Derivatives) -> dict[str, Array]:
        return {"R-sens₂": rsens2_of(record, 1.0)[:, columns[0], columns[1]] * factor}

    some, weights = counted_rows(prepared, table, weights, columns[0], POINTS)
    axes = _cells(some, columns[0], n_grid), _cells(some, columns[1], n_grid)
    here, plane = at_rows(prepared, some, columns, local, np.empty(0)), plane_over(some, columns, axes, weights)
    predict = predict_with(prepared, some, median=here.middle == "median")
    prediction = plane.spread_out(joint_effect(predict, some, columns, plane, weights, here.prediction))
    levels = [levels_of(some, column) for column in columns]
    first_labels, second_labels = (None if of is None else tuple(map(str, of.labels)) for of in levels)
    outputs = output_names(model, here.kind, prediction.shape[2])
    chosen = _output(prediction[np.isfinite(prediction[..., 0])], outputs, output)
    return SurfaceValues(
        names=(table.names[columns[0]], table.names[columns[1]]),
        first=axes[0],
        second=axes[1],
        labels=(first_labels, second_labels),
        prediction=prediction[..., chosen],
        interaction=without_main_effects(prediction[..., chosen]),
        sensitivity=plane.spread_out(plane.near @ here.local["R-sens₂"]),
        data=some.values[:, list(columns)],
        kind=here.kind,
        middle=here.middle,
        output=outputs[chosen] if len(outputs) > 1 else None,
        unit=f"{unit or 'per given unit'} × {(other_unit or 'per given unit').removeprefix('per ')}",
    )


def _cells(table: Table, column: int, n_grid: int) -> Array:
    """The middles of cells over the range of a variable, or its levels."""
    levels, data = levels_of(table, column), table.values[:, column]
    if levels is not None:
        return np.arange(float(len(levels)))
    low, high = float(data.min()), float(data.max())
    if low == high:
        raise InputError(
            f"{table.names[column]!r} is {low:g} in all rows of X, so it has no range to draw a surface over. "
            "Choose a variable that varies."
        )
    return low + (high - low) * (np.arange(n_grid) + 0.5) / n_grid


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


def _draw_surface(ax: Axes, values: SurfaceValues, quantity: str, size: float) -> None:
    """Two numbers: colours, and lines of equal R-sens₂."""
    shown = getattr(values, quantity)
    half = [0.5 * (axis[1] - axis[0]) for axis in (values.first, values.second)]  # of a cell
    ends = [(axis[0] - h, axis[-1] + h) for axis, h in zip((values.first, values.second), half, strict=True)]
    image = {"extent": (*ends[0], *ends[1]), "interpolation": "nearest", **_colours(shown, quantity)}
    filled = ax.imshow(np.ma.masked_invalid(shown.T), origin="lower", aspect="auto", **image)
    handles = [_draw_contours(ax, values, size)]
    points = values.data[look.some_rows(values.data[:, 0], POINTS)].T
    style: dict[str, Any] = {"color": look.BLACK, "markersize": 2.6, "clip_on": False, **look.FAINT}
    handles += ax.plot(*points, "o", zorder=2.0, label="rows", **style)
    ax.set(xlim=ends[0], ylim=ends[1])
    look.plain(ax.set_xlabel(look.axis_name(values.names[0])))
    look.plain(ax.set_ylabel(look.axis_name(values.names[1])))
    look.draw_colour_bar(ax, filled, values.label(quantity))
    look.add_legend(ax, handles)
    look.tidy(ax)


def _colours(shown: Array, quantity: str) -> dict[str, Any]:
    """From low to high, centred at 0 for an interaction."""
    low, high = float(np.nanmin(shown)), float(np.nanmax(shown))
    if quantity == "interaction":
        high = max(-low, high) or 1.0
        low = -high
    elif high - low <= 1e-9 * max(abs(low), abs(high)):  # the same everywhere
        high = low + (abs(low) or 1.0)
    return {"cmap": look.low_high(), "vmin": low, "vmax": high}


def _draw_contours(ax: Axes, values: SurfaceValues, size: float) -> Any:
    """Lines of R-sens₂ with its values, or only its value where it is the same everywhere.

    R-sens₂ that is tiny compared with `size`, the largest R-sens, is the rounding of differences.
    """
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

    low, high = float(np.nanmin(values.sensitivity)), float(np.nanmax(values.sensitivity))
    if high - low <= FLAT * max(high, size):
        constant = 0.0 if high <= FLAT * size else high
        return Line2D([], [], linestyle="none", label=f"R-sens₂ {constant:.3g} everywhere")
    levels = np.asarray(MaxNLocator(LINES).tick_values(low, high))
    levels = levels[(levels > low) & (levels < high)]
    style: dict[str, Any] = {"colors": look.BLACK, "linewidths": 0.9, "linestyles": "solid", "zorder": 1.2}
    # Rounding would tilt straight lines by a hair, and turn their labels upside down.
    straight = np.round(values.sensitivity.T / (high - low), 6) * (high - low)
    lines = ax.contour(values.first, values.second, np.ma.masked_invalid(straight), levels=levels, **style)
    ax.clabel(lines, fontsize=0.9 * look.small(), fmt=lambda value: f"{value:.3g}")
    return Line2D([], [], color=look.BLACK, linewidth=0.9, label=f"R-sens₂ {values.unit}")


def _draw_lines(ax: Axes, values: SurfaceValues, quantity: str) -> None:
    """One line for each of the most frequent levels, where rows of that level are near."""
    k = 0 if values.labels[0] is not None else 1  # which of the two is categorical
    shown = getattr(values, quantity)
    x, lines = (values.second, shown) if k == 0 else (values.first, shown.T)
    labels, codes = values.labels[k] or (), values.data[:, k].astype(np.intp)
    counts = np.bincount(codes, minlength=len(labels))
    frequent = sorted(np.argsort(-counts, kind="stable")[: len(look.SERIES)])
    texts = look.short_labels([labels[code] for code in frequent], 20)
    ax.plot([], [], linestyle="none", label=f"{look.short_labels([values.names[k]])[0]}:")
    for row, code in enumerate(frequent):
        colour, dash, _ = look.series(row)
        ax.plot(x, lines[code], color=colour, linestyle=dash, linewidth=2.0, label=texts[row])
        look.draw_rug(ax, values.data[codes == code, 1 - k], colour, height=0.012 + 0.022 * row, size=4.0)
    low, high = float(np.nanmin(lines[frequent])), float(np.nanmax(lines[frequent]))
    span = high - low if high > low else abs(low) or 1.0
    whole = values.kind == "probability" and quantity == "prediction"
    ax.set_ylim(*(0.0, 1.0) if whole else (low - (0.04 + 0.03 * len(frequent)) * span, low + 1.05 * span))
    look.add_legend(ax)
    ax.set_xlim(x[0], x[-1])
    hidden = len(labels) - len(frequent)
    look.plain(ax.set_xlabel(look.axis_name(values.names[1 - k])))
    look.add_notes(ax, [f"{hidden} less frequent levels not shown"] if hidden else [])
    look.plain(ax.set_ylabel(values.label(quantity)))
    look.tidy(ax)


def _draw_tiles(ax: Axes, values: SurfaceValues, quantity: str) -> None:
    """A cell for every two levels, with its value and below it R-sens₂; empty where no row has the two."""
    shown, (first, second) = getattr(values, quantity), (list(labels or ()) for labels in values.labels)
    style: dict[str, Any] = {"edgecolors": "white", "linewidth": 1.5, **_colours(shown, quantity)}
    mesh = ax.pcolormesh(np.ma.masked_invalid(shown.T), **style)
    ax.invert_yaxis()
    if max(shown.shape) <= WRITTEN:
        dark = mesh.to_rgba(shown)[..., :3] @ LUMINANCE < 0.4
        write, write_second = (aligned(float(np.nanmax(np.abs(each)))) for each in (shown, values.sensitivity))
        texts = {}
        for i, j in np.argwhere(np.isfinite(shown)):
            text = f"{write(float(shown[i, j]))}\nR-sens₂ {write_second(float(values.sensitivity[i, j]))}"
            texts[i + 0.5, j + 0.5] = text, "white" if dark[i, j] else "black"
        look.write_cells(ax, texts)
    look.name_cells(ax, second, first)
    look.plain(ax.set_xlabel(look.axis_name(values.names[0])))
    look.add_notes(ax, ["empty: no such row"] if values.far.any() else [])
    look.plain(ax.set_ylabel(look.axis_name(values.names[1])))
    look.draw_colour_bar(ax, mesh, values.label(quantity))
