"""Run the cases: `python -m fuzz --case 1234` repeats one; without a number, all of them."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fuzz import SEED
from fuzz._files import run_file
from fuzz._library import prepare, run_case
from fuzz._summary import summary, write

RESULTS = Path("docs/results/fuzz.json")


def main(arguments: list[str] | None = None) -> int:
    """Run the requested cases; the exit code is 1 if there were defects."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000, help="how many cases for the library")
    parser.add_argument("--files", type=int, default=500, help="how many files for the command line")
    parser.add_argument("--case", type=int, help="repeat this case of the library")
    parser.add_argument("--file", type=int, help="repeat this case of the command line")
    parser.add_argument("--n-jobs", type=int, default=1, help="how many cases at once")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the summary is written")
    asked = parser.parse_args(arguments)
    if asked.case is not None or asked.file is not None:
        found = run_case(asked.case) if asked.case is not None else run_file(asked.file)
        _say(f"{found}")
        return int(bool(found.outcome.defect))
    with multiprocessing.get_context("spawn").Pool(asked.n_jobs, prepare, maxtasksperchild=40) as pool:
        cases = _all(pool, run_case, asked.cases, "case")
        files = _all(pool, run_file, asked.files, "file")
    write(asked.out, summary(cases, files))
    defects = sum(bool(case.outcome.defect) for case in (*cases, *files))
    _say(f"{len(cases)} cases and {len(files)} files, {defects} defects (seed {SEED}); see {asked.out}")
    return int(bool(defects))


def _all(pool: Any, run: Callable[[int], Any], count: int, noun: str) -> list[Any]:
    """All cases, in order; defects are printed when they are found."""
    found = []
    for case in pool.imap(run, range(count), chunksize=25):
        found.append(case)
        if case.outcome.defect:
            _say(f"{noun} {case.number}: {case.outcome.defect}")
        if len(found) % 500 == 0:
            _say(f"{len(found)} of {count} {noun}s")
    return found


def _say(text: str) -> None:
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
