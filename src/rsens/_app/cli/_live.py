"""What is said while a command is at work: what was read, at once; and where there is no terminal, a sign of life."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rsens._app.cli._flags import note_in_flags
from rsens._app.cli._options import Request
from rsens._app.cli._say import say
from rsens._app.study._phases import Phases, collected, heard_by
from rsens._app.study._text import heading_of, notes_of, warnings_of
from rsens._app.tables import Choice, Note

#: Seconds between two signs of life.
EVERY = 60.0


@contextmanager
def at_work(request: Request, n_steps: int) -> Iterator[tuple[Live, Phases, list[Note]]]:
    """What a command tells while it is at work, its steps, and the notes that warnings become."""
    notes: list[Note] = []
    with Live.of(request) as live, heard_by(live), Phases(n_steps, request.progress) as phases, collected(notes):
        yield live, phases, notes


class Live:
    """Hears of the work and tells the user.

    What was read goes to standard output if that is a terminal, and is then not said again; else to standard error, as
    standard output is for the result. Signs of life go to standard error where that is no terminal, which has a bar.
    """

    def __init__(self, *, quiet: bool, as_json: bool = False) -> None:
        self._quiet = quiet
        self._on_screen = sys.stdout.isatty() and not as_json
        self._told: list[Note] | None = None
        self._step, self._start = "", time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._signs_of_life, daemon=True)

    @classmethod
    def of(cls, request: Request) -> Live:
        """For a command on a table."""
        return cls(quiet=request.quiet, as_json=request.as_json)

    @property
    def told(self) -> list[Note] | None:
        """The notes that the reader of standard output has seen, heading included; None if not even that."""
        return self._told if self._on_screen else None

    def begun(self, step: str) -> None:
        """A step has begun."""
        self._step = step

    def read(self, settings: dict[str, Any], model: Any, likelihood: Choice, notes: Sequence[Note]) -> None:
        """The table is read."""
        shown = [note_in_flags(note) for note in notes]
        blocks = [warnings_of(shown), heading_of(settings, model, likelihood), notes_of(shown)]
        self.say("\n\n".join(block for block in blocks if block) + "\n")
        self._told = shown

    def say(self, text: str) -> None:
        """Something to know before the result is there."""
        if text and not self._quiet:
            say(text, sys.stdout if self._on_screen else sys.stderr)

    def __enter__(self) -> Live:
        if not self._quiet and not sys.stderr.isatty():
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _signs_of_life(self) -> None:
        while not self._over.wait(EVERY):
            minutes = (time.monotonic() - self._start) / 60.0
            say(f"rsens: {self._step}, {minutes:.0f} min so far", sys.stderr)
