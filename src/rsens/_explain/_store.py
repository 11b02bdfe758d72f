"""Explanations as JSON files: readable by anything, safe to open, and exact (a float is written with all its digits).

JSON has no NaN; it is written as null. There is no code in the file, unlike in a pickle, and whatever is wrong with it
is an `InputError` that says so.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._explain._record import Record

FORMAT = "rsens explanation"
VERSION = 1


def write(record: Record, path: str | os.PathLike[str]) -> None:
    """Write the file whole or not at all: under another name first, then renamed."""
    content = {"format": FORMAT, "version": VERSION} | {
        name: None if (value := getattr(record, name)) is None else _plain(value) for name in _READERS
    }
    target = Path(path)
    temporary = target.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("x", encoding="utf-8") as file:
            json.dump(content, file, allow_nan=False, separators=(",", ":"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def read(path: str | os.PathLike[str]) -> Record:
    """The record in a file written by `write`; an `InputError` for any other file."""
    try:
        content = json.loads(Path(path).read_bytes().decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:  # includes bytes that are no text
        raise InputError(f"{path} is not JSON ({error}). Give a file written by Explanation.save.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{path} does not hold an explanation. Give a file written by Explanation.save.")
    version = content.get("version")
    if version != VERSION or isinstance(version, bool):
        raise InputError(
            f"{path} is written in version {version!r} of the format; this rsens reads version {VERSION}. "
            "Read it with the rsens that wrote it, or write it anew."
        )
    unknown = content.keys() - _READERS.keys() - {"format", "version"}
    missing = _READERS.keys() - content.keys()
    try:
        if unknown or missing:
            raise InputError(f"unknown entries {sorted(unknown)}, missing entries {sorted(missing)}")
        record = Record(**{name: _read(name, content[name]) for name in _READERS})
        record.check()
    except InputError as error:
        raise InputError(f"{path} is damaged: {error}. Write it anew with Explanation.save.") from None
    return record


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number in JSON")


def _plain(value: Any) -> Any:
    """Lists, numbers, text and truth values."""
    if isinstance(value, np.ndarray):
        items = value.tolist()
        return items if value.dtype.kind != "f" or np.isfinite(value).all() else _without_nan(items)
    return value


def _without_nan(items: Any) -> Any:
    if isinstance(items, list):
        return [_without_nan(item) for item in items]
    return None if items != items else items


# ---- one reader per kind of entry ------------------------------------------------------------------------------------


def _read(name: str, value: Any) -> Any:
    try:
        return _READERS[name](value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} cannot be read ({error})") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, got {type(value).__name__}")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(float(value)):
        raise TypeError(f"expected a finite number, got {value!r:.40}")
    return float(value)


def _number_or_nan(value: Any) -> float:
    return float("nan") if value is None else _number(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise TypeError(f"expected a whole number, got {value!r:.40}")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"expected true or false, got {value!r:.40}")
    return value


def _label(value: Any) -> Any:
    if isinstance(value, bool | int | str):
        return value
    return _number(value)


def _tuple_of(item: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def reader(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise TypeError(f"expected a list, got {type(value).__name__}")
        return tuple(item(entry) for entry in value)

    return reader


def _array_of(item: Callable[[Any], Any], ndim: int, dtype: type = np.float64) -> Callable[[Any], Any]:
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


def _or_none(reader: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else reader(value)


_READERS: dict[str, Callable[[Any], Any]] = {
    "family": _text,
    "alpha": _number,
    "aggregate": _text,
    "level": _number,
    "scale": _text,
    "columns": _tuple_of(_text),
    "units": _array_of(_number, 1),
    "categorical": _tuple_of(_whole),
    "terms": _tuple_of(_text),
    "members": _tuple_of(_tuple_of(_whole)),
    "outputs": _tuple_of(_text),
    "row_labels": _or_none(_tuple_of(_label)),
    "row_label_name": _or_none(_text),
    "main": _array_of(_number, 1),
    "pairs": _or_none(_array_of(_number, 1)),
    "direction": _array_of(_number_or_nan, 2),
    "part_names": _tuple_of(_text),
    "parts": _or_none(_array_of(_number, 2)),
    "intervals": _or_none(_array_of(_number_or_nan, 2)),
    "pair_intervals": _or_none(_array_of(_number_or_nan, 2)),
    "null": _or_none(_array_of(_number_or_nan, 1)),
    "null_pairs": _or_none(_array_of(_number_or_nan, 1)),
    "probe_terms": _or_none(_tuple_of(_text)),
    "probe_values": _or_none(_array_of(_number, 1)),
    "subgroups": _or_none(_tuple_of(_label)),
    "subgroup_counts": _or_none(_array_of(_whole, 1, np.int64)),
    "subgroup_values": _or_none(_array_of(_number, 2)),
    "extrapolation": _array_of(_truth, 1, np.bool_),
    "local_main": _array_of(_number, 2),
    "local_pairs": _or_none(_array_of(_number, 3)),
}
