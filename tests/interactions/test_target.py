"""Which likelihood a model is tested with, and on which scale its terms add up."""

from __future__ import annotations

import numpy as np
import pytest

from rsens._errors import InputError
from rsens._interactions import Untested, likelihood_for
from rsens.derivatives import from_function
from rsens.distributions import (
    ALL_FAMILIES,
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Exponential,
    Gamma,
    Histogram,
    LogNormal,
    Mixture,
    MultivariateNormal,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
    Weibull,
)
from rsens.likelihoods import StudentTLikelihood
from rsens.models import (
    BayesianLinearRegression,
    BayesianLogisticRegression,
    BayesianPoissonRegression,
    BayesianProbitRegression,
    GPClassifier,
    GPRegressor,
)

NUMBERS = np.array([0.5, -1.0, 2.0, 0.1])
POSITIVE = np.array([0.5, 1.0, 2.0, 0.1])
SHARES = np.array([0.5, 0.9, 0.2, 0.1])
COUNTS = np.array([0, 3, 1, 2])
EVENTS = np.array([0, 1, 1, 0])
CASES = [
    (Normal(0.0, 1.0), NUMBERS, "gaussian", "identity"),
    (StudentT(0.0, 1.0, 5.0), NUMBERS, "gaussian", "identity"),
    (LogNormal(0.0, 1.0), POSITIVE, "gaussian", "log"),
    (Gamma(1.0, 1.0), POSITIVE, "gaussian", "log"),
    (Exponential(1.0), POSITIVE, "gaussian", "log"),
    (Weibull(1.0, 1.0), POSITIVE, "gaussian", "log"),
    (Beta(1.0, 1.0), SHARES, "gaussian", "logit"),
    (Histogram([-1.0, 0.0, 2.0], [0.5, 0.5]), NUMBERS, "gaussian", "identity"),
    (Bernoulli(0.5), EVENTS, "logit", "logit"),
    (Categorical([0.5, 0.2, 0.3]), np.array(["a", "b", "c", "a"]), "logit", "logit"),
    (Poisson(1.0), COUNTS, "poisson", "log"),
    (NegativeBinomial(1.0, 2.0), COUNTS, "negative_binomial", "log"),
    (Mixture([Poisson(1.0), Poisson(2.0)], [0.5, 0.5]), COUNTS, "poisson", "log"),
    (Binomial(3, 0.5), COUNTS, None, None),
    (MultivariateNormal([0.0, 0.0], np.eye(2)), np.zeros((4, 2)), None, None),
]

FOREIGN = from_function(lambda X: Normal(X[:, 0], 1.0))  # a model that is not ours: only its family counts


@pytest.mark.parametrize(("family", "y", "name", "scale"), CASES, ids=lambda value: type(value).__name__)
def test_foreign_models_by_their_family(family, y, name, scale):
    assert {type(case[0]) for case in CASES} == set(ALL_FAMILIES)
    if name is None:
        with pytest.raises(Untested, match="the model predicts"):
            likelihood_for(FOREIGN, family, y)
        return
    target = likelihood_for(FOREIGN, family, y)
    assert (target.likelihood.name, target.scale) == (name, scale)
    if name == "gaussian":
        assert target.y.mean() == pytest.approx(0.0, abs=1e-12)
        assert target.y.std() == pytest.approx(1.0)


def test_our_models_by_their_likelihood():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 2))
    numbers, events, counts = X[:, 0] + rng.standard_normal(30), (X[:, 0] > 0).astype(int), rng.poisson(1.0, 30)
    cases = [
        (GPRegressor(n_restarts=0), numbers, "gaussian", "identity"),
        (GPRegressor(likelihood="negative_binomial", n_restarts=0), counts, "negative_binomial", "log"),
        (GPClassifier(link="probit", n_restarts=0), events, "probit", "probit"),
        (GPClassifier(link="logit", n_restarts=0), events, "logit", "logit"),
        (BayesianLinearRegression(), numbers, "gaussian", "identity"),
        (BayesianLogisticRegression(), events, "logit", "logit"),
        (BayesianProbitRegression(), events, "probit", "probit"),
        (BayesianPoissonRegression(), counts, "poisson", "log"),
        (GPRegressor(likelihood=StudentTLikelihood(0.2, df=7.0), n_restarts=0), numbers, "student_t", "identity"),
    ]
    for model, y, name, scale in cases:
        model.fit(X, y)
        target = likelihood_for(model, model.predict_distribution(X[:1]), y)
        assert (target.likelihood.name, target.scale) == (name, scale)
    assert target.likelihood.df == 7.0  # kept, where the scale starts again
    np.testing.assert_allclose(target.likelihood.theta, StudentTLikelihood.start(0.1).theta)


def test_classes():
    labels = np.array(["no", "yes", "yes", "no", "maybe"], dtype=object)
    target = likelihood_for(FOREIGN, Categorical([0.3, 0.3, 0.4]), labels)
    assert target.y.tolist() == [1.0, 2.0, 2.0, 1.0, 0.0]
    assert target.n_classes == 3
    X = np.arange(8.0)[:, None]
    model = GPClassifier(n_restarts=0).fit(X, ["a", "b"] * 4)
    with pytest.raises(InputError, match="the label 'c'"):
        likelihood_for(model, Bernoulli(0.5), ["c"] * 8)


@pytest.mark.parametrize(
    ("family", "y", "text"),
    [
        (LogNormal(0.0, 1.0), NUMBERS, "must be above 0"),
        (Beta(1.0, 1.0), COUNTS, "between 0 and 1"),
        (Poisson(1.0), NUMBERS, "counts|negative|whole"),
        (Bernoulli(0.5), NUMBERS, "at most 2 different values"),
        (Normal(0.0, 1.0), np.array(["a", "b"]), "numeric"),
        (Normal(0.0, 1.0), np.array([1.0, np.nan]), "missing"),
        (Normal(0.0, 1.0), 3.0, "one entry"),
        (Normal(0.0, 1.0), np.zeros((4, 2)), "one number or label"),
        (Bernoulli(0.5), np.zeros(5), "one class"),
        (Normal(0.0, 1.0), np.full(5, 3.0), "y is constant"),
        (Poisson(1.0), np.zeros(5), "y is constant"),
    ],
)
def test_targets_that_do_not_fit(family, y, text):
    with pytest.raises(Untested if text in ("one class", "y is constant") else InputError, match=text):
        likelihood_for(FOREIGN, family, y)
