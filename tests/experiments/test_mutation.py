"""Mutation testing: a fault gets into live code, and the committed result adds up."""

import json
from types import ModuleType

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


def size(x):
    return max(-x, x)
'''


def test_each_fault_changes_the_live_function_and_no_other(tmp_path):
    """No fault in the docstring, the default, the annotation, the constant of the module or the text of the error."""
    file = tmp_path / "toy.py"
    file.write_text(SOURCE)

    def load():
        module = ModuleType("toy")
        exec(compile(SOURCE, str(file), "exec", dont_inherit=True), vars(module))
        return module

    def outcome(call, x):
        try:
            return call(x)
        except ValueError as error:
            return str(error)

    def behaviour(module):
        return {name: [outcome(getattr(module, name), x) for x in (-1.0, 0.0, 0.5, 3.0)] for name in ("half", "size")}

    before, mutants = behaviour(load()), mutants_of(file, tmp_path)
    kinds = {"condition", "comparison", "constant", "statement", "return", "operator", "name", "sign"}
    assert ({mutant.kind for mutant in mutants}, len(mutants)) == (kinds, 11)
    for mutant in mutants:
        module = load()
        kept = module.half  # someone imported it by name
        assert swap(file, mutated(file, mutant), [module.half, module.size])
        after = behaviour(module)
        assert kept is module.half
        assert [name for name in before if before[name] != after[name]] == [mutant.function], mutant.name


def test_the_committed_result_adds_up():
    result = json.loads((mutation.RESULTS / mutation.AREAS["formulas"].file).read_text(encoding="utf-8"))
    assert result["run"] >= 1000
    for groups in (result["by file"], result["by kind"]):
        for count in ("run", "noticed", "equivalent"):
            assert sum(part[count] for part in groups.values()) == result[count]
    assert result["run"] - result["noticed"] == len(result["survivors"])
    assert result["score"] == round(result["noticed"] / result["run"], 4)
    assert sum(bool(survivor["why"]) for survivor in result["survivors"]) == result["equivalent"]


def test_every_reason_is_about_a_fault_that_can_be_made():
    assert set(read_reasons()) <= {label(mutant) for mutant in mutation.AREAS["formulas"].all_mutants()}
