"""The posterior and the marginal likelihood of a GP with given hyperparameters, by the route that a fit takes."""

import numpy as np

from rsens.models._inference import objective_of, posterior_of
from rsens.models._laplace import LaplaceApproximation
from rsens.models._rows import Data
from rsens.models._sparse import SparseLaplaceApproximation


def objective(kernel, likelihood, X, y, inducing=None, **options):
    """The log marginal likelihood and its gradient."""
    return objective_of(_data(X, y, **options), inducing)(kernel, likelihood)


def posterior(kernel, likelihood, X, y, inducing=None, **options):
    """f given y."""
    return posterior_of(kernel, likelihood, _data(X, y, **options), inducing)[0]


def laplace_of(kernel, likelihood, X, y, warm=None, **options):
    """Laplace's approximation of the dense GP."""
    return LaplaceApproximation(kernel, likelihood, _data(X, y, **options), warm)


def sparse_laplace_of(kernel, likelihood, X, y, inducing, warm=None, **options):
    """Laplace's approximation with inducing inputs."""
    return SparseLaplaceApproximation(kernel, likelihood, _data(X, y, **options), inducing, warm)


def _data(X, y, mean=0.0, offset=0.0):
    return Data(X, y, np.broadcast_to(offset, y.shape), mean)
