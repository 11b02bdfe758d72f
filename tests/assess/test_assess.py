"""`assess` from data to verdict: right and wrong models of numbers, counts and classes."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.model_selection import KFold, RepeatedKFold

from rsens import InputError, from_function
from rsens._assess import Assessment, assess, quality
from rsens._assess._assess import constant_for_classes, constant_for_counts, constant_for_numbers
from rsens.distributions import Bernoulli, Categorical, Mixture, MultivariateNormal, NegativeBinomial, Normal, Poisson
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
    constant = assess(BayesianLinearRegression(prior_precision=1.0), X, np.full(150, 3.0), random_state=0)
    assert np.isnan(constant.r2)
    assert "undefined" in str(constant)
    assert constant.to_dict()["r2"] is None


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


def test_levels_that_one_fold_lacks():
    town = np.resize(["Oslo", "Rome", "Lima"], 150).astype(object)
    town[3] = "Ulm"
    rows = pd.DataFrame({"x, 🚲": X[:, 0], "town": town, "open": X[:, 1] > 0}, index=[f"r{i}" for i in range(150)])
    assessment = assess(GPRegressor(n_restarts=0), rows, Y, cv=3, random_state=0)
    assert assessment.n_rows == 150
    assert list(assessment.to_frame().index[:2]) == ["r0", "r1"]
    flat = assess(BayesianLinearRegression(), rows, Y, cv=3, random_state=0)  # a flat prior cannot predict the town
    assert flat.n_left_out == 1
    assert np.isnan(flat.to_frame().loc["r3", "log_density"])


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


VECTOR = from_function(lambda X: MultivariateNormal(X[:, :2], np.broadcast_to(np.eye(2), (len(X), 2, 2))))


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
        ({"estimator": BayesianPoissonRegression(), "y": COUNTS + 0.5}, r"Fold 1 of 5 .* whole numbers"),
        ({"estimator": None, "refit": lambda X, y: VECTOR}, "one number or class"),
        ({"estimator": None, "refit": lambda X, y: from_function(lambda X: Normal(X[:, 0] * np.nan, 1.0))}, "Fold 1"),
    ],
)
def test_wrong_arguments(change, text):
    with pytest.raises(InputError, match=text):
        assess(**{"estimator": BayesianLinearRegression(), "X": X, "y": Y} | change)


@pytest.mark.parametrize(
    ("estimator", "y"),
    [(BayesianLinearRegression(), Y), (BayesianPoissonRegression(), COUNTS), (BayesianLogisticRegression(), LABELS)],
    ids=["numbers", "counts", "classes"],
)
def test_words_and_plain_values(estimator, y):
    assessment = assess(estimator, X, y, random_state=0)
    text = " ".join(str(assessment).split())
    assert all(value in text for value in quality(assessment).columns[1].cells)
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


ROWS = np.random.default_rng(0).normal(size=(20, 1))


def folds(cv, seed=0, **options):
    """The number of the fold that holds each row out."""
    y = ROWS[:, 0] + np.arange(20.0)
    return assess(BayesianLinearRegression(), ROWS, y, cv=cv, random_state=seed, **options).to_frame()["fold"]


def test_given_folds_hold_out_every_row_at_most_once():
    assert folds(KFold(4)).tolist() == np.repeat([1, 2, 3, 4], 5).tolist()
    assert (folds(4) != folds(4, seed=1)).any()
    with pytest.raises(InputError, match="out 3 times"):
        folds(RepeatedKFold(n_splits=2, n_repeats=3, random_state=0))


def test_folds_of_whole_clusters():
    clusters = np.repeat(np.arange(5), 4)
    assert (folds(3, clusters=clusters).groupby(clusters).nunique() == 1).all()
    with pytest.raises(InputError, match="from 2 to the 5 clusters"):
        folds(6, clusters=clusters)
    with pytest.raises(InputError, match="of its cluster"):
        folds(KFold(3), clusters=clusters)


def test_new_persons_are_harder_than_known_ones():
    """A random effect of each person: rows of the same person tell it, other persons do not."""
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(20), 4)
    traits = rng.normal(size=(20, 2))
    X, y = traits[person] + 0.01 * rng.normal(size=(80, 2)), rng.normal(size=20)[person]
    model = GPRegressor(n_restarts=0)
    rows = assess(model, X, y, random_state=0)
    persons = assess(model, X, y, clusters=[f"person {p}" for p in person], random_state=0)
    assert rows.r2 > 0.8
    assert persons.r2 < 0.3
    with pytest.raises(InputError, match="clusters must have one label for each of the 80 rows"):
        assess(model, X, y, clusters=person[:-1])


def test_constants_of_numbers_and_classes_by_hand():
    # ȳ = 2, s² = (1 + 0 + 1)/2 = 1, so StudentT(2, 4/3, 2).
    constant = constant_for_numbers(np.array([1.0, 2.0, 3.0]))
    assert (constant.location, constant.scale2, constant.df) == (2.0, pytest.approx(4.0 / 3.0), 2.0)
    assert np.isfinite(constant_for_numbers(np.zeros(5)).log_prob(0.0))
    with pytest.raises(InputError, match="needs two training rows"):
        constant_for_numbers(np.array([1.0]))
    np.testing.assert_allclose(constant_for_classes(np.array([0, 0, 1]), 3), np.array([2.5, 1.5, 0.5]) / 4.5)


def test_constants_of_counts_are_poisson_or_negative_binomial_if_overdispersed():
    for y, rate in ([3.0, 4.0, 3.0, 4.0], 14.5 / 4.0), (np.zeros(10), 0.05):
        constant = constant_for_counts(np.array(y))
        assert isinstance(constant, Poisson)
        assert constant.rate == rate
    y = stats.nbinom(1.5, 1.5 / 9.5).rvs(size=4000, random_state=3).astype(float)
    constant = constant_for_counts(y)
    assert isinstance(constant, NegativeBinomial)
    assert constant.size == pytest.approx(1.5, rel=0.1)  # its standard error is about 0.04
    best = constant.log_prob(y).sum()
    for factor in (0.9, 1.1):  # the size maximises the likelihood
        assert best > NegativeBinomial(constant.mean, factor * constant.size).log_prob(y).sum()
    assert best > Poisson(constant.mean).log_prob(y).sum()
