"""Variables ranked by R-sens, or pairs by R-sens₂, as horizontal bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._text import Pair, number, p_text
from rsens._typing import Array
from rsens.measures import BOTH, DOWN, UP, arrows
from rsens.plots import _style as look
from rsens.plots._plot import DOUBT, STAR, Plot, interval_note, name_in_text, pair_notes, tip

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


NULL = "null level"
DIRECTION = f"up, {DOWN} down, {BOTH} both ways"  # after a ▲ in the legend
SIGN_SIZE = {UP: 0.75, DOWN: 0.75, BOTH: 1.1, STAR: 1.2, DOUBT: 1.0}  # of the font: the triangles are large


def bars(explanation: Any, *, order: int = 1, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Ranked bars of `Explanation.main`, or of `Explanation.pairs`.

    Each bar is split into a part for the prediction and a part for its uncertainty where the family has both. Whiskers
    are the intervals, explained by a note below the axis. Dashed is the null level, which 95 % of irrelevant variables
    stay below; it differs between variables. The signs on the right show which way the prediction goes with the
    variable: up (▲), down (▼), or both (±) where `Explanation.consistency` is below ½. Pairs have the marks of the test
    there: `*` where the data contradict a model in which the two add up, `?` where the test is inconclusive.

    Args:
        explanation: The result of `rsens.explain`.
        order: 1 for variables, 2 for pairs.
        top: How many variables or pairs to show; None for all.
        ax: The Axes to draw in; None for a new figure.

    Returns:
        The Axes. Names that were shortened are whole in the `gid` of the tick labels.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> explanation = rsens.explain(model, X, random_state=0)
        >>> ax = rsens.plots.bars(explanation)
        >>> ax.get_xlabel()
        'R-sens per sd'
    """
    look.check_plot(explanation, "bars", "rsens.explain", ("main", "null"), ax=ax, top=top)
    if isinstance(order, bool) or order not in (1, 2):
        raise InputError(Argument("order"), f" must be 1 (variables) or 2 (pairs); got {order!r}.")
    e, of_pairs = explanation, order == 2
    values, hidden = look.first_terms(e.pairs if of_pairs else e.main, top)
    if not len(values):
        raise InputError("Bars of pairs need at least two variables; got one. Draw bars of variables.")
    parts, intervals = (e.pair_parts, e.pair_intervals) if of_pairs else (e.parts, e.intervals)
    notes = [*(pair_notes(e, STAR, DOUBT) if of_pairs else []), interval_note(e)]
    ax = look.row_axes(len(values) + bool(hidden), notes) if ax is None else ax

    names = [Pair(*pair) for pair in values.index] if of_pairs else [str(name) for name in values.index]
    size = look.name_rows(ax, names, hidden)
    handles = _draw_parts(ax, values, parts, [[] if of_pairs else _tip(e, str(term)) for term in values.index])
    reach = values.to_numpy(dtype=np.float64)
    if intervals is not None:
        lower, upper = (intervals[side].reindex(values.index).to_numpy() for side in ("lower", "upper"))
        colour = look.BLACK if e.intervals_hold else look.UNSURE
        look.draw_whiskers(ax, lower, upper, np.arange(float(len(values))), colour, 0.28 * size)
        reach = np.fmax(reach, upper)
    if not of_pairs and e.null is not None and e.null.notna().any():
        null = e.null.reindex(values.index).to_numpy()
        handles.append(_draw_null(ax, null))
        reach = np.fmax(reach, null)
    look.start_at_zero(ax, float(np.nanmax(reach)))
    if of_pairs:
        above, unclear = e.inference.pair_above, e.inference.pair_unclear
        signs = [] if above is None else [STAR if above[p] else DOUBT if unclear[p] else "" for p in values.index]
    else:  # groups, categorical columns and several outputs have no direction
        ways = (e.direction, e.consistency) if e.direction.ndim == 1 else ()
        signs = arrows(*(way.reindex(values.index) for way in ways)) if ways else []
    handles += _draw_signs(ax, signs, size)
    ax.set_xlabel(look.value_label(e, order))
    look.add_notes(ax, notes)
    look.add_legend(ax, handles)
    look.tidy(ax)
    return ax


def _draw_parts(
    ax: Axes, values: pd.Series[float], parts: pd.DataFrame | None, tips: Sequence[Sequence[str]]
) -> list[Any]:
    """One bar per row, or one per row and part, end to end: they add up to the whole. Returns entries of a legend."""
    split = values.to_frame() if parts is None or parts.shape[1] < 2 else parts.reindex(values.index)
    left, handles = np.zeros(len(values)), []
    for k, label in enumerate(look.part_labels(split.columns)):
        width, colour = split.iloc[:, k].to_numpy(), look.PARTS[k % len(look.PARTS)]
        handles.append(ax.barh(np.arange(len(left)), width, 0.7, left, color=colour, label=label))
        for bar, lines in zip(handles[-1], tips, strict=True):
            if lines:
                tip(bar, *lines)
        left = left + width
    return handles if len(handles) > 1 else []


def _draw_null(ax: Axes, null: Array) -> Any:
    """A piece in each row, or one line if all share one level. Returns an entry of a legend."""
    known = np.isfinite(null)
    level = null[known]
    style: dict[str, Any] = {"color": look.BLACK, "linestyle": (0, (3, 1.5)), "linewidth": 1.4, "zorder": 3}
    if known.all() and np.ptp(level) <= 1e-9 * np.abs(level).max():
        return ax.axvline(float(level[0]), label=NULL, **style)
    rows, half = np.flatnonzero(known), 0.46  # of a row
    ax.vlines(level, rows - half, rows + half, color="white", linewidth=3.0, zorder=2.9)  # seen on dark bars too
    ax.vlines(level, rows - half, rows + half, **style)
    return ax.plot([], [], label=NULL, **style)[0]


def _draw_signs(ax: Axes, signs: list[str], size: float) -> list[Any]:
    """A column of signs at the right of the axes. Returns entries of a legend."""
    style: dict[str, Any] = {"xycoords": ax.get_yaxis_transform(), "xytext": (6.0, 0.0), "textcoords": "offset points"}
    style |= {"ha": "center", "va": "center", "annotation_clip": False}
    for row, sign in enumerate(signs):
        if sign:  # none where the prediction does not move at all
            ax.annotate(sign, (1.0, row), fontsize=SIGN_SIZE[sign] * size, **style)
    if not any(sign in (UP, DOWN, BOTH) for sign in signs):
        return []
    return ax.plot([], [], "^", color=look.BLACK, markersize=0.5 * look.small(), label=DIRECTION)


def _tip(explanation: Any, term: str) -> list[str]:
    """The numbers of one variable, a line each."""
    value, ends = float(explanation.main[term]), explanation.intervals
    lines = [name_in_text(term), f"R-sens {number(value)}"]
    if ends is not None:
        lines.append(f"interval {number(ends.loc[term, 'lower'])} to {number(ends.loc[term, 'upper'])}")
    p = "" if explanation.null is None else p_text(float(explanation.inference.p_value[term]))
    return [*lines, f"p {p}" if p else ""]


BARS = Plot(
    name="bars",
    draw=bars,
    of="explanation",
    file="variables",
    section="variables",
    caption="R-sens of each variable.",
    alt="Bars of R-sens, the largest first; all values are in the table.",
    options={"top": 20},
)
