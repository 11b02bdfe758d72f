"""Effects on the prediction: of changes of each variable as dots with intervals, and of one row as signed bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._errors import InputError
from rsens._text import number
from rsens.plots import _style as look
from rsens.plots._plot import Plot, interval_note, name_in_text, tip

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Predictions that are probabilities: effects are in percentage points.
PROBABILITIES = ("Bernoulli", "Categorical")
#: The most levels of a category: those with the largest effects.
MOST_LEVELS = 6
#: The most classes that are drawn, each in its colour.
MOST_OUTPUTS = len(look.SERIES)


def effects(explanation: Any, *, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Effects of the leading variables on the prediction, as dots with intervals.

    A number changes by one standard deviation, or from one value to another where its name states them; a
    level of a category is compared with the rest. The change is in the units of the target, of probabilities in
    percentage points; several classes have a colour each. `Explanation.effects` has the numbers.

    Args:
        explanation: The result of `rsens.explain`.
        top: How many variables to show; None for all. For a category with many levels, the largest effects are shown.
        ax: The Axes to draw in; None for a new figure.

    Returns:
        The Axes. Names that were shortened are whole in the `gid` of the tick labels.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> explanation = rsens.explain(model, X, random_state=0)
        >>> ax = rsens.plots.effects(explanation)
        >>> ax.get_xlabel()
        'change of the prediction'
    """
    from matplotlib.lines import Line2D

    look.check_plot(explanation, "effects", "rsens.explain", ("effects", "interval_kind"), ax=ax, top=top)
    lines, starts, hidden = _shown(explanation, top)
    notes, table = _notes(explanation), explanation.effects
    outputs = list(dict.fromkeys(table["output"]))[:MOST_OUTPUTS] if "output" in table else []
    times = 100.0 if explanation.family in PROBABILITIES else 1.0
    ax = look.row_axes(len(lines) + bool(hidden), notes, row=max(0.3, 0.1 + 0.1 * len(outputs))) if ax is None else ax
    size = look.name_rows(ax, [name for name, _ in lines], hidden)
    ax.axvline(0.0, color=look.BLACK, linewidth=0.8, zorder=1)
    for row_number, (_, of_line) in enumerate(lines):
        _draw_line(ax, row_number, of_line, outputs, times, explanation.intervals_hold, size)
    for start in starts[1:]:
        ax.axhline(start - 0.5, color="#B0B0B0", linewidth=0.5, zorder=0)
    ax.margins(x=0.06)
    what = "change of the prediction" if times == 1.0 else "change of the probability, percentage points"
    ax.set_xlabel(what)
    look.add_notes(ax, notes)
    handles = []
    for k, label in enumerate(look.short_labels(outputs)):
        colour, dash, _ = look.series(k)
        handles.append(Line2D([], [], color=colour, linestyle=dash, marker="o", markersize=4.5, label=label))
    look.add_legend(ax, handles)
    look.tidy(ax, keep=("bottom",))
    return ax


def _shown(explanation: Any, top: int | None) -> tuple[list[tuple[str, pd.DataFrame]], list[int], int]:
    """Lines from top to bottom, a name and a table with one row per output; where terms begin; how many are hidden."""
    table = explanation.effects
    if not len(table):
        raise InputError("There are no effects to draw: groups have none.")
    table = table[table["effect"].notna()]
    terms = list(dict.fromkeys(table["term"]))
    lines: list[tuple[str, pd.DataFrame]] = []
    starts = []
    for term in terms[:top]:
        starts.append(len(lines))
        lines += _lines_of(term, table[table["term"] == term])
    return lines, starts, len(terms) - len(starts)


def _lines_of(term: str, table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The lines of a term: one of a number, one per level of a category (of two levels the second)."""
    if table["level"].isna().all():
        step = table["step"].iloc[0]
        return [(f"{term}, {step.removeprefix('from ')}" if step.startswith("from ") else term, table)]
    sizes = table["effect"].abs().groupby(table["level"], sort=False).max()
    largest = sizes.iloc[1:] if len(sizes) == 2 else sizes.sort_values(ascending=False, kind="stable")[:MOST_LEVELS]
    levels = [level for level in sizes.index if level in largest.index]
    return [(f"{term} = {level}", table[table["level"] == level]) for level in levels]


def _draw_line(
    ax: Axes, row: int, table: pd.DataFrame, outputs: list[str], times: float, hold: bool, size: float
) -> None:
    """The dots of one line, one below the other for several classes."""
    shown = table[table["output"].isin(outputs)] if outputs else table
    for line in shown.to_dict("records"):
        k = outputs.index(line["output"]) if outputs else 0
        at = row + 0.7 * ((k + 0.5) / max(len(outputs), 1) - 0.5)
        colour, dash, _ = look.series(k)
        if np.isfinite([line["lower"], line["upper"]]).all():
            ends, style = times * np.array([line["lower"], line["upper"]]), colour if hold else look.UNSURE
            ax.plot(ends, [at, at], color=style, linestyle=dash, linewidth=1.6, zorder=2)
        [dot] = ax.plot(times * line["effect"], at, "o", color=colour, markersize=max(3.0, 0.5 * size), zorder=3)
        dot.set_label(f"_{line['term']}")
        tip(dot, *_tip(line, times))


def _tip(line: dict[Any, Any], times: float) -> list[str]:
    of = "" if line["level"] is None else f" = {name_in_text(line['level'])}"
    output = f"class {name_in_text(line['output'])}" if "output" in line else ""
    effect = f"effect {number(times * line['effect'])}{' points' if times == 100.0 else ''}"
    return [name_in_text(line["term"]) + of, output, line["step"], effect]


def _notes(explanation: Any) -> list[str]:
    """Notes on the changes and on the intervals."""
    table = explanation.effects
    kinds = set(table["kind"])
    changes = ["one sd"] * ("slope" in kinds) + ["between the values named"] * ("step" in kinds)
    parts = [f"numbers: {', or '.join(changes)}"] * bool(changes) + ["levels: against the rest"] * ("level" in kinds)
    classes = table["output"].nunique() if "output" in table else 0
    parts += [f"{MOST_OUTPUTS} of {classes} classes"] * (classes > MOST_OUTPUTS)
    return ["; ".join(parts), interval_note(explanation, "lines")]


EFFECTS = Plot(
    name="effects",
    draw=effects,
    of="effects",
    file="effects",
    section="variables",
    caption="Mean changes of the prediction.",
    alt="Effects as dots with intervals, of the leading variables first; all are in the table.",
    options={"top": 10},
)


def row(explained: Any, *, top: int | None = 10, ax: Axes | None = None) -> Axes:
    """Contributions of first order to the prediction of one row, as signed bars, the largest first.

    They are in the units of the target, of probabilities in percentage points. `RowExplanation.to_frame` has the
    numbers.

    Args:
        explained: The result of `Explanation.row`.
        top: How many variables to show; None for all.
        ax: The Axes to draw in; None for a new figure.

    Returns:
        The Axes. The sum of the contributions is below the axis.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> explanation = rsens.explain(model, X, random_state=0)
        >>> ax = rsens.plots.row(explanation.row(position=0))
        >>> ax.get_xlabel()
        'contribution of first order'
    """
    look.check_plot(explained, "row", "Explanation.row", ("to_frame", "adds_up", "in_points"), ax=ax, top=top)
    frame = explained.to_frame()
    shown = frame.iloc[:top]
    more = len(frame) - len(shown)
    ax = look.row_axes(len(shown) + bool(more), [explained.adds_up], row=0.3) if ax is None else ax
    values = (100.0 if explained.in_points else 1.0) * shown["contribution"].to_numpy(dtype=np.float64)
    ax.barh(np.arange(len(values)), values, height=0.7, color=np.where(values < 0.0, look.VERMILLION, look.BLUE))
    ax.axvline(0.0, color=look.BLACK, linewidth=0.8)
    pairs = zip(shown["term"], shown["value"], strict=True)
    look.name_rows(ax, [f"{term} = {value}" if value else str(term) for term, value in pairs], more)
    of = "" if explained.output is None else f" to {name_in_text(explained.output)}"
    unit = ", percentage points" if explained.in_points else ""
    look.plain(ax.set_xlabel(f"contribution of first order{of}{unit}"))
    look.add_notes(ax, [explained.adds_up])
    look.tidy(ax, keep=("bottom",))
    return ax


ROW = Plot(name="row", draw=row, of="row", file="row")
