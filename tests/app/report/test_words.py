"""The answer and its details agree with the tables."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rsens import explain, from_function
from rsens._app.report._sentences import answer, details
from rsens._app.tables import Choice
from rsens.distributions import Normal
from tests.app.report import studies
from tests.explain.marked import marked


def standing_for(explanation, **changes):
    """A study of this explanation that nobody checked."""
    settings = {"rows_in_data": explanation.n, "target": "y", "arguments": {}}
    base = {"assessment": None, "settings": settings, "likelihood": Choice("gaussian", "")}
    return SimpleNamespace(explanation=explanation, **base | changes)


def said(study) -> str:
    return " ".join([answer(study), *details(study)])


def test_known_answers():
    text = said(studies.numbers())
    assert re.match(
        r"The prediction of price depends most on a \(▲ 0\.\d+ per sd\), b \(± both ways\) and city; ▲ is up and sd a "
        r"standard deviation\. Based on 60 rows, the model explains \d+ % of the variation on unseen rows \(R²\)\. "
        r"3 of 4 variables have a star: they are above the null level",
        text,
    )
    assert "a × b: there the data contradict a model in which " in text
    assert re.search(r"One standard deviation of a changes the predictive .*: its R-sens is \d\.\d+ \(95 % inter", text)


def test_rows_of_how_many():
    study = studies.numbers()
    settings = study.settings | {"rows_in_data": 8760}
    text = answer(standing_for(study.explanation, settings=settings, assessment=study.assessment))
    assert text.startswith("Based on 60 of 8,760 rows, the prediction of price depends most on ")
    assert ". The model explains " in text
    assert "It is based on 40 rows; the model was not checked on unseen rows." in said(studies.linear())


def test_two_classes_have_the_probability_of_one():
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["u", "v"])
    y = np.where(X["u"] + 0.5 * rng.normal(size=60) > 0.0, "yes", "no")
    text = said(studies.study(X.assign(sick=y), "sick", model="linear"))
    assert text.startswith("The predicted probability of sick “yes” depends most on u (▲ ")
    assert "changes a probability of about one half by up to 0." in text


def test_the_uncertainty():
    """log variance 0.8 x1: R-sens 0.8/√2, all of it from the variance; the mean moves by 2 of exp(0.4 x1)."""
    X = np.random.default_rng(3).normal(size=(50, 2))
    model = from_function(lambda Z: Normal(2.0 * Z[:, 0], np.exp(0.8 * Z[:, -1])))
    text = said(standing_for(explain(model, X, intervals=False)))
    assert "But x1 mostly moves the uncertainty." in text
    assert "null" not in text


def test_marks():
    text = said(standing_for(marked()))
    assert text.startswith("The prediction of y depends most on a (▲ 4.0 per sd) and b (▲ 3.0 per sd); ▲ is up and sd ")
    assert "2 of 4 variables have a star: they are above the null level, which 95 % of irrelevant columns like" in text
    assert "One standard deviation of a changes" in text
    text = said(standing_for(marked(null=(9.0, 2.5, 0.5, 2.5))))  # a is largest, but below its own level
    assert "depends most on b (▲ 3.0 per sd) and c (▲ 2.0 per sd)" in text
    assert "One standard deviation of b changes" in text
    text = said(standing_for(marked(null=(9.0,) * 4)))
    assert text.startswith("No variable moves the prediction of y more than an irrelevant one would.")
    assert "null level" not in text
    assert "R-sens is" not in text


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
    assert sentence in answer(standing_for(marked(pairs=changes)))
