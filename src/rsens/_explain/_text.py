"""An explanation as a short table: plain text, and HTML for notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import pandas as pd

from rsens._text import counted, on_one_line, short
from rsens.measures import arrows

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

ROWS = 10
UNITS = {"sd": "per standard deviation", "raw": "per unit", "given": "per given unit"}


def text(explanation: Explanation) -> str:
    """A heading, the leading terms, and the leading pairs where there are any."""
    blocks = [heading(explanation)]
    for title, frame, hidden in _tables(explanation):
        shown = frame.assign(term=[short(term) for term in frame["term"]])
        more = f"\n… and {hidden} more: to_frame()" if hidden else ""
        blocks.append(f"{title}\n{shown.to_string(index=False, float_format='{:.4g}'.format, na_rep='')}{more}")
    return "\n\n".join(blocks)


def as_html(explanation: Explanation) -> str:
    """The same as tables. Everything that comes from the data is escaped: a column may be called `<script>`."""
    blocks = [f"<p><strong>{html.escape(heading(explanation))}</strong></p>"]
    for title, frame, hidden in _tables(explanation):
        head = "".join(f"<th>{html.escape(str(column))}</th>" for column in frame.columns)
        body = "".join(_html_row(row) for row in frame.itertuples(index=False, name=None))
        more = f"<p>… and {hidden} more: <code>to_frame()</code></p>" if hidden else ""
        blocks.append(
            f'<table border="1"><caption>{html.escape(title)}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
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


def _tables(explanation: Explanation) -> list[tuple[str, pd.DataFrame, int]]:
    """Title, leading rows and number of rows left out: of the variables, then of the pairs."""
    tables = []
    for title, order in (("Variables", 1), ("Pairs", 2))[: explanation.order]:
        frame = _with_arrows(explanation.to_frame(order=order))
        frame = frame.drop(columns=["rank", "first", "second", "above_null"], errors="ignore")
        if len(frame):
            leading = frame.head(ROWS).dropna(axis=1, how="all")
            tables.append((title, leading, len(frame) - len(leading)))
    return tables


def _with_arrows(frame: pd.DataFrame) -> pd.DataFrame:
    """Directions with ▲ or ▼, or with ± where they are not consistent, in place of two columns of numbers."""
    for direction in [column for column in frame.columns if column.startswith("direction")]:
        consistency = direction.replace("direction", "consistency", 1)
        signs = arrows(frame[direction], frame[consistency])
        numbers = [f"{value:.4g} {sign}".strip() for value, sign in zip(frame[direction], signs, strict=True)]
        frame[direction] = pd.Series(numbers, dtype=object).where(frame[direction].notna())
        frame = frame.drop(columns=consistency)
    return frame


def _html_row(row: tuple[Any, ...]) -> str:
    term, *values = row
    name = f'<th style="text-align:left;max-width:40em;overflow-wrap:anywhere">{html.escape(on_one_line(term))}</th>'
    return f"<tr>{name}{''.join(f'<td>{html.escape(_cell(value))}</td>' for value in values)}</tr>"


def _cell(value: Any) -> str:
    if pd.isna(value):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
