"""Pairs of variables by R-sens₂, as a triangle of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import Argument, InputError
from rsens._text import aligned, number, p_text
from rsens._typing import Flags, Positions
from rsens.plots import _style as look
from rsens.plots._plot import FILLED, HOLLOW, Plot, name_in_text, pair_notes, tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The most variables for which the values are written into the cells.
WRITTEN = 12
#: Pairs with a smaller share of their R-sens₂ in the prediction are striped.
LEAST_SHARE = 0.05
STRIPES, STRIPED = "striped: uncertainty only (less than 5 % of R-sens₂ is in the prediction)", "////"


def heatmap(explanation: Any, *, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Heat map of `Explanation.pairs`: each pair once, below the diagonal, with its value for up to 12 variables.

    Variables are ordered by their largest pair, so the largest pairs are in the upper left. Where pairs were tested, a
    dot marks interactions: the data contradict a model in which the two add up. A hollow dot marks inconclusive pairs:
    other columns nearly determine one of the two. Pairs with less than 5 % of their value in the prediction are
    striped.

    Args:
        explanation: The result of `rsens.explain`, with pairs.
        top: How many variables to show, those with the largest pairs; None for all.
        ax: The Axes to draw in; None for a new figure. The colour bar takes a little of its room.

    Returns:
        The Axes. Names that were shortened are whole in the `gid` of the tick labels.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> explanation = rsens.explain(model, X, random_state=0)
        >>> ax = rsens.plots.heatmap(explanation)
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['x1']
    """
    look.check_plot(explanation, "heatmap", "rsens.explain", ("main", "null"), ax=ax, top=top)
    pairs, marks = explanation.pairs, explanation.inference
    if len(explanation.names) < 2 or top == 1:
        got = Argument("top", 1) if top == 1 else "one"
        raise InputError("A heat map of pairs needs at least two variables; got ", got, ". Draw bars for one variable.")
    values = square(pairs)
    order = np.argsort(-values.max(axis=1), kind="stable")[:top]
    names = [str(explanation.names[d]) for d in order]
    # Rows 1 … k−1 against columns 0 … k−2: in this square the pairs are the cells on and below the diagonal.
    cells, below = np.ix_(order[1:], order[:-1]), np.tri(len(order) - 1, dtype=bool)
    triangle = np.where(below, values[cells], np.nan)
    parts = explanation.pair_parts
    only = np.zeros_like(below)
    if parts is not None and parts.shape[1] == 2:
        only = below & square(parts.iloc[:, 0] < LEAST_SHARE * pairs)[cells].astype(bool)
    notes = [*pair_notes(explanation, FILLED, HOLLOW), *([STRIPES] if only.any() else [])]
    hidden = len(explanation.names) - len(order)
    notes += [f"{hidden} more variables not shown"] * bool(hidden)

    if ax is None:
        ax = look.cell_axes(names[1:], len(names) - 1, cell=(0.55, 0.5), notes=notes, beside=1.2)
    largest = float(np.nanmax(triangle))
    mesh = ax.pcolormesh(triangle, cmap=look.CELLS, vmin=0.0, vmax=largest or 1.0, edgecolors="white", linewidth=0.8)
    ax.invert_yaxis()
    dark = triangle > 0.55 * largest
    _draw_stripes(ax, only, dark)
    if len(order) <= WRITTEN:
        write, ink = aligned(largest), np.where(dark, "white", "black")
        texts = {(j + 0.5, i + 0.5): (write(triangle[i, j]), ink[i, j]) for i, j in np.argwhere(below)}
        look.write_cells(ax, texts)
    if marks.pair_above is not None:
        _draw_dots(ax, below & square(marks.pair_above)[cells].astype(bool), dark, hollow=False)
        _draw_dots(ax, below & square(marks.pair_unclear)[cells].astype(bool), dark, hollow=True)
    look.name_cells(ax, names[1:], names[:-1])
    look.add_notes(ax, notes)
    _add_tips(ax, explanation, order)
    look.draw_colour_bar(ax, mesh, look.value_label(explanation, 2))
    return ax


def square(pairs: Any) -> NDArray[np.float64]:
    """One entry by pair, in the order of columns, as a symmetric matrix with zeros on the diagonal."""
    size = round(0.5 + np.sqrt(0.25 + 2.0 * len(pairs)))
    matrix = np.zeros((size, size))
    matrix[np.triu_indices(size, 1)] = np.asarray(pairs)
    return matrix + matrix.T


def _draw_stripes(ax: Axes, only: Flags, dark: Flags) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    for mask, colour in ((only & dark, "#FFFFFF38"), (only & ~dark, "#00000028")):
        if mask.any():
            stripes = [Rectangle((column, row), 1.0, 1.0) for row, column in np.argwhere(mask)]
            ax.add_collection(
                PatchCollection(stripes, facecolor="none", edgecolor=colour, hatch=STRIPED, linewidth=0.0)
            )


def _draw_dots(ax: Axes, marked: Flags, dark: Flags, *, hollow: bool) -> None:
    """A dot in the upper right corner of the cells."""
    size = min(max(1.2, 0.12 * min(look.axes_points(ax)) / len(marked)), 3.2)
    for mask, colour in ((marked & dark, "white"), (marked & ~dark, "black")):
        rows, columns = np.nonzero(mask)
        if len(rows):
            [dots] = ax.plot(columns + 0.86, rows + 0.14, "o", markersize=size, markeredgewidth=0.2 * size)
            dots.set(markerfacecolor="none" if hollow else colour, markeredgecolor=colour)


def _add_tips(ax: Axes, explanation: Any, order: Positions) -> None:
    """An invisible rectangle over each cell, with the numbers of the pair."""
    from matplotlib.patches import Rectangle

    e = explanation
    for i, row in enumerate(order[1:]):
        for j, column in enumerate(order[: i + 1]):
            pair = e.names[min(row, column)], e.names[max(row, column)]
            p = "" if e.inference.pair_p_values is None else p_text(float(e.inference.pair_p_values[pair]))
            cell = ax.add_patch(Rectangle((j, i), 1.0, 1.0, alpha=0.0, linewidth=0.0, zorder=9.0))
            names = " × ".join(map(name_in_text, pair))
            tip(cell, names, f"R-sens₂ {number(float(e.pairs[pair]))}", f"p {p}" if p else "")


HEATMAP = Plot(
    name="heatmap",
    draw=heatmap,
    of="pairs",
    file="pairs",
    section="pairs",
    caption="R-sens₂ of each pair.",
    alt="Cells coloured by R-sens₂ of each pair of variables; the largest are in the table.",
    options={"top": 15},
)
