"""Names of methods: what "all" is, what is near, what belongs to the other order."""

import pytest

from rsens._compare import find_methods, known
from rsens._errors import InputError
from rsens.black_box import BUDGETS
from tests.compare.models import resolved


def test_all_is_in_the_order_of_the_papers_tables():
    assert resolved("all", 1) == ["rsens", "ead", "aed", "apc", "shap", "pd", "pfi", "var", "kl", "ard"]
    assert resolved("all", 2) == ["rsens2", "eah", "aeh", "shap", "pd", "h"]
    for order in (1, 2):
        places = [method.place for method in find_methods("all", order)]
        assert places == list(range(1, len(places) + 1))
        meanings = [method.meaning for method in known(order).values()]
        assert all(meanings)
        assert len(set(meanings)) == len(meanings)


def test_cheap_methods():
    def names(order, budget):
        return [method.name for method in find_methods("cheap", order, BUDGETS[budget])]

    assert names(1, "paper") == ["rsens", "ead", "aed", "apc", "shap", "pd", "pfi", "var", "kl"]
    assert names(1, "standard") == ["rsens", "ead", "aed", "apc", "pd", "pfi", "var", "kl"]  # shap needs a package
    assert names(2, "paper") == ["rsens2", "eah", "aeh", "shap", "pd"]
    assert resolved(["kl", "rsens", "kl"], 1) == ["kl", "rsens"]  # in the order asked, each once
    assert resolved(("shap",), 2) == ["shap"]
    with pytest.raises(InputError, match="Unknown method 'cheap'"):
        find_methods("cheap", 2)


@pytest.mark.parametrize(
    ("methods", "order", "text"),
    [
        ("rsens2", 1, "rsens2 scores pairs: use order=2"),
        ("pfi", 2, "pfi scores variables: use order=1"),
        ("zzzz", 2, "for pairs. Use one of rsens2"),
        (None, 1, "methods must be"),
        ({"rsens"}, 1, "methods must be"),
        ("all", "2", "order must be one of 1, 2"),
    ],
)
def test_other_names(methods, order, text):
    with pytest.raises(InputError, match=text.replace("(", r"\(")):
        resolved(methods, order)
