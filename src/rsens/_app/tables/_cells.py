"""Cells of a text file: which of them stand for a missing value, and what a column of them is.

Some signs stand for a missing value everywhere (`MISSING`). Others may be a category of a column of text, a dash say;
they are missing values only where all other cells of the column are numbers or dates (`MARKS`).
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


def marks_notes(name: str, marks: Counter[str]) -> list[Note]:
    """A note on what was taken as missing in a column, if anything was."""
    shown = quoted([cell for cell, _ in marks.most_common()], 3)
    text = f"{name!r} has {counted(marks.total(), 'cell')} with {shown} among its numbers or dates, taken as missing."
    return [Note("missing", (name,), text)] if marks else []


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


# ---- Numbers as people write them in text: −5, $12.30, (1.23), 12 %, 1 234,5, 1'234 ----------------------------------
# A cell is taken apart into its digits, with point and comma, and the signs around and between them. A column is read
# as numbers only if one way fits all of its cells: a comma for thousands (1,234.5) or for decimals (1.234,5 and 0,5),
# one currency, a percent sign in all cells or in none.


#: How digits become a number, by the name that a recipe has for it; the order in which ways are tried.
WAYS = {
    "plain_text": re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"),
    "thousands": re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?"),
    "decimal_comma": re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?"),
}

#: Minus signs that are not the one on the keyboard; an en dash before digits is meant as one.
MINUSES = "−–‒﹣－"
AS_HYPHEN = str.maketrans(MINUSES, "-" * len(MINUSES))
CURRENCY = r"[$€£¥₹₽₩₪₺₴₫₱฿¢]|\b(?:EUR|USD|GBP|CHF|JPY|CNY|INR)\b"
#: Spaces (also those that do not break, and thin ones) and apostrophes between groups of three digits.
SPACES, APOSTROPHES = " \u00a0\u2007\u2009\u202f", "'’"
GROUPED = re.compile(rf"\d{{1,3}}([{SPACES}{APOSTROPHES}])\d{{3}}(\1\d{{3}})*([.,]\d+)?")
CELL = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[+-]?)\s*(?P<before>{CURRENCY})?\s*(?P<inner>[+-]?)"
    rf"(?P<digits>(?:\d|\.\d)[\d.,{SPACES}{APOSTROPHES}]*?(?:[eE][+-]?\d+)?)"
    rf"\s*(?P<after>{CURRENCY}|%)?\s*(?P<close>\))?"
)


@dataclass(frozen=True)
class Cell:
    """A cell that may be a number: sign and digits with their point and comma, and what else was in it."""

    core: str
    currency: str = ""
    percent: bool = False
    parentheses: bool = False
    minus: bool = False  # a minus that is not the one on the keyboard
    separator: str = ""  # between groups of three digits, if it is no point or comma


def taken_apart(text: str) -> Cell | None:
    """The cell, or None if it is no number in any way."""
    text = text.strip()
    minus = not text.isascii() and any(sign in text for sign in MINUSES)
    if minus:
        text = text.translate(AS_HYPHEN)
    match = CELL.fullmatch(text)
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
    return Cell(core, currency, after == "%", bool(match["open"]), minus, separator)


def way_of(values: Sequence[str], kind: str | None = None) -> tuple[str, str]:
    """The one way in which all of these different cells are numbers, or this one, and their signs in words.

    The way is one of `WAYS` or "percent"; it is empty if there is none, or several. Digits alone are no numbers: they
    may be codes. So may numbers that are all in parentheses.
    """
    cells = _all_taken_apart(values)
    if cells is None or _mixture(cells) or all(cell.parentheses and not cell.currency for cell in cells):
        return "", ""
    kinds = _kinds(cells) if kind is None else [kind]
    if len(kinds) != 1 or not any(cell != Cell(cell.core) or "," in cell.core or "." in cell.core for cell in cells):
        return "", ""
    return "percent" if cells[0].percent and kinds == ["plain_text"] else kinds[0], _words(kinds[0], cells)


def number_in(text: str, kind: str) -> float:
    """The number in a cell of a column that is read in this way; a `ValueError` if it is none."""
    cell = taken_apart(text)
    if cell is None:
        return float(text)
    core = cell.core
    if kind == "thousands":
        core = core.replace(",", "")
    elif kind == "decimal_comma":
        core = core.replace(".", "").replace(",", ".")
    return float(core)


def fits_both(values: Sequence[str]) -> bool:
    """Whether the commas of these cells may be for thousands or for decimals."""
    cells = _all_taken_apart(values)
    return cells is not None and not _mixture(cells) and len(_kinds(cells)) > 1


def numbers_by_way(texts: Iterable[str]) -> dict[tuple[str, ...], set[str]]:
    """Cells that are numbers in each way: by "number" or "percentage", one of `WAYS`, and the currency."""
    cells = {text: cell for text in texts if (cell := taken_apart(text)) is not None}
    currencies = {cell.currency for cell in cells.values()} - {""} or {""}
    return {
        (noun, kind, currency): {
            text
            for text, cell in cells.items()
            if cell.percent == (noun == "percentage")
            and cell.currency in ("", currency)
            and WAYS[kind].fullmatch(cell.core)
        }
        for noun in ("number", "percentage")
        for kind in WAYS
        for currency in sorted(currencies)
    }


def has_unit(text: str) -> bool:
    """Whether a cell is a number with a unit of one short word, 12.5 kg, or a number in some other dress."""
    with_unit = re.fullmatch(r"[+-]?\d[\d.,]*\s?[a-zA-Zµ°²³/%]{1,6}", text.strip())
    return with_unit is not None or taken_apart(text) is not None


def _all_taken_apart(values: Sequence[str]) -> list[Cell] | None:
    """All cells, or None at the first that is no number: columns of text end here."""
    cells = []
    for value in values:
        cell = taken_apart(value)
        if cell is None:
            return None
        cells.append(cell)
    return cells or None


def _kinds(cells: Sequence[Cell]) -> list[str]:
    """The ways that fit all cells. Where spaces or apostrophes separate thousands, a comma does not."""
    if not any("," in cell.core or cell.core.count(".") > 1 for cell in cells):
        candidates = ["plain_text"]
    elif any(cell.separator for cell in cells):
        candidates = ["decimal_comma"]
    else:
        candidates = ["thousands", "decimal_comma"]
    return [kind for kind in candidates if all(WAYS[kind].fullmatch(cell.core) for cell in cells)]


def _mixture(cells: Sequence[Cell]) -> bool:
    """Whether cells have several currencies, or a percent sign only in some of them."""
    return len({cell.currency for cell in cells} - {""}) > 1 or len({cell.percent for cell in cells}) > 1


def _words(kind: str, cells: Sequence[Cell]) -> str:
    """The signs in words: numbers with a currency ($) and parentheses for negative ones."""
    separators, has_comma = {cell.separator for cell in cells}, any("," in cell.core for cell in cells)
    currency = next((cell.currency for cell in cells if cell.currency), "")
    marks = [
        "a comma for thousands" if kind == "thousands" else "",
        "a decimal comma" if kind == "decimal_comma" and has_comma else "",
        "a point for thousands" if kind == "decimal_comma" and not has_comma else "",
        "a space for thousands" if any(sign in separators for sign in SPACES) else "",
        "an apostrophe for thousands" if any(sign in separators for sign in APOSTROPHES) else "",
        f"a currency ({currency})" if currency else "",
        "a long minus sign" if any(cell.minus for cell in cells) else "",
        "parentheses for negative ones" if any(cell.parentheses for cell in cells) else "",
    ]
    found = [mark for mark in marks if mark]
    noun = "percentages" if cells[0].percent else "numbers"
    return f"{noun} with {listed(found)}" if found else noun
