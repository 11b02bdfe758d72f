"""The posterior and the marginal likelihood of a GP with given hyperparameters, by the route that a fit takes."""

import numpy as np

from rsens.models._inference import objective_of, posterior_of
from rsens.models._laplace import LaplaceApproximation
from rsens.models._rows import Data
from rsens.models._sparse import SparseLaplaceApproximation
from tests.differences import gradient


def objective(kernel, likelihood, X, y, inducing=None, **options):
    return objective_of(_data(X, y, **options), inducing)(kernel, likelihood)


def check_gradient(kernel, likelihood, X, y, inducing=None, tolerance=1e-8, **options):
    """The gradient of the objective in θ against differences of its value."""
    n, theta = len(kernel.theta), np.concatenate([kernel.theta, likelihood.theta])

    def value(theta):
        return objective(kernel.with_theta(theta[:n]), likelihood.with_theta(theta[n:]), X, y, inducing, **options)[0]

    found, expected = objective(kernel, likelihood, X, y, inducing, **options)[1], gradient(value, theta)
    assert found.shape == theta.shape
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * max(1.0, np.abs(expected).max()))


def posterior(kernel, likelihood, X, y, inducing=None, **options):
    """f given y."""
    return posterior_of(kernel, likelihood, _data(X, y, **options), inducing)[0]


def laplace_of(kernel, likelihood, X, y, warm=None, **options):
    return LaplaceApproximation(kernel, likelihood, _data(X, y, **options), warm)


def sparse_laplace_of(kernel, likelihood, X, y, inducing, warm=None, **options):
    return SparseLaplaceApproximation(kernel, likelihood, _data(X, y, **options), inducing, warm)


def _data(X, y, mean=0.0, offset=0.0):
    return Data(X, y, np.broadcast_to(offset, y.shape), mean)
