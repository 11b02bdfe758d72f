"""Progress of long work in words: "refit 7 of 26, about 2 minutes", for all its stages together."""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from rsens._arguments import one_of
from rsens._text import counted, duration

#: Work that is over within this many seconds shows nothing, unless it was asked for.
DELAY = 1.0
#: Work of at least this many seconds is announced as soon as its first piece has been timed.
LONG = 60.0


class StatusLine:
    """The place for the words. This one shows nothing."""

    def show(self, words: str, share: float) -> None:
        """Show the progress, in words and as a share between 0 and 1."""

    def clear(self) -> None:
        """Clear the line at the end of a stage."""

    def announce(self, words: str) -> None:
        """Announce long work, once."""


@dataclass
class Pieces:
    """Pieces of one kind: by stage their number and how many are done, and the seconds that the timed ones took."""

    counts: dict[str, int] = field(default_factory=dict)
    finished: dict[str, int] = field(default_factory=dict)
    timed: int = 0
    seconds: float = 0.0

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def done(self) -> int:
        return sum(self.finished.values())

    @property
    def seconds_left(self) -> float:
        """The mean time of a piece times the pieces left; 0 before one is timed."""
        return max(0, self.total - self.done) * self.seconds / self.timed if self.timed else 0.0


class Progress:
    """Follows the work of one call."""

    def __init__(self, line: StatusLine, clock: Callable[[], float] = time.monotonic) -> None:
        self._line, self._clock = line, clock
        self._work: defaultdict[str, Pieces] = defaultdict(Pieces)
        self._announced: set[str] = set()
        self._latest = ("", 0.0, 0.0)  # the count, the seconds left, and when that was

    def expect(self, noun: str, stage: str, count: int) -> None:
        """Count the pieces of a later stage from now on."""
        self._work[noun].counts.setdefault(stage, count)

    @contextmanager
    def stage(self, noun: str, count: int, *, name: str = "", done: int = 0) -> Iterator[Callable[..., None]]:
        """Context for doing pieces, `done` of them before; yields `advance(pieces=1)`."""
        work = self._work[noun]
        work.counts[name], work.finished[name] = count, done
        began = self._clock()

        def advance(pieces: int = 1) -> None:
            nonlocal began
            work.seconds, began = work.seconds + self._clock() - began, self._clock()
            work.timed += pieces
            work.finished[name] += pieces
            self._show(noun)

        self._show(noun)
        with self._cleared_at_end():
            yield advance

    @contextmanager
    def doing(self, what: str) -> Iterator[None]:
        """Context for work that cannot be counted."""
        self._latest = (what, 0.0, 0.0)
        self._line.show(what, 0.0)
        with self._cleared_at_end():
            yield

    @contextmanager
    def _cleared_at_end(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._latest = ("", 0.0, 0.0)
            self._line.clear()

    def total(self, noun: str) -> int:
        return self._work[noun].total

    def words(self) -> str:
        """The progress at this moment: the time that has passed since the last piece counts. "" between stages."""
        count, left, when = self._latest
        return count + _time_left(left - (self._clock() - when) if left else 0.0)

    def _show(self, noun: str) -> None:
        work = self._work[noun]
        total, left = work.total, work.seconds_left
        if left >= LONG and noun not in self._announced:
            self._announced.add(noun)
            self._line.announce(f"{total - work.done:,} of {counted(total, noun)} left{_time_left(left)}")
        self._latest = (f"{noun} {min(work.done + 1, total):,} of {total:,}", left, self._clock())
        self._line.show(self.words(), work.done / total if total else 1.0)


def _time_left(seconds: float) -> str:
    return f", {duration(seconds)}" if seconds > 0.0 else ""


def bar(**options: Any) -> Any:
    """A bar of tqdm, without the thread by which tqdm watches its bars: that one would outlive the call."""
    from tqdm import tqdm

    return type("bar", (tqdm,), {"monitor_interval": 0})(**options)


class Bar(StatusLine):
    """A bar on standard error, with the words before it; None: in terminals and notebooks, and only if it is long."""

    def __init__(self, progress: bool | None) -> None:
        self._earliest = time.monotonic() + (DELAY if progress is None else 0.0)
        self._bar: Any = None
        if progress is None:
            progress = not os.environ.get("TQDM_DISABLE") and (sys.stderr.isatty() or "ipykernel" in sys.modules)
        self._seen = progress

    def show(self, words: str, share: float) -> None:
        if time.monotonic() < self._earliest:
            return
        if self._bar is None:
            self._bar = bar(total=1.0, bar_format="{desc} |{bar:20}|", disable=not self._seen, leave=False)
        self._bar.n = share
        self._bar.set_description_str(words)

    def clear(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def progress_of(progress: Any) -> Progress:
    """The progress of a call, by its argument: True, False, None for a bar where it is of use, or a `Progress`."""
    if isinstance(progress, Progress):
        return progress
    one_of(progress, "progress", (True, False, None))
    return Progress(StatusLine() if progress is False else Bar(progress))
