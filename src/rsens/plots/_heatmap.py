"""Pairs of variables by R-sens₂, as a triangle of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rsens._arguments import one_of
from rsens._errors import Argument, InputError
from rsens._text import number
from rsens._typing import Array, Positions
from rsens.plots._plot import WIDTH, Layout, Plot, name_in_text, strongest_pair, tip
from rsens.plots._style import (
    axes_points,
    check_plot,
    font_size,
    name_ticks,
    new_axes,
    per_unit,
    short_labels,
    small,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: One hue from near white to dark: safe for colour-blind readers, and its greys are in the same order.
COLOURS = "Blues"
#: With `annotate="auto"`, the most variables for which the values are written into the cells.
AUTO_ANNOTATE = 12
#: Width of a digit or a letter, of its font size.
DIGIT = 0.62


def heatmap(
    explanation: Any, *, top: int | None = None, ax: Axes | None = None, annotate: bool | Literal["auto"] = "auto"
) -> Axes:
    """Heat map of `Explanation.pairs`: each pair once, below the diagonal.

    Variables are ordered by their largest pair, so what matters is in the upper left. Where the null level is known, a
    dot marks the pairs above it.

    Args:
        explanation: What `rsens.explain` returned, with pairs.
        top: How many variables to show, those with the largest pairs; None for all.
        ax: Where to draw; None for a figure of its own. The colour bar takes a little of its room.
        annotate: Whether to write the values into the cells. "auto": for up to 12 variables.

    Returns:
        The Axes. Names that were shortened are whole in the `gid` of the tick labels.
    """
    check_plot(explanation, "heatmap", "rsens.explain", ("main", "null_levels"), ax=ax, top=top)
    one_of(annotate, "annotate", (True, False, "auto"))
    values, null = square(explanation.pairs), square(getattr(explanation, "null_pairs", None))
    if values is None or len(explanation.names) < 2 or top == 1:
        got = Argument("top", 1) if top == 1 else "one"
        raise InputError("A heat map of pairs needs at least two variables; got ", got, ". Draw bars for one variable.")
    order = _order(values, top)
    names = [str(explanation.names[d]) for d in order]
    # Rows 1 … k−1 against columns 0 … k−2: in this square the pairs are the cells on and below the diagonal.
    cells = np.ix_(order[1:], order[:-1])
    triangle = np.where(np.tri(len(order) - 1, dtype=bool), values[cells], np.nan)

    ax = _new_square_axes(names) if ax is None else ax
    largest = float(np.nanmax(triangle))
    mesh = ax.pcolormesh(triangle, cmap=COLOURS, vmin=0.0, vmax=largest or 1.0, edgecolors="white", linewidth=0.8)
    ax.invert_yaxis()
    dark = triangle > 0.55 * largest
    if annotate is True or (annotate == "auto" and len(order) <= AUTO_ANNOTATE):
        _write_values(ax, triangle, dark)
    if null is not None:
        _mark_above(ax, triangle > null[cells], dark)
    _name_axes(ax, names, hidden=len(explanation.names) - len(order), footnote=null is not None)
    _draw_colour_bar(ax, mesh, per_unit(explanation))
    return ax


def _order(values: Array, top: int | None) -> Positions:
    """The variables to show, by their largest pair."""
    return np.argsort(-values.max(axis=1), kind="stable")[:top]


def square(pairs: Any) -> Array | None:
    """The series by pair, in the order of columns, as a symmetric matrix with zeros on the diagonal."""
    if pairs is None or not len(pairs):
        return None
    size = round(0.5 + np.sqrt(0.25 + 2.0 * len(pairs)))
    matrix = np.zeros((size, size))
    matrix[np.triu_indices(size, 1)] = pairs.to_numpy()
    return matrix + matrix.T


def _new_square_axes(names: list[str]) -> Axes:
    """A figure in which the cells come out about square, with room for the names at the left and below."""
    size = DIGIT * small() / 72.0 * max(map(len, short_labels(names)))  # inches, of the longest name
    cells = (len(names) - 1) * min(0.55, max(0.2, 6.0 / len(names)))
    cells = max(cells, 1.7)
    return new_axes(cells + size + 1.2, cells + 0.7 * size + 0.6)


def _write_values(ax: Axes, triangle: Array, dark: NDArray[np.bool_]) -> None:
    number = number_format(float(np.nanmax(triangle)))
    texts = {(i, j): number.format(triangle[i, j]) for i, j in np.argwhere(np.isfinite(triangle))}
    cell = axes_points(ax)[0] / len(triangle)
    size = min(small(), 0.85 * cell / (DIGIT * max(map(len, texts.values()))))
    for (i, j), text in texts.items():
        colour = "white" if dark[i, j] else "black"
        ax.text(j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=size, color=colour)


def number_format(largest: float) -> str:
    """The same number of decimals in all cells: two or three digits of the largest value."""
    exponent = 0 if largest == 0.0 else int(np.floor(np.log10(largest)))
    if not -4 <= exponent <= 4:
        return "{:.1e}"
    return f"{{:.{max(0, 2 - exponent if exponent >= 0 else 1 - exponent)}f}}"


def _mark_above(ax: Axes, above: NDArray[np.bool_], dark: NDArray[np.bool_]) -> None:
    """A dot in the upper right corner of the cells above the null level."""
    size = max(1.2, 0.06 * min(axes_points(ax)) / len(above))
    for mask, colour in ((above & dark, "white"), (above & ~dark, "black")):
        rows, columns = np.nonzero(mask)
        ax.plot(columns + 0.84, rows + 0.16, ".", color=colour, markersize=2.0 * min(size, 2.5), markeredgewidth=0.0)


def _name_axes(ax: Axes, names: list[str], *, hidden: int, footnote: bool) -> None:
    width = axes_points(ax)[0] / (len(names) - 1)
    size = min(font_size(ax, len(names)), font_size(ax, len(names), along="width"))
    longest = DIGIT * size * max(map(len, short_labels(names)))
    turned: dict[str, Any] = {"rotation": 45.0, "ha": "right", "va": "center", "rotation_mode": "anchor"}
    if longest < 0.7 * width:
        turned = {}
    elif width < 1.5 * size:  # lines of text at 45° need √2 as much room
        turned = {"rotation": 90.0}
    name_ticks(ax.yaxis, names[1:], size, offset=0.5)
    name_ticks(ax.xaxis, names[:-1], size, offset=0.5, **turned)
    ax.tick_params(length=0)
    tidy(ax, keep=())
    notes = ["● above the null level"] * footnote + [f"{hidden} more variables not shown"] * bool(hidden)
    ax.set_xlabel("\n".join(notes), fontsize=small())


def _draw_colour_bar(ax: Axes, mesh: Any, unit: str) -> None:
    bar = ax.figure.colorbar(mesh, ax=ax, fraction=0.06, pad=0.03, aspect=25)
    bar.outline.set_visible(False)
    bar.set_label(f"R-sens$_2$ {unit} × {unit.removeprefix('per ')}")


# ---- for results and the report --------------------------------------------------------------------------------------


#: The most variables in a file, and on a page.
MOST, MOST_ON_PAGE = 30, 15


def _caption(explanation: Any) -> str:
    dots = "; dots mark those above the null level" if getattr(explanation, "null_pairs", None) is not None else ""
    return f"R-sens₂ of each pair{dots}."


def _layout(explanation: Any) -> Layout:
    top = min(len(explanation.names), MOST_ON_PAGE)
    side = max(2.0, min(0.5 * top, 4.2))
    return Layout(width=min(WIDTH, side + 2.4), height=side + 1.2, options={"top": top})


def _add_tips(explanation: Any, ax: Axes) -> None:
    """A rectangle over each cell, which cannot be seen."""
    from matplotlib.patches import Rectangle

    values, null = square(explanation.pairs), square(getattr(explanation, "null_pairs", None))
    assert values is not None
    order = _order(values, MOST_ON_PAGE)
    for i, row in enumerate(order[1:]):
        for j, column in enumerate(order[: i + 1]):
            names = " × ".join(name_in_text(explanation.names[d]) for d in (column, row))
            value = float(values[row, column])
            lines = [names, f"R-sens₂ {number(value)}"]
            if null is not None:
                lines.append(f"{'above' if value > null[row, column] else 'below'} the null level")
            tip(ax.add_patch(Rectangle((j, i), 1.0, 1.0, alpha=0.0, linewidth=0.0, zorder=9.0)), "\n".join(lines))


HEATMAP = Plot(
    name="heatmap",
    draw=heatmap,
    of="pairs",
    file="pairs",
    section="pairs",
    caption=_caption,
    alt=lambda explanation: f"Cells coloured by R-sens₂ of each pair of variables. {strongest_pair(explanation)}",
    options={"top": MOST},
    layout=_layout,
    add_tips=_add_tips,
)
