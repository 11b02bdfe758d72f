"""What a study is doing, on one line of the terminal; and warnings, kept for the notes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rsens._arguments import progress_bar
from rsens._data import Note
from rsens._errors import RsensWarning


class Phases:
    """A line on standard error that names the step at work; nothing where that is not a terminal.

    Steps that take long show a bar of their own below it.
    """

    def __init__(self, total: int, progress: bool | None) -> None:
        self._bar = progress_bar(progress)(total=total, bar_format="{desc}", delay=0.0)
        self._total, self._step = total, 0

    def begin(self, what: str) -> None:
        """The next step has begun."""
        self._step += 1
        self.say(what if self._total == 1 else f"step {self._step} of {self._total}: {what}")

    def say(self, what: str) -> None:
        """What the step at work does now."""
        self._bar.set_description_str(f"{what} …")

    def __enter__(self) -> Phases:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()


@contextmanager
def collected(notes: list[Note]) -> Iterator[None]:
    """Within this, warnings of ours become notes, each once; others are warnings as ever."""
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always", RsensWarning)
        yield
    for warning in raised:
        if issubclass(warning.category, RsensWarning):
            note = Note("warning", (), str(warning.message))
            if note not in notes:
                notes.append(note)
        else:
            _warn_again(warning)


def _warn_again(warning: Any) -> None:
    warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno, source=warning.source)
