"""The rows that can be looked at one by one: what `Explanation.row` prints of each, ready for the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np

from rsens._document import ShownTable
from rsens._explain import RowExplanation, local_rows
from rsens._text import as_label, percent, side_by_side, value_text
from rsens._typing import Positions
from rsens.plots import predictive

#: The most rows that can be looked at: of more, these are spread evenly over the table.
MOST_ROWS = 100
#: The level of the predictive intervals.
LEVEL = 0.9


def rows(study: Any) -> list[dict[str, str]]:
    """The label of each row, and its prediction and tables as HTML."""
    e = study.explanation
    shown = np.unique(np.linspace(0, e.n - 1, min(e.n, MOST_ROWS)).round().astype(np.intp))
    found, table = local_rows(e, study.model, study.X)
    records = found.rows(shown)
    return [
        {"label": as_label(e.local_main.index[record.position]), "html": _html(RowExplanation(e, record, table), more)}
        for record, more in zip(records, _more(study, shown), strict=True)
    ]


def _html(row: RowExplanation, more: str) -> str:
    heading, *blocks = row._document().blocks
    tables = [block for block in blocks if isinstance(block, ShownTable)]
    pages = [table.page(f"row-{k}", len(table.columns[0].cells)) for k, table in enumerate(tables)]
    return f"<h3>{escape(as_label(heading.text(10_000)))}</h3>{more}{''.join(pages)}"


def _more(study: Any, shown: Positions) -> Iterator[str]:
    """The predictive interval of each row, and the observed value."""
    texts: list[list[str]] = [[] for _ in shown]
    if study.likelihood.classes is None:
        bands = predictive(study.model.predict_distribution(study.X.iloc[shown]), np.array([LEVEL]))[-1][:, 0, :, 0]
        for text, ends in zip(texts, bands, strict=True):
            interval = " to ".join(side_by_side(list(ends), max(map(abs, ends))))
            text.append(f"{percent(LEVEL, level=True)} interval {interval}")
    if study.y is not None:
        for text, y in zip(texts, study.y.iloc[shown], strict=True):
            text.append(f"observed {as_label(y if isinstance(y, str) else value_text(float(y)))}")
    for text in texts:
        line = "; ".join(text)
        yield f"<p>{escape(line[:1].upper() + line[1:])}.</p>" if line else ""


def json_in_html(content: Any) -> str:
    """JSON for a script element: nothing in it can end the element or begin a comment."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))  # ASCII: no line separators
    return text.replace("<", "\\u003c")
