"""Results: parts, frozen dataclasses whose fields are each declared once, and the JSON files that hold them.

`values: Array = stored("R-sens within each subgroup.", "subgroups", "terms")` has its meaning and the names of sizes.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from rsens import _files as files
from rsens._document import Shown

_KEY = "rsens"


@dataclass(frozen=True)
class Field:
    """One field of a result: its meaning, and its shape, () unless it is an array."""

    name: str
    meaning: str
    shape: tuple[str | int, ...]


def stored(meaning: str, *shape: str | int, **default: Any) -> Any:
    """Declare a field of a `Part`, an array if it has a shape. `default` is as in `dataclasses.field`."""
    return dataclasses.field(metadata={_KEY: Field("", meaning, shape)}, **default)


class Part:
    """Some fields that belong together. The arrays belong to the part and become read-only."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @classmethod
    @cache  # every table and every file asks for the fields of all parts
    def fields(cls) -> Mapping[str, Field]:
        """The declared fields, by name, in their order."""
        declared = dataclasses.fields(cls)  # type: ignore[arg-type] # parts are dataclasses
        named = {each.name: dataclasses.replace(each.metadata[_KEY], name=each.name) for each in declared}
        return MappingProxyType(named)


@dataclass(frozen=True)
class Form:
    """The files of one kind of result: its name, the method that writes it, and its parts by name."""

    kind: str
    writer: str
    parts: Mapping[str, type[Part]]

    def write(self, parts: Mapping[str, Part | None], path: str | os.PathLike[str]) -> None:
        """Write the parts, whole or not at all; None is a part that was not computed."""
        content = {name: files.encode(parts[name], files.known_classes(kind)) for name, kind in self.parts.items()}
        files.write_whole(path, files.document(self.kind, content))

    def read(self, path: str | os.PathLike[str]) -> dict[str, Any]:
        """The parts in a file that `write` wrote; an `InputError` for any other file."""
        content = files.read_document(files.read_file(path, self.writer), self.kind, path, self.writer)
        with files.reading(path, self.writer):
            parts = {
                name: files.decode(content.pop(name), files.known_classes(kind)) for name, kind in self.parts.items()
            }
            if content or not all(isinstance(parts[name], kind | None) for name, kind in self.parts.items()):
                raise ValueError("other parts")
        return parts


class Result(Shown):
    """A result around one part, which is printed as its document, written to a file and read from it.

    A subclass names the kind of its files and the part: `class Stability(Result, kind="a stability result", of=Ranks)`.
    """

    _form: ClassVar[Form]

    def __init_subclass__(cls, *, kind: str, of: type[Part]) -> None:
        cls._form = Form(kind, f"{cls.__name__}.save", {"numbers": of})

    def __init__(self, numbers: Any) -> None:
        self._numbers = numbers

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all numbers to a JSON file, whole or not at all."""
        self._form.write({"numbers": self._numbers}, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file written by `save`."""
        return cls(**cls._form.read(path))


def field_of(part: type[Part], name: str) -> Any:
    """An attribute of a `Result` that shows a field of its part; the meaning of the field is the documentation."""
    return property(lambda result: getattr(result._numbers, name), doc=part.fields()[name].meaning)
