"""R-sens within subgroups of rows, as a table of cells: darker blue where it is above the other rows, orange below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens import _meaning as meaning
from rsens._errors import InputError
from rsens._text import aligned, number, p_text
from rsens._typing import Array
from rsens.plots._plot import Layout, Plot, name_in_text, tip
from rsens.plots._style import (
    BLUE,
    LINE_HEIGHT,
    ORANGE,
    axes_points,
    check_plot,
    font_size,
    lines_below,
    name_ticks,
    new_axes,
    per_unit,
    short_labels,
    small,
    tidy,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

#: The most subgroups in a figure, and characters of their names.
MOST_SUBGROUPS, NAME = 12, 14
#: The most variables in a file, and on a page.
MOST, MOST_ON_PAGE = 30, 20
#: Average width of a digit, of its font size.
DIGIT = 0.6
#: From this strength on white stands out from blue more than black does; both have a contrast of 4.5 here.
DARK_BLUE = 0.93


def subgroups(explanation: Any, *, top: int | None = None, ax: Axes | None = None) -> Axes:
    """R-sens of each variable within each subgroup of rows, and its difference from the other rows as a colour.

    Blue is above the other rows, orange below; the strongest colour is the largest difference. A cell with ≠ differs
    from the other rows: chance alone gives a difference as large in at most 5 % of cases. Needs `explain(..., by=...)`.

    Args:
        explanation: What `rsens.explain` returned.
        top: How many variables to show, those with the largest R-sens over all rows; None for all.
        ax: Where to draw; None for a figure of its own.

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
    check_plot(explanation, "subgroups", "rsens.explain", ("main", "by_frame"), ax=ax, top=top)
    frame = explanation.by_frame()
    if frame is None:
        raise InputError("This explanation has no subgroups. Ask for them with explain(..., by=...).")
    values, apart, marked = (_table(frame, column) for column in ("value", "difference", "differs"))
    hidden = 0 if top is None else max(0, len(values) - top)
    left_out = max(0, values.shape[1] - MOST_SUBGROUPS)
    kept = np.s_[: len(values) - hidden, :MOST_SUBGROUPS]
    terms = [str(term) for term in values.index[: len(values) - hidden]]
    groups = [str(group) for group in values.columns[:MOST_SUBGROUPS]]
    notes = _notes(explanation, left_out)
    rows = len(terms) + bool(hidden)
    lines = lines_below(_width(groups) if ax is None else axes_points(ax)[0], notes)
    ax = _new_axes(terms, groups, rows, len(lines)) if ax is None else ax
    colours = np.nan_to_num(apart.to_numpy(dtype=np.float64)[kept])
    most = float(np.abs(np.nan_to_num(apart.to_numpy(dtype=np.float64))).max()) or 1.0
    ax.pcolormesh(colours, cmap=_below_above(), vmin=-most, vmax=most, edgecolors="white", linewidth=0.8)
    ax.set_xlim(0.0, len(groups))
    ax.set_ylim(rows, 0.0)
    size = font_size(ax, rows)
    _write(ax, values.to_numpy(dtype=np.float64)[kept], marked.to_numpy(dtype=bool)[kept], np.abs(colours) / most, size)
    name_ticks(ax.yaxis, terms, size, offset=0.5, more=hidden)
    _name_subgroups(ax, groups, size)
    ax.tick_params(length=0)
    ax.set_xlabel("\n".join([f"R-sens {per_unit(explanation)}", *lines]), fontsize=small())
    ax.xaxis.set_label_position("bottom")
    tidy(ax, keep=())
    return ax


def _table(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Terms × subgroups, both in the order in which they occur."""
    wide = frame.assign(x=frame[column].fillna(False) if column == "differs" else frame[column])
    wide = wide.pivot(index="term", columns="subgroup", values="x")
    return wide.reindex(index=frame["term"].unique(), columns=frame["subgroup"].unique())


def _below_above() -> Colormap:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("below to above", [ORANGE, "#F2F2F2", BLUE])


def _write(ax: Axes, values: Array, marked: Any, strength: Array, size: float) -> None:
    """The values in their cells, with their marks."""
    write = aligned(float(values.max()))
    texts = {
        at: write(float(values[at])) + (meaning.DIFFERS_MARK if marked[at] else "") for at in np.ndindex(values.shape)
    }
    width = axes_points(ax)[0] / values.shape[1]
    fits = min(size, 0.92 * width / (DIGIT * max(map(len, texts.values()))))
    for (i, j), text in texts.items():
        dark = strength[i, j] > DARK_BLUE
        weight = "bold" if marked[i, j] else "normal"
        colour = "white" if dark and _is_above(ax, i, j) else "black"
        ax.text(
            j + 0.5, i + 0.5, text, ha="center", va="center_baseline", fontsize=fits, color=colour, fontweight=weight
        )


def _is_above(ax: Axes, i: int, j: int) -> bool:
    """Whether a cell is blue: white stands out from a dark blue, but not from orange."""
    cells = ax.collections[0].get_array()
    assert cells is not None
    return bool(cells.reshape(-1, int(ax.get_xlim()[1]))[i, j] > 0.0)


def _name_subgroups(ax: Axes, groups: list[str], size: float) -> None:
    labels = short_labels(groups, NAME)
    wide = DIGIT * size * max(map(len, labels)) > 0.95 * axes_points(ax)[0] / len(groups)
    turned: dict[str, Any] = {"rotation": 45.0, "ha": "left", "va": "bottom", "rotation_mode": "anchor"}
    ax.xaxis.tick_top()
    name_ticks(ax.xaxis, labels, size, offset=0.5, **(turned if wide else {}))
    for label, name in zip(ax.get_xticklabels(), groups, strict=False):
        label.set_gid(name)


def _notes(explanation: Any, left_out: int) -> list[str]:
    notes = ["blue: above the other rows, orange: below"]
    if explanation.by_frame()["differs"].fillna(False).any():
        notes.append(f"{meaning.DIFFERS_MARK} {meaning.SUBGROUP_DIFFERS}")
    return [*notes, f"{left_out} more subgroups are not shown"] if left_out else notes


def _width(groups: list[str]) -> float:
    """Of the cells in a figure of their own, in points: room for the values, and for a remark below two subgroups."""
    return 72.0 * max(2.75, 0.78 * len(groups))


def _new_axes(terms: list[str], groups: list[str], rows: int, lines: int) -> Axes:
    left = DIGIT * small() * max(map(len, short_labels(terms)))
    height = rows * min(0.34, max(0.22, 6.0 / rows)) + LINE_HEIGHT * small() / 72.0 * (lines + 1)
    return new_axes((left + _width(groups)) / 72.0 + 0.4, height + 1.0)


def _caption(explanation: Any) -> str:
    return (
        "R-sens within each subgroup of rows. Blue: above the other rows; orange: below. "
        f"{meaning.DIFFERS_MARK} {meaning.SUBGROUP_DIFFERS}."
    )


def _alt(explanation: Any) -> str:
    frame = explanation.by_frame()
    line = frame.iloc[int(np.nan_to_num(frame["difference"].abs().to_numpy()).argmax())]
    return (
        f"A table of R-sens by variable and subgroup. The largest difference from the other rows: "
        f"{name_in_text(line['term'])} in {name_in_text(line['subgroup'])}, {number(line['value'])} against "
        f"{number(line['rest'])}. All values are in the table."
    )


def _layout(explanation: Any) -> Layout:
    rows = min(len(explanation.names), MOST_ON_PAGE + 1)
    return Layout(height=1.7 + 0.28 * rows, options={"top": MOST_ON_PAGE if rows > MOST_ON_PAGE else None})


def _add_tips(explanation: Any, ax: Axes) -> None:
    frame = explanation.by_frame().set_index(["term", "subgroup"])
    terms = list(dict.fromkeys(frame.index.get_level_values("term")))
    groups = list(dict.fromkeys(frame.index.get_level_values("subgroup")))
    for text in ax.texts:
        x, y = text.get_position()
        line = frame.loc[(terms[int(y)], groups[int(x)])]
        p = p_text(float(line["p_value"]))
        lines = [
            f"{name_in_text(terms[int(y)])} in {name_in_text(groups[int(x)])}",
            f"R-sens {number(line['value'])}, other rows {number(line['rest'])}",
        ]
        tip(text, "\n".join(lines + ([f"p {p}"] if p else [])))


SUBGROUPS = Plot(
    name="subgroups",
    draw=subgroups,
    of="subgroups",
    file="subgroups",
    section="subgroups",
    caption=_caption,
    alt=_alt,
    options={"top": MOST},
    layout=_layout,
    add_tips=_add_tips,
)
