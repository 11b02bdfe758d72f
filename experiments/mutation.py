"""Mutation testing: put small faults into the code, one at a time, and see whether a test notices.

    make mutation
    python -m experiments.mutation --area calls --mutants 20 --out build/mutation

A seeded sample of all faults that `_mutation/mutants.py` can make in an area: the formulas, or the calls around them.
The tests are collected once; each mutant runs in a fork of that process, with the tests that reach its line, quick
ones first, until one fails. A mutant that no test notices gets a second round with more time. Results are
written as they come, so that the same command goes on after an interruption; a mutant is asked again when its file has
changed. Writes docs/results/mutation.json and mutation_calls.json.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from experiments._command import whole_number
from experiments._mutation.mutants import Mutant, mutants_of, mutated
from experiments._mutation.session import Session, measure, start
from experiments._mutation.summary import NOTICED, label, read_reasons, summary
from experiments._mutation.swap import fingerprint, live_functions, swap
from experiments._progress import progress
from experiments._tables import announce, replace_file

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "rsens"
RESULTS = ROOT / "docs" / "results"


@dataclass(frozen=True)
class Area:
    """Folders that get faults, the tests that should notice them, and the file with the result."""

    folders: tuple[str, ...]
    tests: tuple[str, ...]
    file: str
    mutants: int
    #: Processor seconds of tests that a mutant gets in the first round, and in the second if it survives.
    rounds: tuple[float, float]

    @cache  # noqa: B019 - there are two areas
    def all_mutants(self) -> tuple[Mutant, ...]:
        """Every possible fault, in the order of files and lines."""
        files = [path for folder in self.folders for path in sorted((SOURCE / folder).rglob("*.py"))]
        return tuple(mutant for path in files for mutant in mutants_of(path, SOURCE))


AREAS = {
    "formulas": Area(
        folders=("distributions", "measures"),
        tests=("tests/distributions", "tests/measures", "tests/test_conformance.py", "tests/test_errata.py"),
        file="mutation.json",
        mutants=1100,
        rounds=(1.0, 10.0),
    ),
    "calls": Area(
        folders=("_explain", "adapters", "models", "_app/tables"),
        tests=("tests/explain", "tests/adapters", "tests/models", "tests/app/tables"),
        file="mutation_calls.json",
        mutants=200,
        rounds=(3.0, 60.0),
    ),
}


def sample(mutants: Sequence[Mutant], size: int, seed: int) -> list[Mutant]:
    """A seeded sample: a larger one begins with the smaller one, and a change in the code leaves most of it."""

    def lot(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{seed} {mutant.file} {label(mutant)} {mutant.column}".encode()).digest()

    return sorted(mutants, key=lot)[:size]


class Journal:
    """The outcome of each mutant, one line each; lines of files that have changed since are not read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.found: dict[str, dict[str, Any]] = {}
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for entry in map(json.loads, lines):
            if entry["source"] == source_of(entry["mutant"].partition(":")[0]):
                self.found[entry["mutant"]] = entry

    def add(self, mutant: Mutant, **what: Any) -> None:
        entry = {"mutant": mutant.name, "source": source_of(mutant.file), **what}
        self.found[mutant.name] = entry
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def forget_survivors(self) -> None:
        """As if they had not been asked yet."""
        self.found = {name: entry for name, entry in self.found.items() if entry["outcome"] in NOTICED}


def source_of(file: str) -> str:
    """A fingerprint of a source file."""
    return fingerprint(SOURCE / file)


class Chooser:
    """Which tests look at a mutant, and in which order. A test that was not measured looks at every mutant."""

    def __init__(self, measured: dict[str, Any], known: Sequence[str]) -> None:
        self.seconds: dict[str, float] = measured["seconds"]
        self.lines: dict[str, dict[str, list[str]]] = measured["lines"]
        self.new = [name for name in known if name not in self.seconds]
        self.known = set(known)
        self.source: dict[str, str] = measured["source"]

    def in_turn(self, names: Iterable[str]) -> list[str]:
        """First the quickest case of every test function, then the next of each: different tests notice more."""
        turns: dict[str, int] = Counter()
        order: list[tuple[int, float, str]] = []
        for name in sorted(names, key=lambda name: (self.seconds[name], name)):
            function = name.partition("[")[0]
            order.append((turns[function], self.seconds[name], name))
            turns[function] += 1
        return [name for _, _, name in sorted(order)]

    def tests(self, mutant: Mutant, limit: float) -> tuple[list[str], float]:
        """Names and the seconds they take without a mutant."""
        lines = self.lines.get(mutant.file, {})
        first, last = mutant.span
        current = self.source.get(mutant.file) == source_of(mutant.file)
        at = [str(line) for line in range(first, last + 1)] if current else list(lines)  # its lines may have moved
        reaching = {test for line in at for test in lines.get(line, [])}
        names, total = list(self.new), 0.0
        for name in self.in_turn(self.known.intersection(reaching)):
            total += self.seconds[name]
            if total > limit and names:
                break
            names.append(name)
        return names, total


def run(session: Session, mutants: Sequence[Mutant], journal: Journal, measured: Path, rounds: Sequence[float]) -> None:
    """Both rounds, over mutants that are not in the journal yet."""
    chooser = Chooser(json.loads(measured.read_text()), list(session.items))
    functions = live_functions()
    check_machinery(session, mutants, chooser, functions)
    for number, limit in enumerate(rounds, 1):
        todo = [mutant for mutant in mutants if asked_again(journal.found.get(mutant.name), number)]
        with progress(len(mutants), len(mutants) - len(todo), f"round {number}") as bar:
            for mutant in todo:
                path = SOURCE / mutant.file
                names, seconds = chooser.tests(mutant, limit)
                change = partial(swap, path, mutated(path, mutant), functions[str(path)])
                outcome, test = session.fork(change, names, seconds) if names else ("unreached", None)
                journal.add(mutant, kind=mutant.kind, outcome=outcome, test=test, round=number)
                bar.update()


def asked_again(entry: dict[str, Any] | None, number: int) -> bool:
    """Not asked yet, or not noticed in an earlier round."""
    return entry is None or (entry["outcome"] in ("survived", "unreached") and entry["round"] < number)


def check_machinery(session: Session, mutants: Sequence[Mutant], chooser: Chooser, functions: dict[str, Any]) -> None:
    """The fork itself must change nothing: with unchanged code, swapped for itself, the tests pass."""
    paths = [SOURCE / file for file in sorted({mutant.file for mutant in mutants})]

    def unchanged() -> bool:
        return all(swap(path, ast.parse(path.read_text(encoding="utf-8")), functions[str(path)]) for path in paths)

    quick = {
        name for mutant in mutants for name in chooser.tests(mutant, 0.02)[0] if chooser.seconds.get(name, 1.0) < 0.02
    }
    outcome, test = session.fork(unchanged, sorted(quick), 60.0)
    if outcome != "survived":
        sys.exit(f"Tests failed with unchanged code: {outcome} {test or ''}")


def main(arguments: list[str] | None = None) -> None:
    """Measure the tests if need be, run the mutants, and write the result."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--area", choices=list(AREAS), default="formulas", help="default: %(default)s")
    options.add_argument("--mutants", type=whole_number(1), help="default: 1100 in the formulas, 200 in the calls")
    options.add_argument("--seed", type=whole_number(0), default=0)
    options.add_argument("--work", type=Path, default=ROOT / "build" / "mutation", help="default: %(default)s")
    options.add_argument("--out", type=Path, default=RESULTS, help="default: %(default)s")
    options.add_argument("--survivors", action="store_true", help="ask the survivors again, with the tests of now")
    options.add_argument("--report", action="store_true", help="only write what has been found so far")
    options.add_argument("--measure", action="store_true", help="only measure tests that are new")
    given = options.parse_args(arguments)
    area, work = AREAS[given.area], given.work / given.area
    measured, journal = work / "measured.json", Journal(work / "mutants.jsonl")
    if given.measure:
        start(area.tests, partial(measure, root=SOURCE, folders=area.folders, out=measured))
        return
    if not given.report:  # in a separate process: state that tests leave behind must not be in the forks
        command = [sys.executable, "-m", "experiments.mutation", "--measure", "--area", given.area]
        subprocess.run([*command, "--work", str(given.work)], cwd=ROOT, check=True)
    mutants = sample(area.all_mutants(), given.mutants or area.mutants, given.seed)
    if given.survivors:
        journal.forget_survivors()
    if not given.report:
        start(area.tests, partial(run, mutants=mutants, journal=journal, measured=measured, rounds=area.rounds))
    found = [(mutant, journal.found[mutant.name]) for mutant in mutants if mutant.name in journal.found]
    result = summary(found, total=len(area.all_mutants()), seed=given.seed, reasons=read_reasons())
    replace_file(given.out / area.file, (json.dumps(result, indent=1, ensure_ascii=False) + "\n").encode())
    announce(given.out / area.file)


if __name__ == "__main__":
    main()
