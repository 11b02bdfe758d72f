"""P(Y ≤ y) of the regressors: what `log_predictive_density` adds up to."""

import numpy as np
import pytest

from rsens.models import BayesianLinearRegression, BayesianPoissonRegression, GPRegressor

RNG = np.random.default_rng(2)
X = RNG.normal(size=(40, 2))
COUNTS = RNG.poisson(np.exp(1.0 + 0.5 * X[:, 0])).astype(float)
COUNT_MODELS = [
    BayesianPoissonRegression(),
    GPRegressor(likelihood="poisson", n_restarts=0, tolerance=1e-3),
    GPRegressor(likelihood="negative_binomial", n_restarts=0, tolerance=1e-3),
]
REAL_MODELS = [
    BayesianLinearRegression(),
    GPRegressor(n_restarts=0, tolerance=1e-3),
    GPRegressor(likelihood="student_t", n_restarts=0, tolerance=1e-3),
]
by_likelihood = {"ids": lambda model: f"{type(model).__name__}-{getattr(model, 'likelihood', '')}"}


@pytest.mark.parametrize("model", COUNT_MODELS, **by_likelihood)
def test_counts_add_up(model):
    fitted = model.fit(X, COUNTS)
    rows, offset = X[:4], np.array([0.0, 0.5, -1.0, 0.2])
    total = np.zeros(4)
    np.testing.assert_array_equal(fitted.predictive_cdf(rows, np.full(4, -1.0), offset=offset), 0.0)
    for y in range(15):
        total += np.exp(fitted.log_predictive_density(rows, np.full(4, float(y)), offset=offset))
        np.testing.assert_allclose(fitted.predictive_cdf(rows, np.full(4, float(y)), offset=offset), total, atol=1e-11)


@pytest.mark.parametrize("model", REAL_MODELS, **by_likelihood)
def test_the_derivative_is_the_density(model):
    """Central differences: error h² of a density whose scale is at least 0.5."""
    fitted = model.fit(X, COUNTS)
    y, h = COUNTS[:6] + 0.3, 1e-4
    offset = np.linspace(-0.5, 0.5, 6)
    above, below = (fitted.predictive_cdf(X[:6], y + step, offset=offset) for step in (h, -h))
    density = np.exp(fitted.log_predictive_density(X[:6], y, offset=offset))
    np.testing.assert_allclose((above - below) / (2.0 * h), density, rtol=1e-6)
    np.testing.assert_allclose(fitted.predictive_cdf(X[:6], np.full(6, -1e6)), 0.0, atol=1e-9)
    np.testing.assert_allclose(fitted.predictive_cdf(X[:6], np.full(6, 1e6)), 1.0, atol=1e-9)
