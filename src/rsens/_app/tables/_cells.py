"""Cells of text: marks of missing values, and numbers as people write them.

Some marks mean a missing value everywhere (`MISSING`). Others, such as a dash, may be a category of a text column; they
are missing values only where all other cells of the column are numbers or dates (`MARKS`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._app.tables._columns import Note
from rsens._text import counted, listed, quoted

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


def read_cells(cells: list[str]) -> tuple[Any, Counter[str]]:
    """Whole numbers, numbers or truth values if all cells are, else text; and the marks taken as missing."""
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
    """Text, with None for missing cells."""
    return pd.Series([None if cell in MISSING else cell for cell in cells]).array


def marks_notes(name: str, marks: Counter[str]) -> list[Note]:
    """A note on the marks taken as missing in a column, if there are any."""
    shown = quoted([cell for cell, _ in marks.most_common()], 3)
    text = f"{name!r} has {counted(marks.total(), 'cell')} with {shown} among its numbers or dates, taken as missing."
    return [Note("missing", (name,), text)] if marks else []


def _read(cells: list[str]) -> Any:
    known = [cell for cell in cells if cell not in MISSING]
    lower = {cell.lower() for cell in set(known)}
    if lower and lower <= {"true", "false"}:
        truth = [None if cell in MISSING else cell.lower() == "true" for cell in cells]
        return np.array(truth, dtype=object if None in truth else bool)
    numbers = _numbers(known)
    if numbers is None:
        return labels(cells)
    if len(known) == len(cells):
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
    """Value → number of rows, the most frequent first; equal counts by first appearance, also with pandas 2."""
    return column.value_counts(sort=False).sort_values(ascending=False, kind="stable")


def as_written(value: Any) -> Any:
    """A number as people write it: 1, not 1.0; other values unchanged."""
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


# ---- Numbers as people write them in text: −5, $12.30, (1.23), 12 %, 1 234,5, 1'234 ----------------------------------
# A cell is taken apart into its digits, with point and comma, and the signs around and between them. A column is read
# as numbers only if one format fits all of its cells: a comma for thousands (1,234.5) or for decimals (1.234,5 and
# 0,5), one currency, a percent sign in all cells or in none.

#: Formats of digits, by their name in a recipe, in the order in which they are tried.
NUMBER_FORMATS = {
    "plain_text": re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"),
    "thousands": re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?"),
    "decimal_comma": re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?"),
}
#: Minus signs other than the hyphen of the keyboard; an en dash before digits is meant as one.
MINUSES = "−–‒﹣－"
AS_HYPHEN = str.maketrans(MINUSES, "-" * len(MINUSES))
CURRENCY = r"[$€£¥₹₽₩₪₺₴₫₱฿¢]|\b(?:EUR|USD|GBP|CHF|JPY|CNY|INR)\b"
#: Spaces (also no-break and thin ones) and apostrophes between groups of three digits.
SPACES, APOSTROPHES = " \u00a0\u2007\u2009\u202f", "'’"
GROUPED = re.compile(rf"\d{{1,3}}([{SPACES}{APOSTROPHES}])\d{{3}}(\1\d{{3}})*([.,]\d+)?")
CELL = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[+-]?)\s*(?P<before>{CURRENCY})?\s*(?P<inner>[+-]?)"
    rf"(?P<digits>(?:\d|\.\d)[\d.,{SPACES}{APOSTROPHES}]*?(?:[eE][+-]?\d+)?)"
    rf"\s*(?P<after>{CURRENCY}|%)?\s*(?P<close>\))?"
)


@dataclass(frozen=True)
class NumberCell:
    """A cell that may be a number: sign and digits with their point and comma, and the signs around them."""

    core: str
    currency: str = ""
    percent: bool = False
    parentheses: bool = False
    minus: bool = False  # a minus sign other than the hyphen
    separator: str = ""  # between groups of three digits, other than point and comma


def number_cell(text: str) -> NumberCell | None:
    """The parts of a cell, or None if it is not a number in any format."""
    text = text.strip()
    minus = not text.isascii() and any(sign in text for sign in MINUSES)
    match = CELL.fullmatch(text.translate(AS_HYPHEN) if minus else text)
    if match is None:
        return None
    sign, inner, before, after = match["sign"], match["inner"], match["before"], match["after"]
    signs = [each for each in (match["open"], sign, inner) if each]
    if bool(match["open"]) != bool(match["close"]) or len(signs) > 1 or (before and after):
        return None
    digits, separator = match["digits"], ""
    if any(mark in digits for mark in SPACES + APOSTROPHES):
        grouped = GROUPED.fullmatch(digits)
        if grouped is None:
            return None
        separator = grouped[1]
        digits = digits.replace(separator, "")
    currency = next((each for each in (before, after) if each and each != "%"), "")
    core = ("-" if match["open"] else sign + inner) + digits
    return NumberCell(core, currency, after == "%", bool(match["open"]), minus, separator)


def number_format(values: Sequence[str], given: str | None = None) -> tuple[str, str]:
    """The only format in which all these different cells are numbers, or the given one, and their signs in words.

    The format is a name in `NUMBER_FORMATS`; it is empty if none or several fit. Digits alone are not read as numbers,
    because they may be codes; neither are numbers that are all in parentheses.
    """
    cells = _all_number_cells(values)
    if cells is None or all(cell.parentheses and not cell.currency for cell in cells):
        return "", ""
    formats = _formats(cells) if given is None else [given]
    dressed = any(cell != NumberCell(cell.core) or "," in cell.core or "." in cell.core for cell in cells)
    return (formats[0], _words(formats[0], cells)) if dressed and len(formats) == 1 else ("", "")


def fits_two_formats(values: Sequence[str]) -> bool:
    """Whether the commas of these cells may separate thousands or decimals."""
    cells = _all_number_cells(values)
    return cells is not None and len(_formats(cells)) > 1


def number_in(text: str, form: str) -> float:
    """The number in a cell of a column with this format; a `ValueError` if it is something else."""
    cell = number_cell(text)
    if cell is None:
        return float(text)
    if form == "thousands":
        return float(cell.core.replace(",", ""))
    return float(cell.core.replace(".", "").replace(",", ".") if form == "decimal_comma" else cell.core)


def numbers_by_format(texts: Iterable[str]) -> dict[tuple[str, ...], set[str]]:
    """Cells that are numbers in each format: by "number" or "percentage", one of `NUMBER_FORMATS`, and the currency."""
    cells = {text: cell for text in texts if (cell := number_cell(text)) is not None}
    currencies = sorted({cell.currency for cell in cells.values()} - {""}) or [""]
    return {
        (noun, form, currency): {
            text
            for text, cell in cells.items()
            if cell.percent == percent and cell.currency in ("", currency) and pattern.fullmatch(cell.core)
        }
        for noun, percent in (("number", False), ("percentage", True))
        for form, pattern in NUMBER_FORMATS.items()
        for currency in currencies
    }


def has_unit(text: str) -> bool:
    """Whether a cell is a number with a unit of one short word, 12.5 kg, or with other signs around it."""
    with_unit = re.fullmatch(r"[+-]?\d[\d.,]*\s?[a-zA-Zµ°²³/%]{1,6}", text.strip())
    return with_unit is not None or number_cell(text) is not None


def _all_number_cells(values: Sequence[str]) -> list[NumberCell] | None:
    """The parts of all cells; None at the first that is not a number, or if currencies or percent signs are mixed."""
    cells = []
    for value in values:
        cell = number_cell(value)
        if cell is None:
            return None
        cells.append(cell)
    mixed = len({cell.currency for cell in cells} - {""}) > 1 or len({cell.percent for cell in cells}) > 1
    return None if mixed else cells or None


def _formats(cells: Sequence[NumberCell]) -> list[str]:
    """The formats that fit all cells. Where spaces or apostrophes separate thousands, commas do not."""
    if not any("," in cell.core or cell.core.count(".") > 1 for cell in cells):
        candidates = ["plain_text"]
    elif any(cell.separator for cell in cells):
        candidates = ["decimal_comma"]
    else:
        candidates = ["thousands", "decimal_comma"]
    return [form for form in candidates if all(NUMBER_FORMATS[form].fullmatch(cell.core) for cell in cells)]


def _words(form: str, cells: Sequence[NumberCell]) -> str:
    """The signs in words: numbers with a currency ($) and parentheses for negative ones."""
    separators, has_comma = {cell.separator for cell in cells}, any("," in cell.core for cell in cells)
    currency = next((cell.currency for cell in cells if cell.currency), "")
    marks = {
        "a comma for thousands": form == "thousands",
        "a decimal comma": form == "decimal_comma" and has_comma,
        "a point for thousands": form == "decimal_comma" and not has_comma,
        "a space for thousands": any(sign in separators for sign in SPACES),
        "an apostrophe for thousands": any(sign in separators for sign in APOSTROPHES),
        f"a currency ({currency})": currency,
        "a long minus sign": any(cell.minus for cell in cells),
        "parentheses for negative ones": any(cell.parentheses for cell in cells),
    }
    found = [mark for mark, there in marks.items() if there]
    noun = "percentages" if cells[0].percent else "numbers"
    return f"{noun} with {listed(found)}" if found else noun
