"""Progress of a run: a bar in a terminal, one line per minute elsewhere."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from tqdm import tqdm

#: Seconds before the first line, and between lines.
EVERY = 60.0


def progress(total: int, done: int, label: str) -> Any:
    """A context manager; call its `update()` after every piece of work. `done` of `total` were finished before."""
    if sys.stderr.isatty():
        return tqdm(total=total, initial=done, desc=label)
    return Lines(total, done, label)


@dataclass
class Lines:
    """Plain lines for a file or a pipe. Work that takes less than a minute prints nothing."""

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
        """One more piece of work is done."""
        self.done += 1
        now = perf_counter()
        if now - self.last < EVERY:
            return
        self.last = now
        left = (now - self.start) / (self.done - self.before) * (self.total - self.done)
        sys.stderr.write(f"{self.label}: {self.done} of {self.total}, {tqdm.format_interval(left)} left\n")
