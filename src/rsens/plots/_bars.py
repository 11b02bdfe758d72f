"""Variables ranked by R-sens, or pairs by R-sens₂, as horizontal bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rsens import _meaning as meaning
from rsens._errors import Argument, InputError
from rsens._text import Pair, p_text, percent, side_by_side
from rsens._typing import Array
from rsens.measures import BOTH, DOWN, UP, arrows
from rsens.plots._marks import DOUBT, STAR, interval_note, pair_notes
from rsens.plots._plot import Layout, Plot, leading, name_in_text, tip
from rsens.plots._style import (
    BLACK,
    BLUE,
    LINE_HEIGHT,
    PARTS,
    axes_points,
    check_plot,
    first_terms,
    font_size,
    lines_below,
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
UNSURE = "#808080"  # whiskers that do not hold
NULL_HEIGHT = 0.92  # of a row, where levels differ
NULL = "null level"
DIRECTION = f"up, {DOWN} down, {BOTH} both ways"  # beside a ▲ in the legend
SIGN_SIZE = {UP: 0.75, DOWN: 0.75, BOTH: 1.1, STAR: 1.2, DOUBT: 1.0}  # of the font: the triangles are large


def bars(explanation: Any, *, order: int = 1, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Ranked bars of `Explanation.main`, or of `Explanation.pairs`.

    Each bar is split into what moves the prediction and what moves the uncertainty where the family tells them apart.
    Whiskers are the intervals; the line below the axis says what they hold for. Dashed is the null level, which 95 % of
    irrelevant variables stay below; it differs between variables. The signs on the right say which way the prediction
    goes with the variable: up (▲), down (▼), or both (±) where `Explanation.consistency` is below ½. Pairs have the
    marks of the test there: `*` where the data contradict a model in which the two add up, `?` where it cannot be told.

    Args:
        explanation: What `rsens.explain` returned.
        order: 1 for variables, 2 for pairs.
        top: How many variables or pairs to show; None for all.
        ax: Where to draw; None for a figure of its own.

    Returns:
        The Axes. Names that were shortened are whole in the `gid` of the tick labels.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> explanation = rsens.explain(model, X, random_state=0)
        >>> ax = rsens.plots.bars(explanation)
        >>> ax.get_xlabel().splitlines()[0]
        'R-sens per sd'
    """
    check_plot(explanation, "bars", "rsens.explain", ("main", "null_levels"), ax=ax, top=top)
    if isinstance(order, bool) or order not in (1, 2):
        raise InputError(Argument("order"), f" must be 1 (variables) or 2 (pairs); got {order!r}.")
    shown = ranked_terms(explanation, top) if order == 1 else ranked_pairs(explanation, top)
    if not shown.names:
        raise InputError("Bars of pairs need at least two variables; got one. Draw bars of variables.")
    rows = len(shown.names) + bool(shown.hidden)
    ax = _new_axes(shown, rows) if ax is None else ax

    size = font_size(ax, rows)
    _draw_parts(ax, shown)
    _draw_intervals(ax, shown, size, BLACK if explanation.intervals_hold else UNSURE)
    furthest = max(float(shown.reach.max()), 0.0 if shown.null is None else float(np.nanmax(shown.null)))
    ax.set_xlim(0.0, 1.04 * furthest if furthest > 0.0 else 1.0)
    labelled = _draw_null(ax, shown)
    _draw_signs(ax, shown.signs, size)

    name_ticks(ax.yaxis, shown.names, size, more=shown.hidden)
    ax.tick_params(axis="y", length=0)
    _make_room(ax, shown.reach if shown.null is None else np.fmax(shown.reach, shown.null), rows, labelled)
    ax.set_xlabel("\n".join([shown.label, *lines_below(axes_points(ax)[0], shown.notes)]))
    tidy(ax)
    return ax


def _new_axes(shown: Ranked, rows: int) -> Axes:
    width, bar = 6.4, min(0.32, max(0.19, 5.0 / rows))
    lines = len(lines_below(72.0 * 0.775 * width, shown.notes))
    return new_axes(width, max(2.2, 0.9 + rows * bar) + lines * LINE_HEIGHT * small() / 72.0)


def _draw_parts(ax: Axes, shown: Ranked) -> None:
    """One bar per row, or one per row and part, end to end: the parts add up to the whole."""
    rows = np.arange(len(shown.values))
    if shown.parts is None:
        ax.barh(rows, shown.values, height=BAR_HEIGHT, color=BLUE)
        return
    left = np.zeros(len(rows))
    for k, label in enumerate(part_labels(shown.parts.columns)):
        width = shown.parts.iloc[:, k].to_numpy()
        ax.barh(rows, width, left=left, height=BAR_HEIGHT, color=PARTS[k % len(PARTS)], label=label)
        left = left + width


def _draw_intervals(ax: Axes, shown: Ranked, size: float, colour: str) -> None:
    if shown.lower is None or shown.upper is None:
        return
    known = np.isfinite(shown.lower) & np.isfinite(shown.upper)
    if not known.any():
        return
    # Around their own middle: a percentile interval need not hold the value itself.
    middle, half = 0.5 * (shown.lower + shown.upper)[known], 0.5 * (shown.upper - shown.lower)[known]
    rows = np.arange(len(known))[known]
    ax.errorbar(middle, rows, xerr=half, fmt="none", ecolor=colour, elinewidth=1.0, capsize=0.28 * size, capthick=1.0)


def _draw_null(ax: Axes, shown: Ranked) -> bool:
    """A piece in each row, explained in the legend; or one line with a text above the bars, if all share one level.

    Returns whether there is that text.
    """
    if shown.null is None:
        return False
    known = np.isfinite(shown.null)
    level = shown.null[known]
    style: dict[str, Any] = {"color": BLACK, "linestyle": (0, (3, 1.5)), "linewidth": 1.4, "zorder": 3}
    if not known.all() or np.ptp(level) > 1e-9 * np.abs(level).max():
        rows, half = np.flatnonzero(known), 0.5 * NULL_HEIGHT
        ax.vlines(level, rows - half, rows + half, color="white", linewidth=3.0, zorder=2.9)  # seen on dark bars too
        ax.vlines(level, rows - half, rows + half, **style)
        ax.plot([], [], label=NULL, **style)
        return False
    at = float(level[0])
    ax.axvline(at, **style)
    left = at < 0.5 * ax.get_xlim()[1]  # the text begins or ends at the line, towards the middle
    ax.annotate(
        NULL,
        (at, 1.0),
        xycoords=ax.get_xaxis_transform(),
        xytext=(4.0 if left else -4.0, 0.0),
        textcoords="offset points",
        ha="left" if left else "right",
        va="top",
        fontsize=small(),
    )
    return True


def _draw_signs(ax: Axes, signs: list[str], size: float) -> None:
    """A column of signs beside the axes."""
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
    if any(sign in (UP, DOWN, BOTH) for sign in signs):
        ax.plot([], [], linestyle="none", marker="^", color=BLACK, markersize=0.5 * small(), label=DIRECTION)


def _make_room(ax: Axes, reach: Array, rows: int, labelled: bool) -> None:
    """Limits that leave a line for the label of the null level above the bars, and a place for the legend.

    The legend takes the corner beside the short bars, or, where they are not short, room made for it below the last.
    """
    handles, labels = ax.get_legend_handles_labels()
    line = 1.5 * small() / axes_points(ax)[1]  # of the height of the axes
    above = line if labelled else 0.0
    below = line * (len(labels) + 0.7) if labels else 0.0
    beside = int(np.ceil(below * rows / (1.0 - above)))  # rows that the legend would cover
    if beside < rows and float(np.nanmax(reach[rows - beside :], initial=0.0)) < 0.35 * ax.get_xlim()[1]:
        below = 0.0
    row = rows / max(0.3, 1.0 - above - below)  # rows that fit in the axes
    ax.set_ylim(rows - 0.4 + below * row, -0.6 - above * row)
    if labels:  # matplotlib lists lines before bars; the bars matter more
        ax.legend(
            handles=sorted(handles, key=lambda handle: ("", NULL, DIRECTION).index(_known(handle.get_label()))),
            loc="lower right",
            fontsize=small(),
            framealpha=1.0,
            edgecolor="none",
            borderaxespad=0.1,
        )


def _known(label: object) -> str:
    return str(label) if label in (NULL, DIRECTION) else ""


# ---- for results and the report --------------------------------------------------------------------------------------


#: The most variables in a file, and on a page.
MOST, MOST_ON_PAGE = 30, 20


def _caption(explanation: Any) -> str:
    text = "Bars: R-sens of each variable"
    if explanation.parts is not None and explanation.parts.shape[1] > 1:
        text += ", split into what moves the prediction and what moves its uncertainty"
    text += "."
    if note := interval_note(explanation):
        text += f" Whiskers: {note}."
    if explanation.null_levels is not None:
        text += f" Dashed: {meaning.VARIABLE.removeprefix('above ')}."
    if explanation.direction.ndim == 1 and any(arrows(explanation.direction, explanation.consistency)):
        text += " ▲ ▼ ±: which way the prediction goes with the variable."
    return text


def _layout(explanation: Any) -> Layout:
    count = len(explanation.names)
    rows = min(count, MOST_ON_PAGE + 1)
    top = MOST_ON_PAGE if count > MOST_ON_PAGE else None
    return Layout(height=max(2.2, 0.9 + 0.29 * rows) + 0.2 * bool(interval_note(explanation)), options={"top": top})


def _add_tips(explanation: Any, ax: Axes) -> None:
    from matplotlib.container import BarContainer

    main, _ = first_terms(explanation.main, MOST_ON_PAGE)
    texts = [_tip(explanation, str(term)) for term in main.index]
    for bars_of_part in (each for each in ax.containers if isinstance(each, BarContainer)):
        for bar, text in zip(bars_of_part, texts, strict=True):
            tip(bar, text)


def _tip(explanation: Any, term: str) -> str:
    """The numbers of one variable, a line each."""
    e, value = explanation, float(explanation.main[term])
    ends = (np.nan, np.nan) if e.intervals is None else e.intervals.loc[term]
    level = np.nan if e.null_levels is None else e.null_levels[term]
    written, low, high, null = side_by_side([value, *ends, level], value)
    lines = [name_in_text(term), f"R-sens {written}"]
    if e.intervals is not None:
        held = " (rows only)" if e.interval_kind == "rows" else "" if e.intervals_hold else " (does not hold)"
        lines.append(f"{percent(e.level, level=True)} interval {low} to {high}{held}")
    if e.parts is not None and e.parts.shape[1] > 1 and value > 0.0:
        shares = zip(part_labels(e.parts.columns), e.parts.loc[term] / value, strict=True)
        lines += [f"{label}: {percent(share)}" for label, share in shares]
    if np.isfinite(level):
        side = "above" if value > level else "not above"
        lines.append(f"{side} its null level {null}, p {p_text(float(e.p_value[term]))}")
    return "\n".join(lines)


def _alt(explanation: Any) -> str:
    text = f"Bars of R-sens, the largest first: {leading(explanation)}."
    if explanation.null_levels is not None:
        count = int((explanation.main > explanation.null_levels).sum())
        text += f" {count} of {len(explanation.names)} are above the null level."
    return f"{text} All values are in the table."


BARS = Plot(
    name="bars",
    draw=bars,
    of="explanation",
    file="variables",
    section="variables",
    caption=_caption,
    alt=_alt,
    options={"top": MOST},
    layout=_layout,
    add_tips=_add_tips,
)


# ---- What bars show, of variables and of pairs alike: values in their order, parts, intervals, levels and signs ------


@dataclass(frozen=True, eq=False)
class Ranked:
    """Variables or pairs, the largest first. What is not known is None, or NaN where some are."""

    names: list[str]
    values: Array  # (k,)
    hidden: int  # how many more there are
    parts: pd.DataFrame | None
    lower: Array | None  # (k,)
    upper: Array | None
    null: Array | None  # (k,)
    signs: list[str]
    label: str  # of the axis
    notes: list[str]  # below the axis

    @property
    def reach(self) -> Array:
        """How far right each row reaches."""
        return self.values if self.upper is None else np.fmax(self.values, self.upper)


def ranked_terms(explanation: Any, top: int | None) -> Ranked:
    """The variables, with null levels and directions."""
    e = explanation
    main, hidden = first_terms(e.main, top)
    null = None if e.null_levels is None else e.null_levels.reindex(main.index).to_numpy()
    signs = [""] * len(main)
    if e.direction.ndim == 1:  # groups, categorical columns and several outputs have none
        signs = arrows(e.direction.reindex(main.index), e.consistency.reindex(main.index))
    return Ranked(
        names=[str(name) for name in main.index],
        values=np.asarray(main, dtype=np.float64),
        hidden=hidden,
        parts=_parts(e.parts, main),
        **_ends(e.intervals, main),
        null=null if null is not None and np.isfinite(null).any() else None,
        signs=signs,
        label=f"R-sens {per_unit(e)}",
        notes=_interval_notes(e),
    )


def ranked_pairs(explanation: Any, top: int | None) -> Ranked:
    """The pairs, with the marks of the test."""
    e = explanation
    pairs, hidden = first_terms(e.pairs, top)
    signs = [""] * len(pairs)
    if e.pair_above is not None:
        signs = [STAR if e.pair_above[pair] else DOUBT if e.pair_unclear[pair] else "" for pair in pairs.index]
    unit = per_unit(e)
    return Ranked(
        names=[Pair(*pair) for pair in pairs.index],
        values=np.asarray(pairs, dtype=np.float64),
        hidden=hidden,
        parts=_parts(e.pair_parts, pairs),
        **_ends(e.pair_intervals, pairs),
        null=None,
        signs=signs,
        label=f"R-sens$_2$ {unit} × {unit.removeprefix('per ')}",
        notes=[*pair_notes(e, STAR, DOUBT), *_interval_notes(e)],
    )


def _parts(parts: pd.DataFrame | None, values: pd.Series[float]) -> pd.DataFrame | None:
    """The parts in the order of the values, if there are several."""
    return None if parts is None or parts.shape[1] < 2 else parts.reindex(values.index)


def _ends(intervals: pd.DataFrame | None, values: pd.Series[float]) -> dict[str, Any]:
    sides = ("lower", "upper")
    if intervals is None:
        return dict.fromkeys(sides)
    return {side: intervals[side].reindex(values.index).to_numpy() for side in sides}


def _interval_notes(explanation: Any) -> list[str]:
    note = interval_note(explanation)
    return [f"whiskers: {note}"] if note else []
