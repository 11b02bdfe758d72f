"""A difference of explanations as short tables with a legend: plain text, and HTML for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from rsens import _html as html
from rsens import _meaning as meaning
from rsens._explain._text import UNITS, ShownTable, html_of, text_of
from rsens._text import Pair, aligned, counted, listed, number, p_text, short

if TYPE_CHECKING:
    from rsens._explain._difference import Difference

ROWS = 10
MOST_NAMES = 10


def text(difference: Difference) -> str:
    """A heading, the largest differences, and those of pairs where there are any."""
    return text_of(heading(difference), tables(difference))


def as_html(difference: Difference) -> str:
    """The same for notebooks."""
    return html.view(html.heading(heading(difference)), *html_of(tables(difference)))


def heading(difference: Difference) -> str:
    """What was compared, in one line."""
    one, other = difference._both.rows
    rows = f"the same {counted(one, 'row')}" if difference.same_rows else f"{one:,} and {counted(other, 'row')}"
    return f"R-sens {UNITS[difference.scale_kind]}, {short(difference.title, 60)}, over {rows}"


def tables(difference: Difference) -> list[ShownTable]:
    """The variables, then the pairs if there are any."""
    found = [_table(difference, 1)]
    if difference.order == 2:
        found.append(_table(difference, 2))
    return found


def _table(difference: Difference, order: int) -> ShownTable:
    d, frame = difference, difference.to_frame(order)
    shown = frame.head(ROWS)
    values = frame[["value_a", "value_b"]].to_numpy()
    write = aligned(float(values.max())) if d.scale_kind == "sd" else number
    one, other = (short(name, 18) for name in d.names)
    columns = {
        one: [write(value) for value in shown["value_a"]],
        other: [write(value) for value in shown["value_b"]],
        f"{one} − {other} ": [
            write(value) + (meaning.DIFFERS_MARK if _true(mark) else " ")
            for value, mark in zip(shown["a_minus_b"], shown["differs"], strict=True)
        ],
        "lower": [write(value) for value in shown["lower"]],
        "upper": [write(value) for value in shown["upper"]],
        "p": [p_text(p) for p in shown["p_value"]],
    }
    if order == 1:
        return ShownTable("Variables", [str(term) for term in shown["term"]], columns, _legend(d, frame))
    pairs = zip(shown["first"], shown["second"], strict=True)
    return ShownTable("Pairs", [Pair(*pair) for pair in pairs], columns, _more(frame, 2))


def _legend(difference: Difference, frame: pd.DataFrame) -> list[str]:
    d = difference
    lines = _more(frame, 1)
    if d.differs is not None:
        lines.append(f"{meaning.DIFFERS_MARK} {meaning.DIFFERS}; {meaning.DIFFERS_BY_CHANCE}")
    if d.interval_kind is not None:
        lines.append(f"intervals: {meaning.difference_interval(d.interval_kind, d.level)}")
    for name, values in d.only.items():
        if len(values):
            ranked = values.sort_values(ascending=False, kind="stable")
            terms = [f"{short(str(term))} ({number(value)})" for term, value in ranked.items()]
            lines.append(f"only in {short(name)}: {listed(terms, MOST_NAMES)}")
    lines += [f"not compared: {short(term)}, as {reason}" for term, reason in d.left_out.items()]
    return [*lines, *d.notes]


def _more(frame: pd.DataFrame, order: int) -> list[str]:
    """How many more there are, and which of them are marked."""
    rest = frame.iloc[ROWS:]
    if not len(rest):
        return []
    marked = [line["term"] for line in rest.to_dict("records") if _true(line["differs"])]
    also = f"; with a mark: {listed([short(str(term)) for term in marked], MOST_NAMES)}" if marked else ""
    return [f"… and {len(rest)} more in to_frame({'' if order == 1 else order}){also}"]


def _true(mark: object) -> bool:
    return mark is not pd.NA and bool(mark)
