import pytest

from rsens._errors import InputError
from rsens.black_box._budget import BUDGETS, Budget, budget_of


@pytest.mark.parametrize("name", ["paper", "standard", "full"])
def test_a_name_is_a_budget(name):
    assert budget_of(name) is BUDGETS[name]
    assert budget_of(name).name == name
    assert budget_of(name).paper is (name == "paper")


@pytest.mark.parametrize("wrong", ["papers", None, 3, ["paper"]])
def test_anything_else_is_an_error(wrong):
    with pytest.raises(InputError, match="budget must be 'paper', 'standard', 'full' or a Budget; got"):
        budget_of(wrong)


@pytest.mark.parametrize(
    "size",
    [{"rows": 0}, {"average": 1.5}, {"background": 0}, {"repeats": None}, {"grid": 1}, {"nodes": True}],
    ids=repr,
)
def test_sizes_that_no_method_can_use(size):
    with pytest.raises(InputError) as raised:
        Budget("mine", **size)
    assert raised.value.argument in size
