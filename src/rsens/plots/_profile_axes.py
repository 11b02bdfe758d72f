"""Drawing a profile of a number: lines and bands, interrupted where there are no rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._text import percent
from rsens._typing import Array, Flags
from rsens.plots._along import Along
from rsens.plots._line import Line
from rsens.plots._style import (
    BLACK,
    BLUE,
    DASHES,
    PARTS,
    SERIES,
    VERMILLION,
    legend_above,
    legend_on_top,
    part_labels,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: With more rows than this, the rug shows evenly spaced quantiles.
RUG = 500
#: The most points of the data in a profile.
TARGETS = 2_000
#: How far the upper axes reach, in half-widths of the innermost band: heavy tails may leave the picture.
REACH = 8.0
#: A column with at most this many different values has a mark at each.
FEW_VALUES = 25
#: What the band of an effect is drawn in: grey, and clear enough to see what is behind it.
CURVE: dict[str, Any] = {"color": BLACK, "alpha": 0.28, "linewidth": 0.0, "zorder": 2.5}


def band_labels(numbers: Along, shares: Array) -> tuple[str, list[str], str]:
    """What the line, the predictive bands and the band of an effect are called."""
    held = [percent(share, level=True) for share in shares]
    if numbers.curve is None:
        return numbers.middle, held, ""
    of = "" if numbers.from_fit else " over rows"
    line = "effect" if numbers.middle == "mean" else f"effect on the {numbers.middle}"
    return line, [f"{share} of observations" for share in held], f"its {held[-1]} band{of}"


def draw_prediction(ax: Axes, line: Line, numbers: Along, shares: Array, names: list[str]) -> None:
    """The mean, or the effect on it, in its bands; of classes and vectors one line each."""
    values, mean, bands = _broken(line, line.values), _broken(line, numbers.prediction), _broken(line, numbers.bands)
    curve = None if numbers.curve is None else _broken(line, numbers.curve)
    if numbers.kind in ("number", "count"):
        label, held, of_curve = band_labels(numbers, shares)
        step: Any = "mid" if numbers.kind == "count" else None  # quantiles of counts jump
        # Shades of blue, darkest for the narrowest band (paper, Figure 1), and the wide ones behind the narrow.
        darkest = 0.6 if curve is None else 0.35
        for k, strength in enumerate(np.linspace(darkest, 0.15, max(len(shares), 2))[: len(shares)]):
            style: dict[str, Any] = {"color": tint(BLUE, float(strength)), "linewidth": 0.0, "zorder": 1.5 - 0.01 * k}
            low, high = bands[:, k, :, 0].T
            ax.fill_between(values, low, high, step=step, label=held[k], **style)
            _draw_bars(ax, line, numbers.bands[:, k, :, 0], style)
        if curve is not None:
            ax.fill_between(values, *curve[:, :, 0].T, label=of_curve, **CURVE)
            _draw_bars(ax, line, numbers.curve[:, :, 0], CURVE)  # type: ignore[index]
        ax.plot(values, mean[:, 0], color=BLACK, linewidth=1.4, label=label, zorder=3)
        _draw_points(ax, line, numbers.prediction[:, 0], BLACK)
        legend_above(ax, *limits(numbers), first=label)
        return
    for k in range(len(names)):
        colour, dash = SERIES[k % len(SERIES)], DASHES[k % len(DASHES)]
        band = curve if curve is not None or numbers.kind != "vector" or not len(shares) else bands[:, 0]
        if band is not None:  # of the predictive bands only the narrowest: those of several outputs overlap
            ax.fill_between(values, *band[:, :, k].T, color=colour, alpha=0.2, linewidth=0.0)
        ax.plot(values, mean[:, k], color=colour, linestyle=dash, linewidth=1.6, label=line_label(numbers, names, k))
        _draw_points(ax, line, numbers.prediction[:, k], colour)
    name_curves(ax, numbers, shares)
    if numbers.kind == "vector":
        legend_above(ax, *limits(numbers))
    else:
        end_at_one(ax)


def line_label(numbers: Along, names: list[str], k: int) -> str | None:
    """The name of an output; a single one has none on a slice."""
    if len(names) > 1:
        return names[k]
    return None if numbers.curve is None else "effect"


def name_curves(ax: Axes, numbers: Along, shares: Array) -> None:
    """An entry of the legend for the bands of effects, which have the colours of their outputs."""
    if numbers.curve is not None:
        label = band_labels(numbers, shares)[2]
        if numbers.prediction.shape[1] > 1:
            label = label.replace("its", "their").replace("band", "bands")
        ax.fill_between([], [], [], label=label, **CURVE)


def end_at_one(ax: Axes) -> None:
    """The axis of a probability, from 0 to 1, with the legend above it."""
    legend_on_top(ax, sorted(ax.get_legend_handles_labels()[0], key=lambda handle: "band" in str(handle.get_label())))
    ax.set_ylim(0.0, 1.0)
    ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])


def limits(numbers: Along) -> tuple[float, float]:
    """Lowest and highest value to show; very wide bands are cut off."""
    mean, bands = numbers.prediction, numbers.bands
    if numbers.kind == "vector":
        bands = bands[:, :1]
    low, high = float(mean.min()), float(mean.max())
    bands = bands[np.isfinite(bands).all(axis=(1, 2, 3))]
    if bands.size:
        inner = bands[:, 0]
        middle, reach = inner.mean(axis=1), REACH * 0.5 * (inner[:, 1] - inner[:, 0])
        lowest = np.maximum(bands[:, :, 0].min(axis=1), middle - reach)
        highest = np.minimum(bands[:, :, 1].max(axis=1), middle + reach)
        if numbers.curve is None:
            return float(lowest.min()), float(highest.max())
        low, high = min(low, float(lowest.min())), max(high, float(highest.max()))
    if numbers.curve is None:
        return low, high
    room = high - low  # the band of a curve is seen whole unless it would make everything else small
    return max(float(numbers.curve.min()), low - room) if numbers.curve.min() < low else low, (
        min(float(numbers.curve.max()), high + room) if numbers.curve.max() > high else high
    )


def draw_targets(ax: Axes, data: Array, targets: Array, *, fixed: bool = False) -> None:
    """The data as points, of many rows some, evenly spaced in their order; the limits grow unless they are fixed."""
    if len(data) > TARGETS:
        order = np.argsort(data, kind="stable")
        shown = order[np.linspace(0, len(order) - 1, TARGETS).round().astype(np.intp)]
        data, targets = data[shown], targets[shown]
    low, high = ax.get_ylim()
    ax.plot(data, targets, "o", color=BLACK, markersize=3.0, alpha=0.55, markeredgewidth=0.0, zorder=4)
    if fixed:
        ax.set_ylim(low, high)
        return
    room = high - low
    ax.set_ylim(min(low, float(targets.min()) - 0.1 * room), max(high, float(targets.max()) + 0.15 * room))


def draw_sensitivity(ax: Axes, line: Line, numbers: Along) -> None:
    """R-sens, its parts, and what it would be if the uncertainty were the same everywhere."""
    labels = part_labels(numbers.parts)
    drawn: list[tuple[Array, dict[str, Any]]] = [
        (numbers.rsens, {"color": VERMILLION, "linewidth": 2.2, "label": "R-sens", "zorder": 3})
    ]
    for k, (label, part) in enumerate(zip(labels, numbers.parts.values(), strict=True)):
        dash = DASHES[1 + k % (len(DASHES) - 1)]  # dashed, dotted (paper, Figure 2)
        style = {"color": PARTS[k % len(PARTS)], "linestyle": dash, "linewidth": 1.8, "label": label, "zorder": 4}
        drawn.append((part, style))
    if numbers.naive is not None:
        style = {"color": BLACK, "linewidth": 1.0, "label": "|derivative| / typical sd", "zorder": 2}
        drawn.append((numbers.naive, style))
    for number, style in drawn:
        ax.plot(_broken(line, line.values), _broken(line, number), **style)
        _draw_points(ax, line, number, style["color"], style["zorder"])
    highest = max(float(number.max()) for number, _ in drawn)
    legend_above(ax, 0.0, highest if highest > 0.0 else 1.0, below=0.0)


def draw_rug(ax: Axes, data: Array) -> None:
    """The data as ticks along the lower edge; of many rows, only quantiles."""
    shown = data if len(data) <= RUG else np.quantile(data, np.linspace(0.0, 1.0, RUG), method="nearest")
    ax.plot(
        shown,
        np.full(len(shown), 0.0),
        "|",
        transform=ax.get_xaxis_transform(),
        color=BLACK,
        alpha=0.5,
        markersize=7.0,
        markeredgewidth=0.6,
        zorder=4,
        clip_on=True,
    )


def _broken(line: Line, numbers: Array) -> Array:
    """Numbers at the points of a line, with NaN in its gaps: nothing is drawn there."""
    return np.insert(numbers, np.flatnonzero(line.gaps) + 1, np.nan, axis=0)


def _alone(line: Line) -> Flags:
    """Points between two gaps, to which no line leads."""
    return np.concatenate([[True], line.gaps]) & np.concatenate([line.gaps, [True]])


def _points(line: Line) -> Flags:
    """Points that get a mark: those of a slice never, of a column with few values all, else those alone."""
    if not line.near:
        return np.zeros(len(line.values), dtype=np.bool_)
    return np.ones(len(line.values), dtype=np.bool_) if len(line.values) <= FEW_VALUES else _alone(line)


def _draw_points(ax: Axes, line: Line, numbers: Array, colour: str, zorder: float = 3.0) -> None:
    """Marks at such points."""
    points = _points(line)
    if points.any():
        ax.plot(line.values[points], numbers[points], "o", color=colour, markersize=3.5, zorder=zorder)


def _draw_bars(ax: Axes, line: Line, band: Array, style: dict[str, Any]) -> None:
    """A band at points that are alone."""
    alone = _alone(line)
    if alone.any():
        ax.vlines(line.values[alone], *band[alone].T, **{**style, "linewidth": 3.0})
