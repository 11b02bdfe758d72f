"""Text for readers: names that cannot garble a terminal, numbers, shares, counts and lists."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence

#: Beyond this, the middle of a name is left out where there is no room.
NAME_WIDTH = 36


# ---- names -----------------------------------------------------------------------------------------------------------


class Pair(str):
    """Two names, "a × b". Where there is no room, both give way."""

    first: str
    second: str

    def __new__(cls, first: object, second: object) -> Pair:
        """From the names of the two."""
        pair = super().__new__(cls, f"{first} × {second}")
        pair.first, pair.second = str(first), str(second)
        return pair


def safe(text: str) -> str:
    """The text with control characters, which could garble a terminal, as escapes; line ends stay."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)


def on_one_line(name: object) -> str:
    """A name, whole and safe."""
    return safe(str(name)).replace("\n", "\\n")


def short(name: str, width: int = NAME_WIDTH) -> str:
    """A name on one line, safe, at most so wide; both ends are kept."""
    if isinstance(name, Pair):
        return _short_pair(name, width)
    name = on_one_line(name)
    if width_of(name) <= width:
        return name
    head, tail = "", ""
    room = width - 1
    for c in name:
        if width_of(head + c) > (room + 1) // 2:
            break
        head += c
    for c in reversed(name):
        if width_of(c + tail) > room // 2:
            break
        tail = c + tail
    return f"{head}…{tail}"


def elided(name: str, length: int) -> str:
    """At most `length` characters; both ends are kept, since names of one table often begin alike."""
    if len(name) <= length:
        return name
    front = (length - 1) * 3 // 5
    return f"{name[:front]}…{name[len(name) - (length - 1 - front) :]}"


def _short_pair(pair: Pair, width: int) -> str:
    """Each has half of the room, or what the other leaves."""
    first, second, room = on_one_line(pair.first), on_one_line(pair.second), width - 3
    if width_of(first) + width_of(second) > room:
        half = max(room // 2, room - width_of(second))
        first = short(first, half)
        second = short(second, room - width_of(first))
    return f"{first} × {second}"


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes: wide letters two, marks on letters none."""
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


# ---- numbers ---------------------------------------------------------------------------------------------------------


def number(value: float, digits: int = 3) -> str:
    """So many digits, with a minus sign; thousands without an exponent."""
    if not math.isfinite(value):
        return ""
    size = abs(value)
    text = f"{value:,.0f}" if 1e3 <= size < 1e7 else f"{value:#.{digits}g}" if size < 1e3 else f"{value:.{digits}g}"
    return text.rstrip(".").replace("-", "−")


def aligned(largest: float, digits: int = 3) -> Callable[[float], str]:
    """Writes numbers with as many decimals as the largest of them needs for so many digits; one more from 10 to 999."""
    size = abs(largest)
    if not 1e-3 <= size < 1e6:
        return lambda value: number(value, digits)
    decimals = max(0, digits - 1 - math.floor(math.log10(size)) + (10.0 <= size < 1e3))
    return lambda value: f"{value:,.{decimals}f}".replace("-", "−") if math.isfinite(value) else ""


def percent(share: float) -> str:
    """A share without decimals."""
    return f"{100.0 * share:.0f} %"


def counted(n: int, noun: str) -> str:
    """1 row, 2,000 rows."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def listed(items: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]])) if items else ""
