"""Cells of text: marks of missing values, and numbers as people write them.

Some marks mean a missing value everywhere (`MISSING`). Others, such as a dash, may be a category of a text column; they
are missing values only where all other cells of the column are numbers or dates (`MARKS`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: Marks of a missing value in any column; cells with nothing but spaces count too.
MISSING = frozenset(
    ["", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NAN", "-nan", "null", "NULL", "None", "<NA>", "NaT", "?"]
)
#: Marks of a missing value among numbers or dates, in lower case and without spaces.
MARKS = frozenset(cell.lower() for cell in MISSING) | {
    *("-", "--", "---", "–", "—", "−", ".", "..", "...", "…", "??", "*", "/"),
    *("na", "n.a.", "n.a", "nd", "n.d.", "n.d", "n/d", "k.a.", "nil", "missing", "unknown"),
    *("#na", "#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!"),
}
LONGEST_MARK = 4 + 2 * max(map(len, MARKS))  # with spaces
#: Fewer different numbers than this next to a mark do not make a column of numbers: - and 1 may be no and yes.
LEAST_NUMBERS = 2


def is_mark(cell: str) -> bool:
    """Whether a cell among numbers means a missing value."""
    return len(cell) <= LONGEST_MARK and cell.replace(" ", "").lower() in MARKS


def labels(cells: list[str]) -> Any:
    """Text, with None for missing cells."""
    return pd.Series([None if cell in MISSING else cell for cell in cells]).array


def as_numbers(known: list[str]) -> NDArray[Any] | None:
    """Whole numbers, or numbers; None if one is something else."""
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
    """Value → number of rows, the most frequent first; equal counts by first appearance, also with pandas 2."""
    return column.value_counts(sort=False).sort_values(ascending=False, kind="stable")


def in_order(labels: Iterable[Any]) -> tuple[Any, ...]:
    """Labels sorted where they can be, else by their text."""
    found = list(labels)
    try:
        return tuple(sorted(found))
    except TypeError:
        return tuple(sorted(found, key=str))


def as_text(value: Any) -> str:
    """A value as people write it: 1, not 1.0; 20240131, also where others are missing."""
    value = value.item() if isinstance(value, np.generic) else value
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return str(int(value) if whole else value).strip()


# ---- Numbers as people write them in text: −5, $12.30, (1.23), 12 %, 1 234,5, 1'234 ----------------------------------
# A column is read as numbers only if one format fits all of its cells: a comma for thousands (1,234.5) or for decimals
# (1.234,5 and 0,5), one currency, a percent sign in all cells or in none.

#: Formats of digits, by their name in a recipe. The first is preferred.
NUMBER_FORMATS = {
    "plain_text": re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"),
    "thousands": re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?"),
    "decimal_comma": re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?"),
}
#: Minus signs other than the hyphen of the keyboard; an en dash before digits is meant as one.
AS_HYPHEN = str.maketrans(dict.fromkeys("−–‒﹣－", "-"))
CURRENCY = r"[$€£¥₹₽₩₪₺₴₫₱฿¢]|\b(?:EUR|USD|GBP|CHF|JPY|CNY|INR)\b"
#: Spaces (also no-break and thin ones) and apostrophes between groups of three digits.
SEPARATORS = " \u00a0\u2007\u2009\u202f'’"
GROUPED = re.compile(rf"\d{{1,3}}([{SEPARATORS}])\d{{3}}(\1\d{{3}})*([.,]\d+)?")
CELL = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[+-]?)\s*(?P<before>{CURRENCY})?\s*(?P<inner>[+-]?)"
    rf"(?P<digits>(?:\d|\.\d)[\d.,{SEPARATORS}]*?(?:[eE][+-]?\d+)?)"
    rf"\s*(?P<after>{CURRENCY}|%)?\s*(?(open)\))"
)


class NumberCell(NamedTuple):
    """A cell that may be a number: sign and digits with their point and comma, their formats, the signs around them."""

    core: str
    formats: frozenset[str]
    currency: str
    is_percent: bool
    in_parentheses: bool


def number_cell(text: str) -> NumberCell | None:
    """The parts of a cell, or None if it is not a number in any format."""
    match = CELL.fullmatch(text.strip().translate(AS_HYPHEN))
    if match is None:
        return None
    opening, sign, before, inner, digits, after = match.groups("")
    if len(opening + sign + inner) > 1 or (before and after):
        return None
    grouped = GROUPED.fullmatch(digits)
    if grouped:
        digits = digits.replace(grouped[1], "")
    core = ("-" if opening else sign + inner) + digits
    formats = {name for name, pattern in NUMBER_FORMATS.items() if pattern.fullmatch(core)}
    if grouped:
        formats.discard("thousands")  # where spaces or apostrophes separate thousands, commas do not
    currency = before or after.replace("%", "")
    return NumberCell(core, frozenset(formats), currency, after == "%", bool(opening)) if formats else None


def number_formats(values: Iterable[str]) -> tuple[str, ...]:
    """The formats in which all these different cells are numbers: none, one, or two if commas leave it open.

    Digits alone are not read as numbers, because they may be codes; neither are numbers that are all in parentheses.
    """
    cells, digits = [], True
    for value in values:
        cell = number_cell(value)
        if cell is None:
            return ()
        cells.append(cell)
        digits = digits and value == cell.core and not re.search("[.,]", value)
    if digits or all(cell.in_parentheses and not cell.currency for cell in cells):
        return ()
    if len({cell.currency for cell in cells} - {""}) > 1 or len({cell.is_percent for cell in cells}) > 1:
        return ()
    common = frozenset.intersection(*(cell.formats for cell in cells))
    return ("plain_text",) if "plain_text" in common else tuple(sorted(common))


def number_in(text: str, form: str) -> float:
    """The number in a cell of a column with this format; a `ValueError` if it is something else."""
    cell = number_cell(text)
    if cell is None:
        return float(text)
    if form not in cell.formats:  # 1,5 among numbers with a comma for thousands
        raise ValueError(text)
    if form == "decimal_comma":
        return float(cell.core.replace(".", "").replace(",", "."))
    return float(cell.core.replace(",", ""))
