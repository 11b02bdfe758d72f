"""The summary says what the tables say."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rsens import BayesianLinearRegression, explain
from rsens._app.report._facts import Facts
from rsens._app.report._words import answer, as_text, summary
from tests.app.report import studies
from tests.explain.marked import marked
from tests.explain.models import Linear


def test_the_answer_is_part_of_the_summary():
    """What the terminal prints is what the page says, with whole names."""
    facts = Facts.of(studies.hostile())
    assert [s for s in answer(facts) if s not in summary(facts)] == []
    assert facts.target.full in as_text(answer(facts)[0])


def said(study) -> list[str]:
    return [
        "".join(part if isinstance(part, str) else part.short for part in sentence)
        for sentence in summary(Facts.of(study))
    ]


def test_known_answers():
    sentences = said(studies.numbers())
    assert sentences[0] == "The prediction of price depends most on a, b and city."
    above = next(s for s in sentences if "null level" in s and "variables" in s)
    assert above.startswith("3 of 4 variables are above the null level")
    assert "; at this level the others cannot be told from noise. A false-discovery rate of 10 % finds " in above
    pairs = next(s for s in sentences if "marked as interacting" in s)
    assert "(5 % per pair, so one in 20 by chance): " in pairs
    assert "a × b" in pairs
    assert "the data contradict a model in which they add up on the scale of y. A false-discovery rate" in pairs
    assert any(s.startswith("Intervals: 95 %, ") for s in sentences)
    assert any("better than a constant" in s for s in sentences)


def test_what_moves_the_uncertainty():
    """log variance 0.8 x1: R-sens 0.8/√2, all of it from the variance; the mean moves by 2 of exp(0.4 x1)."""
    sentences = said(studies.function(50))
    assert any(s.endswith("But x1 mostly moves the uncertainty.") for s in sentences)
    assert "The prediction rises with x0." in sentences
    assert not any("null" in s or "held" in s for s in sentences)


def test_several_classes_have_no_one_direction():
    assert not any("rises" in s or "falls" in s for s in said(studies.classes()))


def explained(**changes):
    """A stand-in for the facts that sentences are made of."""
    names = ["a", "b", "c", "d", "e", "f", "g", "h"]
    base = {
        "main": pd.Series(np.linspace(0.8, 0.1, 8), names),
        "null": 0.45,
        "null_levels": pd.Series(0.45, names),
        "discovery": pd.Series([True] * 4 + [False] * 4, names),
        "intervals": None,
        "parts": None,
        "categorical": (),
        "scale_kind": "sd",
        "level": 0.95,
        "direction": pd.Series([1.0, -1.0, 1.0, 0.1, 0, 0, 0, 0], names),
        "consistency": pd.Series([1.0, 0.9, 0.8, 0.1, np.nan, np.nan, np.nan, np.nan], names),
        "extrapolation": pd.Series([True, False]),
        "n": 2,
    }
    return SimpleNamespace(**base | changes)


def sentences_of(explanation) -> list[str]:
    facts = Facts.of(studies.function(5))
    facts = dataclasses.replace(facts, explanation=explanation)
    vars(facts)["ranked"] = list(explanation.main.index)
    vars(facts)["names"] = {n: SimpleNamespace(short=n, full=n) for n in explanation.main.index}
    vars(facts)["pairs"] = pd.DataFrame()
    return ["".join(p if isinstance(p, str) else p.short for p in s) for s in summary(facts)]


def test_directions_and_null_level():
    sentences = sentences_of(explained())
    assert sentences[2] == (
        "4 of 8 variables are above the null level, which 95 % of irrelevant columns like them stay below: a, b, c and "
        "d; at this level the others cannot be told from noise. A false-discovery rate of 10 % finds the same."
    )
    assert sentences[3] == "The prediction rises with a and c, falls with b and goes both ways with d."
    assert sentences[-1] == "1 of 2 rows lies outside the cloud of the data, where the model extrapolates."


@pytest.mark.parametrize(
    ("discovered", "said"),
    [("abcd", "the same."), ("", "none."), ("ab", "only a and b."), ("abcde", "these and e."), ("abe", "a, b and e.")],
)
def test_what_a_false_discovery_rate_finds(discovered, said):
    found = pd.Series([name in discovered for name in "abcdefgh"], list("abcdefgh"))
    assert sentences_of(explained(discovery=found))[2].endswith(f"A false-discovery rate of 10 % finds {said}")


def test_a_variable_without_a_level_is_not_counted():
    levels = pd.Series([0.45] * 7 + [np.nan], list("abcdefgh"))
    assert sentences_of(explained(null_levels=levels))[2].startswith("4 of 7 variables are above")
    assert not any("null" in s for s in sentences_of(explained(null_levels=levels * np.nan)))


def test_the_step_of_a_probability_is_a_probability():
    sentence = next(s for s in said(studies.classes()) if "R-sens is" in s)
    assert "changes a probability of about one half by up to 0." in sentence


def test_a_pair_of_a_linear_model():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "b"])
    y = 3.0 * X["a"] + rng.normal(size=40)
    model = BayesianLinearRegression().fit(X, y)
    study = studies.study(explanation=explain(model, X, y, n_probes=5, random_state=0), X=X, y=y, model=model)
    assert "No pair interacts: the model adds up on the scale of y by construction." in said(study)


def test_nothing_above_the_null_level():
    sentences = sentences_of(explained(null=0.9, null_levels=pd.Series(0.9, list("abcdefgh"))))
    assert sentences[0] == "No variable moves the prediction of the target more than an irrelevant one would."
    assert not any("null level" in s or "R-sens is" in s for s in sentences)


@pytest.mark.parametrize(
    ("changes", "start"),
    [
        ({"categorical": ("a",)}, "One standard deviation of a changes"),
        ({"categorical": ("a",), "scale_kind": "raw"}, "A switch of a to another level changes"),
        ({"scale_kind": "raw"}, "One unit of a changes"),
        ({"scale_kind": "given"}, "One given unit of a changes"),
    ],
)
def test_what_a_step_is(changes, start):
    assert sentences_of(explained(**changes))[1].startswith(start)


def test_all_above_the_null_level():
    everything = {"null_levels": pd.Series(0.0, list("abcdefgh")), "discovery": pd.Series(True, list("abcdefgh"))}
    assert sentences_of(explained(**everything))[2] == (
        "8 of 8 variables are above the null level, which 95 % of irrelevant columns like them stay below. A "
        "false-discovery rate of 10 % finds the same."
    )


def test_what_is_largest_but_below_its_own_null_level_is_not_spoken_of():
    """Categories have a level of their own, above that of numbers."""
    levels = pd.Series([0.9] + [0.45] * 7, list("abcdefgh"))
    sentences = sentences_of(explained(categorical=("a",), null=None, null_levels=levels))
    assert sentences[0] == "The prediction of the target depends most on b, c and d."
    assert sentences[1].startswith("One standard deviation of b changes")


# ---- pairs, with marks made by hand ----------------------------------------------------------------------------------


def pairs_said(**changes) -> str:
    """The sentence on pairs, where a × b is marked by default."""
    explanation = marked(pairs=changes)
    X = pd.DataFrame(np.zeros((30, 4)), columns=list("abcd"))
    study = studies.study(explanation=explanation, X=X, y=None, model=Linear([4.0, 3.0, 2.0, 1.0], gamma=0.001))
    return next(s for s in said(study) if "interact" in s)


def pair_flags(*which):
    return np.isin(np.arange(6), which)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {},
            "1 of 6 pairs is marked as interacting (5 % per pair, so one in 20 by chance): a × b; there the data "
            "contradict a model in which they add up on the logit scale. A false-discovery rate of 10 % finds the "
            "same.",
        ),
        (
            {"pair_above": pair_flags(0, 5), "pair_discovery": pair_flags()},
            "2 of 6 pairs are marked as interacting (5 % per pair, so one in 20 by chance): a × b and c × d; there the "
            "data contradict a model in which they add up on the logit scale. A false-discovery rate of 10 % finds "
            "none.",
        ),
        (
            {"pair_above": pair_flags(), "pair_discovery": pair_flags(), "pair_unclear": pair_flags(2, 3)},
            "None of 6 pairs is marked as interacting (5 % per pair): the data do not contradict a model in which they "
            "add up on the logit scale. For 2 pairs it cannot be told, because columns are collinear.",
        ),
    ],
)
def test_pairs_that_interact_by_the_test(changes, sentence):
    assert pairs_said(**changes) == sentence


def test_many_pairs_are_counted():
    assert "): a × b, a × c, a × d, b × c and 2 more; there" in pairs_said(pair_above=pair_flags(*range(6)))
