"""Numbers as people write them in text: −5, $12.30, (1.23), 12 %, 1 234,5, 1'234.

A cell is taken apart into its digits, with point and comma, and the signs around and between them. A column is read as
numbers only if one way fits all of its cells: a comma for thousands (1,234.5) or for decimals (1.234,5 and 0,5), one
currency, a percent sign in all cells or in none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rsens._text import listed

PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?")
DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?")
#: How digits become a number, by the name that a recipe has for it; the order in which ways are tried.
WAYS = {"plain_text": PLAIN, "thousands": THOUSANDS, "decimal_comma": DECIMAL_COMMA}

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
#: A number and a unit of one short word, 12.5 kg: no number for us, but it looks like one.
WITH_UNIT = re.compile(r"[+-]?\d[\d.,]*\s?[a-zA-Zµ°²³/%]{1,6}")


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
    if len(kinds) != 1 or not any(_is_dressed(cell) or "," in cell.core or "." in cell.core for cell in cells):
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


def doubt(values: Sequence[str]) -> str | None:
    """Why different cells that are all numbers cannot be read as such, and what to do; None if that is not so."""
    cells = _all_taken_apart(values)
    if cells is None or not all(_is_number(cell) for cell in cells):
        return None
    if mixture := _mixture(cells):
        return mixture
    kinds = _kinds(cells)
    if len(kinds) > 1:
        example = next(cell.core for cell in cells if "," in cell.core)
        return (
            f"{example} may be {example.replace(',', '')} or {example.replace(',', '.')}. Write it without the comma "
            "if it is a number"
        )
    if not kinds:
        return "commas stand for thousands in some of its numbers and for decimals in others. Write all in one way"
    return None


def way_of_most(counts: dict[str, int]) -> tuple[str, int, list[str]]:
    """What most cells are, "number" or "percentage", how many, and the others; the cells come with their counts."""
    cells = {text: taken_apart(text) for text in counts}
    best: tuple[str, int, list[str]] = ("number", 0, list(counts))
    for noun, percent in (("number", False), ("percentage", True)):
        for pattern in WAYS.values():
            fits = {
                text
                for text, cell in cells.items()
                if cell is not None and cell.percent == percent and pattern.fullmatch(cell.core)
            }
            n = sum(counts[text] for text in fits)
            if n > best[1]:
                best = (noun, n, [text for text in counts if text not in fits])
    return best


def has_unit(text: str) -> bool:
    """Whether a cell is a number with a unit, or a number in some other dress."""
    return WITH_UNIT.fullmatch(text.strip()) is not None or taken_apart(text) is not None


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


def _is_number(cell: Cell) -> bool:
    return any(pattern.fullmatch(cell.core) for pattern in WAYS.values())


def _is_dressed(cell: Cell) -> bool:
    return bool(cell.currency or cell.percent or cell.parentheses or cell.minus or cell.separator)


def _mixture(cells: Sequence[Cell]) -> str:
    """What cells mix that cannot be one column of numbers, in words; empty if nothing."""
    currencies = sorted({cell.currency for cell in cells} - {""})
    if len(currencies) > 1:
        return f"its amounts are in {listed(currencies)}. Give all in one currency"
    if len({cell.percent for cell in cells}) > 1:
        return "some of its numbers have a percent sign and some have none. Write all in one way"
    return ""


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
