"""The finished refits of an analysis that was stopped, in its folder of results: the same command goes on from there.

They depend on everything that was asked, but for what changes nothing about a refit. Refits of another question are
forgotten, not used. When the results are written, they have served their purpose and go.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from rsens._app.cli._live import Live
from rsens._app.study import REFITS, ModelSetup, Settings
from rsens._errors import Sentence
from rsens._files import Checkpoint, differences, fingerprint, what_it_was
from rsens._text import counted

#: Settings that change nothing about a refit; any other counts, also a new one.
OF_THE_TABLE = ("data", "name")  # its rows count
OF_THE_ANSWER = ("pairs", "null", "methods", "order", "budget", "samples", "folds", "repeats")
OF_THE_RUN = ("n_jobs", "all_cores", "fits", "progress", "out", "overwrite", "report", "as_json", "quiet")
NOT_ASKED = frozenset((*OF_THE_TABLE, *OF_THE_ANSWER, *OF_THE_RUN))


@dataclass(frozen=True)
class UnfinishedRefits:
    """Finished refits in a folder of results."""

    results: Path

    @property
    def folder(self) -> Path:
        """Where they are."""
        return self.results / REFITS

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(1 for _ in self.folder.glob("refit-*.json"))

    @contextmanager
    def resume(self, setup: ModelSetup, live: Live) -> Iterator[Checkpoint]:
        """Within this, refits go on. They stay if the work is stopped, and go if it fails: it would fail again."""
        if setup.settings.overwrite:
            self.forget()
        question = question_of(setup)
        before = Checkpoint.question_in(self.folder)
        if before is not None and before != Checkpoint.full_question(question):
            self._say_forgotten(before, question, live)
            self.forget()
        checkpoint = Checkpoint.open(self.folder, question, setup.seed)
        if count := self.count:
            live.say(f"Resumed: {counted(count, 'refit')} {'is' if count == 1 else 'are'} there from before.\n")
        try:
            yield checkpoint
        except Exception:
            self.forget()
            raise
        except BaseException:  # stopped
            if not self.count:
                self.forget()
            raise

    def stopped(self, live: Live) -> str:
        """What is said after Ctrl-C."""
        if not (count := self.count):
            return "stopped."
        total = max(count, live.progress.total("refit"))
        kept = counted(count, "refit") if total == count else f"{count} of {total} refits"
        return f"stopped. {kept} are kept in {self.folder}; run the same command again to go on."

    def forget(self) -> None:
        """Remove them, and a folder of results in which nothing else is. Files of somebody else stay."""
        Checkpoint.remove(self.folder)
        with suppress(OSError):  # there are results, or there is no such folder
            self.results.rmdir()

    def _say_forgotten(self, before: dict[str, Any], question: dict[str, Any], live: Live) -> None:
        name = next(iter(differences({each: before.get(each) for each in question}, question)), "")
        why = Sentence(" (", what_it_was(name, before.get(name)), ")") if name in fields_of_settings() else ""
        if self.count:
            live.tell(Sentence("Unfinished refits of another question", why, " are forgotten.\n"))


def question_of(setup: ModelSetup) -> dict[str, Any]:
    """What the refits depend on, by the names that users know, and what follows from it."""
    settings = setup.settings
    asked = {name: getattr(settings, name) for name in fields_of_settings()}
    return {
        **{name: _plain(value) for name, value in asked.items()},
        "fingerprint": setup.provenance["fingerprint"],
        "estimator": fingerprint(setup.model),
        "numeric_columns": list(setup.numeric),
        "column_groups": fingerprint({name: list(columns) for name, columns in setup.groups.items()}),
        "with_pairs": settings.computes_pairs(setup.table.X.shape[1]),
        "versions": setup.provenance["versions"],
    }


def fields_of_settings() -> list[str]:
    """The settings that a refit may depend on."""
    return [field.name for field in fields(Settings) if field.name not in NOT_ASKED]


def _plain(value: Any) -> Any:
    """A value for a person to read: what is nothing is None, whichever way it was said."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return [f"{name}={','.join(map(str, items))}" for name, items in value.items()] or None
    return [str(item) for item in value] or None if isinstance(value, tuple | list) else str(value)
