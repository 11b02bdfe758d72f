"""An explanation as short tables with a legend: plain text, and HTML for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from rsens import _html as html
from rsens import _meaning as meaning
from rsens._explain._by_frame import by_columns, by_legend
from rsens._explain._cells import directions, draw_parts, hidden, part_columns, shares, stars
from rsens._explain._effect_cells import EffectLine, effect_lines, effects_legend
from rsens._explain._legend import (
    UNITS,
    directions_legend,
    intervals_legend,
    pairs_legend,
    two_valued_legend,
    variables_legend,
)
from rsens._explain._tables import LEADING
from rsens._html import Html
from rsens._text import Pair, counted, number, p_text, side_by_side
from rsens._views import ShownTable, folded, html_of, text_of

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

ROWS = 10
#: Of how many variables effects are listed; `Explanation.effects` has all.
EFFECTS = 5


def text(explanation: Explanation) -> str:
    """A heading, the leading terms, and the leading pairs where there are any."""
    said = f"\n{folded(explanation.understood)}" if explanation.understood else ""
    return text_of(heading(explanation) + said, _tables(explanation))


def as_html(explanation: Explanation) -> str:
    """The same for notebooks."""
    said = [html.paragraph(explanation.understood)] if explanation.understood else []
    return html.view(html.heading(heading(explanation)), *said, *html_tables(explanation))


def html_tables(explanation: Explanation) -> list[Html]:
    """The leading terms, and the leading pairs where there are any, with their legends."""
    return html_of(_tables(explanation))


def heading(explanation: Explanation) -> str:
    """What was explained, in one line."""
    outside = explanation._rows.outside
    rows = counted(explanation.n, "row")
    if outside:
        rows += f" ({outside} extrapolating)"
    summary = "mean" if explanation.aggregate == "mean" else "root mean square"
    alpha = "" if explanation.alpha == 1.0 else f", alpha = {explanation.alpha:g}"
    switch = " (categorical columns: per switch)" if explanation.categorical and explanation.scale_kind == "raw" else ""
    pairs = ", pairs on the link scale" if explanation.order == 2 and explanation.pair_scale == "link" else ""
    return (
        f"R-sens {UNITS[explanation.scale_kind]}{switch}, {summary} over {rows}, {explanation.family} predictive{alpha}"
        f"{pairs}"
    )


# ---- tables ----------------------------------------------------------------------------------------------------------

#: Columns by part or by output.
USUAL_STARTS = ("part_", "direction_", "consistency_")
PREDICTION, UNCERTAINTY, ONLY = "prediction", "uncertainty", "uncertainty only"


def _tables(explanation: Explanation) -> list[ShownTable]:
    """The variables, what a change of them does, then the pairs and the subgroups if there are any."""
    tables = [_variables(explanation)]
    if lines := effect_lines(explanation, EFFECTS):
        tables.append(_effects(explanation, lines))
    if explanation.order == 2 and len(explanation.pairs):
        tables.append(_pairs(explanation))
    if explanation.by is not None:
        tables.append(ShownTable("Subgroups", *by_columns(explanation, ROWS), by_legend(explanation)))
    return tables


def _variables(explanation: Explanation) -> ShownTable:
    e = explanation
    frame = e.to_frame()
    shown = frame.head(ROWS)
    columns = _values(e, frame, shown, "null")
    columns["p"] = [p_text(p) for p in shown["p_value"]]
    columns["direction"] = directions(e, list(shown["term"]))
    legend = [*hidden(e, frame, ROWS, "in to_frame()"), *variables_legend(e), *intervals_legend(e)]
    legend += directions_legend(e)
    if parts := draw_parts(frame):
        columns |= {name: shares(shown, f"part_{name}") for name in parts}
        legend.append(f"{', '.join(parts)}: how much of R-sens {meaning.DRAW_PARTS}")
    elif parts := part_columns(frame):
        columns |= {name: shares(shown, part) for name, part in zip((PREDICTION, UNCERTAINTY), parts, strict=True)}
        legend.append("prediction, uncertainty: how much of R-sens moves the one, and how much the other")
    names = [str(term) for term in shown["term"]]
    columns |= _further(shown)
    return ShownTable("Variables", names, columns, legend + two_valued_legend(e))


def _effects(explanation: Explanation, lines: list[EffectLine]) -> ShownTable:
    columns = {
        "step": [line.step for line in lines],
        "effect": [line.effect for line in lines],
        "lower": [line.lower for line in lines],
        "upper": [line.upper for line in lines],
        "per unit": [line.per_unit for line in lines],
        "percent": [line.percent for line in lines],
        "spread": [line.spread for line in lines],
    }
    return ShownTable("Effects", [line.name for line in lines], columns, effects_legend(explanation, lines))


def _pairs(explanation: Explanation) -> ShownTable:
    e = explanation
    frame = e.to_frame(order=2)
    shown = frame.head(ROWS)
    columns = _values(e, frame, shown)
    columns["p"] = [p_text(p) for p in shown["p_value"]]
    if parts := part_columns(frame):
        columns[PREDICTION] = shares(shown, parts[0])
        columns[""] = [ONLY if only else "" for only in shown["uncertainty_only"]]
    columns |= _further(shown)
    names = [Pair(first, second) for first, second in zip(shown["first"], shown["second"], strict=True)]
    notes = () if e._interactions is None else e._interactions.pair_notes
    legend = [*hidden(e, frame, ROWS, "in to_frame(2)"), *pairs_legend(e), *notes]
    return ShownTable("Pairs", names, columns, legend)


def _further(shown: pd.DataFrame) -> dict[str, list[str]]:
    """Numbers that are not among the usual columns: of a field that was added to explanations."""
    usual = {*LEADING, "uncertainty_only"}
    further = [name for name in shown if name not in usual and not str(name).startswith(USUAL_STARTS)]
    return {str(name): [number(value) for value in shown[name]] for name in further}


def _values(explanation: Explanation, frame: pd.DataFrame, shown: pd.DataFrame, *further: str) -> dict[str, list[str]]:
    """The values with their stars, their intervals, and further columns of such numbers."""
    names = ["value", "lower", "upper", *further]
    largest = float(frame["value"].max())
    lines = [
        # Values per unit of the column are of any size, so each line is on its own.
        side_by_side(line, largest if explanation.scale_kind == "sd" else max(line, key=abs))
        for line in shown[names].to_numpy(dtype=float).tolist()
    ]
    columns = {name: [line[k] for line in lines] for k, name in enumerate(names)}
    marked = [value + star for value, star in zip(columns.pop("value"), stars(explanation, shown), strict=True)]
    return {"value ": marked, **columns}
