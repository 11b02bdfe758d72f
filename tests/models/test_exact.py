"""The exact GP: against scikit-learn, Bayesian linear regression, and differences."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from rsens.kernels import EQ, Constant, Linear, Matern32, Matern52, Periodic, RationalQuadratic, additive
from rsens.likelihoods import GaussianLikelihood
from rsens.models._exact import ExactInference
from rsens.models._rows import Data
from tests.models.inference import check_gradient, objective

NOISE = 0.15
LIKELIHOOD = GaussianLikelihood(NOISE)
#: The same covariance functions here and there.
PAIRS = {
    "eq": (EQ(1.7, (0.8, 1.5, 3.0)), sk.ConstantKernel(1.7) * sk.RBF([0.8, 1.5, 3.0])),
    "matern32": (Matern32(0.9, 1.3), sk.ConstantKernel(0.9) * sk.Matern(1.3, nu=1.5)),
    "matern52": (Matern52(1.2, (2.0, 0.7, 1.1)), sk.ConstantKernel(1.2) * sk.Matern([2.0, 0.7, 1.1], nu=2.5)),
    "rational": (RationalQuadratic(1.1, 0.9, 1.6), sk.ConstantKernel(1.1) * sk.RationalQuadratic(0.9, 1.6)),
    "linear": (
        Linear(0.7) + Constant(0.6),
        sk.ConstantKernel(0.7) * sk.DotProduct(0.0, "fixed") + sk.ConstantKernel(0.6),
    ),
}
KERNELS = {
    **{name: pair[0] for name, pair in PAIRS.items()},
    "ard linear": Linear((0.4, 0.9, 0.2)) + EQ(0.8, 1.0),
    "periodic": Periodic(0.8, 1.1, 2.3, dims=(0,)) * EQ(1.2, 1.5, dims=(1, 2)) + Constant(0.4),
    "additive": additive(3, [(0, 1)], Matern52),
}


def data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("name", PAIRS)
def test_equals_scikit_learn(name):
    ours, theirs = PAIRS[name]
    X, y = data()
    new = np.vstack([X[:5], data(10, seed=1)[0]])
    model = GaussianProcessRegressor(theirs, alpha=NOISE, optimizer=None).fit(X, y)
    mean, deviation = model.predict(new, return_std=True)
    exact = ExactInference(ours, LIKELIHOOD, Data(X, y, np.zeros(len(y))))
    fitted, value = exact.posterior(), exact.log_marginal_likelihood
    latent = fitted.moments(new)
    np.testing.assert_allclose(latent.mean, mean, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(latent.variance, deviation**2, rtol=1e-9)
    assert value == pytest.approx(model.log_marginal_likelihood_value_, rel=1e-11)
    assert objective(ours, LIKELIHOOD, X, y)[0] == pytest.approx(value, rel=1e-13)
    assert fitted.jitter == 0.0


@pytest.mark.parametrize("name", KERNELS)
def test_gradient_is_that_of_differences(name):
    check_gradient(KERNELS[name], LIKELIHOOD, *data(25))
