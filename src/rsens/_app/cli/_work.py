"""A command at work: messages before the result, and finished pieces that outlive an interruption.

Pieces depend on everything that was asked, except for settings that change nothing about a piece. Refits of another
question are forgotten, and all refits go once the results are written; samples and splits stay with the results, and
another question is an error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from rsens._app.cli._terminal import say
from rsens._app.study import REFITS, Analysis, Listener, Settings, early_ranking, with_heading
from rsens._app.tables import Note
from rsens._assess import Assessment, quality
from rsens._document import Document, Sentences
from rsens._errors import Argument, InputError
from rsens._explain import Explanation
from rsens._files import Checkpoint, difference, fingerprint
from rsens._text import counted


class Live(Listener):
    """Informs the user before the result is there.

    The messages go to standard output if that is a terminal, and the heading and the notes are not repeated with the
    result; else to standard error, as standard output is for the result.
    """

    def __init__(self, given: Mapping[str, Any], *, early: bool, keeps: bool) -> None:
        super().__init__(False if given["quiet"] else None)
        self._early, self._keeps, self._quiet = early, keeps, given["quiet"]
        self._on_screen = sys.stdout.isatty() and not given.get("as_json")
        #: The notes printed to standard output, with the heading; None if nothing was.
        self.printed: list[Note] | None = None

    def read(self, analysis: Analysis) -> None:
        if self._early:
            self.say(f"{with_heading(analysis, []).text()}\n")
            self.printed = list(analysis.notes) if self._on_screen else None

    def ranked(self, found: Explanation) -> None:
        if self._early:
            self.say(f"{early_ranking(found).text()}\n")

    def checked(self, assessment: Assessment) -> None:
        if self._early:
            self.say(f"{Document([Sentences(assessment.warnings, 'warning'), quality(assessment)]).text()}\n")

    def announce(self, words: str) -> None:
        """How much work there is, where it is long."""
        resume = " Ctrl-C saves progress; run the same command again to resume." if self._keeps else ""
        self.say(f"{words}.{resume}\n")

    def say(self, text: str) -> None:
        """Print something before the result."""
        if not self._quiet:
            with self.pause():
                say(text, sys.stdout if self._on_screen else sys.stderr)


#: Settings that change nothing about a piece, or that `KeptWork.question` has; any other counts, also a new one.
NOT_ASKED = frozenset((
    "data", "name", "pairs", "null", "methods", "order", "budget", "samples", "folds", "repeats", "n_jobs", "fits",
))  # fmt: skip


@dataclass(frozen=True)
class KeptWork:
    """Pieces of work, `total` of them when all are finished, in the folder `name` inside the folder of results.

    question: The part of the question that changes pieces, in addition to the settings of data and model.
    """

    results: Path
    name: str = REFITS
    total: int = 0
    question: Mapping[str, Any] = field(default_factory=dict)

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
    def resume(self, analysis: Analysis, live: Live, overwrite: bool) -> Iterator[Checkpoint]:
        """Keep the pieces that are finished within the block, also if it is interrupted."""
        question = question_of(analysis, self.question)
        before = Checkpoint.question_in(self.folder)
        other = None if before is None else difference(before, Checkpoint.full_question(question))
        if overwrite:
            self.forget()
        elif other is not None and self.pieces:
            if self.name != REFITS:
                how = (". Give another ", Argument("folder"), ", or use ", Argument("overwrite", True), ".")
                raise InputError(f"the folder {self.results} has work on another question (", other, ")", *how)
            live.say(f"Unfinished refits of another question ({other}) are forgotten.\n")
        if other is not None:
            self.forget()
        try:
            checkpoint = Checkpoint.open(self.folder, question, analysis.asked.seed)
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


def question_of(analysis: Analysis, more: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that pieces depend on, by the names that users know."""
    asked = {name: getattr(analysis.asked, name) for each in fields(Settings) if (name := each.name) not in NOT_ASKED}
    return {
        **{name: _plain(value) for name, value in (asked | dict(more)).items()},
        "fingerprint": analysis.settings["fingerprint"],
        "estimator": fingerprint(analysis.model),
        "numeric_columns": list(analysis.numeric),
        "column_groups": fingerprint({name: list(columns) for name, columns in analysis.groups.items()}),
        "with_pairs": analysis.asked.computes_pairs(analysis.X.shape[1]),
        "versions": analysis.settings["versions"],
    }


def _plain(value: Any) -> Any:
    """A value for a person to read; nothing, in whichever form it was given, is None."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return [f"{name}={','.join(map(str, items))}" for name, items in value.items()] or None
    return [str(item) for item in value] or None if isinstance(value, tuple | list) else str(value)
