"""Columns of a data frame as a file would give them: values of several types as text, marks of missing values gone."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables._cells import LEAST_NUMBERS, is_mark, labels, read_cells
from rsens._app.tables._readings import has_both, reading_of
from rsens._app.tables._tally import tally

#: Whole numbers. What begins with 0 may be a code.
WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)")


def clean(column: Any, *, as_text: bool) -> tuple[Any, Counter[str]]:
    """The column, and the marks in it that were taken as missing; `as_text` for labels, which have no marks."""
    if _is_mixed(column):
        cells = ["" if gap else str(value).strip() for value, gap in zip(column, column.isna(), strict=True)]
        values, marks = (labels(cells), Counter[str]()) if as_text else read_cells(cells)
        column = pd.Series(values, index=column.index)
        if marks:
            return column, marks
    return (column, Counter()) if as_text or not is_text(column) else _without_marks(column)


def is_text(column: Any) -> bool:
    """Whether all values are text, or missing."""
    if column.dtype == object:
        return bool(pd.api.types.infer_dtype(column, skipna=True) == "string")
    return isinstance(column.dtype, pd.StringDtype)


def _is_mixed(column: Any) -> bool:
    """Whether a column mixes at least two of text, numbers and truth values."""
    if column.dtype != object or pd.api.types.infer_dtype(column, skipna=True) not in ("mixed", "mixed-integer"):
        return False
    return all(isinstance(value, str | Real | Decimal | np.bool_) for value in column.dropna())


def _without_marks(column: Any) -> tuple[Any, Counter[str]]:
    """Text without marks, if what is left can be read as numbers or dates."""
    counts = tally(column)
    cells = counts.index.tolist()
    marks = Counter({cell: int(count) for cell, count in zip(cells, counts.tolist(), strict=True) if is_mark(cell)})
    rest = pd.Series([cell for cell in cells if cell not in marks], dtype=object)
    if not marks or len(rest) < LEAST_NUMBERS:
        return column, Counter()
    known = column.where(~column.isin(list(marks)))
    if all(WHOLE.fullmatch(cell.strip()) for cell in rest):
        return pd.Series([np.nan if pd.isna(cell) else float(cell) for cell in known], index=column.index), marks
    reading = reading_of(rest)
    is_read = reading is not None and reading.kind != "labels"
    return (known, marks) if is_read or has_both(rest) else (column, Counter())
