"""A profile of a categorical column: points with intervals at its levels, since there is nothing between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._typing import Array
from rsens.plots._along import Along
from rsens.plots._profile_axes import band_labels, end_at_one, line_label, name_curves
from rsens.plots._style import (
    BLACK,
    BLUE,
    PARTS,
    SERIES,
    VERMILLION,
    axes_points,
    font_size,
    legend_above,
    name_ticks,
    part_labels,
    short_labels,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def draw_predictions(ax: Axes, numbers: Along, shares: Array, names: list[str], limits: tuple[float, float]) -> None:
    """Central intervals as bars, the wide ones thin, with a point for the mean or the effect; or a point per output."""
    levels, outputs = np.arange(len(numbers.rsens)), numbers.prediction.shape[1]
    if numbers.kind in ("number", "count"):
        label, held, of_curve = band_labels(numbers, shares)
        darkest = 0.6 if numbers.curve is None else 0.35
        for k, strength in enumerate(np.linspace(darkest, 0.15, max(len(shares), 2))[: len(shares)]):
            low, high = numbers.bands[:, k, :, 0].T
            style: dict[str, Any] = {"color": tint(BLUE, float(strength)), "zorder": 1.5 - 0.01 * k}
            ax.vlines(levels, low, high, linewidth=max(3.0, 9.0 - 2.5 * k), label=held[k], **style)
        if numbers.curve is not None:
            ax.vlines(levels, *numbers.curve[:, :, 0].T, color=BLACK, linewidth=1.4, label=of_curve, zorder=2.5)
        ax.plot(levels, numbers.prediction[:, 0], "o", color=BLACK, markersize=5.0, label=label, zorder=3)
        legend_above(ax, *limits, first=label)
        return
    for k in range(outputs):
        beside = levels + 0.5 * (k + 0.5) / outputs - 0.25  # outputs side by side
        colour, marker = SERIES[k % len(SERIES)], MARKERS[k % len(MARKERS)]
        if numbers.curve is not None:
            ax.vlines(beside, *numbers.curve[:, :, k].T, color=tint(colour, 0.4), linewidth=4.0)
        elif numbers.kind == "vector" and len(shares):
            ax.vlines(beside, *numbers.bands[:, 0, :, k].T, color=tint(colour, 0.4), linewidth=4.0)
        point: dict[str, Any] = {"color": colour, "markersize": 6.0, "label": line_label(numbers, names, k)}
        ax.plot(beside, numbers.prediction[:, k], marker, **point)
    name_curves(ax, numbers, shares)
    if numbers.kind == "vector":
        legend_above(ax, *limits)
    else:
        end_at_one(ax)


def draw_sensitivities(ax: Axes, numbers: Along) -> None:
    """R-sens at each level as a point, its parts as smaller ones beside it."""
    levels = np.arange(len(numbers.rsens))
    ax.plot(levels, numbers.rsens, "o", color=VERMILLION, markersize=8.0, label="R-sens", zorder=3)
    for k, (label, part) in enumerate(zip(part_labels(numbers.parts), numbers.parts.values(), strict=True)):
        marker = MARKERS[1 + k % (len(MARKERS) - 1)]
        ax.plot(levels + 0.12 * (k + 1), part, marker, color=PARTS[k % len(PARTS)], markersize=6.0, label=label)
    highest = float(numbers.rsens.max())
    legend_above(ax, 0.0, highest if highest > 0.0 else 1.0, below=0.04)


def name_levels(upper: Axes, lower: Axes, labels: list[str]) -> None:
    """The levels as ticks of the lower axes, turned where they would run into each other."""
    size = font_size(lower, len(labels), along="width")
    room = axes_points(lower)[0] / len(labels)
    turned: dict[str, Any] = {"rotation": 45.0, "ha": "right", "rotation_mode": "anchor"}
    wide = 0.6 * size * max(map(len, short_labels(labels))) > 0.9 * room
    name_ticks(lower.xaxis, labels, size, **(turned if wide else {}))
    for panel in (upper, lower):
        panel.set_xlim(-0.5, len(labels) - 0.5)
