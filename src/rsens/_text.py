"""Text for readers: names that cannot garble a terminal or a page, numbers, shares, counts and lists."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any

from rsens._errors import JOINERS
from rsens._errors import printable as printable

#: The width that names are shortened to.
NAME_WIDTH = 36


class Pair(str):
    """Two names, "a × b", which are shortened together."""

    first: str
    second: str

    def __new__(cls, first: object, second: object) -> Pair:
        pair = super().__new__(cls, f"{first} × {second}")
        pair.first, pair.second = str(first), str(second)
        return pair


def safe(text: str) -> str:
    """Text for a terminal, of one or more lines."""
    return printable(text, keep="\n")


def on_one_line(name: object) -> str:
    r"""A whole name for a terminal, exactly: a line end is written as `\n`."""
    return printable(str(name))


def as_label(name: object) -> str:
    """A whole name for a page or a figure: any white space is one space, and a name of nothing else is "(blank)"."""
    return printable(" ".join(str(name).split()) or "(blank)", keep=JOINERS)


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes: wide letters two, marks on letters none."""
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def shorten(text: str, width: int, measure: Callable[[str], int] = width_of) -> str:
    """The text, or its two ends, as names in one table often begin alike. Figures `measure` width by `len`."""
    if measure(text) <= width:
        return text
    room = width - 1  # the dots take one
    head = _fitting(text, room * 3 // 5, measure)
    tail = _fitting(text[::-1], room - room * 3 // 5, measure)[::-1]
    return f"{head}…{tail}"


def short(name: str, width: int | None = None) -> str:
    """A name for a terminal, at most this wide (`NAME_WIDTH`); the names of a pair share the room."""
    if not isinstance(name, Pair):
        return shorten(on_one_line(name), NAME_WIDTH if width is None else width)
    room = 2 * NAME_WIDTH if width is None else width - 3
    first, second = on_one_line(name.first), on_one_line(name.second)
    if width_of(first) + width_of(second) > room:
        first = shorten(first, max(room // 2, room - width_of(second)))
        second = shorten(second, room - width_of(first))
    return f"{first} × {second}"


def distinct(labels: Sequence[str], width: int, measure: Callable[[str], int] = width_of) -> list[str]:
    """The labels, shortened. Those that would look the same are numbered, in the order given."""
    found = [shorten(label, width, measure) for label in labels]
    times, used = Counter(found), set(found)
    for i, label in enumerate(found):
        if times[label] > 1:
            numbered = (shorten(labels[i], width - len(f" ({k})"), measure) + f" ({k})" for k in count(1))
            found[i] = next(candidate for candidate in numbered if candidate not in used)
            used.add(found[i])
    return found


def _fitting(text: str, width: int, measure: Callable[[str], int]) -> str:
    """The beginning of the text, at most this wide."""
    end, used = 0, 0
    while end < len(text) and (used := used + measure(text[end])) <= width:
        end += 1
    return text[:end]


def number(value: float | None, digits: int = 3, unknown: str = "") -> str:
    """With this many digits, thousands whole; an exponent only where the number is very small or large."""
    if value is None or math.isnan(value):
        return unknown
    if math.isinf(value):
        return "∞" if value > 0.0 else "−∞"
    size = abs(float(f"{value:.{digits - 1}e}"))
    if size != 0.0 and not 1e-4 <= size < 1e7:
        mantissa, power = f"{value:.{digits - 1}e}".split("e")
        return _with_minus(f"{mantissa}·10") + str(int(power)).translate(_SUPERSCRIPTS)
    exponent = 0 if size == 0.0 else math.floor(math.log10(size))
    return _with_minus(f"{value:,.{max(0, digits - 1 - exponent)}f}")


def aligned(largest: float, digits: int = 3, unknown: str = "") -> Callable[[float | None], str]:
    """Writes the numbers of a column with the decimals that the largest needs; one more if it is from 10 to 999."""
    size = abs(largest)
    if not 1e-3 <= size < 1e7:
        return lambda value: number(value, digits, unknown)
    decimals = _decimals(size, digits)
    return lambda value: _fixed(value, decimals, unknown)


def side_by_side(values: Sequence[float | None], largest: float, digits: int = 3, unknown: str = "") -> list[str]:
    """The numbers of one line, with the decimals of their column, or more to show how far they lie apart."""
    known = [float(value) for value in values if value is not None and math.isfinite(value)]
    size = max(map(abs, known), default=0.0)
    apart = max(known, default=0.0) - min(known, default=0.0)
    if not 1e-3 <= abs(largest) < 1e7 or not apart > 0.0 or size < 1e-6:
        return [aligned(largest, digits, unknown)(value) for value in values]
    needed = min(1 - math.floor(math.log10(apart)), 5 - math.floor(math.log10(size)))
    decimals = max(_decimals(largest, digits), needed)
    return [_fixed(value, decimals, unknown) for value in values]


def signed(values: Iterable[float], digits: int = 2) -> list[str]:
    """Numbers with their sign, with decimals that show this many digits of the differences between them."""
    values = [float(value) for value in values]
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return [""] * len(values)
    size = max(map(abs, known))
    apart = max(known) - min(known) or size
    decimals = None  # of any size, each on its own
    if not size or 1e-4 <= size < 1e7:
        most = max(0, 3 - math.floor(math.log10(size))) if size else 0  # of numbers that are nearly equal, four digits
        decimals = min(most, max(0, digits - 1 - math.floor(math.log10(apart)))) if size else 0
    write = number if decimals is None else lambda value: _fixed(value, decimals, "")
    return [_plus(value, write(value)) if math.isfinite(value) else "" for value in values]


def _plus(value: float, text: str) -> str:
    """+2.1, −2.1, and 0.0 for a value that rounds to it."""
    if not any(digit in text for digit in "123456789"):
        return text.removeprefix("−")
    return f"+{text}" if value > 0.0 else text


def value_text(value: float) -> str:
    """A value of a column as people write it: 0, 12, −0.0446; a count or a date stays whole."""
    return _with_minus(f"{value:.{4 if abs(value) < 1e4 else 7}g}")


def plus_minus(value: float, error: float, digits: int = 3) -> str:
    """A number with its standard error, where that is known."""
    return f"{number(value, digits)} ± {number(error, 2)}" if math.isfinite(error) else number(value, digits)


def percent(share: float, *, level: bool = False) -> str:
    """A share without decimals, <1 % or >99 % near the ends; a `level` exactly, as 99.7 %."""
    if level:
        return f"{100.0 * share:.{2 if share < 0.99 else 3}g} %"
    if 0.0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1.0 else f"{100.0 * share:.0f} %"


def p_text(p: float) -> str:
    """A p-value: three decimals, or that it is smaller; nothing where it is not known."""
    if math.isnan(p):
        return ""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _decimals(largest: float, digits: int) -> int:
    """How many a column has, given its largest number."""
    size = abs(largest)
    return max(0, digits - 1 - math.floor(math.log10(size)) + (10.0 <= size < 1e3))


def _fixed(value: float | None, decimals: int, unknown: str) -> str:
    return unknown if value is None or not math.isfinite(value) else _with_minus(f"{value:,.{decimals}f}")


def duration(seconds: float) -> str:
    """A duration in words: a few seconds, about 40 seconds, about 2 minutes, about 3 hours."""
    if seconds < 10.0:
        return "a few seconds"
    if seconds < 55.0:
        return f"about {round(seconds, -1):.0f} seconds"
    if seconds < 90.0 * 60.0:
        return f"about {counted(max(1, round(seconds / 60.0)), 'minute')}"
    return f"about {counted(round(seconds / 3600.0), 'hour')}"


def _with_minus(text: str) -> str:
    return text.replace("-", "−")


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def counted(n: int, noun: str) -> str:
    """1 row, 2,000 rows."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def listed(items: Sequence[str], most: int | None = None) -> str:
    """a, b and c; of more than `most`, the first of them and how many more."""
    if most is not None and len(items) > most:
        return f"{', '.join(items[:most])} and {len(items) - most} more"
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]])) if items else ""


def first_few(items: Sequence[str], most: int = 10) -> str:
    """a, b, c and 3 more."""
    return ", ".join(items[:most]) + (f" and {len(items) - most} more" if len(items) > most else "")


def quoted(names: Iterable[Any], most: int = 10) -> str:
    """'a', 'b' and 3 more."""
    return first_few([repr(name) for name in names], most)
