"""Dataclasses of arrays, numbers and text as JSON, exactly: finished pieces of work are kept like this.

A record is written field by field, and read again by the types that its fields declare, so a new field needs nothing
here. What is in a file can only become such values: it cannot run code, and what does not fit is a ValueError or a
TypeError. NaN and the infinities, which JSON does not have, are written as text.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

#: The kinds of arrays that are written: truth values, whole numbers, numbers.
KINDS = "biuf"
NOT_FINITE = ("nan", "inf", "-inf")


def to_json(value: Any) -> Any:
    """The value as what JSON can hold; a TypeError for what is none of ours."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, np.generic) and value.dtype.kind in KINDS:
        return to_json(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        flat = value.ravel().tolist()
        items = [item if math.isfinite(item) else str(item) for item in flat] if value.dtype.kind == "f" else flat
        return {"array": items, "shape": list(value.shape), "dtype": value.dtype.str}
    if isinstance(value, tuple | list):
        return {type(value).__name__: [to_json(item) for item in value]}
    if isinstance(value, Mapping):
        return {"dict": [[to_json(key), to_json(item)] for key, item in value.items()]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        content = {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"record": type(value).__name__, "fields": content}
    raise TypeError(f"{type(value).__name__} cannot be kept")


def from_json(content: Any, *records: type) -> Any:
    """What `to_json` was given, if it is made of these records, of what their fields hold, and of plain values."""
    known = {record.__name__: record for each in records for record in _within(each)}
    return _read(content, known)


def _read(content: Any, known: dict[str, type]) -> Any:
    if content is None or isinstance(content, bool | int | float | str):
        return content
    match content:
        case {"float": str(text)} if text in NOT_FINITE:
            return float(text)
        case {"array": list(items), "shape": list(shape), "dtype": str(dtype)} if np.dtype(dtype).kind in KINDS:
            return np.array([_number(item) for item in items], dtype=dtype).reshape([int(size) for size in shape])
        case {"tuple": list(items)}:
            return tuple(_read(item, known) for item in items)
        case {"list": list(items)}:
            return [_read(item, known) for item in items]
        case {"dict": list(items)}:
            return {_read(key, known): _read(item, known) for key, item in items}
        case {"record": str(name), "fields": dict(fields)} if name in known:
            if fields.keys() != {field.name for field in dataclasses.fields(known[name])}:
                raise ValueError(f"{name} has other fields")
            return known[name](**{key: _read(item, known) for key, item in fields.items()})
    raise ValueError("not a record of ours")


@cache
def _within(record: type) -> tuple[type, ...]:
    """A dataclass, and those that its fields may hold."""
    found = [record]
    for each in found:
        for hint in typing.get_type_hints(each).values():
            found += [part for part in _parts(hint) if dataclasses.is_dataclass(part) and part not in found]
    return tuple(found)


def _parts(hint: Any) -> Iterator[type]:
    """The types that a hint is made of: A and B of `tuple[A, ...] | B`."""
    arguments = typing.get_args(hint)
    if arguments:
        for argument in arguments:
            yield from _parts(argument)
    elif isinstance(hint, type) and not isinstance(hint, types.GenericAlias):
        yield hint


def _number(item: Any) -> Any:
    if isinstance(item, str) and item in NOT_FINITE:
        return float(item)
    if isinstance(item, bool | int | float):
        return item
    raise ValueError("not a number")
