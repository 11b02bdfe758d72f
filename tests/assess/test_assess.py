"""`assess` from data to verdict: right and wrong models of numbers, counts and classes."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

from rsens import InputError, from_function
from rsens._assess import Assessment, assess
from rsens.distributions import Bernoulli, Categorical, Mixture, Normal, Poisson
from rsens.models import (
    BayesianLinearRegression,
    BayesianLogisticRegression,
    BayesianPoissonRegression,
    GPClassifier,
    GPRegressor,
)

RNG = np.random.default_rng(11)
X = RNG.normal(size=(150, 3))
LINEAR = X @ [1.0, -0.5, 0.0]
Y = LINEAR + 0.5 * RNG.normal(size=150)
COUNTS = RNG.poisson(np.exp(1.0 + 0.7 * LINEAR)).astype(float)
LABELS = np.where(LINEAR + 0.5 * RNG.logistic(size=150) > 0.0, "yes", "no")
THREE = np.select([LINEAR > 0.7, LINEAR > -0.5], ["high", "middle"], "low")


# ---- numbers ---------------------------------------------------------------------------------------------------------


def test_the_right_model_is_fine():
    assessment = assess(BayesianLinearRegression(), X, Y, random_state=0)
    assert isinstance(assessment, Assessment)
    assert assessment.ok, str(assessment)
    assert assessment.kind == "numbers"
    assert assessment.n_rows == 150
    for level, row in assessment.coverage.iterrows():
        assert abs(row["share"] - level) < 3.0 * row["standard_error"]
    # With noise of known variance ¼ the best possible score is −½ log(2πe/4).
    assert assessment.score == pytest.approx(
        -0.5 * np.log(2.0 * np.pi * np.e / 4.0), abs=3.0 * assessment.standard_error
    )
    assert assessment.r2 == pytest.approx(np.var(LINEAR) / np.var(Y), abs=0.1)
    assert assessment.accuracy is assessment.brier_score is assessment.reliability is None


def test_numbers_are_those_of_a_loop_over_folds():
    folds = list(KFold(4).split(X))
    assessment = assess(BayesianLinearRegression(), X, Y, cv=KFold(4))
    log_density, baseline, pit = np.empty(150), np.empty(150), np.empty(150)
    for train, test in folds:
        model = BayesianLinearRegression().fit(X[train], Y[train])
        log_density[test] = model.log_predictive_density(X[test], Y[test])
        pit[test] = model.predictive_cdf(X[test], Y[test])
        nothing = BayesianLinearRegression(prior_precision=1.0).fit(np.zeros((len(train), 1)), Y[train])
        baseline[test] = nothing.log_predictive_density(np.zeros((len(test), 1)), Y[test])
    frame = assessment.to_frame()
    np.testing.assert_allclose(frame["log_density"], log_density, rtol=1e-12)
    np.testing.assert_allclose(frame["pit_upper"], pit, rtol=1e-12)
    np.testing.assert_array_equal(frame["pit_lower"], frame["pit_upper"])
    # A constant column leaves a proper prior nothing to learn: the constant by another route.
    np.testing.assert_allclose(frame["baseline_log_density"], baseline, rtol=1e-10)
    assert assessment.gain == pytest.approx((log_density - baseline).mean())
    assert assessment.gain_error == pytest.approx(np.std(log_density - baseline, ddof=1) / np.sqrt(150))


def test_noise_that_is_too_small_gives_intervals_that_are_too_narrow():
    model = GPRegressor(noise_variance=0.01, optimize=False)
    assessment = assess(model, X, Y, random_state=0)
    assert not assessment.ok
    assert any("Intervals are too narrow (over-confident)" in sentence for sentence in assessment.warnings)
    assert assessment.coverage.loc[0.9, "share"] < 0.8
    histogram = assessment.pit_histogram(10)
    assert histogram["share"].iloc[[0, -1]].min() > 0.1 + 3.0 * histogram["standard_error"].iloc[0]


def test_constant_targets():
    assessment = assess(BayesianLinearRegression(prior_precision=1.0), X, np.full(150, 3.0), random_state=0)
    assert np.isnan(assessment.r2)
    assert "undefined" in str(assessment)
    assert assessment.to_dict()["r2"] is None


# ---- counts ----------------------------------------------------------------------------------------------------------


def test_counts():
    assessment = assess(BayesianPoissonRegression(), X, COUNTS, random_state=0)
    assert assessment.kind == "counts"
    assert assessment.ok, str(assessment)
    frame = assessment.to_frame()
    # P(Y ≤ y) − P(Y < y) is the probability of y.
    np.testing.assert_allclose(frame["pit_upper"] - frame["pit_lower"], np.exp(frame["log_density"]), rtol=1e-9)
    for level, row in assessment.coverage.iterrows():
        assert abs(row["share"] - level) < 3.0 * row["standard_error"]


def test_the_true_model_of_counts_has_a_flat_histogram():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(3000, 1))
    y = rng.poisson(np.exp(rows[:, 0]))
    truth = assess(None, rows, y, refit=lambda X, y: from_function(lambda X: Poisson(np.exp(X[:, 0]))), cv=3)
    histogram = truth.pit_histogram(10)
    assert (np.abs(histogram["share"] - 0.1) < 3.5 * histogram["standard_error"]).all()
    assert truth.ok


def test_counts_need_whole_numbers():
    with pytest.raises(InputError, match=r"Fold 1 of 5 .* whole numbers"):
        assess(BayesianPoissonRegression(), X, COUNTS + 0.5)


# ---- classes ---------------------------------------------------------------------------------------------------------


def test_two_classes():
    assessment = assess(BayesianLogisticRegression(), X, LABELS, random_state=0)
    assert assessment.kind == "classes"
    assert assessment.classes == ("no", "yes")
    assert assessment.ok, str(assessment)
    assert assessment.coverage is assessment.r2 is None
    frame = assessment.to_frame()
    np.testing.assert_allclose(frame["p(no)"] + frame["p(yes)"], 1.0)
    assert assessment.accuracy == (frame["prediction"] == LABELS).mean()
    assert assessment.brier_score == pytest.approx(((frame["p(yes)"] - (LABELS == "yes")) ** 2).mean())
    np.testing.assert_allclose(
        frame["log_density"], np.log(np.where(LABELS == "yes", frame["p(yes)"], frame["p(no)"])), rtol=1e-10
    )
    with pytest.raises(InputError, match="no PIT"):
        assessment.pit_histogram()


def test_three_classes_and_folds_of_equal_shares():
    assessment = assess(GPClassifier(optimize=False), X, THREE, cv=3, random_state=0)
    assert assessment.classes == ("high", "low", "middle")
    assert assessment.accuracy > 0.7
    frame = assessment.to_frame()
    shares = frame.groupby("fold")["y"].value_counts().unstack()
    assert (shares.max() - shares.min() <= 1).all()


def test_a_class_that_one_fold_lacks():
    labels = LABELS.astype(object).copy()
    labels[7] = "rare"
    assessment = assess(BayesianLogisticRegression(), X, labels, random_state=0)
    assert assessment.n_left_out == 1
    assert assessment.notes[0].startswith("1 row was left out")
    assert assessment.to_frame().loc[7].drop("y").isna().all()
    json.dumps(assessment.to_dict(), allow_nan=False)


def test_numbers_and_truth_values_as_labels():
    codes = (LABELS == "yes").astype(int)
    want = assess(BayesianLogisticRegression(), X, LABELS, random_state=0).score
    for y in (codes, codes.astype(bool), pd.Series(LABELS, dtype="category"), 2.0 * codes - 1.0):
        assert assess(BayesianLogisticRegression(), X, y, random_state=0).score == pytest.approx(want, rel=1e-12)


# ---- rows and levels -------------------------------------------------------------------------------------------------


def towns() -> pd.DataFrame:
    """A level with one row, a bool, and an odd name."""
    town = np.resize(["Oslo", "Rome", "Lima"], 150).astype(object)
    town[3] = "Ulm"
    return pd.DataFrame({"x, 🚲": X[:, 0], "town": town, "open": X[:, 1] > 0}, index=[f"r{i}" for i in range(150)])


def test_levels_that_one_fold_lacks():
    assessment = assess(GPRegressor(n_restarts=0), towns(), Y, cv=3, random_state=0)
    assert assessment.n_rows == 150
    assert list(assessment.to_frame().index[:2]) == ["r0", "r1"]


def test_levels_that_a_flat_prior_cannot_predict_are_left_out():
    assessment = assess(BayesianLinearRegression(), towns(), Y, cv=3, random_state=0)
    assert assessment.n_left_out == 1
    assert np.isnan(assessment.to_frame().loc["r3", "log_density"])


def test_rows_that_are_never_held_out():
    half = np.arange(150) < 75
    assessment = assess(BayesianLinearRegression(), X, Y, cv=[(half, ~half)])
    assert assessment.n_rows == 75
    assert assessment.to_frame()["fold"].isna().tolist() == half.tolist()


# ---- models of others ------------------------------------------------------------------------------------------------


def wrapped(rows, y):
    slope, *_ = np.linalg.lstsq(rows, y, rcond=None)
    variance = np.var(y - rows @ slope)
    return from_function(lambda X: Normal(X @ slope, variance))


def test_a_function_with_refit():
    assessment = assess(None, X, Y, refit=wrapped, random_state=0)
    own = assess(BayesianLinearRegression(), X, Y, random_state=0)
    assert assessment.model == "wrapped"
    assert assessment.score == pytest.approx(own.score, abs=0.05)
    np.testing.assert_array_equal(assessment.to_frame()["fold"], own.to_frame()["fold"])


def event(family):
    return lambda X, y: from_function(lambda X: family(1.0 / (1.0 + np.exp(-2.0 * X[:, 0]))))


@pytest.mark.parametrize(
    "family",
    [
        Bernoulli,
        lambda p: Categorical(np.stack([1.0 - p, p], axis=1)),
        lambda p: Mixture([Bernoulli(p), Bernoulli(p)], [0.5, 0.5]),
    ],
)
def test_class_codes_for_models_without_classes(family):
    y = (LABELS == "yes").astype(int)
    assessment = assess(None, X, y, refit=event(family), random_state=0)
    assert assessment.kind == "classes"
    p = 1.0 / (1.0 + np.exp(-2.0 * X[:, 0]))
    np.testing.assert_allclose(assessment.to_frame()["log_density"], np.log(np.where(y == 1, p, 1.0 - p)))
    with pytest.raises(InputError, match=r"predicts the classes \[0, 1\]; y has \['no', 'yes'\]"):
        assess(None, X, LABELS, refit=event(family))
