"""Messages of a command at work: a summary of the table at once, and without a terminal a heartbeat."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence

from rsens._app.cli._terminal import say
from rsens._app.study import (
    Listener,
    ModelSetup,
    Settings,
    early_document,
    early_quality,
    early_ranking,
)
from rsens._app.tables import Note
from rsens._assess import Assessment
from rsens._explain import Explanation

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
