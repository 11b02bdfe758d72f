"""Two explanations side by side: both values of each variable, and what lies between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens import _meaning as meaning
from rsens._text import Pair, number, p_text
from rsens._typing import Array
from rsens.plots._plot import Layout, Plot, name_in_text
from rsens.plots._style import (
    BLACK,
    BLUE,
    GREY,
    LINE_HEIGHT,
    VERMILLION,
    axes_points,
    check_plot,
    check_two_axes,
    font_size,
    lines_below,
    name_ticks,
    plain,
    short_labels,
    small,
    tidy,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Colour and marker of the two explanations.
SIDES = {"_a": (BLUE, "o"), "_b": (VERMILLION, "D")}
#: Distance of the two from the middle of their line, in rows.
APART = 0.16
#: The most characters of a name in the legend and above the differences, and of two names on one line.
NAME, TITLE, ONE_LINE = 20, 14, 20
WIDTH = 6.4
#: Of the values and of the differences.
WIDTHS = (3.0, 2.2)
MOST, MOST_ON_PAGE = 30, 20


def difference(difference: Any, *, order: int = 1, top: int | None = None, ax: Any = None) -> Any:
    """Both values of each variable (or pair) with their intervals, and beside them the difference with its own.

    The variable with the largest value comes first. The dots on the right are filled where the difference is marked:
    chance alone gives one as large in at most 5 % of cases. The lines below the axis say what the intervals come from.

    Args:
        difference: What `Explanation.difference` returned.
        order: 1 for variables, 2 for pairs.
        top: How many to show; None for all.
        ax: Two Axes, for the values and for the differences; None for a figure of its own.

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
    check_plot(difference, "difference", "Explanation.difference", ("title", "only", "to_frame"), top=top)
    frame = difference.to_frame(order)
    largest = frame[["value_a", "value_b"]].max(axis=1)
    frame = frame.iloc[np.argsort(-largest.to_numpy(), kind="stable")]
    hidden = 0 if top is None else max(0, len(frame) - top)
    shown = frame.head(len(frame) - hidden)
    rows = len(shown) + bool(hidden)
    left, right = (
        _new_axes(difference, rows)
        if ax is None
        else check_two_axes(ax, "for values and for differences", "plt.subplots(1, 2, sharey=True)")
    )
    size = font_size(left, rows)
    _draw_values(left, shown, difference.names, size)
    _draw_differences(right, shown, size)
    name_ticks(left.yaxis, _names(shown), size, more=hidden)
    for each in (left, right):
        each.tick_params(axis="y", length=0)
        each.set_ylim(rows - 0.4, -0.6)
        tidy(each, keep=("left", "bottom") if each is left else ("bottom",))
    right.tick_params(axis="y", labelleft=False)
    unit = {"sd": "per sd", "raw": "per unit"}.get(difference.scale_kind, "per given unit")
    label = f"R-sens {unit}" if order == 1 else f"R-sens$_2$ {unit} × {unit.removeprefix('per ')}"
    left.set_xlabel(label)
    right.set_xlabel("difference")
    plain(right.set_title(_title(difference.names), fontsize=small(), loc="left"))
    _write_below(left if ax is not None else None, left, _notes(difference))
    return np.array([left, right], dtype=object)


def _draw_values(ax: Axes, shown: pd.DataFrame, names: tuple[str, str], size: float) -> None:
    rows = np.arange(len(shown), dtype=np.float64)
    for (side, (colour, marker)), name, shift in zip(
        SIDES.items(), short_labels(names, NAME), (-APART, APART), strict=True
    ):
        values = shown[f"value{side}"].to_numpy()
        _whiskers(ax, *_ends(shown, side), np.asarray(rows + shift), colour, size)
        ax.plot(values, rows + shift, linestyle="none", marker=marker, color=colour, markersize=0.5 * size, label=name)
    joined = shown[["value_a", "value_b"]].to_numpy().T, np.array([rows - APART, rows + APART])
    ax.plot(*joined, color=GREY, linewidth=0.8, zorder=1)
    furthest = np.nanmax(shown[["value_a", "value_b", "upper_a", "upper_b"]].to_numpy(dtype=np.float64))
    ax.set_xlim(0.0, 1.04 * furthest if furthest > 0.0 else 1.0)
    columns = 2 if sum(map(len, names)) < ONE_LINE else 1
    legend = ax.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=columns,
        fontsize=small(),
        frameon=False,
        borderaxespad=0.2,
        handletextpad=0.3,
        columnspacing=1.2,
    )
    for text in legend.get_texts():
        plain(text)


def _draw_differences(ax: Axes, shown: pd.DataFrame, size: float) -> None:
    rows, values = np.arange(len(shown), dtype=np.float64), shown["a_minus_b"].to_numpy(dtype=np.float64)
    lower, upper = _ends(shown, "")
    ax.axvline(0.0, color=GREY, linewidth=0.8, zorder=1)
    _whiskers(ax, lower, upper, rows, BLACK, size)
    marked = shown["differs"].fillna(False).to_numpy(dtype=bool)
    for filled in (True, False):
        these = marked == filled
        face = BLACK if filled else "white"
        ax.plot(
            values[these],
            rows[these],
            linestyle="none",
            marker="o",
            markersize=0.5 * size,
            markeredgecolor=BLACK,
            markerfacecolor=face,
            zorder=3,
        )
    reach = np.nanmax(np.abs(np.concatenate([values, lower, upper])))
    ax.set_xlim(*((-1.06 * reach, 1.06 * reach) if reach > 0.0 else (-1.0, 1.0)))


def _whiskers(ax: Axes, lower: Array, upper: Array, rows: Array, colour: str, size: float) -> None:
    known = np.isfinite(lower) & np.isfinite(upper)
    if known.any():
        middle, half = 0.5 * (lower + upper)[known], 0.5 * (upper - lower)[known]
        ax.errorbar(
            middle, rows[known], xerr=half, fmt="none", ecolor=colour, elinewidth=1.0, capsize=0.18 * size, zorder=2
        )


def _ends(shown: pd.DataFrame, side: str) -> tuple[Array, Array]:
    lower, upper = (shown[f"{end}{side}"].to_numpy(dtype=np.float64) for end in ("lower", "upper"))
    return lower, upper


def _names(shown: pd.DataFrame) -> list[str]:
    if "first" not in shown.columns:
        return [str(term) for term in shown["term"]]
    return [Pair(*pair) for pair in zip(shown["first"], shown["second"], strict=True)]


def _notes(difference: Any) -> list[str]:
    notes = []
    if difference.interval_kind is not None:
        notes.append(f"whiskers: {meaning.difference_interval(difference.interval_kind, difference.level)}")
    if difference.differs is not None:
        notes.append(f"● {meaning.DIFFERS}")
    return notes


def _title(names: tuple[str, str]) -> str:
    first, second = short_labels(names, TITLE)
    return f"{first} − {second}" if len(first) + len(second) < ONE_LINE else f"{first}\n− {second}"


def _write_below(given: Axes | None, left: Axes, notes: list[str]) -> None:
    """Remarks below the axis of Axes that were given, or below both in a figure of its own."""
    if given is not None:
        given.set_xlabel("\n".join([given.get_xlabel(), *lines_below(axes_points(given)[0], notes)]))
        return
    lines = lines_below(72.0 * 0.9 * WIDTH, notes)
    left.figure.supxlabel("\n".join(lines), fontsize=small(), x=0.02, ha="left")


def _new_axes(difference: Any, rows: int) -> tuple[Axes, Axes]:
    from matplotlib import pyplot as plt

    lines = len(lines_below(72.0 * 0.9 * WIDTH, _notes(difference)))
    height = max(2.4, 1.2 + rows * min(0.4, max(0.22, 6.0 / rows))) + lines * LINE_HEIGHT * small() / 72.0
    figure = plt.figure(figsize=(WIDTH, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)  # type: ignore[call-arg, union-attr]
    left, right = panels(figure)
    return left, right


def panels(figure: Figure) -> tuple[Axes, Axes]:
    """Axes for the values, and narrower ones for the differences."""
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=WIDTHS)
    return left, right


def _caption(difference: Any) -> str:
    return f"R-sens in {' and '.join(map(name_in_text, difference.names))}, and the difference: {difference.title}."


def _alt(difference: Any) -> str:
    line = difference.to_frame().iloc[0]
    p = p_text(float(line["p_value"]))
    return (
        f"Two points with intervals for each variable, and their difference. It is largest for "
        f"{name_in_text(line['term'])}, {number(float(line['a_minus_b']))}" + (f", p {p}." if p else ".")
    )


DIFFERENCE = Plot(
    name="difference",
    draw=difference,
    of="difference",
    file="difference",
    caption=_caption,
    alt=_alt,
    options={"top": MOST},
    layout=lambda difference: Layout(
        height=1.6 + 0.32 * min(len(difference.terms), MOST_ON_PAGE), options={"top": MOST_ON_PAGE}, axes=panels
    ),
)
