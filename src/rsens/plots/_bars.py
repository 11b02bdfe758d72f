"""Variables ranked by R-sens, as horizontal bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._text import number, percent
from rsens._typing import Array
from rsens.measures import BOTH, DOWN, UP, arrows
from rsens.plots._plot import Layout, Plot, leading, name_in_text, tip
from rsens.plots._style import (
    BLACK,
    BLUE,
    PARTS,
    axes_points,
    check_plot,
    first_terms,
    font_size,
    name_ticks,
    new_axes,
    part_labels,
    per_unit,
    small,
    tidy,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

BAR_HEIGHT = 0.7  # of a row
DIRECTION = f"up, {DOWN} down, {BOTH} both ways"  # beside a ▲ in the legend
SIGN_SIZE = {UP: 0.75, DOWN: 0.75, BOTH: 1.1}  # of the font: the triangles are large


def bars(explanation: Any, *, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Ranked bars of `Explanation.main`.

    Each bar is split into what moves the prediction and what moves the uncertainty where the family tells them apart.
    Whiskers are the bootstrap intervals. The dashed line is the null level, which irrelevant variables rarely pass. The
    signs on the right say which way the prediction goes with the variable: up (▲), down (▼), or both (±) where
    `Explanation.consistency` is below ½.

    Args:
        explanation: What `rsens.explain` returned.
        top: How many variables to show; None for all.
        ax: Where to draw; None for a figure of its own.

    Returns:
        The Axes. Names that were shortened are whole in the `gid` of the tick labels.
    """
    check_plot(explanation, "bars", "rsens.explain", ("main", "null_levels"), ax=ax, top=top)
    main, hidden = first_terms(explanation.main, top)
    rows = len(main) + bool(hidden)
    ax = new_axes(6.4, max(2.2, 0.9 + rows * min(0.32, max(0.19, 5.0 / rows)))) if ax is None else ax

    size = font_size(ax, rows)
    reach = _reach(main, explanation.intervals)
    _draw_parts(ax, main, explanation.parts)
    _draw_intervals(ax, main, explanation.intervals, size)
    furthest = max(float(reach.max()), _draw_null(ax, main, explanation.null_levels))
    ax.set_xlim(0.0, 1.04 * furthest if furthest > 0.0 else 1.0)
    _draw_signs(ax, main, explanation, size)

    name_ticks(ax.yaxis, [str(name) for name in main.index], size, more=hidden)
    ax.tick_params(axis="y", length=0)
    _make_room(ax, reach, rows, explanation.null_levels is not None)
    ax.set_xlabel(f"R-sens {per_unit(explanation)}")
    tidy(ax)
    return ax


def _draw_parts(ax: Axes, main: pd.Series[float], parts: pd.DataFrame | None) -> None:
    """One bar per variable, or one per variable and part, end to end: the parts add up to the whole."""
    rows = np.arange(len(main))
    if parts is None or parts.shape[1] < 2:
        ax.barh(rows, main.to_numpy(), height=BAR_HEIGHT, color=BLUE)
        return
    left = np.zeros(len(main))
    for k, label in enumerate(part_labels(parts.columns)):
        width = parts.iloc[:, k].reindex(main.index).to_numpy()
        ax.barh(rows, width, left=left, height=BAR_HEIGHT, color=PARTS[k % len(PARTS)], label=label)
        left = left + width


def _draw_intervals(ax: Axes, main: pd.Series[float], intervals: pd.DataFrame | None, size: float) -> None:
    if intervals is None:
        return
    lower, upper = (intervals[side].reindex(main.index).to_numpy() for side in ("lower", "upper"))
    known = np.isfinite(lower) & np.isfinite(upper)
    if not known.any():
        return
    # Around their own middle: a percentile interval need not hold the value itself.
    middle, half = 0.5 * (lower + upper)[known], 0.5 * (upper - lower)[known]
    rows = np.arange(len(main))[known]
    ax.errorbar(middle, rows, xerr=half, fmt="none", ecolor=BLACK, elinewidth=1.0, capsize=0.28 * size, capthick=1.0)


def _reach(main: pd.Series[float], intervals: pd.DataFrame | None) -> Array:
    """How far right each row reaches."""
    values = np.asarray(main, dtype=np.float64)
    return values if intervals is None else np.asarray(np.fmax(values, intervals["upper"].reindex(main.index)))


def _draw_null(ax: Axes, main: pd.Series[float], null: pd.Series[float] | None) -> float:
    """A dashed line if all variables share one level, or else a piece in each row. Returns its largest value."""
    level = np.full(len(main), np.nan) if null is None else null.reindex(main.index).to_numpy()
    known = np.isfinite(level)
    if not known.any():
        return 0.0
    style: dict[str, Any] = {"color": BLACK, "linestyle": (0, (4, 2)), "linewidth": 1.2, "zorder": 3}
    if known.all() and np.ptp(level) <= 1e-9 * np.abs(level).max():
        ax.axvline(float(level[0]), **style)
    else:
        rows = np.arange(len(main))[known]
        ax.vlines(level[known], rows - 0.5, rows + 0.5, **style)
    furthest, first = float(level[known].max()), float(level[known][0])
    left = first < 0.5 * max(furthest, float(main.iloc[0]))  # the text begins or ends at the line, towards the middle
    ax.annotate(
        "null level",
        (first, 1.0),
        xycoords=ax.get_xaxis_transform(),
        xytext=(4.0 if left else -4.0, 0.0),
        textcoords="offset points",
        ha="left" if left else "right",
        va="top",
        fontsize=small(),
    )
    return furthest


def _draw_signs(ax: Axes, main: pd.Series[float], explanation: Any, size: float) -> None:
    """A column of signs beside the axes; none for groups, categorical columns, or where there are several outputs."""
    direction, consistency = explanation.direction, explanation.consistency
    if direction.ndim != 1:
        return
    signs = arrows(direction.reindex(main.index), consistency.reindex(main.index))
    for row, sign in enumerate(signs):
        if sign:  # none where the prediction does not move at all
            ax.annotate(
                sign,
                (1.0, row),
                xycoords=ax.get_yaxis_transform(),
                xytext=(6.0, 0.0),
                textcoords="offset points",
                ha="center",
                va="center",
                fontsize=SIGN_SIZE[sign] * size,
                annotation_clip=False,
            )
    if any(signs):
        ax.plot([], [], linestyle="none", marker="^", color=BLACK, markersize=0.5 * small(), label=DIRECTION)


def _make_room(ax: Axes, reach: Array, rows: int, with_null: bool) -> None:
    """Limits that leave a line for the label of the null level above the bars, and a place for the legend.

    The legend takes the corner beside the short bars, or, where they are not short, room made for it below the last.
    """
    handles, labels = ax.get_legend_handles_labels()
    line = 1.5 * small() / axes_points(ax)[1]  # of the height of the axes
    above = line if with_null else 0.0
    below = line * (len(labels) + 0.7) if labels else 0.0
    beside = int(np.ceil(below * rows / (1.0 - above)))  # rows that the legend would cover
    if beside < rows and float(reach[rows - beside :].max(initial=0.0)) < 0.35 * ax.get_xlim()[1]:
        below = 0.0
    row = rows / max(0.3, 1.0 - above - below)  # rows that fit in the axes
    ax.set_ylim(rows - 0.4 + below * row, -0.6 - above * row)
    if labels:  # matplotlib lists lines before bars; the bars matter more
        ax.legend(
            handles=sorted(handles, key=lambda handle: handle.get_label() == DIRECTION),
            loc="lower right",
            fontsize=small(),
            framealpha=1.0,
            edgecolor="none",
            borderaxespad=0.1,
        )


# ---- for results and the report --------------------------------------------------------------------------------------


#: The most variables in a file, and on a page.
MOST, MOST_ON_PAGE = 30, 20


def _caption(explanation: Any) -> str:
    text = "Bars: R-sens of each variable"
    if explanation.parts is not None and explanation.parts.shape[1] > 1:
        text += ", split into what moves the prediction and what moves its uncertainty"
    text += "."
    if explanation.intervals is not None:
        text += f" Whiskers: {percent(explanation.level, level=True)} intervals over the rows."
    if explanation.null_levels is not None:
        text += " Dashed: the null level, which an irrelevant variable rarely passes."
    if explanation.direction.ndim == 1 and any(arrows(explanation.direction, explanation.consistency)):
        text += " ▲ ▼ ±: which way the prediction goes with the variable."
    return text


def _layout(explanation: Any) -> Layout:
    count = len(explanation.names)
    rows = min(count, MOST_ON_PAGE + 1)
    top = MOST_ON_PAGE if count > MOST_ON_PAGE else None
    return Layout(height=max(2.2, 0.9 + 0.29 * rows), options={"top": top})


def _add_tips(explanation: Any, ax: Axes) -> None:
    from matplotlib.container import BarContainer

    main, _ = first_terms(explanation.main, MOST_ON_PAGE)
    texts = [_tip(explanation, str(term)) for term in main.index]
    for bars_of_part in (each for each in ax.containers if isinstance(each, BarContainer)):
        for bar, text in zip(bars_of_part, texts, strict=True):
            tip(bar, text)


def _tip(explanation: Any, term: str) -> str:
    """The numbers of one variable, a line each."""
    value = float(explanation.main[term])
    lines = [name_in_text(term), f"R-sens {number(value)}"]
    if explanation.intervals is not None:
        low, high = explanation.intervals.loc[term]
        lines.append(f"{percent(explanation.level, level=True)} interval {number(low)} to {number(high)}")
    if explanation.parts is not None and explanation.parts.shape[1] > 1 and value > 0.0:
        shares = zip(part_labels(explanation.parts.columns), explanation.parts.loc[term] / value, strict=True)
        lines += [f"{label}: {percent(share)}" for label, share in shares]
    if explanation.null_levels is not None:
        lines.append(f"null level {number(explanation.null_levels[term])}")
    return "\n".join(lines)


BARS = Plot(
    name="bars",
    draw=bars,
    of="explanation",
    file="variables",
    section="variables",
    caption=_caption,
    alt=lambda explanation: f"Bars of R-sens, the largest first: {leading(explanation)}. All values are in the table.",
    options={"top": MOST},
    layout=_layout,
    add_tips=_add_tips,
)
