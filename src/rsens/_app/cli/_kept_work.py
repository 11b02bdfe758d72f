"""Long work that keeps finished pieces in a folder: resumed if the question is the same, counted if it is stopped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from rsens._app.cli._live import Live
from rsens._app.study import ModelSetup
from rsens._errors import Argument, InputError
from rsens._files import differences, parse_json, what_it_was, write_json

#: What the work is for, by the names of arguments. Hidden: the rest of the folder belongs to the library.
QUESTION = ".question.json"
#: Settings that the pieces depend on.
DEPENDS_ON = (
    "likelihood",
    "model",
    "missing",
    "drop",
    "columns",
    "categorical",
    "numeric",
    "groups",
    "where",
    "date",
    "date_parts",
    "cluster",
    "rows",
    "inducing",
    "seed",
)


#: Settings that are dicts. Work that was begun before they existed has none of them.
BY_NAME = ("groups", "date", "date_parts")


class Stopped(click.Abort):
    """Stopped with Ctrl-C; the text says what is kept."""


@dataclass(frozen=True)
class KeptWork:
    """Pieces of work, `total` of them when all are finished, in the folder `name` inside the folder of results."""

    results: Path
    name: str
    total: int

    @property
    def folder(self) -> Path:
        """Where the pieces are."""
        return self.results / self.name

    @property
    def pieces(self) -> int:
        """How many are finished."""
        found = self.folder.glob(f"{self.name.removesuffix('s')}-*.json")
        return min(self.total, sum(1 for _ in found))

    @contextmanager
    def resume(self, setup: ModelSetup, more: Mapping[str, Any], live: Live) -> Iterator[None]:
        """Within this, the work goes on. Work on another question is an `InputError`, unless it may be overwritten."""
        if setup.settings.overwrite:
            shutil.rmtree(self.folder, ignore_errors=True)
        self._check({**_question(setup), **more, "fingerprint": setup.provenance["fingerprint"]})
        if kept := self.pieces:
            left = self.total - kept
            live.say(
                f"Resumed: {kept} of {self.total} {self.name} are there from before; {left or 'none'} left to do.\n"
            )
        try:
            yield
        except BaseException as error:
            if not self.pieces:
                shutil.rmtree(self.folder, ignore_errors=True)
                with suppress(OSError):  # unless there are earlier results
                    self.results.rmdir()
            elif isinstance(error, KeyboardInterrupt):
                raise Stopped(
                    f"stopped. {self.pieces} of {self.total} {self.name} are kept in {self.folder}; "
                    "the same command goes on from there."
                ) from None
            raise

    def _check(self, question: dict[str, Any]) -> None:
        file = self.folder / QUESTION
        try:
            before = read_json(file)
        except (OSError, ValueError, RecursionError):
            before = None
        if not isinstance(before, dict):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_json(question, file)
            return
        name = first_difference(before, question)
        if name is not None:
            raise InputError(
                f"the folder {self.results} has work on another question (",
                what_it_was(name, before.get(name)),
                "). Give another ",
                Argument("folder"),
                ", or use ",
                Argument("overwrite", True),
                ".",
            )


def _question(setup: ModelSetup) -> dict[str, Any]:
    """What all pieces depend on, in the words of users."""
    settings = setup.settings.plain("target", *DEPENDS_ON)
    return (
        settings
        | {"columns": settings["columns"] or []}
        | {name: settings[name] or None for name in ("where", *BY_NAME)}
    )
