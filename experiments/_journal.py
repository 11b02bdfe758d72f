"""Finished repetitions on disk: one JSON line each, written as it finishes and read back after an interruption."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs

from experiments._progress import progress
from experiments._tables import replace_file

#: Key of a repetition: some names and, last, a number, such as ("t3", 17).
Key = tuple[Any, ...]
#: The file next to a journal with the durations of its repetitions, and its columns. It has one row per journal.
#: `seconds` is time by the clock; a run that is killed loses its share. `processor_seconds` is the time the repetitions
#: took, wherever they ran.
TIMINGS = "timings.csv"
TIMES = ("experiment", "repetitions", "seconds", "processor_seconds", "n_jobs")


class Journal:
    """A file of finished repetitions, with one line of [key, result, processor seconds] each.

    The first line holds `settings` and `version`; a file with other ones is refused. A script raises its version when
    the same settings no longer give the same results.
    """

    def __init__(self, path: Path, settings: dict[str, Any], *, version: int = 1) -> None:
        self.path = path
        self.finished: dict[Key, Any] = {}
        self.seconds: dict[Key, float] = {}
        header = json.dumps({**settings, "version": version}, sort_keys=True).encode()
        first, *lines = (path.read_bytes() if path.exists() else b"").split(b"\n")
        if not lines and header.startswith(first):  # an empty file, or part of a first line
            replace_file(path, header + b"\n")
            return
        if first != header:
            found = first.decode(errors="replace")
            raise SystemExit(f"{path} has results for other settings:\n  {found}\nMove it away, or use --out.")
        # The part after the last line end was cut off.
        damaged = [number for number, line in enumerate(lines[:-1]) if not self._read(line)]
        for number in damaged:
            sys.stderr.write(f"{path}, line {number + 2}: damaged; its repetition will be done again.\n")
        if damaged or lines[-1]:
            whole = [line for number, line in enumerate(lines[:-1]) if number not in damaged]
            replace_file(path, b"\n".join([header, *whole, b""]))

    def _read(self, line: bytes) -> bool:
        """Read one line; False if it is damaged."""
        try:
            key, result, seconds = json.loads(line)
            self.seconds[tuple(key)] = float(seconds)
        except (ValueError, TypeError):
            return False
        self.finished[tuple(key)] = result
        return True

    def add(self, key: Key, result: Any, seconds: float) -> None:
        """Add a finished repetition."""
        seconds = round(seconds, 4)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, result, seconds]) + "\n")
        self.finished[key], self.seconds[key] = result, seconds

    def discard(self, keys: Iterable[Key]) -> None:
        """Forget these repetitions, here and in the file."""
        gone = {key for key in keys if key in self.finished}
        if not gone:
            return
        header, *lines = self.path.read_bytes().splitlines(keepends=True)
        replace_file(self.path, b"".join([header, *(line for line in lines if tuple(json.loads(line)[0]) not in gone)]))
        for key in gone:
            del self.finished[key], self.seconds[key]

    def write_times(self, started_with: int, seconds: float, n_jobs: int) -> None:
        """Update this journal's row in the file of times, after a run that began with `started_with` repetitions."""
        path = self.path.parent / TIMINGS
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        rows = {row["experiment"]: row for row in csv.DictReader(io.StringIO(text))}
        before = rows.get(self.path.stem) if started_with else None  # else the journal was deleted
        if before is not None:
            seconds += float(before["seconds"])
            n_jobs = n_jobs if len(self.finished) > started_with else int(before["n_jobs"])
        numbers = len(self.finished), f"{seconds:.1f}", f"{sum(self.seconds.values()):.1f}", n_jobs
        rows[self.path.stem] = dict(zip(TIMES, (self.path.stem, *numbers), strict=True))
        written = io.StringIO()
        writer = csv.DictWriter(written, TIMES, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows.values())
        replace_file(path, written.getvalue().encode())


def run(
    journal: Journal, keys: Iterable[Key], work: Callable[..., Any], *, n_jobs: int, label: str, timed: bool = True
) -> dict[Key, Any]:
    """Run `work(*key)` in parallel for every key that is not finished. Return what to summarize, sorted by key.

    That is the results of `keys`, plus the results of parts that an earlier run finished and this one leaves alone: see
    `with_other_parts`. `timed` runs add a row to the file of times.
    """
    keys = list(dict.fromkeys(keys))
    missing = [key for key in keys if key not in journal.finished]
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    before, start = len(journal.finished), perf_counter()
    try:
        with progress(len(keys), len(keys) - len(missing), label) as bar:
            for key, result, seconds in parallel(delayed(_run_one)(work, key) for key in missing):
                journal.add(key, result, seconds)
                bar.update()
    finally:
        if timed and journal.finished:
            journal.write_times(before, perf_counter() - start if missing else 0.0, effective_n_jobs(n_jobs))
    return with_other_parts(keys, journal.finished)


def with_other_parts(keys: Iterable[Key], finished: dict[Key, Any]) -> dict[Key, Any]:
    """The results of `keys`, and all results of other parts that have enough repetitions for an interval.

    A part is a key without its number: ("t3",) for ("t3", 17). So a run of one part leaves the others in the tables, in
    the same order whichever ran first. A run with fewer repetitions than the file has makes a table of exactly those.
    """
    parts = {key[:-1] for key in keys}
    repetitions = Counter(key[:-1] for key in finished)
    others = (key for key in finished if key[:-1] not in parts and repetitions[key[:-1]] > 1)
    return {key: finished[key] for key in sorted({*keys, *others})}


def _run_one(work: Callable[..., Any], key: Key) -> tuple[Key, Any, float]:
    start = process_time()
    result = work(*key)
    return key, result, process_time() - start
