"""What results are made of: parts, whose fields are each declared once, and the JSON files that hold them.

A part is a frozen dataclass. The line that declares a field says what it means, how an entry is read from a file, and
its shape; saving, loading, checking, tables and documentation take it from there:

    @dataclass(frozen=True, eq=False, kw_only=True)
    class Subgroups(Part):
        subgroups: tuple[str, ...] = stored("The labels of the subgroups.", tuple_of(text))
        values: Array = stored("R-sens within each subgroup.", number, "subgroups", "terms")

A shape is made of names of sizes. A size is the length of the tuple of that name, in any part of the result, or else
whatever the first array that uses it says; all others must agree.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._files import (
    MissingPathError,
    Reader,
    array_of,
    json_text,
    or_none,
    parse_json,
    plain_json,
    read_json,
    truth,
    whole,
    write_json,
)

_KEY = "rsens"
_DTYPES: dict[Reader, type] = {whole: np.int64, truth: np.bool_}


@dataclass(frozen=True)
class Field:
    """One field of a result: its meaning, how it is read from a file, and its shape, () for what is no array.

    `column` is its name in `to_frame`, for what has one value per term or pair. A `later` field may be missing in files
    of earlier releases, and then has its default.
    """

    name: str
    meaning: str
    reader: Reader
    shape: tuple[str | int, ...]
    column: str | None = None
    later: bool = False


def stored(
    meaning: str,
    item: Reader,
    *shape: str | int,
    optional: bool = False,
    column: str | None = None,
    **default: Any,
) -> Any:
    """Declare a field of a `Part`; `item` reads one entry of an array of this shape. Optional fields may be None.

    A `default` is for a field that earlier releases did not write.
    """
    reader = array_of(item, len(shape), _DTYPES.get(item, np.float64)) if shape else item
    field = Field("", meaning, or_none(reader) if optional else reader, shape, column, later="default" in default)
    if optional:
        default.setdefault("default", None)
    return dataclasses.field(metadata={_KEY: field}, **default)


class Part:
    """Some fields that belong together. The arrays belong to the part and become read-only."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @classmethod
    def fields(cls) -> Mapping[str, Field]:
        """The declared fields, by name, in their order."""
        return _declared(cls)  # type: ignore[arg-type] # classes are hashable

    def check(self) -> None:
        """An `InputError` unless the fields fit together, as they do unless a file was changed."""


@cache
def _declared(kind: type[Part]) -> Mapping[str, Field]:
    """The fields of a part; cached, since every table and every file asks for those of all parts."""
    declared = dataclasses.fields(kind)  # type: ignore[arg-type] # parts are dataclasses
    return MappingProxyType({each.name: dataclasses.replace(each.metadata[_KEY], name=each.name) for each in declared})


@dataclass(frozen=True)
class Form:
    """How one kind of result is written: what it is called, the method that writes it, and its parts by name.

    A file holds the fields of all parts side by side. A part that is None has null in all its entries. `upgrades` has,
    for each earlier version of the format, a function that brings the entries of a file to the next one.
    """

    kind: str
    writer: str
    parts: Mapping[str, type[Part]]
    upgrades: tuple[Callable[[dict[str, Any]], dict[str, Any]], ...] = ()

    @property
    def version(self) -> int:
        """The version of the format that is written, counted from 1."""
        return len(self.upgrades) + 1

    def fields(self) -> Iterator[tuple[str, Field]]:
        """The name of the part and the field, of all fields."""
        return ((name, field) for name, part in self.parts.items() for field in part.fields().values())

    def write(self, parts: Mapping[str, Part | None], path: str | os.PathLike[str]) -> None:
        """Write the parts, whole or not at all."""
        folder = Path(path).absolute().parent
        if not folder.is_dir():
            raise MissingPathError(f"{path} cannot be written: there is no folder {folder}. Make it first.")
        if Path(path).is_dir():
            raise InputError(f"{path} is a folder. Give the name of a file, such as {Path(path) / 'result.json'}.")
        write_json(self._entries(parts), path)

    def text(self, parts: Mapping[str, Part | None]) -> str:
        """What `write` writes."""
        return json_text(self._entries(parts))

    def _entries(self, parts: Mapping[str, Part | None]) -> dict[str, Any]:
        entries = {
            self._entry(name, field): plain_json(getattr(parts[name], field.name, None))
            for name, field in self.fields()
        }
        return {"format": self._format, "version": self.version} | entries

    def read(
        self, path: str | os.PathLike[str], check: Callable[[dict[str, Any]], None] = lambda parts: None
    ) -> dict[str, Any]:
        """The parts in a file that `write` wrote; an `InputError` for any other file.

        `check` raises one if the parts do not fit together in some way that shapes do not say.
        """
        if Path(path).is_dir():
            raise InputError(f"{path} is a folder. Give a file written by {self.writer}.")
        return self._parts(self._content(path, lambda: read_json(path)), path, check)

    def read_text(self, text: str, check: Callable[[dict[str, Any]], None] = lambda parts: None) -> dict[str, Any]:
        """The parts in what `text` returned; an `InputError` for any other text."""
        where = "the text"
        return self._parts(self._content(where, lambda: parse_json(text)), where, check)

    def _parts(self, content: dict[str, Any], path: Any, check: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """The parts from their entries; `path` is where these come from."""
        names = {self._entry(name, field) for name, field in self.fields()}
        later = {self._entry(name, field) for name, field in self.fields() if field.later}
        unknown, missing = content.keys() - names, names - content.keys() - later
        try:
            if unknown or missing:
                raise InputError(f"unknown entries {sorted(unknown)}, missing entries {sorted(missing)}")
            own: dict[str, dict[str, Any]] = {name: {} for name in self.parts}
            for name, field in self.fields():
                if (entry := self._entry(name, field)) in content:
                    own[name][field.name] = content[entry]
            parts = {name: _part(part, own[name]) for name, part in self.parts.items()}
            check_parts(parts)
            check(parts)
            return parts
        except InputError as error:
            raise InputError(f"{path} is damaged: {error}. Write it again with {self.writer}.") from None

    def _entry(self, part: str, field: Field) -> str:
        """The name of a field in files: its own, after that of its part if there are several parts of one class."""
        several = [*self.parts.values()].count(self.parts[part]) > 1
        return f"{part}_{field.name}" if several else field.name

    def _content(self, path: Any, parsed: Callable[[], Any]) -> dict[str, Any]:
        """The entries of a file of this kind."""
        try:
            content = parsed()
        except FileNotFoundError:
            raise MissingPathError(f"there is no file {path}. Give a file written by {self.writer}.") from None
        except (ValueError, RecursionError) as error:  # includes bytes that are no text
            raise InputError(f"{path} is not JSON ({error}). Give a file written by {self.writer}.") from None
        if not isinstance(content, dict) or content.pop("format", None) != self._format:
            raise InputError(f"{path} does not hold {self.kind}. Give a file written by {self.writer}.")
        version = content.pop("version", None)
        if isinstance(version, bool) or version not in range(1, self.version + 1):
            known = "version 1" if self.version == 1 else f"versions 1 to {self.version}"
            raise InputError(
                f"{path} is written in version {version!r} of the format; this rsens reads {known}. "
                "Read it with the rsens that wrote it, or write it again."
            )
        for upgrade in self.upgrades[version - 1 :]:
            content = upgrade(content)
        return content

    @property
    def _format(self) -> str:
        return f"rsens {self.kind.removeprefix('an ').removeprefix('a ')}"


def check_parts(parts: Mapping[str, Part | None]) -> None:
    """An `InputError` unless all shapes agree and every part is sound."""
    there = [part for part in parts.values() if part is not None]
    values = [(field, getattr(part, field.name)) for part in there for field in part.fields().values()]
    sizes = {field.name: len(value) for field, value in values if isinstance(value, tuple)}
    for field, value in values:
        if not field.shape or value is None or "values" in field.shape:
            continue
        expected = tuple(
            size if isinstance(size, int) else sizes.setdefault(size, length)
            for size, length in zip(field.shape, value.shape, strict=True)
        )  # readers give arrays with as many axes as the shape has
        if value.shape != expected:
            raise InputError(f"{field.name} has shape {value.shape}, expected {expected}")
    for part in there:
        part.check()


def check_size(name: str, values: Any, size: int) -> None:
    """An `InputError` unless there are none or that many of them."""
    if values is not None and len(values) != size:
        raise InputError(f"{name} has {len(values)} entries, expected {size}")


def _part(kind: type[Part], content: Mapping[str, Any]) -> Part | None:
    """The part, or None where the file has nothing in any of its entries."""
    fields = kind.fields()
    if all(content.get(name) is None for name in fields):
        return None
    return kind(**{name: _read(field, content[name]) for name, field in fields.items() if name in content})


def _read(field: Field, value: Any) -> Any:
    try:
        return field.reader(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{field.name} cannot be read ({error})") from None
