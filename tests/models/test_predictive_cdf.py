"""P(Y ≤ y) of the regressors: what `log_predictive_density` adds up to."""

import numpy as np
import pytest

from rsens.models import BayesianLinearRegression, BayesianPoissonRegression, GPRegressor

RNG = np.random.default_rng(2)
X = RNG.normal(size=(40, 2))
COUNTS = RNG.poisson(np.exp(1.0 + 0.5 * X[:, 0])).astype(float)
MODELS = [
    BayesianPoissonRegression(),
    BayesianLinearRegression(),
    *(
        GPRegressor(likelihood=name, n_restarts=0, tolerance=1e-3)
        for name in ("gaussian", "student_t", "poisson", "negative_binomial")
    ),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_density_adds_up_to_it(model):
    """Central differences: error h² of a density whose scale is at least 0.5."""
    rows, offset = X[:4], np.array([0.0, 0.5, -1.0, 0.2])
    fitted, h = model.fit(X, COUNTS), 1e-4

    def cdf(y):
        return fitted.predictive_cdf(rows, np.full(4, y), offset=offset)

    def density(y):
        return np.exp(fitted.log_predictive_density(rows, np.full(4, y), offset=offset))

    if "oisson" in repr(model) or "binomial" in repr(model):
        np.testing.assert_array_equal(cdf(-1.0), 0.0)
        for y in range(15):
            np.testing.assert_allclose(cdf(float(y)), sum(density(float(k)) for k in range(y + 1)), atol=1e-11)
        return
    for y in COUNTS[:6] + 0.3:
        np.testing.assert_allclose((cdf(y + h) - cdf(y - h)) / (2.0 * h), density(y), rtol=1e-6)
    np.testing.assert_allclose(cdf(-1e6), 0.0, atol=1e-9)
    np.testing.assert_allclose(cdf(1e6), 1.0, atol=1e-9)
