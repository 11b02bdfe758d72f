"""A selection for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from rsens import _html as html
from rsens._select_interactions._text import answer, heading
from rsens._text import number

if TYPE_CHECKING:
    from rsens._select_interactions._selection import Selection


def as_html(selection: Selection) -> str:
    """The answer of every method, and the scores."""
    several = len(selection.methods) > 1
    answers = [f"{f'{m}: ' if several else ''}{answer(selection, m)}" for m in selection.methods]
    table = selection.summary()
    names = [
        f"{f'{method}, ' if several else ''}{'all pairs' if pd.isna(k) else f'{k} pair' + ('' if k == 1 else 's')}"
        for method, k in zip(table["method"], table["k"], strict=True)
    ]
    columns = {
        str(column).replace("_", " "): [number(float(value), unknown="") for value in table[column]]
        for column in table.columns
        if column not in ("method", "k")
    }
    return html.view(*map(html.paragraph, answers), html.table(heading(selection), names, columns))
