"""Cells of a text file: which of them stand for a missing value, and what a column of them is.

Some signs stand for a missing value everywhere (`MISSING`). Others may be a category of a column of text, a dash say;
they are missing values only where all other cells of the column are numbers or dates (`MARKS`).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._app.tables._notes import Note
from rsens._text import counted, quoted

#: Cells that stand for a missing value; and cells with nothing but spaces.
MISSING = frozenset(
    ["", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NAN", "-nan", "null", "NULL", "None", "<NA>", "NaT", "?"]
)
#: Cells, in lower case and without spaces, that stand for a missing value among numbers or dates.
SIGNS = frozenset(["-", "--", "---", "–", "—", "−", ".", "..", "...", "…", "??", "*", "/"])
ABSENT = frozenset(["na", "n.a.", "n.a", "nd", "n.d.", "n.d", "n/d", "k.a.", "nil", "missing", "unknown"])
SPREADSHEET_ERRORS = frozenset(["#na", "#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!"])
MARKS = frozenset(cell.lower() for cell in MISSING) | SIGNS | ABSENT | SPREADSHEET_ERRORS
LONGEST_MARK = 4 + 2 * max(map(len, MARKS))  # with spaces
#: Fewer different numbers than this beside a mark do not make a column of numbers: - and 1 may be no and yes.
LEAST_NUMBERS = 2


def is_mark(cell: str) -> bool:
    """Whether a cell among numbers stands for a missing value."""
    return len(cell) <= LONGEST_MARK and cell.replace(" ", "").lower() in MARKS


def read_cells(cells: list[str]) -> tuple[Any, Counter[str]]:
    """Whole numbers, numbers or truth values if all cells are, else text; and the marks that were taken as missing."""
    numbers = _numbers(cells)
    if numbers is not None:  # the usual case; NaN is a number too
        return numbers, Counter()
    different = set(cells) - MISSING
    marks = {cell for cell in different if is_mark(cell)}
    others = different - marks
    if not marks or len(others) < LEAST_NUMBERS or _numbers(list(others)) is None:
        return _read(cells), Counter()
    return _read(["" if cell in marks else cell for cell in cells]), Counter(cell for cell in cells if cell in marks)


def labels(cells: list[str]) -> Any:
    """Text, with None for what is missing."""
    return pd.Series([None if cell in MISSING else cell for cell in cells]).array


def marks_note(name: str, marks: Counter[str]) -> Note:
    """What was taken as missing in a column."""
    shown = quoted([cell for cell, _ in marks.most_common()], 3)
    text = f"{name!r} has {counted(marks.total(), 'cell')} with {shown} among its numbers or dates, taken as missing."
    return Note("missing", (name,), text)


def _read(cells: list[str]) -> Any:
    known = [cell for cell in cells if cell not in MISSING]
    complete = len(known) == len(cells)
    lower = {cell.lower() for cell in set(known)}
    if lower and lower <= {"true", "false"}:
        truth = [None if cell in MISSING else cell.lower() == "true" for cell in cells]
        return np.array(truth, dtype=bool if complete else object)
    numbers = _numbers(known)
    if numbers is None:
        return labels(cells)
    if complete:
        return numbers
    values = np.full(len(cells), np.nan)
    values[[cell not in MISSING for cell in cells]] = numbers
    return values


def _numbers(known: list[str]) -> NDArray[Any] | None:
    if "_" in "".join(known):  # Python would read 1_000
        return None
    try:
        return np.array([int(cell) for cell in known], dtype=np.int64) if known else np.empty(0)
    except (ValueError, OverflowError):
        pass
    try:
        return np.array([float(cell) for cell in known])
    except ValueError:
        return None


def tally(column: Any) -> Any:
    """Value → number of rows, the most frequent first; equal ones as they come, which pandas 2 does not promise."""
    return column.value_counts(sort=False).sort_values(ascending=False, kind="stable")


def as_written(value: Any) -> Any:
    """A number as people write it: 1, not 1.0; other values unchanged."""
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value
