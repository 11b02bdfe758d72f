"""The answer and its details say what the tables say."""

import dataclasses
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rsens._app.report._facts import Facts
from rsens._app.report._sentences import about, answer, as_text, details
from tests.app.report import studies
from tests.explain.marked import marked
from tests.explain.models import Linear


def test_names_are_whole_in_text():
    facts = Facts.of(studies.hostile())
    assert facts.target.full in as_text(answer(facts)[0])


def plain(sentences) -> list[str]:
    return ["".join(part if isinstance(part, str) else part.short for part in sentence) for sentence in sentences]


def said(study) -> list[str]:
    facts = Facts.of(study)
    return plain(answer(facts) + details(facts))


def test_known_answers():
    sentences = said(studies.numbers())
    assert re.fullmatch(
        r"The prediction of price depends most on a \(▲ 0\.\d+ per sd\), b \(± both ways\) and city; ▲ is up and sd a "
        r"standard deviation\.",
        sentences[0],
    )
    assert re.fullmatch(
        r"Based on 60 rows, the model explains \d+ % of the variation on unseen rows \(R²\)\.", sentences[1]
    )
    assert sentences[2].startswith("3 of 4 variables have a star: they are above the null level")
    assert "a × b" in sentences[3]
    assert "the data contradict a model in which " in sentences[3]


def test_rows_of_how_many():
    study = studies.numbers()
    some = studies.study(**vars(study) | {"settings": {"rows_in_data": 8760}})
    assert said(some)[0].startswith("Based on 60 of 8,760 rows, the prediction of price depends most on ")
    assert said(some)[1].startswith("The model explains ")
    assert dict(about(Facts.of(some)))["Rows"] == "60 of 8,760"
    assert said(studies.function(50))[1] == "It is based on 50 rows; the model was not checked on unseen rows."


def test_two_classes_have_the_probability_of_one():
    assert said(studies.two_classes())[0].startswith("The predicted probability of sick “yes” depends most on u (▲ ")


def test_what_moves_the_uncertainty():
    """log variance 0.8 x1: R-sens 0.8/√2, all of it from the variance; the mean moves by 2 of exp(0.4 x1)."""
    sentences = said(studies.function(50))
    assert any(s.endswith("But x1 mostly moves the uncertainty.") for s in sentences)
    assert not any("null" in s or "held" in s for s in sentences)


def explained(**changes):
    """A stand-in for the facts that sentences are made of."""
    names = ["a", "b", "c", "d", "e", "f", "g", "h"]
    base = {
        "main": pd.Series(np.linspace(0.8, 0.1, 8), names),
        "null": pd.Series(0.45, names),
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
    base |= {"family": "Normal", "_effects": None}
    return SimpleNamespace(**base | changes)


def sentences_of(explanation) -> list[str]:
    facts = Facts.of(studies.function(5))
    facts = dataclasses.replace(facts, explanation=explanation)
    vars(facts)["ranked"] = list(explanation.main.index)
    vars(facts)["names"] = {n: SimpleNamespace(short=n, full=n) for n in explanation.main.index}
    vars(facts)["pairs"] = pd.DataFrame()
    return plain(answer(facts) + details(facts))


def test_directions_and_null_level():
    sentences = sentences_of(explained())
    assert sentences[0] == (
        "The prediction of the target depends most on a (▲ 1.0 per sd), b (▼ 1.0 per sd) and c (▲ 1.0 per sd); "
        "▲ is up, ▼ down and sd a standard deviation."
    )
    assert sentences[2] == (
        "4 of 8 variables have a star, also d: they are above the null level, which 95 % of irrelevant columns like "
        "them stay below."
    )
    assert sentences[-1] == "1 of 2 rows lies outside the cloud of the data, where the model extrapolates."


def test_nothing_above_the_null_level():
    sentences = sentences_of(explained(null=pd.Series(0.9, list("abcdefgh"))))
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
    assert any(sentence.startswith(start) for sentence in sentences_of(explained(**changes)))


def test_what_is_largest_but_below_its_own_null_level_is_not_spoken_of():
    """Categories have a level of their own, above that of numbers."""
    levels = pd.Series([0.9] + [0.45] * 7, list("abcdefgh"))
    sentences = sentences_of(explained(categorical=("a",), null=levels))
    assert sentences[0].startswith(
        "The prediction of the target depends most on b (▼ 1.0 per sd), c (▲ 1.0 per sd) and d"
    )
    assert any(sentence.startswith("One standard deviation of b changes") for sentence in sentences)


# ---- pairs, with marks made by hand ----------------------------------------------------------------------------------


def pairs_said(**changes) -> str:
    """The sentence on pairs, where a × b is marked by default."""
    explanation = marked(pairs=changes)
    X = pd.DataFrame(np.zeros((30, 4)), columns=list("abcd"))
    study = studies.study(explanation=explanation, X=X, y=None, model=Linear([4.0, 3.0, 2.0, 1.0], gamma=0.001))
    return next(s for s in said(study) if "pairs ha" in s)


def pair_flags(*which):
    return np.isin(np.arange(6), which)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {},
            "1 of 6 pairs has a star, a × b: there the data contradict a model in which the two add up on the logit "
            "scale (one in 20 pairs that add up has a star by chance).",
        ),
        (
            {"pair_above": pair_flags(0, 5), "pair_discovery": pair_flags()},
            "2 of 6 pairs have a star, a × b and c × d: there the data contradict a model in which they add up on the "
            "logit scale (one in 20 pairs that add up has a star by chance).",
        ),
        (
            {"pair_above": pair_flags(), "pair_discovery": pair_flags(), "pair_unclear": pair_flags(2, 3)},
            "None of 6 pairs has a star: the data do not contradict a model in which they add up on the logit scale. "
            "2 pairs of collinear columns are inconclusive.",
        ),
    ],
)
def test_pairs_that_interact_by_the_test(changes, sentence):
    assert pairs_said(**changes) == sentence
