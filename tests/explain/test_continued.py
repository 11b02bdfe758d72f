"""Refits with further columns go on where the search of a Gaussian process ended."""

import numpy as np
import pytest

from rsens import GPClassifier, GPRegressor
from rsens._refits import Fit, with_more_columns
from rsens.kernels import EQ


def data(n: int = 60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3)) * [1.0, 10.0, 0.1]
    return X, X[:, 0] * np.sin(X[:, 1] / 10.0) + 0.1 * rng.normal(size=n)


def targets(model, y):
    return {"poisson": np.exp(np.clip(y, -2, 3)).round(), "class": y > 0.0}.get(model, y)


MODELS = {
    "gaussian": GPRegressor(random_state=0),
    "poisson": GPRegressor(likelihood="poisson", random_state=0),
    "class": GPClassifier(random_state=0),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_same_optimum_as_all_starts_together(name):
    X, y = data()
    y = targets(name, y)
    model = MODELS[name].fit(X, y)
    more = np.column_stack([X, np.random.default_rng(1).permutation(X[:, 0])])
    anew = Fit(model)(more, y, np.random.SeedSequence(0))
    continued = Fit(model).for_more_columns(1)(more, y, np.random.SeedSequence(0))
    assert continued.n_restarts == 0
    np.testing.assert_allclose(continued.log_marginal_likelihood_, anew.log_marginal_likelihood_, rtol=1e-6)


def test_three_classes_share_a_start():
    X, y = data()
    model = GPClassifier(n_restarts=0, random_state=0).fit(X, np.digitize(y, [-0.3, 0.3]))
    kernel = with_more_columns(model, 2).kernel
    assert type(kernel) is EQ
    assert len(kernel.lengthscale) == 5


def test_what_has_a_kernel_of_its_own_is_fitted_anew():
    X, y = data()
    assert with_more_columns(GPRegressor(EQ(1.0, (1.0, 1.0, 1.0)), n_restarts=0).fit(X, y), 1) is None
    assert with_more_columns(GPRegressor(optimize=False).fit(X, y), 1) is None
    assert with_more_columns(GPRegressor(categorical=[0], n_restarts=0).fit(np.round(X), y), 1) is None
    assert with_more_columns(object(), 1) is None
    with_function = Fit(None, lambda X, y: None)
    assert with_function.for_more_columns(2) is with_function
