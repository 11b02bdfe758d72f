"""A command at work: messages before the result, and finished pieces that outlive an interruption.

Pieces depend on everything that was asked, except for settings that change nothing about a piece. Refits of another
question are forgotten, and all refits go once the results are written; samples and splits stay with the results, and
another question is an error.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from rsens._app.cli._terminal import say
from rsens._app.study import (
    REFITS,
    Listener,
    ModelSetup,
    Settings,
    early_document,
    early_quality,
    early_ranking,
)
from rsens._app.tables import Note
from rsens._assess import Assessment
from rsens._errors import Argument, InputError
from rsens._explain import Explanation
from rsens._files import Checkpoint, difference, fingerprint
from rsens._text import counted

#: Seconds between two heartbeats.
EVERY = 60.0


class Live(Listener):
    """Follows the pipeline and informs the user.

    The summary of the table goes to standard output if that is a terminal, and is not repeated with the result; else
    to standard error, as standard output is for the result. Heartbeats go to standard error where that is not a
    terminal: a terminal shows the progress line instead.
    """

    def __init__(self, settings: Settings, *, tells: bool = True, keeps: bool = False) -> None:
        super().__init__(settings.progress)
        self._tells, self._keeps, self._quiet = tells, keeps, settings.quiet
        self._on_screen = sys.stdout.isatty() and not settings.as_json
        self._shown: list[Note] | None = None
        self._step, self._start = "reading", time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._heartbeats, daemon=True)

    @property
    def shown(self) -> Sequence[Note] | None:
        """The notes printed to standard output, with the heading; None if nothing was."""
        return self._shown if self._on_screen else None

    def step(self, what: str) -> str:
        self._step = super().step(what)
        return self._step

    def read(self, setup: ModelSetup) -> None:
        if self._tells:
            self._shown = list(setup.notes)
            document = early_document(setup.provenance, setup.model, setup.likelihood, self._shown)
            self.say(f"{document.text()}\n")

    def ranked(self, found: Explanation) -> None:
        if self._tells:
            self.say(f"{early_ranking(found).text()}\n")

    def checked(self, assessment: Assessment) -> None:
        if self._tells:
            self.say(f"{early_quality(assessment).text()}\n")

    def announce(self, words: str) -> None:
        """How much work there is, where it is long."""
        resume = " Ctrl-C saves progress; run the same command again to resume." if self._keeps else ""
        self.say(f"{words}.{resume}\n")

    def say(self, text: str) -> None:
        """Print something before the result."""
        if text and not self._quiet:
            with self.pause():
                say(text, sys.stdout if self._on_screen else sys.stderr)

    def __enter__(self) -> Live:
        if not self._quiet and not sys.stderr.isatty():
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def heartbeat(self) -> str:
        """The step at work, its progress, and the minutes so far, on one line."""
        minutes, words = (time.monotonic() - self._start) / 60.0, self.progress.words()
        return f"rsens: {', '.join(filter(None, [self._step, words]))}, {minutes:.0f} min so far"

    def _heartbeats(self) -> None:
        while not self._over.wait(EVERY):
            say(self.heartbeat(), sys.stderr)


#: Settings that change nothing about a piece, or that `more` of `question_of` has; any other counts, also a new one.
NOT_ASKED = frozenset((
    "data", "name",
    "pairs", "null", "methods", "order", "budget", "samples", "folds", "repeats",
    "n_jobs", "all_cores", "fits", "dask", "progress", "out", "overwrite", "report", "as_json", "quiet",
))  # fmt: skip


@dataclass(frozen=True)
class KeptWork:
    """Pieces of work, `total` of them when all are finished, in the folder `name` inside the folder of results."""

    results: Path
    name: str = REFITS
    total: int = 0

    @property
    def folder(self) -> Path:
        """The folder of the pieces."""
        return self.results / self.name

    @property
    def noun(self) -> str:
        """A piece."""
        return self.name.removesuffix("s")

    @property
    def pieces(self) -> int:
        """How many are finished."""
        return sum(1 for _ in self.folder.glob(f"{self.noun}-*.json"))

    @contextmanager
    def resume(self, setup: ModelSetup, live: Live, more: Mapping[str, Any]) -> Iterator[Checkpoint]:
        """Keep the pieces that are finished within the block, also if it is interrupted."""
        question = question_of(setup, more)
        before = Checkpoint.question_in(self.folder)
        other = None if before is None else difference(before, Checkpoint.full_question(question))
        if setup.settings.overwrite:
            self.forget()
        elif other is not None and self.pieces:
            if self.name != REFITS:
                raise InputError(
                    f"the folder {self.results} has work on another question (", other, "). Give another ",
                    Argument("folder"), ", or use ", Argument("overwrite", True), ".",
                )  # fmt: skip
            live.say(f"Unfinished refits of another question ({other}) are forgotten.\n")
        if other is not None:
            self.forget()
        try:
            checkpoint = Checkpoint.open(self.folder, question, setup.seed)
            if count := self.pieces:
                live.say(f"Resumed with {counted(count, f'finished {self.noun}')}.\n")
            yield checkpoint
        finally:
            if not self.pieces:
                self.forget()

    def how_to_resume(self, live: Live) -> str:
        """A sentence on the number of kept pieces and on resuming; empty without any."""
        if not (count := self.pieces):
            return ""
        total = max(count, self.total or live.progress.total("refit"))
        kept = counted(count, self.noun) if total == count else f"{count} of {counted(total, self.noun)}"
        return f" {kept} are kept in {self.folder}; run the same command again to resume."

    def forget(self) -> None:
        """Remove the pieces, and a folder of results in which nothing else is. Files of somebody else stay."""
        Checkpoint.remove(self.folder)
        for folder in (self.folder, self.results):
            with suppress(OSError):  # other files are in it, or it does not exist
                folder.rmdir()


def question_of(setup: ModelSetup, more: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that pieces depend on, by the names that users know."""
    settings = setup.settings
    asked = {each.name: getattr(settings, each.name) for each in fields(Settings) if each.name not in NOT_ASKED}
    return {
        **{name: _plain(value) for name, value in (asked | dict(more)).items()},
        "fingerprint": setup.provenance["fingerprint"],
        "estimator": fingerprint(setup.model),
        "numeric_columns": list(setup.numeric),
        "column_groups": fingerprint({name: list(columns) for name, columns in setup.groups.items()}),
        "with_pairs": settings.computes_pairs(setup.table.X.shape[1]),
        "versions": setup.provenance["versions"],
    }


def _plain(value: Any) -> Any:
    """A value for a person to read; nothing, in whichever form it was given, is None."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return [f"{name}={','.join(map(str, items))}" for name, items in value.items()] or None
    return [str(item) for item in value] or None if isinstance(value, tuple | list) else str(value)
