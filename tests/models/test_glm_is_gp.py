"""A GLM is a GP with the kernel Linear + Constant: the two estimators share no inference code and must agree."""

import numpy as np
import pytest

import rsens
from rsens.kernels import Constant, Linear

PRECISION, INTERCEPT = 0.7, 0.3
GIVEN = {"standardize": False, "prior_precision": PRECISION, "intercept_precision": INTERCEPT}
KEPT = {"kernel": Linear(1.0 / PRECISION) + Constant(1.0 / INTERCEPT), "standardize": False, "optimize": False}
PAIRS = {
    "poisson": (rsens.BayesianPoissonRegression(**GIVEN), rsens.GPRegressor(likelihood="poisson", **KEPT)),
    "logit": (rsens.BayesianLogisticRegression(**GIVEN), rsens.GPClassifier(link="logit", **KEPT)),
    "probit": (rsens.BayesianProbitRegression(**GIVEN), rsens.GPClassifier(link="probit", **KEPT)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_same_predictions_and_derivatives(name):
    rng = np.random.default_rng(3)
    X, new = rng.normal(size=(60, 3)), rng.normal(size=(9, 3))
    f = X @ [0.8, -0.5, 0.0] + 0.3
    y = rng.poisson(np.exp(f)) if name == "poisson" else (f + rng.logistic(size=60) > 0.0).astype(int)
    glm, gp = (model.fit(X, y) for model in PAIRS[name])
    for rows in (X, new):
        one, other = glm.derivatives(rows, 2), gp.derivatives(rows, 2)
        np.testing.assert_allclose(one.distribution.parameters, other.distribution.parameters, rtol=1e-7)
        np.testing.assert_allclose(one.first, other.first, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(one.second, other.second, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(glm.log_predictive_density(X, y), gp.log_predictive_density(X, y), rtol=1e-6, atol=1e-8)
