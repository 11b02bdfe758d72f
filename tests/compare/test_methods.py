"""Names of methods: what "all" is, what is near, what belongs to the other order."""

from __future__ import annotations

import pytest

from rsens._compare._methods import ALL, known, resolved
from rsens._errors import InputError
from rsens.black_box import BLACK_BOX
from rsens.measures import METHODS

BY_NAME_ONLY = {"fourth_derivative"}


@pytest.mark.parametrize("order", [1, 2])
def test_all_is_every_method_but_the_one_asked_for_by_name(order):
    registered = {name for name, measure in METHODS.items() if measure.order == order}
    registered |= {name for name, of_order in BLACK_BOX if of_order == order} | ({"ard"} if order == 1 else set())
    assert set(ALL[order]) == registered - BY_NAME_ONLY
    assert set(known(order)) == registered
    assert resolved("all", order) == list(ALL[order])


def test_names_in_the_order_asked_each_once():
    assert resolved(["kl", "rsens", "kl"], 1) == ["kl", "rsens"]
    assert resolved(("shap",), 2) == ["shap"]
    assert resolved("aed", 1) == ["aed"]
    assert resolved("fourth_derivative", 2) == ["fourth_derivative"]


@pytest.mark.parametrize(
    ("methods", "order", "text"),
    [
        ("rsens2", 1, "rsens2 scores pairs: use order=2"),
        (["rsens2"], 1, "rsens2 scores pairs: use order=2"),
        ("h", 1, "h scores pairs: use order=2"),
        ("pfi", 2, "pfi scores single variables: use order=1"),
        ("rsen", 1, "Did you mean 'rsens'"),
        ("R-sens", 1, "Did you mean 'rsens'"),
        ("SHAP", 2, "Did you mean 'shap'"),
        ("zzzz", 1, "There are rsens, ead"),
        ("zzzz", 2, "for pairs. There are rsens2"),
        ([], 1, "methods must be"),
        (None, 1, "methods must be"),
        ([1], 1, "methods must be"),
        ({"rsens"}, 1, "methods must be"),
        ("all", 3, "order must be one of 1, 2"),
        ("all", True, "order must be one of 1, 2"),
        ("all", "2", "order must be one of 1, 2"),
    ],
)
def test_other_names(methods, order, text):
    with pytest.raises(InputError, match=text.replace("(", r"\(")):
        resolved(methods, order)
