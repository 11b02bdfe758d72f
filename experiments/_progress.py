"""How far a run is: a bar in a terminal, a line a minute elsewhere."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from tqdm import tqdm

#: Seconds from one line to the next, and to the first.
EVERY = 60.0


def progress(total: int, done: int, label: str) -> Any:
    """A context whose `update()` is called after every piece of work; `done` of `total` were there before."""
    if sys.stderr.isatty():
        return tqdm(total=total, initial=done, desc=label)
    return Lines(total, done, label)


@dataclass
class Lines:
    """Plain lines for a file or a pipe. Work of less than a minute is silent."""

    total: int
    done: int
    label: str
    start: float = field(default_factory=perf_counter, init=False)

    def __post_init__(self) -> None:
        self.before, self.last = self.done, self.start

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def update(self) -> None:
        """One more is done."""
        self.done += 1
        now = perf_counter()
        if now - self.last < EVERY:
            return
        self.last = now
        left = (now - self.start) / (self.done - self.before) * (self.total - self.done)
        sys.stderr.write(f"{self.label}: {self.done} of {self.total}, {tqdm.format_interval(left)} left\n")
