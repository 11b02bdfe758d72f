"""Mutation testing: the faults are those we mean, they get into live code, and the result adds up."""

from __future__ import annotations

import json
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from experiments import mutation
from experiments._mutation.mutants import mutants_of, mutated
from experiments._mutation.summary import label, read_reasons, summary
from experiments._mutation.swap import fingerprint, swap

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


def load(file: Path) -> ModuleType:
    module = ModuleType("toy")
    exec(compile(file.read_text(), str(file), "exec"), vars(module))
    return module


def functions(module: ModuleType) -> list[FunctionType]:
    return [module.half, module.Sign.of]


def test_each_fault_changes_the_live_function_and_no_other(file: Path) -> None:
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

    before = behaviour(load(file))
    for mutant in mutants_of(file, file.parent):
        module = load(file)
        kept = module.half  # someone imported it by name
        assert swap(file, mutated(file, mutant), functions(module))
        after = behaviour(module)
        assert kept is module.half
        assert [name for name in before if before[name] != after[name]] == [mutant.function], mutant.name


def test_quick_tests_come_first_and_new_ones_always(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutation, "SOURCE", file.parent)
    measured = {
        "source": {"toy.py": fingerprint(file)},
        "seconds": {"slow": 5.0, "quick": 0.1, "other": 0.2},
        "lines": {"toy.py": {"10": ["slow", "quick"], "15": ["other"]}},
    }
    chooser = mutation.Chooser(measured, ["slow", "quick", "other", "new"])
    mutant = next(m for m in mutants_of(file, file.parent) if m.before == "x / 2.0")
    assert chooser.tests(mutant, 10.0) == (["new", "quick", "slow"], 5.1)
    assert chooser.tests(mutant, 1.0)[0] == ["new", "quick"]
    assert chooser.in_turn(["slow", "quick", "other"]) == ["quick", "other", "slow"]
    chooser.seconds |= {"f[a]": 0.1, "f[b]": 0.2}
    assert chooser.in_turn(["f[a]", "f[b]", "slow"]) == ["f[a]", "slow", "f[b]"]
    file.write_text(f"# moved\n{SOURCE}")  # then every test of the file
    assert chooser.tests(mutant, 10.0)[0] == ["new", "quick", "other", "slow"]


def test_survivors_lower_the_score(file: Path) -> None:
    mutants = mutants_of(file, file.parent)[:5]
    outcomes = ["killed", "survived", "hangs", "impossible", "unreached"]
    found = [(m, {"outcome": o, "round": 1 + (o == "survived")}) for m, o in zip(mutants, outcomes, strict=True)]
    result = summary(found, total=11, seed=0, reasons={label(mutants[1]): "it is the same"})
    assert (result["run"], result["noticed"], result["equivalent"]) == (4, 2, 1)
    assert (result["score"], result["score without equivalent"]) == (0.5, 0.6667)
    assert result["survivors that had the second round"] == 1
    assert [survivor["why"] for survivor in result["survivors"]] == ["it is the same", ""]


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
