"""What `assess` refuses, that it repeats itself, and what its result offers."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from rsens import InputError, from_function
from rsens._assess import assess, quality_lines
from rsens.distributions import MultivariateNormal, Normal
from rsens.models import BayesianLinearRegression, BayesianLogisticRegression, BayesianPoissonRegression, GPRegressor
from tests.assess.test_assess import COUNTS, LABELS, X, Y, wrapped

# ---- errors and repetition -------------------------------------------------------------------------------------------


def test_a_fold_that_fails_is_named():
    def fails(rows, y):
        if 5.0 not in y:
            raise RuntimeError("no five")
        return wrapped(rows, y)

    y = Y.copy()
    y[0] = 5.0
    folds = [(np.arange(75, 150), np.arange(40, 75)), (np.arange(75), np.arange(75, 150))]
    with pytest.raises(
        InputError, match=r"Fold 1 of 2 \(75 training rows, 35 held out\) failed: RuntimeError: no five"
    ):
        assess(None, X, y, refit=fails, cv=folds)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"estimator": BayesianLinearRegression}, "give an instance"),
        ({"estimator": object()}, "fitted model"),
        ({"refit": 3}, "refit must be a function"),
        ({"cv": 1}, "cv must be"),
        ({"y": Y[:5]}, "one entry for each of the 150 rows"),
        ({"y": LABELS}, "Fold 1 of 5"),
        ({"cv": [([0, 1, 2, 3, 4, 5], [6])]}, "at least two are needed"),
    ],
)
def test_wrong_arguments(change, text):
    given = {"estimator": BayesianLinearRegression(), "X": X, "y": Y} | change
    with pytest.raises(InputError, match=text):
        assess(given.pop("estimator"), given.pop("X"), given.pop("y"), **given)


def test_models_of_vectors_and_of_nan_are_refused():
    vector = from_function(lambda X: MultivariateNormal(X[:, :2], np.broadcast_to(np.eye(2), (len(X), 2, 2))))
    with pytest.raises(InputError, match="one number or class"):
        assess(None, X, Y, refit=lambda X, y: vector)
    with pytest.raises(InputError, match="Fold 1 of 5"):
        assess(None, X, Y, refit=lambda X, y: from_function(lambda X: Normal(X[:, 0] * np.nan, 1.0)))


def test_jobs_and_seeds():
    model = GPRegressor(n_restarts=1)  # its restarts are random
    one = assess(model, X[:60], Y[:60], cv=2, random_state=5)
    two = assess(model, X[:60], Y[:60], cv=2, random_state=5, n_jobs=2)
    pd.testing.assert_frame_equal(one.to_frame(), two.to_frame())
    other = assess(BayesianLinearRegression(), X[:60], Y[:60], cv=2, random_state=6)
    assert not (one.to_frame()["fold"] == other.to_frame()["fold"]).all()


# ---- the result ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "y"),
    [(BayesianLinearRegression(), Y), (BayesianPoissonRegression(), COUNTS), (BayesianLogisticRegression(), LABELS)],
    ids=["numbers", "counts", "classes"],
)
def test_words_and_plain_values(estimator, y):
    assessment = assess(estimator, X, y, random_state=0)
    text = " ".join(str(assessment).split())
    assert all(value in text for _, value, _ in quality_lines(assessment))
    assert f"({type(estimator).__name__}, 5-fold cross-validation, 150 held-out rows)" in text
    content = json.loads(json.dumps(assessment.to_dict(), allow_nan=False))
    assert content["score"] == assessment.score
    assert content["gain_error"] == assessment.gain_error
    assert content["ok"] is assessment.ok
    assert (content["coverage"] is None) == (assessment.kind == "classes")
    assert (content["reliability"] is None) == (assessment.kind != "classes")
    frame = assessment.to_frame()
    assert len(frame) == 150
    assert frame["log_density"].mean() == pytest.approx(assessment.score)
    assert assessment.plot().get_xlabel()
