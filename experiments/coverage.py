"""Which lines and branches of src the tests run.

    make coverage
    python -m experiments.coverage --only tests/kernels tests/files

Runs the tests folder by folder, the processes they start included, and keeps what each folder covered, so that the
same command goes on after an interruption; a folder is run again when src or the folder has changed. Writes
docs/results/coverage.json.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from experiments._progress import progress
from experiments._tables import announce, replace_file

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "rsens"
RESULTS = ROOT / "docs" / "results"
FILE = "coverage.json"
WORK = ROOT / "build" / "coverage"
COUNTS = ("num_statements", "covered_lines", "num_branches", "covered_branches")


def parts() -> dict[str, list[str]]:
    """The tests in pieces: each folder, and the files outside of folders."""
    here = ROOT / "tests"
    folders = sorted(path.relative_to(ROOT).as_posix() for path in here.iterdir() if any(path.glob("**/test_*.py")))
    files = sorted(path.relative_to(ROOT).as_posix() for path in here.glob("test_*.py"))
    return {folder: [folder] for folder in folders} | {"tests": files}


def fingerprint(paths: Iterable[str]) -> str:
    """Digest of src and of these tests."""
    digest = hashlib.sha256()
    files = [ROOT / path for path in paths]
    for path in sorted(
        file for each in [SOURCE, *files] for file in ([each] if each.is_file() else each.rglob("*.py"))
    ):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def data_of(name: str, tests: Sequence[str]) -> Path:
    """File with the coverage of a part."""
    return WORK / f"{name.replace('/', '-')}.{fingerprint(tests)}"


def run(name: str, tests: Sequence[str]) -> None:
    """Run the tests of a part under coverage. A test that fails stops everything: its lines would count."""
    data = data_of(name, tests)
    half = data.with_suffix(".part")
    for old in WORK.glob(f"{half.name}*"):
        old.unlink()
    environment = {**os.environ, "COVERAGE_FILE": str(half)}
    _python("-m", "coverage", "run", "-m", "pytest", "-q", *tests, environment=environment)
    _python("-m", "coverage", "combine", "-q", environment=environment)
    half.replace(data)


def _python(*arguments: str, environment: dict[str, str]) -> None:
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, check=True, stdout=sys.stderr)


def report(found: Sequence[Path]) -> dict[str, Any]:
    """Counts of coverage.py over all parts together."""
    out = WORK / "report.json"
    environment = {**os.environ, "COVERAGE_FILE": str(WORK / "all")}
    _python("-m", "coverage", "combine", "-q", "--keep", *map(str, found), environment=environment)
    _python("-m", "coverage", "json", "-q", "-o", str(out), environment=environment)
    return json.loads(out.read_text(encoding="utf-8"))


def summary(measured: dict[str, Any], tests: Sequence[str]) -> dict[str, Any]:
    """Totals, and the same by package: lines, and lines with branches as coverage.py counts them."""
    by_package: dict[str, Counter[str]] = {}
    for file, entry in measured["files"].items():
        first, *rest = Path(file).relative_to("src/rsens").parts
        counts = by_package.setdefault(first if rest else "modules of the root", Counter())
        counts.update({count: entry["summary"][count] for count in COUNTS})
    return {
        "command": "make coverage",
        "tests": list(tests),
        "total": _shares(sum(by_package.values(), Counter())),
        "by package": {name: _shares(by_package[name]) for name in sorted(by_package)},
    }


def _shares(counts: Counter[str]) -> dict[str, Any]:
    lines, branches = counts["num_statements"], counts["num_branches"]
    covered = counts["covered_lines"] + counts["covered_branches"]
    return {
        "lines": lines,
        "branches": branches,
        "lines covered": round(counts["covered_lines"] / lines, 4) if lines else 1.0,
        "with branches": round(covered / (lines + branches), 4) if lines else 1.0,
    }


def main(arguments: list[str] | None = None) -> None:
    """Run missing parts, and write the totals."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--only", nargs="+", metavar="PART", choices=list(parts()), help="default: all tests")
    options.add_argument("--out", type=Path, default=RESULTS, help="default: %(default)s")
    given = options.parse_args(arguments)
    WORK.mkdir(parents=True, exist_ok=True)
    asked = {name: tests for name, tests in parts().items() if given.only is None or name in given.only}
    with progress(len(asked), 0, "parts") as bar:
        for name, tests in asked.items():
            if not data_of(name, tests).exists():
                run(name, tests)
            bar.update()
    result = summary(report([data_of(name, tests) for name, tests in asked.items()]), list(asked))
    replace_file(given.out / FILE, (json.dumps(result, indent=1, ensure_ascii=False) + "\n").encode())
    announce(given.out / FILE)


if __name__ == "__main__":
    main()
