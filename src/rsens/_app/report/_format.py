"""Numbers and names as a reader sees them, and values as JSON that is safe inside HTML."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rsens._text import elided

#: Digits of numbers that figures are drawn from.
DIGITS = 4
#: The most characters of a name in text and tables, and in figures.
NAME_LENGTH, LABEL_LENGTH = 40, 24
UNKNOWN = "–"


def number(value: Any, digits: int = 3) -> str:
    """So many digits, with a minus sign, and without an exponent unless the number is very small or large."""
    if value is None or not np.isfinite(value):
        return UNKNOWN
    value = float(f"{float(value):.{digits - 1}e}")
    exponent = 0 if value == 0.0 else int(np.floor(np.log10(abs(value))))
    if not -4 <= exponent < 7:
        mantissa, power = f"{value:.{digits - 1}e}".split("e")
        return f"{mantissa}·10{_superscript(int(power))}".replace("-", "−")
    return f"{value:,.{max(0, digits - 1 - exponent)}f}".replace("-", "−")


def aligned(values: Iterable[Any], digits: int = 3) -> list[str]:
    """Numbers of one column: as many decimals as the largest needs for its digits, the same in all."""
    values = list(values)
    known = [abs(float(v)) for v in values if v is not None and np.isfinite(v)]
    largest = max(known, default=0.0)
    exponent = 0 if largest == 0.0 else int(np.floor(np.log10(largest)))
    if not -3 <= exponent < 7:
        return [number(v, digits) for v in values]
    decimals = max(0, digits - 1 - exponent)
    return [
        UNKNOWN if v is None or not np.isfinite(v) else f"{float(v):,.{decimals}f}".replace("-", "−") for v in values
    ]


def _superscript(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def percent(share: float) -> str:
    """A share without decimals; what is not quite nothing or all says so."""
    if 0.0 < share < 0.005:
        return "under 1\u00a0%"
    if 0.995 <= share < 1.0:
        return "over 99\u00a0%"
    return f"{100.0 * share:.0f}\u00a0%"


def rounded(values: ArrayLike, digits: int = DIGITS) -> Any:
    """Numbers, nested as they are, with so many digits, for JSON; None for what is not finite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim:
        return [rounded(part, digits) for part in array]
    return _short(f"{float(array):.{digits}g}") if np.isfinite(array) else None


def positions(values: ArrayLike, digits: int = DIGITS) -> Any:
    """Like `rounded`, for places along an axis: so many digits of their range, so that dates stay apart."""
    array = np.asarray(values, dtype=np.float64)
    span = float(np.ptp(array)) if array.size else 0.0
    if not 0.0 < span < np.inf:
        return rounded(array, 12)
    decimals = digits - int(np.floor(np.log10(span)))
    return [_short(f"{v:.12g}") for v in np.round(array, decimals).tolist()]


def _short(text: str) -> float | int:
    """A whole number without its point: shorter in a file."""
    value = float(text)
    return int(value) if value == int(value) and abs(value) < 1e15 else value


# ---- names -----------------------------------------------------------------------------------------------------------


def printable(name: Any) -> str:
    """The name on one line; control characters and lone surrogates, which no file can hold, as escapes."""
    text = " ".join(str(name).split()) or "(blank)"
    return "".join(c if c.isprintable() or _joins(c) else c.encode("unicode_escape").decode("ascii") for c in text)


def _joins(character: str) -> bool:
    """The joiner and the variation selector that emoji are made of."""
    return character in "\u200d\ufe0f"


def shortened(names: Sequence[Any], length: int = NAME_LENGTH) -> list[str]:
    """Names of at most so many characters, elided in the middle, no two alike unless the names are."""
    whole = [printable(name) for name in names]
    short = [elided(name, length) for name in whole]
    times, taken = Counter(short), set(short)
    for i, name in enumerate(short):
        if times[name] > 1 and len(whole[i]) > length:
            numbered = (elided(whole[i], length - len(f" ({k})")) + f" ({k})" for k in count(1))
            short[i] = next(candidate for candidate in numbered if candidate not in taken)
            taken.add(short[i])
    return short


def listed(items: Sequence[str], most: int = 8) -> str:
    """a, b and c; of many, the first and how many more."""
    if len(items) > most:
        return f"{', '.join(items[: most - 1])} and {len(items) - most + 1} more"
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]])) if items else ""


# ---- for other languages ---------------------------------------------------------------------------------------------


def for_plotly(text: str) -> str:
    """The text as plotly shows it unchanged: it knows a few tags and entities, and replaces %{…} in hover texts."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped.replace("%{", "%&#123;")


def json_in_html(content: Any) -> str:
    """JSON for a script element: nothing in it can end the element or begin a comment."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))  # ASCII: no line separators
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
