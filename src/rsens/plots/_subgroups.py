"""R-sens within subgroups of rows, as a table of cells: darker blue where it is above the other rows, orange below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens import _meaning as meaning
from rsens._errors import InputError
from rsens._text import aligned, p_text
from rsens.plots import _style as look
from rsens.plots._plot import Plot, name_in_text, tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The most subgroups in a figure, and characters of their names.
MOST_SUBGROUPS, NAME = 12, 14
#: The strength of blue above which white has more contrast than black; both have a contrast of 4.5 here.
DARK_BLUE = 0.93


def subgroups(explanation: Any, *, top: int | None = None, ax: Axes | None = None) -> Axes:
    """R-sens of each variable within each subgroup of rows, and its difference from the other rows as a colour.

    Blue is above the other rows, orange below; the strongest colour is the largest difference. A cell with ≠ differs
    from the other rows: chance alone gives a difference as large in at most 5 % of cases. Needs `explain(..., by=...)`.

    Args:
        explanation: The result of `rsens.explain`.
        top: How many variables to show, those with the largest R-sens over all rows; None for all.
        ax: The Axes to draw in; None for a new figure.

    Returns:
        The Axes. Names that were shortened are whole in the `gid` of the tick labels.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> side = np.where(X[:, 0] > 0, "right", "left")
        >>> explanation = rsens.explain(model, X, by=side, random_state=0)
        >>> ax = rsens.plots.subgroups(explanation)
        >>> [label.get_text() for label in ax.get_xticklabels()]
        ['left', 'right']
    """
    from matplotlib.colors import LinearSegmentedColormap

    look.check_plot(explanation, "subgroups", "rsens.explain", ("main", "by_frame"), ax=ax, top=top)
    frame = explanation.by_frame()
    if frame is None:
        raise InputError("This explanation has no subgroups. Ask for them with explain(..., by=...).")
    frame = frame.assign(differs=frame["differs"].fillna(False))
    columns = ("value", "difference", "differs", "p_value")
    tables = [look.as_table(frame, "term", "subgroup", column) for column in columns]
    kept = [table.iloc[:top, :MOST_SUBGROUPS] for table in tables]
    values, apart = (table.to_numpy(dtype=np.float64) for table in kept[:2])
    marked, p_values = kept[2].to_numpy(dtype=bool), kept[3].to_numpy(dtype=np.float64)
    terms, groups = [str(term) for term in kept[0].index], [str(group) for group in kept[0].columns]
    hidden, left_out = np.subtract(tables[0].shape, kept[0].shape)
    notes = ["blue: above the other rows, orange: below"]
    if frame["differs"].any():
        notes.append(f"{meaning.DIFFERS_MARK} {meaning.SUBGROUP_DIFFERS}")
    notes += [f"{left_out} more subgroups are not shown"] * bool(left_out)

    if ax is None:
        ax = look.cell_axes([*terms, *["…"] * bool(hidden)], len(groups), cell=(0.78, 0.34), notes=notes)
    most = float(np.abs(np.nan_to_num(tables[1].to_numpy(dtype=np.float64))).max()) or 1.0
    colours = np.nan_to_num(apart)
    below_above = LinearSegmentedColormap.from_list("below to above", [look.ORANGE, "#F2F2F2", look.BLUE])
    ax.pcolormesh(colours, cmap=below_above, vmin=-most, vmax=most, edgecolors="white", linewidth=0.8)
    ax.set(xlim=(0.0, len(groups)), ylim=(len(terms) + bool(hidden), 0.0))
    write = aligned(float(values.max()))
    texts = {}
    for (i, j), value in np.ndenumerate(values):  # white has contrast on dark blue, but not on orange
        text = write(float(value)) + (meaning.DIFFERS_MARK if marked[i, j] else "")
        texts[j + 0.5, i + 0.5] = text, "white" if colours[i, j] > DARK_BLUE * most else "black"
    for (x, y), text in look.write_cells(ax, texts).items():
        i, j = int(y), int(x)
        text.set_fontweight("bold" if marked[i, j] else "normal")
        p = p_text(p_values[i, j])
        tip(text, f"{name_in_text(terms[i])} in {name_in_text(groups[j])}", f"p {p}" if p else "")
    look.name_cells(ax, terms, groups, more=int(hidden), above=NAME)
    ax.set_xlabel(look.value_label(explanation))
    look.add_notes(ax, notes)
    return ax


SUBGROUPS = Plot(
    name="subgroups",
    draw=subgroups,
    of="subgroups",
    file="subgroups",
    section="subgroups",
    caption="R-sens within each subgroup of rows.",
    alt="Cells with R-sens by variable and subgroup; all values are in the table.",
    options={"top": 20},
)
