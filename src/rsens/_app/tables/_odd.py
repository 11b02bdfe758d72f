"""Columns of text that would be numbers, or dates, were it not for a few odd cells: <5, 12.3*, 1O."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from rsens._app.tables._cells import is_mark
from rsens._app.tables._clean import is_text
from rsens._app.tables._readings import DECIMAL_COMMA, ISO_DATE, PERCENT, PLAIN, THOUSANDS
from rsens._text import counted, quoted

WAYS = {PLAIN: "number", THOUSANDS: "number", DECIMAL_COMMA: "number", PERCENT: "percentage", ISO_DATE: "date"}
#: A number with a limit before it or a star behind it, as in tables of measurements.
QUALIFIED = re.compile(r"[<>≤≥~≈]=?\s*[+-]?[\d.,]*\d|[+-]?\d[\d.,]*\s*[*†‡]+")
#: From this share on, cells that are numbers say what the column is.
MOST = 0.8
#: Cells with a limit or a star count as numbers if at least this share of the cells are plain numbers.
HALF = 0.5
#: Longer cells are cut in a sentence.
LONG = 30


def odd_cells(column: Any) -> str | None:
    """What keeps a column of text from being numbers or dates, in words; None if most of its cells are something else.

    Cells that stand for missing values do not count.
    """
    if not is_text(column):
        return None
    counts: Counter[str] = Counter()
    for cell, count in column.value_counts().items():
        if not is_mark(cell):
            counts[cell.strip()] += int(count)
    total = counts.total()
    fitting = {way: sum(n for cell, n in counts.items() if way.fullmatch(cell)) for way in WAYS}
    best = max(fitting, key=lambda way: fitting[way])
    n = fitting[best]
    qualified = sum(count for cell, count in counts.items() if QUALIFIED.fullmatch(cell))
    if n == total or (n < MOST * total and (n < HALF * total or n + qualified < MOST * total)):
        return None
    odd = [cell if len(cell) <= LONG else f"{cell[: LONG - 1]}…" for cell in counts if not best.fullmatch(cell)]
    return f"{counted(n, WAYS[best])} and {counted(total - n, 'other cell')} ({quoted(odd, 3)})"
