"""What is said while a command is at work: what was read, at once; and where there is no terminal, a sign of life."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

from rsens._app.cli._say import say
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
from rsens._errors import Sentence, Spelling, spelled
from rsens._explain import Explanation

#: Seconds between two heartbeats.
EVERY = 60.0


class Live(Listener):
    """Hears what the pipeline does and tells the user.

    What was read goes to standard output if that is a terminal, and is then not said again; else to standard error, as
    standard output is for the result. Heartbeats go to standard error where that is not a terminal: a terminal shows
    the progress line instead.
    """

    def __init__(self, settings: Settings, spell: Spelling, *, tells: bool = True, keeps: bool = False) -> None:
        super().__init__(settings.progress)
        self._spell = spell
        self._tells, self._keeps, self._quiet = tells, keeps, settings.quiet
        self._on_screen = sys.stdout.isatty() and not settings.as_json
        self._shown: list[Note] | None = None
        self._step, self._start = "reading", time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._heartbeats, daemon=True)

    @property
    def shown(self) -> Sequence[Note] | None:
        """The notes that readers of standard output have seen, with the heading; None if they saw nothing yet."""
        return self._shown if self._on_screen else None

    def step(self, what: str) -> str:
        self._step = super().step(what)
        return self._step

    def read(self, setup: ModelSetup) -> None:
        """The table is read: say so at once."""
        if not self._tells:
            return
        shown = [spelled_note(note, self._spell) for note in setup.notes]
        likelihood = replace(setup.likelihood, reason=spelled(setup.likelihood.reason, self._spell))
        self.say(f"{early_document(setup.provenance, setup.model, likelihood, shown).text()}\n")
        self._shown = shown

    def ranked(self, found: Explanation) -> None:
        if self._tells:
            self.say(f"{early_ranking(found).text()}\n")

    def checked(self, assessment: Assessment) -> None:
        if self._tells:
            self.say(f"{early_quality(assessment).text()}\n")

    def announce(self, words: str) -> None:
        """What the work will take."""
        safe = " Ctrl-C keeps what is done, and the same command goes on." if self._keeps else ""
        self.say(f"{words}.{safe}\n")

    def tell(self, sentence: Sentence) -> None:
        """A sentence with arguments in it, in the words of the command line."""
        self.say(spelled(sentence, self._spell))

    def say(self, text: str) -> None:
        """Something to know before the result is there."""
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
        """The step at work, how far it is, and the minutes so far, on one line."""
        minutes, words = (time.monotonic() - self._start) / 60.0, self.progress.words()
        how_far = f", {words}" if words else ""
        return f"rsens: {self._step}{how_far}, {minutes:.0f} min so far"

    def _heartbeats(self) -> None:
        while not self._over.wait(EVERY):
            say(self.heartbeat(), sys.stderr)


def spelled_note(note: Note, spell: Spelling) -> Note:
    """A note in the words of the command line."""
    return replace(note, text=spelled(note.text, spell))
