"""What a study is doing, on one line of the terminal and to whom it may concern; and warnings, kept for the notes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from rsens._app.tables import Choice, Note
from rsens._arguments import progress_bar
from rsens._errors import RsensWarning


class Listener(Protocol):
    """Who is told while the work goes on: the command line, which prints it."""

    def begun(self, step: str) -> None:
        """A step has begun."""

    def read(self, settings: dict[str, Any], model: Any, likelihood: Choice, notes: Sequence[Note]) -> None:
        """The table is read, and it is settled what is fitted to it."""


#: Not an argument: those of `study` are for users, and who listens is the affair of the command.
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Within this, the listener is told."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


class Phases:
    """A line on standard error that names the step at work; nothing where that is not a terminal.

    Steps that take long show a bar of their own below it.
    """

    def __init__(self, total: int, progress: bool | None) -> None:
        self._bar = progress_bar(progress)(total=total, bar_format="{desc}", delay=0.0)
        self._total, self._step = total, 0
        self._listener = _LISTENER.get()

    def begin(self, what: str) -> None:
        """The next step has begun."""
        self._step += 1
        step = what if self._total == 1 else f"step {self._step} of {self._total}: {what}"
        self.say(step)
        if self._listener is not None:
            self._listener.begun(step)

    def read(self, settings: dict[str, Any], model: Any, likelihood: Choice, notes: Sequence[Note]) -> None:
        """The table is read."""
        if self._listener is not None:
            self._bar.clear()
            self._listener.read(settings, model, likelihood, notes)
            self._bar.refresh()

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
