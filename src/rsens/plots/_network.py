"""Variables as circles and pairs as lines between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rsens._typing import Array
from rsens.plots._heatmap import square
from rsens.plots._marks import count_of_marks, is_tested, never_marked, why_none
from rsens.plots._plot import NARROW, Layout, Plot, strongest_pair
from rsens.plots._ring import GAP, LABEL_LENGTHS, LARGEST, Ring
from rsens.plots._style import (
    BLUE,
    LETTER,
    ORANGE,
    as_id,
    axes_points,
    check_plot,
    legend_columns,
    lines_below,
    new_axes,
    per_unit,
    plain,
    short_labels,
    small,
    tidy,
    tint,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Largest width of a line, in points.
WIDEST = 8.0
#: The gap between a circle and the lines, on both sides together, in points.
RIM = 4.5
#: The most lines: among more, none can be followed.
MOST_LINES = 40
#: The smallest width of a line that the test found, in points: thinner ones cannot be seen.
THINNEST = 0.75
#: Pairs that were not tested, and are below this share of the largest, have no line.
LEAST = 0.02


def network(explanation: Any, *, top: int | None = 30, ax: Axes | None = None) -> Axes:
    """`Explanation.main` and `Explanation.pairs` at once: circles whose area is R-sens, lines whose width is R-sens₂.

    The variables stand around a circle in the order of R-sens, from the top clockwise. Where the null level is known,
    variables that are not above it are hollow. Where pairs were tested, only those that interact have a line, the 40
    strongest of them if there are more.

    Args:
        explanation: What `rsens.explain` returned, with pairs.
        top: How many variables to show; None for all.
        ax: Where to draw; None for a figure of its own.

    Returns:
        The Axes; the circle has the radius 1. Names that were shortened are whole in the `gid` of the labels.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> explanation = rsens.explain(model, X, random_state=0)
        >>> ax = rsens.plots.network(explanation)
        >>> sorted(text.get_text() for text in ax.texts)
        ['x0', 'x1']
    """
    check_plot(explanation, "network", "rsens.explain", ("main", "null_levels"), ax=ax, top=top)
    main = explanation.main.to_numpy()
    order = np.argsort(-main, kind="stable")[:top]
    names = [str(explanation.names[d]) for d in order]
    null = None if explanation.null_levels is None else explanation.null_levels.to_numpy()[order]
    cells = np.ix_(order, order)
    found = square(_drawn(explanation), bool)[cells]
    unclear = square(explanation.pair_unclear, bool)[cells] if is_tested(explanation) else ~found
    marked = square(explanation.pair_above, bool)[cells] if is_tested(explanation) else np.zeros_like(found)
    notes = _notes(explanation, len(main) - len(order), found, unclear)
    values, weaker = _strongest(np.where(found, square(explanation.pairs)[cells], 0.0))
    notes += [f"lines: the {MOST_LINES} strongest of {MOST_LINES + weaker} pairs"] * bool(weaker)
    labels = _legend_labels(main[order], values, per_unit(explanation), hollow=bool(_below(main[order], null).any()))

    ax = _new_axes(names, labels) if ax is None else ax
    ring = Ring.around(ax, names, lines=-(-len(labels) // _columns(ax, labels)))
    widest = WIDEST if len(names) <= 10 else WIDEST * 10.0 / len(names)
    _draw_pairs(ax, ring, values, widest, marked)
    _draw_variables(ax, ring, main[order], null)
    _draw_names(ax, ring, names)
    _draw_legend(ax, ring, main[order], values, widest, labels)

    ax.set_aspect("equal", adjustable="box")
    ax.set_xlim(-ring.width / 2.0, ring.width / 2.0)
    ax.set_ylim(-ring.height / 2.0 - ring.lowered, ring.height / 2.0 - ring.lowered)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel("\n".join(lines_below(axes_points(ax)[0], notes)), fontsize=small())
    tidy(ax, keep=())
    return ax


def _strongest(values: Array) -> tuple[Array, int]:
    """The values of the strongest pairs, 0 for the others, and how many others have a value."""
    size = np.sort(values[np.triu_indices(len(values), 1)])[::-1]
    if len(size) <= MOST_LINES or size[MOST_LINES] == 0.0:
        return values, 0
    kept = values >= size[MOST_LINES - 1]
    return np.where(kept, values, 0.0), int(np.count_nonzero(size) - np.count_nonzero(np.triu(kept & (values > 0.0))))


def _new_axes(names: list[str], labels: dict[str, str]) -> Axes:
    """A figure in which the circle is larger the more variables there are."""
    radius = 1.3 if len(names) <= 8 else min(2.7, 0.5 + 0.08 * len(names))  # inches
    length = LETTER * small() / 0.9 / 72.0 * max(map(len, short_labels(names, LABEL_LENGTHS[0])))
    turned = length if len(names) > 14 else 0.2
    away = (0.5 * LARGEST + GAP) / 72.0
    legend = sum(LETTER * small() / 72.0 * len(label) + 0.6 for label in labels.values())
    width = max(2.0 * (radius + away + length), min(legend, 6.4))
    ax = new_axes(width + 0.2, 2.0 * (radius + away + turned) + 1.0)
    ax.set_position((0.0, 0.1, 1.0, 0.9))  # about what the layout will come to: the circle is made to measure
    ax.set_in_layout(True)
    return ax


def _below(main: Array, null: Array | None) -> NDArray[np.bool_]:
    return np.zeros(len(main), dtype=bool) if null is None else np.asarray(main <= null)


def _drawn(explanation: Any) -> pd.Series[bool]:
    """Which pairs have a line: those that the test marks, and those that were not tested."""
    if not is_tested(explanation):
        return explanation.pairs.notna()
    untested = explanation.pair_p_values.isna() & ~explanation.pair_additive
    return explanation.pair_above | untested


def _notes(explanation: Any, hidden: int, found: NDArray[np.bool_], unclear: NDArray[np.bool_]) -> list[str]:
    """Why pairs have no line, and how many variables are not shown."""
    upper = np.triu_indices(len(found), 1)
    count, reason = int((~found)[upper].sum()), why_none(explanation)
    if not never_marked(explanation) and count and (doubtful := int(unclear[upper].sum())):
        reason += f"; in {doubtful} of them it cannot be told, as columns are collinear"
    pairs = f"{count} pair{'s' if count > 1 else ''} without a line: {reason}"
    return [pairs] * bool(count) + [f"{hidden} more variables not shown"] * bool(hidden)


def _draw_pairs(ax: Axes, ring: Ring, values: Array, widest: float, marked: NDArray[np.bool_]) -> None:
    """Lines, the widest on top. Narrow ones are also lighter, so that many of them do not hide the others."""
    from matplotlib.collections import LineCollection

    first, second = np.triu_indices(len(values), 1)
    largest = float(values.max(initial=0.0))
    if largest == 0.0:
        return
    share = values[first, second] / largest
    shown = np.flatnonzero((share >= LEAST) | (marked[first, second] & (share > 0.0)))
    shown = shown[np.argsort(share[shown], kind="stable")]
    ends = np.stack([ring.points[first[shown]], ring.points[second[shown]]], axis=1)
    colours = [tint(ORANGE, 0.25 + 0.75 * strength) for strength in share[shown]]
    widths = np.maximum(widest * share[shown], THINNEST)
    ax.add_collection(LineCollection(list(ends), linewidths=widths, colors=colours, capstyle="butt", zorder=1.0))


def _draw_variables(ax: Axes, ring: Ring, main: Array, null: Array | None) -> None:
    area = _areas(ring, main, float(main.max(initial=0.0)))
    faces = np.where(_below(main, null), "white", BLUE)
    x, y = ring.points.T
    ax.scatter(x, y, s=(np.sqrt(area) + RIM) ** 2, c="white", linewidths=0.0, zorder=2.0)
    ax.scatter(x, y, s=area, c=list(faces), edgecolors=BLUE, linewidths=1.0, zorder=2.1)


def _areas(ring: Ring, main: Array, largest: float) -> Array:
    """Squares of diameters, as `scatter` takes them; what is 0 is still a dot."""
    return np.maximum(ring.largest**2 * main / (largest or 1.0), 6.0)


def _draw_names(ax: Axes, ring: Ring, names: list[str]) -> None:
    away = 0.5 * ring.largest + GAP
    for point, angle, label, name in zip(ring.points, ring.angles, ring.labels, names, strict=True):
        x, y = np.cos(angle), np.sin(angle)
        right = x > -1e-9
        side = "left" if right else "right"
        options: dict[str, Any] = {"ha": side, "va": "center"}
        if ring.radial:
            turn = np.degrees(angle) % 360.0
            options |= {"rotation": turn if right else turn - 180.0, "rotation_mode": "anchor"}
        elif abs(x) < 1e-9:
            options = {"ha": "center", "va": "bottom" if y > 0.0 else "top"}
        text = ax.annotate(
            label, point, xytext=(away * x, away * y), textcoords="offset points", fontsize=ring.size, **options
        )
        plain(text).set_gid(as_id(name))


def _legend_labels(main: Array, values: Array, unit: str, *, hollow: bool) -> dict[str, str]:
    """What the legend says: round values for a circle and a line, and what hollow circles mean, if there are any."""
    labels = {}
    if main.max(initial=0.0) > 0.0:
        labels["circle"] = f"R-sens {_typical(main):g} {unit}"
    if values.max(initial=0.0) > 0.0:
        labels["line"] = f"R-sens$_2$ {_typical(values):g} {unit} × {unit.removeprefix('per ')}"
    if hollow:
        labels["hollow"] = "not above the null level"
    return labels


def _columns(ax: Axes, labels: dict[str, str]) -> int:
    """In how many columns the legend fits below the circle."""
    return legend_columns([len(label) for label in labels.values()], axes_points(ax)[0]) if labels else 1


def _draw_legend(ax: Axes, ring: Ring, main: Array, values: Array, widest: float, labels: dict[str, str]) -> None:
    style: dict[str, Any] = {"linestyle": "none", "marker": "o", "markeredgecolor": BLUE}
    handles = []
    if "circle" in labels:
        area = float(_areas(ring, np.array([_typical(main)]), float(main.max()))[0])
        handles += ax.plot([], [], color=BLUE, markersize=np.sqrt(area), label=labels["circle"], **style)
    if "line" in labels:
        share = _typical(values) / float(values.max())
        colour = tint(ORANGE, 0.25 + 0.75 * share)
        handles += ax.plot([], [], color=colour, linewidth=widest * share, label=labels["line"])
    if "hollow" in labels:
        handles += ax.plot([], [], color="white", markersize=0.7 * small(), label=labels["hollow"], **style)
    if handles:
        ax.legend(
            handles=handles,
            loc="lower center",
            ncols=_columns(ax, labels),
            fontsize=small(),
            frameon=False,
            borderaxespad=0.1,
            columnspacing=1.5,
            labelspacing=0.9,
            handletextpad=1.0,
        )


def _typical(values: Array) -> float:
    """A third of the largest value, with one digit."""
    return float(f"{float(values.max()) / 3.0:.0e}")


# ---- for results and the report --------------------------------------------------------------------------------------


#: The most variables in a file, and on a page.
MOST, MOST_ON_PAGE = 30, 15


def _layout(explanation: Any) -> Layout:
    top = min(len(explanation.names), MOST_ON_PAGE)
    return Layout(width=NARROW, height=4.4, options={"top": top}, axes=_whole_figure)


def _whole_figure(figure: Figure) -> Any:
    """Axes that leave only the notes below outside: the circle is made to measure."""
    figure.set_layout_engine("none")
    return figure.add_axes((0.0, 0.08, 1.0, 0.92))


def _caption(explanation: Any) -> str:
    text = "Area of circles: R-sens. Width of lines: R-sens₂"
    if not is_tested(explanation):
        return f"{text}."
    found = f"{text} of the pairs in which the test found an interaction."
    return found if explanation.pair_above.any() else f"Area of circles: R-sens. No lines: {why_none(explanation)}."


NETWORK = Plot(
    name="network",
    draw=network,
    of="pairs",
    file="network",
    section="pairs",
    caption=_caption,
    alt=lambda explanation: (
        f"Variables as circles around a ring and pairs as lines between them. {strongest_pair(explanation)}"
        f"{count_of_marks(explanation)}"
    ),
    options={"top": MOST},
    layout=_layout,
)
