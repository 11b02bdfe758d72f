"""Finished pieces of long work in the folder of results: resumed if the question is the same, counted if it is stopped.

Pieces depend on everything that was asked, except for settings that change nothing about a piece. Refits of another
question are forgotten, and all refits go once the results are written; samples and splits stay with the results, and
another question is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from rsens._app.cli._live import Live
from rsens._app.study import REFITS, ModelSetup, Settings
from rsens._errors import Argument, InputError, Sentence
from rsens._files import Checkpoint, difference, fingerprint, parse_json, write_json
from rsens._text import counted

#: The question by the names of arguments. Hidden: the rest of the folder belongs to the library.
QUESTION = ".question.json"
#: Settings that change nothing about a piece; any other counts, also a new one. The rows of the table count.
NOT_ASKED = frozenset((
    "data", "name",
    "pairs", "null", "methods", "order", "budget", "samples", "folds", "repeats",
    "n_jobs", "all_cores", "fits", "progress", "out", "overwrite", "report", "as_json", "quiet",
))  # fmt: skip


@dataclass(frozen=True)
class KeptWork:
    """Pieces of work, `total` of them when all are finished, in the folder `name` inside the folder of results."""

    results: Path
    name: str = REFITS
    total: int = 0

    @property
    def folder(self) -> Path:
        """Where the pieces are."""
        return self.results / self.name

    @property
    def pieces(self) -> int:
        """How many are finished."""
        return sum(1 for _ in self.folder.glob(f"{self.name.removesuffix('s')}-*.json"))

    @contextmanager
    def resume(self, setup: ModelSetup, more: Mapping[str, Any], live: Live) -> Iterator[None]:
        """Within this, the work goes on. Work on another question is an `InputError`, unless it may be overwritten."""
        if setup.settings.overwrite:
            self.forget()
        self._check(question_of(setup, more))
        if kept := min(self.total, self.pieces):
            left = self.total - kept
            live.say(
                f"Resumed: {kept} of {self.total} {self.name} are there from before; {left or 'none'} left to do.\n"
            )
        with self._tidied():
            yield

    @contextmanager
    def _tidied(self, *, forget_failed: bool = False) -> Iterator[None]:
        """Removes the folder if the work ends without a piece, or if it fails and `forget_failed`."""
        try:
            yield
        except BaseException as error:
            if not self.pieces or (forget_failed and isinstance(error, Exception)):
                self.forget()
            raise

    def _check(self, question: dict[str, Any]) -> None:
        file = self.folder / QUESTION
        try:
            before = dict(parse_json(file.read_bytes()))
        except (OSError, ValueError, TypeError, RecursionError):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_json(question, file)
            return
        if (other := difference(before, question)) is not None:
            raise InputError(
                f"the folder {self.results} has work on another question (",
                other,
                "). Give another ",
                Argument("folder"),
                ", or use ",
                Argument("overwrite", True),
                ".",
            )

    @contextmanager
    def resume_refits(self, setup: ModelSetup, live: Live) -> Iterator[Checkpoint]:
        """Within this, refits go on. They stay if the work is stopped, and go if it fails: it would fail again."""
        question = question_of(setup)
        before = Checkpoint.question_in(self.folder)
        if setup.settings.overwrite:
            self.forget()
        elif before is not None and (other := difference(before, Checkpoint.full_question(question))) is not None:
            if self.pieces:
                live.tell(Sentence("Unfinished refits of another question (", other, ") are forgotten.\n"))
            self.forget()
        checkpoint = Checkpoint.open(self.folder, question, setup.seed)
        if count := self.pieces:
            live.say(f"Resumed: {counted(count, 'refit')} {'is' if count == 1 else 'are'} there from before.\n")
        with self._tidied(forget_failed=True):
            yield checkpoint

    def stopped(self, live: Live) -> str:
        """The sentence after Ctrl-C: how many pieces are kept, of how many."""
        if not (count := self.pieces):
            return "stopped."
        total = max(count, self.total or live.progress.total("refit"))
        piece = self.name.removesuffix("s")
        kept = counted(count, piece) if total == count else f"{count} of {counted(total, piece)}"
        return f"stopped. {kept} are kept in {self.folder}; run the same command again to go on."

    def forget(self) -> None:
        """Remove the pieces, and a folder of results in which nothing else is. Files of somebody else stay."""
        with suppress(OSError):
            (self.folder / QUESTION).unlink()
        Checkpoint.remove(self.folder)
        for folder in (self.folder, self.results):
            with suppress(OSError):  # there are other files, or there is no such folder
                folder.rmdir()


def question_of(setup: ModelSetup, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Everything that pieces depend on, by the names that users know, and what follows from it."""
    settings = setup.settings
    return {
        **{each.name: _plain(getattr(settings, each.name)) for each in fields(Settings) if each.name not in NOT_ASKED},
        **(more or {}),
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
