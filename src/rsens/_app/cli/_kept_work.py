"""Finished pieces of long work in the folder of results: resumed if the question is the same, counted if it stops.

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
from rsens._errors import Argument, InputError
from rsens._files import Checkpoint, difference, fingerprint
from rsens._text import counted

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
        checkpoint = Checkpoint.open(self.folder, question, setup.seed)
        if count := self.pieces:
            live.say(f"Resumed with {counted(count, f'finished {self.noun}')}.\n")
        try:
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
