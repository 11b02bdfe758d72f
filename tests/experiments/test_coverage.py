"""Coverage: parts of the tests, their data, and the totals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments import coverage


def entry(lines: int, covered: int, branches: int, taken: int) -> dict[str, Any]:
    counts = {"num_statements": lines, "covered_lines": covered, "num_branches": branches, "covered_branches": taken}
    return {"summary": {**counts, "percent_covered": 0.0}}


def test_totals_by_package() -> None:
    files = {
        "src/rsens/kernels/_leaf.py": entry(80, 80, 10, 6),
        "src/rsens/kernels/_base.py": entry(20, 10, 0, 0),
        "src/rsens/_table.py": entry(90, 81, 10, 9),
    }
    result = coverage.summary({"files": files}, ["tests/kernels"])
    assert result["by package"] == {
        "kernels": {"lines": 100, "branches": 10, "lines covered": 0.9, "with branches": 0.8727},
        "modules of the root": {"lines": 90, "branches": 10, "lines covered": 0.9, "with branches": 0.9},
    }
    assert result["total"] == {"lines": 190, "branches": 20, "lines covered": 0.9, "with branches": 0.8857}
    assert result["tests"] == ["tests/kernels"]


def test_the_parts_are_all_tests() -> None:
    """Every test file is in one part, and in one only."""
    parts = [coverage.ROOT / path for paths in coverage.parts().values() for path in paths]
    for file in (coverage.ROOT / "tests").rglob("test_*.py"):
        assert sum(part == file or part in file.parents for part in parts) == 1, file


def test_data_is_stale_when_a_test_has_changed(tmp_path: Path) -> None:
    test = tmp_path / "test_it.py"
    test.write_text("1")
    before = coverage.fingerprint([str(test)])
    assert coverage.fingerprint([str(test)]) == before
    test.write_text("2")
    assert coverage.fingerprint([str(test)]) != before
