"""Finished repetitions on disk: one JSON line each, written as it finishes, read back after an interruption."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from tqdm import tqdm

#: What one repetition is: names and a number, such as ("t3", 17).
Key = tuple[Any, ...]
#: The file beside a journal that says how long its repetitions took, and its columns.
TIMINGS = "timings.csv"
TIMES = ("experiment", "finished_before", "repetitions", "seconds", "processor_seconds", "n_jobs")


class Journal:
    """A file of finished repetitions. `settings` is its first line: a file of other settings is refused."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self.path = path
        self.finished: dict[Key, Any] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        header = json.dumps(settings, sort_keys=True)
        if not path.exists() or not path.stat().st_size:
            path.write_text(header + "\n", encoding="utf-8")
            return
        kept = path.read_bytes().split(b"\n")
        if kept[0].decode() != header:
            raise SystemExit(
                f"{path} has results of other settings:\n  {kept[0].decode()}\nMove it away, or use --out."
            )
        whole = len(kept[0]) + 1
        for line in kept[1:-1]:  # what comes after the last line end was not finished
            key, result = json.loads(line)
            self.finished[tuple(key)] = result
            whole += len(line) + 1
        os.truncate(path, whole)

    def add(self, key: Key, result: Any) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, result]) + "\n")
        self.finished[key] = result

    def add_time(self, finished_before: int, seconds: float, processor_seconds: float, n_jobs: int) -> None:
        """A line in the file of times for what was done since `finished_before` repetitions were there."""
        path = self.path.parent / TIMINGS
        done = len(self.finished) - finished_before
        line = (self.path.stem, finished_before, done, f"{seconds:.1f}", f"{processor_seconds:.1f}", n_jobs)
        new = not path.exists()
        with path.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([TIMES, line] if new else [line])


def run(journal: Journal, keys: Iterable[Key], work: Callable[..., Any], *, n_jobs: int, label: str) -> dict[Key, Any]:
    """`work(*key)` for every key that is not finished, in parallel; the results of all keys, in their order."""
    keys = list(keys)
    missing = [key for key in keys if key not in journal.finished]
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    before, start, processor = len(journal.finished), perf_counter(), 0.0
    try:
        with tqdm(total=len(keys), initial=len(keys) - len(missing), desc=label, disable=None) as bar:
            for key, result, seconds in parallel(delayed(_keyed)(work, key) for key in missing):
                journal.add(key, result)
                processor += seconds
                bar.update()
    finally:
        if len(journal.finished) > before:
            journal.add_time(before, perf_counter() - start, processor, effective_n_jobs(n_jobs))
    return {key: journal.finished[key] for key in keys}


def _keyed(work: Callable[..., Any], key: Key) -> tuple[Key, Any, float]:
    start = process_time()
    result = work(*key)
    return key, result, process_time() - start
