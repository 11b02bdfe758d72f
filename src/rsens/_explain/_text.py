"""An explanation as short tables with a legend: plain text, and HTML for notebooks."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from rsens._explain._cells import directions, hidden, part_columns, shares, stars
from rsens._explain._legend import (
    UNITS,
    directions_legend,
    intervals_legend,
    pairs_legend,
    two_valued_legend,
    variables_legend,
)
from rsens._explain._tables import LEADING
from rsens._text import Pair, aligned, counted, number, on_one_line, p_text, safe, short, width_of

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

ROWS = 10
#: The width of legends.
WIDTH = 100


@dataclass(frozen=True)
class _Table:
    """Cells as texts, names first, and what is said below."""

    title: str
    names: Sequence[str]
    columns: dict[str, list[str]]
    legend: list[str]

    @property
    def filled(self) -> dict[str, list[str]]:
        """The columns that are not empty."""
        return {head: cells for head, cells in self.columns.items() if any(cell.strip() for cell in cells)}


def text(explanation: Explanation) -> str:
    """A heading, the leading terms, and the leading pairs where there are any."""
    blocks = [heading(explanation)]
    for table in _tables(explanation):
        columns = [_padded([table.title, *map(short, table.names)], left=True)]
        columns += [_padded([head, *cells], left=head in LEFT) for head, cells in table.filled.items()]
        lines = ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
        blocks.append("\n".join([*lines, *map(_folded, table.legend)]))
    return "\n\n".join(blocks)


def as_html(explanation: Explanation) -> str:
    """The same as tables. Everything that comes from the data is escaped: a column may be called `<script>`."""
    blocks = [f"<p><strong>{html.escape(heading(explanation))}</strong></p>"]
    for table in _tables(explanation):
        columns = table.filled
        head = "".join(f"<th>{html.escape(column)}</th>" for column in ("", *columns))
        rows = zip(table.names, *columns.values(), strict=True)
        body = "".join(_html_row(name, cells) for name, *cells in rows)
        legend = "".join(f"<p>{html.escape(line)}</p>" for line in table.legend)
        blocks.append(
            f'<table border="1"><caption>{html.escape(table.title)}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{legend}"
        )
    return f'<div class="rsens-explanation">{"".join(blocks)}</div>'


def heading(explanation: Explanation) -> str:
    """What was explained, in one line."""
    outside = int(explanation.extrapolation.sum())
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

#: Columns of words, not of numbers.
LEFT = ("direction", "")
#: Columns by part or by output.
USUAL_STARTS = ("part_", "direction_", "consistency_")
PREDICTION, UNCERTAINTY, ONLY = "prediction", "uncertainty", "uncertainty only"


def _tables(explanation: Explanation) -> list[_Table]:
    """The variables, then the pairs if there are any."""
    tables = [_variables(explanation)]
    if explanation.order == 2 and len(explanation.pairs):
        tables.append(_pairs(explanation))
    return tables


def _variables(explanation: Explanation) -> _Table:
    e = explanation
    frame = e.to_frame()
    shown = frame.head(ROWS)
    columns, write = _values(e, frame, shown)
    columns["null"] = [write(level) for level in shown["null"]]
    columns["p"] = [p_text(p) for p in shown["p_value"]]
    columns["direction"] = directions(e, list(shown["term"]))
    legend = [*hidden(e, frame, ROWS, "in to_frame()"), *variables_legend(e), *intervals_legend(e)]
    legend += directions_legend(e)
    if parts := part_columns(frame):
        columns |= {name: shares(shown, part) for name, part in zip((PREDICTION, UNCERTAINTY), parts, strict=True)}
        legend.append("prediction, uncertainty: how much of R-sens moves the one, and how much the other")
    names = [str(term) for term in shown["term"]]
    columns |= _further(shown)
    return _Table("Variables", names, columns, legend + two_valued_legend(e))


def _pairs(explanation: Explanation) -> _Table:
    e = explanation
    frame = e.to_frame(order=2)
    shown = frame.head(ROWS)
    columns, _ = _values(e, frame, shown)
    columns["p"] = [p_text(p) for p in shown["p_value"]]
    if parts := part_columns(frame):
        columns[PREDICTION] = shares(shown, parts[0])
        columns[""] = [ONLY if only else "" for only in shown["uncertainty_only"]]
    columns |= _further(shown)
    names = [Pair(first, second) for first, second in zip(shown["first"], shown["second"], strict=True)]
    notes = () if e._interactions is None else e._interactions.pair_notes
    legend = [*hidden(e, frame, ROWS, "in to_frame(2)"), *pairs_legend(e), *notes]
    return _Table("Pairs", names, columns, legend)


def _further(shown: pd.DataFrame) -> dict[str, list[str]]:
    """Numbers that are not among the usual columns: of a field that was added to explanations."""
    usual = {*LEADING, "uncertainty_only"}
    further = [name for name in shown if name not in usual and not str(name).startswith(USUAL_STARTS)]
    return {str(name): [number(value) for value in shown[name]] for name in further}


def _values(
    explanation: Explanation, frame: pd.DataFrame, shown: pd.DataFrame
) -> tuple[dict[str, list[str]], Callable[[float | None], str]]:
    """The values with their stars, and their intervals; and how such numbers are written."""
    write = aligned(float(frame["value"].max())) if explanation.scale_kind == "sd" else number
    values = [write(value) + star for value, star in zip(shown["value"], stars(explanation, shown), strict=True)]
    ends = {end: [write(value) for value in shown[end]] for end in ("lower", "upper")}
    return {"value ": values, **ends}, write


# ---- lines -----------------------------------------------------------------------------------------------------------


def _padded(cells: Sequence[str], *, left: bool) -> list[str]:
    width = max(map(width_of, cells))
    spaces = [" " * (width - width_of(cell)) for cell in cells]
    return [cell + space if left else space + cell for cell, space in zip(cells, spaces, strict=True)]


def _folded(line: str) -> str:
    return textwrap.fill(safe(line), WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def _html_row(name: str, cells: Sequence[str]) -> str:
    head = f'<th style="text-align:left;max-width:40em;overflow-wrap:anywhere">{html.escape(on_one_line(name))}</th>'
    return f"<tr>{head}{''.join(f'<td>{html.escape(cell.strip())}</td>' for cell in cells)}</tr>"
