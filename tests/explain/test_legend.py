"""What a reader of the print alone is told: stars, levels, intervals and pairs."""

from __future__ import annotations

import numpy as np
import pytest

from rsens._explain import explain
from rsens._explain._text import intervals_legend, pairs_legend, variables_legend
from rsens._text import p_text
from rsens.derivatives import from_function
from rsens.distributions import Normal
from tests.explain.marked import marked, plain
from tests.explain.models import Heteroscedastic
from tests.pages import harmless

STAR = (
    "* above the null level, which 95 % of irrelevant columns like this one stay below; of 20 irrelevant variables "
    "about one gets a star by chance"
)
BY_CHANCE = "(of these at most one in ten is there by chance, on average)"
YES, NO = np.ones(6, dtype=np.bool_), np.zeros(6, dtype=np.bool_)


def lines_of(explanation, title):
    """The block of a table in the print, folded lines joined."""
    block = next(block for block in repr(explanation).split("\n\n") if block.startswith(title))
    return block.replace("\n  ", " ").split("\n")


def cells(explanation, title):
    """The numbers of a table by name, as printed."""
    head, *lines = next(block for block in repr(explanation).split("\n\n") if block.startswith(title)).split("\n")
    return head.split(), {line.split()[0]: line.split()[1:] for line in lines}


# ---- variables -------------------------------------------------------------------------------------------------------


def test_stars_are_where_the_value_is_above_its_level():
    head, found = cells(marked(null=(2.5, 3.5, 1.5, 2.5)), "Variables")
    assert head[:4] == ["Variables", "value", "null", "p"]
    assert {name: found[name][0].endswith("*") for name in "abcd"} == {"a": True, "b": False, "c": True, "d": False}
    assert found["a"][1:3] == ["2.50", "0.001"]


def test_the_marks_for_all_variables_together():
    assert variables_legend(marked()) == [STAR, f"false-discovery rate 10 %: a and b {BY_CHANCE}"]
    assert variables_legend(marked(familywise="a"))[2] == (
        "family-wise 5 %: a (with a chance of 95 % none of these is there by chance)"
    )
    assert variables_legend(marked(discovery="", familywise=""))[1] == "false-discovery rate 10 %: none"
    assert variables_legend(marked(null=(9.0,) * 4, p=(0.2,) * 4, discovery="", familywise="")) == [STAR]


def test_a_p_value_on_the_other_side_of_the_star_is_named():
    assert variables_legend(marked(p=(0.001, 0.06, 0.2, 0.04)))[-1] == (
        "borderline, star and p below 0.05 disagree: b and d"
    )


def test_a_variable_without_a_level_is_named():
    assert "no null level: c" in variables_legend(marked(null=(2.5, 2.5, np.nan, 2.5), p=(0.001, 0.01, np.nan, 0.3)))


def test_without_marks_the_print_says_how_to_get_them_and_has_no_star():
    text = repr(plain())
    assert "no stars: explain(model, X, y) says which variables are more than noise, and which pairs interact" in text
    assert "*" not in text
    assert "null" not in text
    assert "false-discovery" not in text
    alone = repr(explain(Heteroscedastic(), np.random.default_rng(0).normal(size=(20, 3)), pairs=False))
    assert "more than noise\n" in alone


# ---- intervals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "null", "said"),
    [
        ("refits", 2.5, "intervals: 95 %, for new data of this size (10 refits)"),
        (
            "rows",
            2.5,
            "intervals: 95 %, rows only: the model is taken as it is; for new data they are several times too narrow",
        ),
        ("refits", 9.0, "intervals: no variable is above the null level, so the intervals do not hold"),
    ],
)
def test_what_intervals_hold_for(kind, null, said):
    explanation = marked(intervals=kind, null=(null,) * 4)
    assert intervals_legend(explanation) == [said]
    assert said in lines_of(explanation, "Variables")


def test_no_intervals_no_legend():
    assert intervals_legend(marked()) == []
    assert "lower" not in repr(marked())


# ---- pairs -----------------------------------------------------------------------------------------------------------


def test_the_star_of_a_pair_is_that_of_the_test():
    legend = pairs_legend(marked(pairs={}))
    assert legend == [
        "* the data contradict a model in which these two add up on the logit scale (5 % per pair); of 20 pairs that "
        "add up about one gets a star by chance",
        f"false-discovery rate 10 %: a × b {BY_CHANCE}",
        "R-sens₂ measures how the prediction and its uncertainty bend when both move, also where two variables only "
        "add up; the star comes from a test on the data",
    ]
    lines = lines_of(marked(pairs={}), "Pairs")
    assert [line.split()[:3] for line in lines if "*" in line[:20] and "×" in line] == [["a", "×", "b"]]
    assert "<0.001" in next(line for line in lines if line.startswith("a × b"))


def test_a_model_that_adds_up_has_no_star_and_says_so():
    note = "The model adds up on the logit scale by construction, but the data show interactions that it cannot hold."
    changes = {"pair_additive": YES, "pair_above": NO, "pair_discovery": NO, "pair_notes": (note,)}
    lines = lines_of(marked(pairs=changes), "Pairs")
    assert (
        "the model adds up on the logit scale by construction, so no pair has a star; p tests whether the data add up"
        in lines
    )
    assert note in lines
    assert not any("*" in line for line in lines)


def test_some_pairs_add_up_by_construction():
    assert "2 pairs add up in the model by construction: never a star" in pairs_legend(
        marked(pairs={"pair_additive": np.arange(6) >= 4})
    )


def test_pairs_that_cannot_be_told_have_a_question_mark():
    explanation = marked(pairs={"pair_unclear": np.arange(6) == 1})
    lines = lines_of(explanation, "Pairs")
    assert "? cannot be told: other columns nearly determine one of the two; it need not add up" in lines
    assert [line.split()[3][-1] == "?" for line in lines[1:7]] == [line.startswith("a × c") for line in lines[1:7]]


def test_pairs_without_a_test():
    untested = {"pair_p_values": np.full(6, np.nan), "pair_above": NO, "pair_discovery": NO}
    for explanation in (marked(), marked(pairs=untested | {"pair_notes": ("Too few rows.",)})):
        assert pairs_legend(explanation) == [
            "no stars: no test says whether these interact",
            "R-sens₂ measures how the prediction and its uncertainty bend when both move",
        ]


def test_uncertainty_only_is_named():
    """The mean adds up, the variance does not."""
    model = from_function(lambda X: Normal(X[:, 0] + X[:, 1] + X[:, 2], np.exp(0.3 * X[:, 0] * X[:, 1])))
    explanation = explain(model, np.random.default_rng(0).normal(size=(20, 3)))
    only = explanation.uncertainty_only
    assert only
    lines = lines_of(explanation, "Pairs")
    named = [tuple(line.split()[:3:2]) for line in lines if line.endswith("  uncertainty only")]
    assert sorted(named) == sorted(only)
    assert any(line.startswith(f"uncertainty only ({len(only)} of 3 pairs): less than 5 %") for line in lines)


# ---- form ------------------------------------------------------------------------------------------------------------


def test_the_html_says_the_same():
    explanation = marked(intervals="refits", pairs={})
    texts = harmless(explanation._repr_html_()).texts
    for line in (*variables_legend(explanation), *intervals_legend(explanation), *pairs_legend(explanation)):
        assert line in texts


def test_a_star_further_down_is_named():
    X = np.random.default_rng(0).normal(size=(20, 14))
    text = repr(explain(Heteroscedastic(), X[:, :3], pairs=False))
    assert "more in" not in text
    rest = marked(pairs={"pair_above": YES})
    from rsens._explain import hidden

    assert hidden(rest, rest.to_frame(2), 4, "in to_frame(2)") == [
        "… and 2 more in to_frame(2); with a star: b × d and c × d"
    ]
    assert hidden(rest, rest.to_frame(), 2, "below") == ["… and 2 more below"]


def test_p_values_are_short():
    assert [p_text(p) for p in (3e-12, 0.001, 0.0412, 1.0, float("nan"))] == ["<0.001", "0.001", "0.041", "1.000", ""]
