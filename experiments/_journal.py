"""Finished repetitions on disk: one JSON line each, written as it finishes, read back after an interruption."""

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

#: What one repetition is: names and, last, a number, such as ("t3", 17).
Key = tuple[Any, ...]
#: The file beside a journal that says how long its repetitions took, and its columns: one row for each journal.
#: `seconds` are those by the clock, and a run that is killed loses its own; `processor_seconds` are those of the
#: repetitions, wherever they were done.
TIMINGS = "timings.csv"
TIMES = ("experiment", "repetitions", "seconds", "processor_seconds", "n_jobs")


class Journal:
    """A file of finished repetitions: lines of [key, result, processor seconds].

    `settings` and `version` are its first line, and a file with another one is refused. A script raises its version
    when the same settings give other results than before.
    """

    def __init__(self, path: Path, settings: dict[str, Any], *, version: int = 1) -> None:
        self.path = path
        self.finished: dict[Key, Any] = {}
        self.seconds: dict[Key, float] = {}
        header = json.dumps({**settings, "version": version}, sort_keys=True).encode()
        first, *lines = (path.read_bytes() if path.exists() else b"").split(b"\n")
        if not lines and header.startswith(first):  # nothing, or the beginning of a first line
            replace_file(path, header + b"\n")
            return
        if first != header:
            found = first.decode(errors="replace")
            raise SystemExit(f"{path} has results of other settings:\n  {found}\nMove it away, or use --out.")
        # What comes after the last line end was not finished.
        damaged = [number for number, line in enumerate(lines[:-1]) if not self._read(line)]
        for number in damaged:
            sys.stderr.write(f"{path}, line {number + 2}: damaged, left out; its repetition is done again.\n")
        if damaged or lines[-1]:
            whole = [line for number, line in enumerate(lines[:-1]) if number not in damaged]
            replace_file(path, b"\n".join([header, *whole, b""]))

    def _read(self, line: bytes) -> bool:
        """Take one line in, if it is whole."""
        try:
            key, result, seconds = json.loads(line)
            self.seconds[tuple(key)] = float(seconds)
        except (ValueError, TypeError):
            return False
        self.finished[tuple(key)] = result
        return True

    def add(self, key: Key, result: Any, seconds: float) -> None:
        """One more repetition is finished."""
        seconds = round(seconds, 4)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, result, seconds]) + "\n")
        self.finished[key], self.seconds[key] = result, seconds

    def write_times(self, started_with: int, seconds: float, n_jobs: int) -> None:
        """The row of this journal in the file of times, after a run that found so many repetitions there."""
        path = self.path.parent / TIMINGS
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        rows = {row["experiment"]: row for row in csv.DictReader(io.StringIO(text))}
        before = rows.get(self.path.stem) if started_with else None  # else the row is that of a journal now gone
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


def run(journal: Journal, keys: Iterable[Key], work: Callable[..., Any], *, n_jobs: int, label: str) -> dict[Key, Any]:
    """`work(*key)` for every key that is not finished, in parallel; then what there is to summarize, sorted by key.

    These are the results of `keys`, and those of the parts of the experiment that were done before and not asked for
    now: see `with_other_parts`.
    """
    keys = list(dict.fromkeys(keys))
    missing = [key for key in keys if key not in journal.finished]
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    before, start = len(journal.finished), perf_counter()
    try:
        with progress(len(keys), len(keys) - len(missing), label) as shown:
            for key, result, seconds in parallel(delayed(_keyed)(work, key) for key in missing):
                journal.add(key, result, seconds)
                shown.update()
    finally:
        if journal.finished:
            journal.write_times(before, perf_counter() - start if missing else 0.0, effective_n_jobs(n_jobs))
    return with_other_parts(keys, journal.finished)


def with_other_parts(keys: Iterable[Key], finished: dict[Key, Any]) -> dict[Key, Any]:
    """The results of `keys`, and all those of parts that no key is of, if there are enough for an interval.

    A part is what keys share but for their number: ("t3",) of ("t3", 17). So a run of one part leaves the others in
    the tables, in the same order whichever came first; and a run with fewer repetitions than there are has a table of
    exactly these.
    """
    asked = {key[:-1] for key in keys}
    repetitions = Counter(key[:-1] for key in finished)
    others = (key for key in finished if key[:-1] not in asked and repetitions[key[:-1]] > 1)
    return {key: finished[key] for key in sorted({*keys, *others})}


def _keyed(work: Callable[..., Any], key: Key) -> tuple[Key, Any, float]:
    start = process_time()
    result = work(*key)
    return key, result, process_time() - start
