"""The store: values as JSON with a digest, for results, models and finished work.

    None, True, 3, 0.1, "text"      as in JSON; floats have all their digits
    nan, inf                        {"is": "float", "value": "nan"}
    tuple                           a list
    list, dict                      {"is": "list", "items": […]}, {"is": "dict", "items": [[key, value], …]}
    array                           {"is": "array", "dtype": "float64", "shape": [2, 3], "values": a list}
    dataclass, estimator            {"is": the name of its class, field: value, …}

Classes are found by name in a list of known ones, which follow from the types of fields, so that a new field or class
needs nothing here. Nothing in a file can run code. The SHA-256 of the content is part of the file: any damage shows.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._files._io import write_whole
from rsens._text import shorten
from rsens._version import __version__

#: The version of the format.
VERSION = 5
#: Arrays of truth values, whole numbers and numbers.
NUMBERS = "biuf"
#: Classes that may be written and read, by name.
Known = Mapping[str, type]
#: Write an array elsewhere, and return entries that name the place; read it from there.
PutArray = Callable[[NDArray[Any]], dict[str, Any]]
GetArray = Callable[[dict[str, Any]], NDArray[Any]]
_type_hints = cache(typing.get_type_hints)


def encode(value: Any, known: Known, put: PutArray | None = None) -> Any:
    """Turn a value into JSON; an `InputError` for anything but plain values, arrays and instances of known classes."""

    def of(each: Any) -> Any:
        return encode(each, known, put)

    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"is": "float", "value": str(value)}
    if isinstance(value, tuple):
        return [of(each) for each in value]
    if isinstance(value, list):
        return {"is": "list", "items": [of(each) for each in value]}
    if isinstance(value, Mapping):
        return {"is": "dict", "items": [[of(key), of(each)] for key, each in value.items()]}
    if known.get(type(value).__name__) is type(value):
        return {"is": type(value).__name__} | {name: of(getattr(value, name)) for name in _field_names(value)}
    if hasattr(value, "__array__"):  # also an index of pandas
        return _encode_array(np.asarray(value), of, put)
    raise InputError(
        f"{shorten(repr(value), 60)} of type {type(value).__name__} cannot be stored; only numbers, text, arrays and "
        "objects of rsens can. Make labels text, for example with .astype(str)."
    )


def _encode_array(array: NDArray[Any], of: Callable[[Any], Any], put: PutArray | None) -> dict[str, Any]:
    kind, dtype = array.dtype.kind, array.dtype.name
    if kind in NUMBERS and put is not None:
        return {"is": "array", **put(array)}
    values = array.ravel().tolist()
    if kind not in NUMBERS:  # text, or Python's objects: each entry must be a plain value
        values, dtype = [of(each) for each in values], "U" if kind == "U" else "O"
    elif kind == "f" and not np.isfinite(array).all():  # JSON has no NaN and no infinity; NumPy reads these
        values = [each if math.isfinite(each) else None if math.isnan(each) else str(each) for each in values]
    return {"is": "array", "dtype": dtype, "shape": list(array.shape), "values": values}


def decode(content: Any, known: Known, get: GetArray | None = None) -> Any:
    """Restore a value from the output of `encode`; any kind of error for other content."""

    def of(each: Any) -> Any:
        return decode(each, known, get)

    match content:
        case None | bool() | int() | float() | str():
            return content
        case list():
            return tuple(map(of, content))
        case {"is": "float", "value": "nan" | "inf" | "-inf" as text, **others} if not others:
            return float(text)
        case {"is": "list", "items": list(items), **others} if not others:
            return list(map(of, items))
        case {"is": "dict", "items": list(items), **others} if not others:
            return {of(key): of(each) for key, each in items}
        case {"is": "array", "dtype": str(dtype), "shape": list(shape), "values": list(values), **others} if not others:
            if dtype not in ("U", "O"):
                if np.dtype(dtype).kind not in NUMBERS:
                    raise ValueError("an array does not hold numbers")
                return np.array(values, dtype=dtype).reshape(shape)
            array = np.empty(len(values), dtype=object)
            array[:] = [of(each) for each in values]
            return array.astype(dtype).reshape(shape)
        case {"is": "array"} if get is not None:
            return get(content)
        case {"is": str(name)}:
            return _instance(known[name], {key: of(each) for key, each in content.items() if key != "is"})
    raise ValueError("an entry is not in the format of rsens")


def _field_names(value: Any) -> list[str]:
    if dataclasses.is_dataclass(value):
        return [field.name for field in dataclasses.fields(value) if field.init]
    return list(vars(value))


def _instance(kind: Any, values: dict[str, Any]) -> Any:
    """Make a dataclass with its constructor, which may check the fields, or an estimator with its attributes."""
    if dataclasses.is_dataclass(kind):
        if values.keys() != {*_field_names(kind)}:
            raise ValueError("a record has other fields")
        return typing.cast(Any, kind)(**values)
    estimator = kind(**{name: values.pop(name) for name in kind._get_param_names()})
    if any(hasattr(kind, name) for name in values):
        raise ValueError(f"an attribute would hide a method of {kind.__name__}")
    vars(estimator).update(values)
    return estimator


def known_classes(*roots: type) -> Known:
    """Collect these dataclasses, and those that their fields may hold, by name."""
    found: list[Any] = list(roots)
    for each in found:
        with suppress(NameError):  # types that are imported for type checkers alone
            parts = [part for hint in _type_hints(each).values() for part in _parts(hint)]
            found += [part for part in dict.fromkeys(parts) if dataclasses.is_dataclass(part) and part not in found]
    return {each.__name__: each for each in found}


def _parts(hint: Any) -> Iterator[type]:
    """The types in a type hint: A and B of `tuple[A, ...] | B`."""
    for argument in typing.get_args(hint):
        yield from _parts(argument)
    if isinstance(hint, type):
        yield hint


def document(kind: str, content: Any) -> str:
    """The text of a file of this kind ("an explanation") with encoded content."""
    body = _compact(content)
    head = {"format": _format(kind), "rsens": __version__, "sha256": _digest(__version__, body)}
    return f'{json.dumps(head)[:-1]}, "content": {body}}}\n'


def read_document(text: str | bytes, kind: str, where: Any, writer: str) -> Any:
    """The encoded content of a text made by `document`; an `InputError` for any other text."""
    with reading(where, writer):
        found = parse_json(text)
        if found.keys() != {"format", "rsens", "sha256", "content"} or found["format"] != _format(kind):
            raise ValueError("another format")
        if _digest(found["rsens"], _compact(found["content"])) != found["sha256"]:
            raise ValueError("the digest differs")
    return found["content"]


@contextmanager
def reading(where: Any, writer: str) -> Iterator[None]:
    """Turn any sign of damage into an `InputError`."""
    try:
        yield
    except Exception as error:
        text = f"{where} is damaged, or was not written by this release of rsens. Write it again with {writer}."
        raise InputError(text) from error


def parse_json(text: str | bytes) -> Any:
    """The content of a JSON text; a ValueError or RecursionError if it is not JSON, which does not have NaN."""
    return json.loads(text.decode("utf-8") if isinstance(text, bytes) else text, parse_constant=_refuse)


def write_json(content: Any, path: str | os.PathLike[str]) -> None:
    """Write plain content as a JSON file, whole or not at all; NaN is an error."""
    write_whole(path, _compact(content))


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number in JSON")


def _compact(content: Any) -> str:
    return json.dumps(content, allow_nan=False, separators=(",", ":"))


def _digest(written_by: str, body: str) -> str:
    return hashlib.sha256(f"{written_by} {body}".encode()).hexdigest()


def _format(kind: str) -> str:
    return f"rsens {kind.removeprefix('an ').removeprefix('a ')}, version {VERSION}"
