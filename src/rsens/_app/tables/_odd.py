"""Columns of text that would be numbers, or dates, were it not for a few odd cells: <5, 12.3*, 1O, 31/02/2024."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from rsens._app.tables._cells import is_mark
from rsens._app.tables._clean import is_text
from rsens._app.tables._dates import FIRST, FORMS, DateCells
from rsens._app.tables._numbers import way_of_most
from rsens._app.tables._tally import tally
from rsens._text import counted, quoted

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
    for cell, count in tally(column).items():
        if not is_mark(cell):
            counts[cell.strip()] += int(count)
    if not (total := counts.total()):
        return None
    noun, n, others = max(way_of_most(counts), _dates(counts), key=lambda way: way[1])
    qualified = sum(count for cell, count in counts.items() if QUALIFIED.fullmatch(cell))
    if n == total or (n < MOST * total and (n < HALF * total or n + qualified < MOST * total)):
        return None
    odd = [cell if len(cell) <= LONG else f"{cell[: LONG - 1]}…" for cell in others]
    return f"{counted(n, noun)} and {counted(total - n, 'other cell')} ({quoted(odd, 3)})"


def _dates(counts: Counter[str]) -> tuple[str, int, list[str]]:
    """How many cells are dates in the form that fits most of them, and the others."""
    cells = list(counts)
    best: tuple[str, int, list[str]] = ("date", 0, cells)
    some, taken_apart = DateCells.of(cells[:FIRST]), None
    for form in FORMS:
        if np.isnat(some.moments(form)[0]).mean() > 1.0 - HALF:
            continue
        taken_apart = taken_apart or DateCells.of(cells)
        wrong = np.isnat(taken_apart.moments(form)[0])
        n = sum(counts[cell] for cell, is_wrong in zip(cells, wrong, strict=True) if not is_wrong)
        if n > best[1]:
            best = ("date", n, [cell for cell, is_wrong in zip(cells, wrong, strict=True) if is_wrong])
    return best
