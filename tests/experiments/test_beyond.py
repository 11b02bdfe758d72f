"""Beyond the paper: models of other families, and the script."""

import numpy as np
import pytest

from experiments._families import DF, FAMILIES, in_family
from experiments._simulated import INPUTS, Simulated, biases
from rsens.derivatives import from_function
from rsens.distributions import Bernoulli, Normal, StudentT
from rsens.measures import importance


def model_of(family, function="x^3", bias=None):
    rng = np.random.default_rng(0)
    X = INPUTS["gaussian"](rng)
    draws = None if bias is None else biases(bias, rng)
    simulated = Simulated(function, X.mean(axis=0), np.linalg.inv(np.cov(X.T)), draws)
    return *in_family(family, simulated, X, rng), X


@pytest.mark.parametrize("family", FAMILIES)
def test_derivatives_are_those_of_the_predictions(family):
    model, _, X = model_of(family, bias="per-repetition")
    by_differences = from_function(model.predict_distribution)
    # Differences leave about 1e-8 of a function whose values are up to a thousand times its changes.
    np.testing.assert_allclose(importance("rsens", model, X), importance("rsens", by_differences, X), rtol=1e-5)
    np.testing.assert_allclose(importance("ead", model, X), importance("ead", by_differences, X), rtol=1e-5)


def test_families_have_the_same_mean_and_spread():
    normal, student, logit = (model_of(family)[0] for family in FAMILIES)
    X = model_of("normal")[2]
    f, V = normal.simulated.f(X), normal.simulated.variance(X)
    assert isinstance(normal.predict_distribution(X), Normal)
    predicted = student.predict_distribution(X)
    assert isinstance(predicted, StudentT)
    np.testing.assert_array_equal(predicted.location, f)
    np.testing.assert_array_equal(predicted.scale2, V)
    assert np.all(np.asarray(predicted.df) == DF)
    predicted = logit.predict_distribution(X)
    assert isinstance(predicted, Bernoulli)
    assert np.std(logit.scale * f, ddof=1) == pytest.approx(2.0)
    # E[σ(z)] has the sign of m, and uncertainty draws it towards ½: π(1 + πV/8)^(-½) of MacKay is within 0.02 of it.
    mackay = 1.0 / (1.0 + np.exp(-logit.scale * f / np.sqrt(1.0 + np.pi * V / 8.0)))
    np.testing.assert_allclose(predicted.mean, mackay, atol=0.02)


def test_the_kl_method_is_rsens_for_smooth_models():
    for family in FAMILIES:
        model, _, X = model_of(family, "x + cos(3x)")
        kl, rsens = (importance(name, model, X[:60]) for name in ("kl", "rsens"))
        np.testing.assert_allclose(kl, rsens, rtol=1e-5)
