"""Long work that is kept in a folder: taken up again if the question is the same, and counted if it is stopped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from rsens._app.cli._flags import flag
from rsens._errors import InputError
from rsens._files import read_json, write_json

#: What the work was begun for, by the names of arguments. Hidden: the folder is else that of the library.
QUESTION = ".question.json"


class Stopped(click.Abort):
    """Stopped with Ctrl-C; the text says what is kept."""


@dataclass(frozen=True)
class Work:
    """Finished pieces, `total` of them when all are there, in the folder `name` inside that of the results."""

    results: Path
    name: str
    total: int

    @property
    def folder(self) -> Path:
        """Where the pieces are."""
        return self.results / self.name

    @property
    def pieces(self) -> int:
        """How many are there."""
        found = self.folder.glob(f"{self.name.removesuffix('s')}-*.json")
        return min(self.total, sum(1 for _ in found))

    def resumed(self) -> str:
        """That work goes on, if it does."""
        kept = self.pieces
        if not kept:
            return ""
        left = self.total - kept
        return f"Resumed: {kept} of {self.total} {self.name} are there from before; {left or 'none'} left to do.\n"

    @contextmanager
    def kept(self, question: Mapping[str, Any], overwrite: bool) -> Iterator[None]:
        """Within this, the work goes on. Work on another question is an `InputError`, or forgotten if so asked."""
        if overwrite:
            shutil.rmtree(self.folder, ignore_errors=True)
        self._check(dict(question))
        try:
            yield
        except BaseException as error:
            if not self.pieces:
                shutil.rmtree(self.folder, ignore_errors=True)
                with suppress(OSError):  # unless there are results of before
                    self.results.rmdir()
            elif isinstance(error, KeyboardInterrupt):
                raise Stopped(
                    f"stopped. {self.pieces} of {self.total} {self.name} are kept in {self.folder}; "
                    "the same command goes on from there."
                ) from None
            raise

    def _check(self, asked: dict[str, Any]) -> None:
        file = self.folder / QUESTION
        try:
            before = read_json(file)
        except (OSError, ValueError, RecursionError):
            before = None
        if not isinstance(before, dict):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_json(asked, file)
            return
        names = [name for name in asked if before.get(name) != asked[name]]
        if names:
            raise InputError(
                f"the folder {self.results} has work on another question ({_was(names[0], before.get(names[0]))}). "
                "Give another folder, or overwrite=True."
            )


def _was(name: str, value: Any) -> str:
    """The first thing that differs, as an option."""
    if name == "fingerprint":
        return "the rows were others"
    if value is None or value == []:
        return f"{flag(name)} was not given"
    return f"{flag(name)} was {', '.join(map(str, value)) if isinstance(value, list) else value}"
