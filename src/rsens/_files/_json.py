"""JSON files: written whole or not at all, exact, and read with every entry checked.

Python writes a float with all its digits, so numbers come back as they were. JSON has no NaN; it is written as null.
There is no code in such a file, unlike in a pickle.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._files._whole import write_whole

#: The two escapes of one character, and the escape of half of one.
PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
HALF = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
#: What turns an entry of a file into a value, or raises TypeError, ValueError or OverflowError.
Reader = Callable[[Any], Any]


def write_json(content: Any, path: str | os.PathLike[str]) -> None:
    """Write the file, whole or not at all."""
    write_whole(path, json_text(content))


def json_text(content: Any) -> str:
    """The content as JSON. NaN is an error, and so is text with a lone surrogate: it could not be read again."""
    found = json.dumps(content, allow_nan=False, separators=(",", ":"))
    try:
        return check_text(found)
    except ValueError as error:
        raise InputError(f"it cannot be written: {error}. Rename the column, level or row that has it.") from None


def read_json(path: str | os.PathLike[str]) -> Any:
    """The content of a file of ours; a ValueError or RecursionError if it is not JSON."""
    mode = os.stat(path).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a device may have no end, and a pipe may never begin
        raise ValueError("it is not a file")
    return parse_json(Path(path).read_bytes().decode("utf-8"))


def parse_json(content: str) -> Any:
    """The content of a text of ours; a ValueError or RecursionError if it is not JSON."""
    return json.loads(check_text(content), parse_constant=_refuse, object_pairs_hook=_each_key_once)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number in JSON")


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON does not say which of two entries of the same name holds."""
    found = dict(pairs)
    if len(found) < len(pairs):
        name = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise ValueError(f"the entry {name!r} is there twice")
    return found


def check_text(content: str) -> str:
    r"""The JSON; a ValueError if it has `\ud800` without its other half, which no other file or page can hold."""
    if "\\ud" in content or "\\uD" in content:
        found = HALF.search(PAIR.sub("", content.replace("\\\\", "")))  # an escaped backslash begins no escape
        if found is not None:
            raise ValueError(f"a text in it has {found[0]}, half of a character")
    return content


def plain_json(value: Any) -> Any:
    """Arrays as lists, and NaN within them as None."""
    if isinstance(value, np.ndarray):
        items = value.tolist()
        return items if value.dtype.kind != "f" or np.isfinite(value).all() else _without_nan(items)
    return value


def _without_nan(items: Any) -> Any:
    if isinstance(items, list):
        return [_without_nan(item) for item in items]
    return None if items != items else items


# ---- one reader per kind of entry ------------------------------------------------------------------------------------


def text(value: Any) -> str:
    """Text."""
    if not isinstance(value, str):
        raise TypeError(f"expected text, got {type(value).__name__}")
    return value


def number(value: Any) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(float(value)):
        raise TypeError(f"expected a finite number, got {value!r:.40}")
    return float(value)


def number_or_nan(value: Any) -> float:
    """A finite number, or NaN where it is null."""
    return float("nan") if value is None else number(value)


def whole(value: Any) -> int:
    """A whole number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise TypeError(f"expected a whole number, got {value!r:.40}")
    return value


def truth(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise TypeError(f"expected true or false, got {value!r:.40}")
    return value


def label(value: Any) -> Any:
    """Text, a number, or true or false."""
    if isinstance(value, bool | int | str):
        return value
    return number(value)


def tuple_of(item: Reader) -> Callable[[Any], tuple[Any, ...]]:
    """A list of any length."""

    def reader(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise TypeError(f"expected a list, got {type(value).__name__}")
        return tuple(item(entry) for entry in value)

    return reader


def array_of(item: Reader, ndim: int, dtype: type = np.float64) -> Reader:
    """Nested lists, `ndim` deep and of equal length on each level."""

    def nested(value: Any, depth: int) -> Any:
        if depth == 0:
            return item(value)
        if not isinstance(value, list):
            raise TypeError(f"expected lists {ndim} deep, got {type(value).__name__}")
        return [nested(entry, depth - 1) for entry in value]

    def reader(value: Any) -> Any:
        array: NDArray[Any] = np.array(nested(value, ndim), dtype=dtype)
        return array if array.ndim == ndim else array.reshape(array.shape + (0,) * (ndim - array.ndim))

    return reader


def or_none(reader: Reader) -> Reader:
    """What `reader` reads, or null."""
    return lambda value: None if value is None else reader(value)
