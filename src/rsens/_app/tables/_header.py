"""The first line of a text file: does it have names, or is it a row like those below?

Text above numbers is a name. Else it is a row if at least half of its texts occur again below, in the same column; or
if at least a third of its cells are numbers or dates, above numbers or dates. Numbers may be names all the same, as in
tables by year or by wavelength: whole numbers that increase, or equal steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rsens._app.tables._cells import MISSING
from rsens._app.tables._dates import form_of
from rsens._app.tables._numbers import number_in, taken_apart

#: From these shares on, cells of the first line say that it is a row.
TEXTS, NUMBERS = 1 / 2, 1 / 3
#: Fewer names that increase may do so by chance.
LEAST_NAMES = 3
#: The first columns tell; with thousands, looking at all takes longer than all other reading.
COLUMNS = 200


def is_row(line: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the first line has no names; `below` are the first rows."""
    rows = [row for row in below if len(row) == len(line)]
    cells = [cell.strip() for cell in line[:COLUMNS]]
    filled = [d for d, cell in enumerate(cells) if cell and cell not in MISSING]
    if not rows or not filled:
        return False
    amounts = [d for d in filled if _is_amount(cells[d])]
    texts = [d for d in filled if d not in amounts]
    over_amounts = [d for d in filled if all(_is_amount(row[d]) or row[d].strip() in MISSING for row in rows)]
    if set(texts) & set(over_amounts):
        return False
    again = [d for d in texts if any(row[d].strip() == cells[d] for row in rows)]
    if texts and len(again) >= TEXTS * len(texts):
        return True
    alike = set(amounts) & set(over_amounts)
    return bool(alike) and len(alike) >= NUMBERS * len(filled) and not _are_names([cells[d] for d in amounts])


def _is_amount(cell: str) -> bool:
    """Whether a cell is a number or a date."""
    return taken_apart(cell) is not None or form_of([cell.strip()]) is not None


def _are_names(cells: Sequence[str]) -> bool:
    """Whether numbers may be names: 1990, 1991, 1992 or 400.5, 401, 401.5."""
    try:
        values = np.array([number_in(cell, "plain_text") for cell in cells])
    except ValueError:
        return False
    steps = np.diff(values)
    whole = bool((values == np.floor(values)).all() and (steps > 0.0).all())
    equal = len(steps) > 1 and bool(np.allclose(steps, steps[0], rtol=1e-6) and steps[0] != 0.0)
    return len(values) >= LEAST_NAMES and (whole or equal)
