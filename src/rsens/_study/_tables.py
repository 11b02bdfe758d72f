"""Text for a terminal: tables, paragraphs, and names that cannot garble it."""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Callable, Sequence

WIDTH = 96
#: Beyond this, the middle of a name is left out; where there is no room, down to the second.
NAME_WIDTH, LEAST_WIDTH = 36, 12


def safe(text: str) -> str:
    """The text with control characters, which could garble a terminal, as escapes; line ends stay."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)


def short(name: str, width: int = NAME_WIDTH) -> str:
    """A name on one line, safe, at most so wide; both ends are kept."""
    name = safe(str(name)).replace("\n", "\\n")
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


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes: wide letters two, marks on letters none."""
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


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


def table(header: Sequence[str], rows: Sequence[Sequence[str]], align: str, indent: str = "  ") -> str:
    """Columns side by side, "<" or ">" each, or "~" for the one on the left that gives way where there is no room.

    Columns with nothing in them are left out.
    """
    kept = [k for k in range(len(header)) if any(row[k] for row in rows)]
    lines = [[each[k] for k in kept] for each in (header, *rows)]
    sides = [align[k] for k in kept]
    widths = [max(width_of(line[k]) for line in lines) for k in range(len(kept))]
    excess = len(indent) + sum(widths) + 2 * (len(widths) - 1) - WIDTH
    if excess > 0 and "~" in sides:
        flexible = sides.index("~")
        widths[flexible] = max(LEAST_WIDTH, widths[flexible] - excess)
        for line in lines:
            line[flexible] = short(line[flexible], widths[flexible])
    padded = [indent + "  ".join(map(_padded, line, widths, sides)) for line in lines]
    return "\n".join(line.rstrip() for line in padded)


def paragraph(text: str, first: str = "", indent: str = "") -> str:
    """Lines no longer than the width."""
    return textwrap.fill(
        safe(text).replace("\n", " "), WIDTH, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False
    )


def _padded(text: str, width: int, side: str) -> str:
    space = " " * (width - width_of(text))
    return space + text if side == ">" else text + space
