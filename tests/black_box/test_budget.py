import pytest

from rsens._errors import InputError
from rsens.black_box._budget import BUDGETS, Budget, budget_of


@pytest.mark.parametrize("name", ["paper", "standard", "full"])
def test_a_name_is_a_budget(name):
    assert budget_of(name) is BUDGETS[name]
    assert budget_of(name).name == name
    assert budget_of(name).paper is (name == "paper")


def test_a_budget_is_a_budget():
    mine = Budget("mine", rows=10)
    assert budget_of(mine) is mine


@pytest.mark.parametrize("wrong", ["papers", None, 3, ["paper"]])
def test_anything_else_is_an_error(wrong):
    with pytest.raises(InputError, match="budget must be 'paper', 'standard', 'full' or a Budget; got"):
        budget_of(wrong)


def test_full_costs_more_than_standard():
    standard, full = BUDGETS["standard"], BUDGETS["full"]
    sizes = ("rows", "average", "background", "permutations", "repeats", "grid", "pair_grid", "nodes")
    assert all(getattr(full, size) > getattr(standard, size) for size in sizes)
