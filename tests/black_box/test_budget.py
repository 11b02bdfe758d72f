import pytest

from rsens._errors import InputError
from rsens.black_box._budget import Budget, budget_of


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        *(("budget", lambda wrong=wrong: budget_of(wrong)) for wrong in ("papers", None, 3, ["paper"])),
        ("rows", lambda: Budget("mine", rows=0)),
        ("average", lambda: Budget("mine", average=1.5)),
        ("background", lambda: Budget("mine", background=0)),
        ("repeats", lambda: Budget("mine", repeats=None)),
        ("grid", lambda: Budget("mine", grid=1)),
        ("nodes", lambda: Budget("mine", nodes=True)),
    ],
)
def test_wrong_budgets(argument, call):
    with pytest.raises(InputError) as raised:
        call()
    assert raised.value.argument == argument
