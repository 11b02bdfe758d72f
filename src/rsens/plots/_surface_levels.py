"""Surfaces over categorical variables: a line for each level of one, a table for the levels of two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._typing import Array
from rsens.plots._heatmap import DIGIT, number_format
from rsens.plots._pair import SurfaceValues
from rsens.plots._style import (
    DASHES,
    SERIES,
    axes_points,
    axis_label,
    font_size,
    legend_above,
    legend_on_top,
    name_ticks,
    plain,
    short_labels,
    small,
    tidy,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
