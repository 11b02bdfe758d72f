"""Two explanations side by side: both values of each variable, and their difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens import _meaning as meaning
from rsens._text import Pair
from rsens._typing import Array
from rsens.plots import _style as look
from rsens.plots._plot import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Colour and marker of the two explanations.
SIDES = {"_a": (look.BLUE, "o"), "_b": (look.VERMILLION, "D")}
#: Distance of the two from the middle of their line, in rows.
APART = 0.16
#: The most characters of a name in the legend and above the differences, and of two names on one line.
NAME, TITLE, ONE_LINE = 20, 14, 20


def difference(difference: Any, *, order: int = 1, top: int | None = None, ax: Any = None) -> Any:
    """Both values of each variable (or pair) with their intervals, and at the right the difference with its interval.

    The variable with the largest value comes first. The dots on the right are filled where the difference is marked:
    chance alone gives one as large in at most 5 % of cases. The lines below the axis name the source of the intervals.

    Args:
        difference: The result of `Explanation.difference`.
        order: 1 for variables, 2 for pairs.
        top: How many to show; None for all.
        ax: Two Axes, for the values and for the differences; None for a new figure.

    Returns:
        The two Axes. Names that were shortened are whole in the `gid` of the tick labels.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> sides = X[X[:, 0] < 0], X[X[:, 0] > 0]
        >>> left, right = (rsens.explain(model, rows, random_state=0) for rows in sides)
        >>> values, differences = rsens.plots.difference(left.difference(right))
        >>> values.get_xlabel(), differences.get_xlabel()
        ('R-sens per sd', 'difference')
    """
    look.check_plot(difference, "difference", "Explanation.difference", ("same_rows", "to_frame"), top=top)
    frame = difference.to_frame(order)
    largest = frame[["value_a", "value_b"]].max(axis=1)
    shown = frame.iloc[np.argsort(-largest.to_numpy(), kind="stable")[:top]]
    hidden = len(frame) - len(shown)
    notes = [f"● {meaning.DIFFERS}"] if difference.differs is not None else []
    if difference.interval_kind is not None:
        notes.insert(0, f"whiskers: {meaning.difference_interval(difference.interval_kind, difference.level)}")
    if ax is not None:
        left, right = look.check_two_axes(ax, "for values and for differences", "1, 2, sharey=True")
    else:
        figure = look.new_figure(look.height_of_rows(len(shown) + bool(hidden), [*notes, *notes], row=0.4), 6.4)
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=(3.0, 2.2))
    pairs = zip(shown["first"], shown["second"], strict=True) if order == 2 else ()
    names: list[str] = [Pair(*pair) for pair in pairs] or [str(term) for term in shown["term"]]
    size = look.name_rows(left, names, hidden)
    right.tick_params(axis="y", length=0, labelleft=False)
    _draw_values(left, shown, difference.names, size)
    right.set_ylim(left.get_ylim())
    _draw_differences(right, shown, size)
    look.tidy(left)
    look.tidy(right, keep=("bottom",))
    left.set_xlabel(look.value_label(difference, order))
    look.add_notes(left, notes)
    right.set_xlabel("difference")
    first, second = look.short_labels(difference.names, TITLE)
    title = f"{first} − {second}" if len(first) + len(second) < ONE_LINE else f"{first}\n− {second}"
    look.plain(right.set_title(title, fontsize=look.small(), loc="left"))
    return np.array([left, right], dtype=object)


def _draw_values(ax: Axes, shown: pd.DataFrame, names: tuple[str, str], size: float) -> None:
    rows = np.arange(len(shown), dtype=np.float64)
    both = zip(SIDES.items(), look.short_labels(names, NAME), (-APART, APART), strict=True)
    for (side, (colour, marker)), name, shift in both:
        at = np.asarray(rows + shift)
        look.draw_whiskers(ax, *_ends(shown, side), at, colour, 0.18 * size)
        style: dict[str, Any] = {"linestyle": "none", "marker": marker, "color": colour, "markersize": 0.5 * size}
        ax.plot(shown[f"value{side}"].to_numpy(), at, label=name, **style)
    values = shown[["value_a", "value_b"]].to_numpy().T
    ax.plot(values, np.array([rows - APART, rows + APART]), color=look.GREY, linewidth=0.8, zorder=1)
    look.start_at_zero(ax, float(np.nanmax([values, _ends(shown, "_a"), _ends(shown, "_b")])))
    look.add_legend(ax)


def _draw_differences(ax: Axes, shown: pd.DataFrame, size: float) -> None:
    rows, values = np.arange(len(shown), dtype=np.float64), shown["a_minus_b"].to_numpy(dtype=np.float64)
    lower, upper = _ends(shown, "")
    ax.axvline(0.0, color=look.GREY, linewidth=0.8, zorder=1)
    look.draw_whiskers(ax, lower, upper, rows, look.BLACK, 0.18 * size)
    marked = shown["differs"].fillna(False).to_numpy(dtype=bool)
    for these, face in ((marked, look.BLACK), (~marked, "white")):
        [dots] = ax.plot(values[these], rows[these], "o", markersize=0.5 * size, zorder=3)
        dots.set(markerfacecolor=face, markeredgecolor=look.BLACK)
    reach = np.nanmax(np.abs(np.concatenate([values, lower, upper])))
    ax.set_xlim(*((-1.06 * reach, 1.06 * reach) if reach > 0.0 else (-1.0, 1.0)))


def _ends(shown: pd.DataFrame, side: str) -> tuple[Array, Array]:
    lower, upper = (shown[f"{end}{side}"].to_numpy(dtype=np.float64) for end in ("lower", "upper"))
    return lower, upper


DIFFERENCE = Plot(name="difference", draw=difference, of="difference", file="difference")
