"""What a change of each variable does to the prediction: dots with intervals, and a line at 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._errors import InputError
from rsens._text import number
from rsens.plots._marks import interval_note
from rsens.plots._plot import Layout, Plot, name_in_text, tip
from rsens.plots._style import (
    BLACK,
    BLUE,
    DASHES,
    LINE_HEIGHT,
    SERIES,
    axes_points,
    check_plot,
    font_size,
    lines_below,
    name_ticks,
    new_axes,
    short_labels,
    small,
    tidy,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

UNSURE = "#808080"  # intervals that do not hold
GUIDE = "#B0B0B0"
#: Predictions that are probabilities: effects are in percentage points.
PROBABILITIES = ("Bernoulli", "Categorical")
#: The most levels of a category: those with the largest effects.
MOST_LEVELS = 6
#: The most classes in colours of their own.
MOST_OUTPUTS = len(SERIES)
MOST, MOST_ON_PAGE = 12, 8


@dataclass(frozen=True, eq=False)
class _Shown:
    """The lines of a figure, from top to bottom."""

    names: list[str]
    tables: list[pd.DataFrame]  # of each line: one row per output
    starts: list[int]  # where the lines of a category begin and those of the next term do
    hidden: int


def effects(explanation: Any, *, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Effects of the leading variables on the prediction, as dots with intervals.

    A number changes by one standard deviation, or from one value to another where that is stated beside its name; a
    level of a category is compared with the rest. The change is in the units of the target, of probabilities in
    percentage points; several classes have a colour each. `Explanation.effects` has the numbers.

    Args:
        explanation: What `rsens.explain` returned.
        top: How many variables to show; None for all. Of a category with many levels the largest effects are shown.
        ax: Where to draw; None for a figure of its own.

    Returns:
        The Axes. Names that were shortened are whole in the `gid` of the tick labels.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> explanation = rsens.explain(model, X, random_state=0)
        >>> ax = rsens.plots.effects(explanation)
        >>> ax.get_xlabel().splitlines()[0]
        'change of the prediction'
    """
    check_plot(explanation, "effects", "rsens.explain", ("effects", "interval_kind"), ax=ax, top=top)
    shown = _shown(explanation, top)
    rows = len(shown.names) + bool(shown.hidden)
    notes, outputs = _notes(explanation), _outputs(explanation)
    ax = _new_axes(rows * _line_height(outputs), notes) if ax is None else ax
    size = font_size(ax, rows)
    times = 100.0 if explanation.family in PROBABILITIES else 1.0
    ax.axvline(0.0, color=BLACK, linewidth=0.8, zorder=1)
    for row, table in enumerate(shown.tables):
        _draw_line(ax, row, table, outputs, times, explanation.intervals_hold, size)
    for row in shown.starts[1:]:
        ax.axhline(row - 0.5, color=GUIDE, linewidth=0.5, zorder=0)
    name_ticks(ax.yaxis, shown.names, size, more=shown.hidden)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(rows - 0.5, -0.5)
    ax.margins(x=0.06)
    _label(ax, explanation, notes, outputs)
    tidy(ax, keep=("bottom",))
    return ax


def _shown(explanation: Any, top: int | None) -> _Shown:
    table = explanation.effects
    if not len(table):
        raise InputError("There are no effects to draw: groups have none, and neither do files of earlier releases.")
    table = table[table["effect"].notna()]
    terms = list(dict.fromkeys(table["term"]))
    kept = terms if top is None else terms[:top]
    names: list[str] = []
    tables, starts = [], []
    for term in kept:
        starts.append(len(names))
        for name, lines in _lines_of(term, table[table["term"] == term]):
            names.append(name)
            tables.append(lines)
    return _Shown(names, tables, starts, len(terms) - len(kept))


def _lines_of(term: str, table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The lines of a term: one of a number, one per level of a category (of two levels the second)."""
    if table["level"].isna().all():
        step = table["step"].iloc[0]
        return [(f"{term}, {step.removeprefix('from ')}" if step.startswith("from ") else term, table)]
    levels = list(dict.fromkeys(table["level"]))
    sizes = {level: float(table.loc[table["level"] == level, "effect"].abs().max()) for level in levels}
    if len(levels) == 2:
        levels = levels[1:]
    elif len(levels) > MOST_LEVELS:
        largest = sorted(levels, key=lambda level: -sizes[level])[:MOST_LEVELS]
        levels = [level for level in levels if level in largest]
    return [(f"{term} = {level}", table[table["level"] == level]) for level in levels]


def _outputs(explanation: Any) -> list[str]:
    table = explanation.effects
    return [] if "output" not in table else list(dict.fromkeys(table["output"]))[:MOST_OUTPUTS]


def _draw_line(
    ax: Axes, row: int, table: pd.DataFrame, outputs: list[str], times: float, hold: bool, size: float
) -> None:
    """The dots of one line, one below the other for several classes."""
    shown = table[table["output"].isin(outputs)] if outputs else table
    for line in shown.to_dict("records"):
        k = outputs.index(line["output"]) if outputs else 0
        at = row + 0.7 * ((k + 0.5) / max(len(outputs), 1) - 0.5)
        colour = SERIES[k] if outputs else BLUE
        if np.isfinite([line["lower"], line["upper"]]).all():
            ends = [times * line["lower"], times * line["upper"]]
            style = {"linestyle": DASHES[k % len(DASHES)]} if outputs else {}
            ax.plot(ends, [at, at], color=colour if hold else UNSURE, linewidth=1.6, zorder=2, **style)
        [dot] = ax.plot(times * line["effect"], at, "o", color=colour, markersize=max(3.0, 0.5 * size), zorder=3)
        dot.set_label(f"_{line['term']}")
        tip(dot, _tip(line, times))


def _tip(line: dict[Any, Any], times: float) -> str:
    name = name_in_text(line["term"]) + ("" if line["level"] is None else f" = {name_in_text(line['level'])}")
    unit = " points" if times == 100.0 else ""
    texts = [name, *([f"class {name_in_text(line['output'])}"] if "output" in line else []), line["step"]]
    texts.append(f"effect {number(times * line['effect'])}{unit}")
    if np.isfinite(line["lower"]):
        texts.append(f"interval {number(times * line['lower'])} to {number(times * line['upper'])}")
    return "\n".join(texts)


def _label(ax: Axes, explanation: Any, notes: list[str], outputs: list[str]) -> None:
    from matplotlib.lines import Line2D

    what = (
        "change of the probability, percentage points"
        if explanation.family in PROBABILITIES
        else "change of the prediction"
    )
    ax.set_xlabel("\n".join([what, *lines_below(0.85 * axes_points(ax)[0], notes)]))
    if outputs:
        handles = [
            Line2D([], [], color=SERIES[k], marker="o", markersize=0.5 * small(), linestyle=DASHES[k % len(DASHES)])
            for k in range(len(outputs))
        ]
        legend = ax.legend(
            handles, short_labels(outputs), fontsize=small(), loc="lower left", bbox_to_anchor=(0.0, 1.0),
            ncols=min(len(outputs), 3), frameon=False, borderaxespad=0.2,
        )  # fmt: skip
        for text in legend.get_texts():
            text.set_parse_math(False)


def _notes(explanation: Any) -> list[str]:
    """What changes, and what the intervals hold for."""
    table = explanation.effects
    kinds = set(table["kind"])
    parts = ["numbers: one sd" + (", or between the values named" if "step" in kinds else "")] * ("slope" in kinds)
    parts += ["numbers: between the values named"] * ("step" in kinds and "slope" not in kinds)
    parts += ["levels: against the rest"] * ("level" in kinds)
    classes = table["output"].nunique() if "output" in table else 0
    parts += [f"{MOST_OUTPUTS} of {classes} classes"] * (classes > MOST_OUTPUTS)
    note = interval_note(explanation)
    return ["; ".join(parts), *([f"lines: {note}"] if note else [])]


def _line_height(outputs: list[str]) -> float:
    """Room for one line, in inches: several classes stand one below the other."""
    return max(0.3, 0.1 + 0.1 * len(outputs))


def _new_axes(height: float, notes: list[str]) -> Axes:
    width = 6.4
    lines = len(lines_below(72.0 * 0.65 * width, notes))
    return new_axes(width, max(1.6, 0.8 + height) + lines * LINE_HEIGHT * small() / 72.0)


# ---- for results and the report --------------------------------------------------------------------------------------


def _caption(explanation: Any) -> str:
    note = interval_note(explanation)
    what = "probability, in percentage points" if explanation.family in PROBABILITIES else "prediction"
    dots = f"Dots: mean change of the {what}, when a number grows by one standard deviation (or goes from one value to "
    dots += "another, where two are named), or when a category has this level instead of the others."
    return dots + (f" Lines: {note}." if note else "")


def _alt(explanation: Any) -> str:
    table = explanation.effects
    if not len(table):
        return "No effects."
    times = 100.0 if explanation.family in PROBABILITIES else 1.0
    lines = table[table["effect"].notna()].head(5).to_dict("records")
    texts = [
        f"{name_in_text(line['term'])}{'' if line['level'] is None else ' = ' + name_in_text(line['level'])} "
        f"{number(times * line['effect'])}"
        for line in lines
    ]
    return f"Effects as dots with intervals, of the leading variables first: {', '.join(texts)}. All are in the table."


def _layout(explanation: Any) -> Layout:
    if not len(explanation.effects):
        return Layout()
    shown = _shown(explanation, MOST_ON_PAGE)
    rows = len(shown.names) + bool(shown.hidden)
    return Layout(
        height=max(2.0, 1.0 + 0.9 * rows * _line_height(_outputs(explanation))) + 0.35, options={"top": MOST_ON_PAGE}
    )


EFFECTS = Plot(
    name="effects",
    draw=effects,
    of="effects",
    file="effects",
    section="variables",
    caption=_caption,
    alt=_alt,
    options={"top": MOST},
    layout=_layout,
)
