"""Prediction and R-sens₂ over two variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rsens._arguments import one_of
from rsens._typing import Array
from rsens.plots._colours import low_high
from rsens.plots._pair import SurfaceValues
from rsens.plots._pair import pair_surface as pair_surface
from rsens.plots._plot import NARROW, Layout, Plot, name_in_text
from rsens.plots._style import (
    BLACK,
    axis_label,
    check_plot,
    legend_on_top,
    new_axes,
    plain,
    short_labels,
    small,
    tidy,
)
from rsens.plots._surface_levels import draw_lines, draw_tiles

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
