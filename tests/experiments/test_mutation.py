"""Mutation testing: the faults are those we mean, they get into live code, and the result adds up."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from experiments import mutation
from experiments._mutation.mutants import mutants_of, mutated
from experiments._mutation.summary import label, read_reasons
from experiments._mutation.swap import swap

SOURCE = '''"""A module."""

LIMIT = 1.0


def half(x: float = 1.0) -> float:
    """Half of it."""
    if x < 0.0:
        raise ValueError(f"below {0.0}")
    return x / 2.0


class Sign:
    def of(self, x):
        return max(-x, x)
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "toy.py"
    path.write_text(SOURCE)
    return path


def test_the_faults_of_a_file(file: Path) -> None:
    """None in the docstring, the default, the annotation, the constant of the module or the text of the error."""
    found = [(m.function, m.kind, m.before, m.after) for m in mutants_of(file, file.parent)]
    assert sorted(found) == sorted(
        [
            ("half", "condition", "x < 0.0", "not x < 0.0"),
            ("half", "comparison", "x < 0.0", "x <= 0.0"),
            ("half", "comparison", "x < 0.0", "x >= 0.0"),
            ("half", "constant", "0.0", "1.0"),
            ("half", "statement", "raise ValueError(f'below {0.0}')", "pass"),
            ("half", "return", "return x / 2.0", "return None"),
            ("half", "operator", "x / 2.0", "x * 2.0"),
            ("half", "constant", "2.0", "3.0"),
            ("Sign.of", "return", "return max(-x, x)", "return None"),
            ("Sign.of", "name", "max(-x, x)", "min(-x, x)"),
            ("Sign.of", "sign", "-x", "x"),
        ]
    )  # fmt: skip


def test_each_fault_changes_the_live_function_and_no_other(file: Path) -> None:
    def load() -> ModuleType:
        module = ModuleType("toy")
        exec(compile(file.read_text(), str(file), "exec"), vars(module))
        return module

    def outcome(call: Any, *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except ValueError as error:
            return str(error)

    def behaviour(module: ModuleType) -> dict[str, list[Any]]:
        return {
            "half": [outcome(module.half, x) for x in (-1.0, 0.0, 0.5, 3.0)],
            "Sign.of": [module.Sign().of(x) for x in (-2.0, 3.0)],
        }

    before = behaviour(load())
    for mutant in mutants_of(file, file.parent):
        module = load()
        kept = module.half  # someone imported it by name
        assert swap(file, mutated(file, mutant), [module.half, module.Sign.of])
        after = behaviour(module)
        assert kept is module.half
        assert [name for name in before if before[name] != after[name]] == [mutant.function], mutant.name


# ---- the committed result --------------------------------------------------------------------------------------------


def test_the_committed_result_adds_up() -> None:
    result = json.loads((mutation.RESULTS / mutation.AREAS["formulas"].file).read_text(encoding="utf-8"))
    assert result["run"] >= 1000
    for groups in (result["by file"], result["by kind"]):
        for count in ("run", "noticed", "equivalent"):
            assert sum(part[count] for part in groups.values()) == result[count]
    assert result["run"] - result["noticed"] == len(result["survivors"])
    assert result["score"] == round(result["noticed"] / result["run"], 4)
    assert sum(bool(survivor["why"]) for survivor in result["survivors"]) == result["equivalent"]


def test_every_reason_is_about_a_fault_that_can_be_made() -> None:
    labels = {label(mutant) for mutant in mutation.AREAS["formulas"].all_mutants()}
    assert set(read_reasons()) <= labels
