"""Whether there are enough inducing inputs."""

import numpy as np
import pandas as pd
import pytest

from rsens import GPClassifier, GPRegressor, check, rsens
from rsens.kernels import EQ, Matern52
from rsens.likelihoods import GaussianLikelihood
from rsens.models._sparse import InducingCheck, choose_inducing, half_posterior
from tests.models.inference import posterior

RNG = np.random.default_rng(0)
X = RNG.uniform(-1.0, 1.0, size=(300, 2))
F = np.sin(4.0 * X[:, 0]) + 0.4 * X[:, 1]
WIGGLY = np.sin(12.0 * X[:, 0]) + X[:, 1]
FIXED = {"optimize": False, "noise_variance": 0.01, "standardize": False}


@pytest.mark.parametrize("kernel", [EQ(1.5, (0.4, 1.0)), Matern52(1.0, 0.5)], ids=repr)
def test_for_gaussian_noise_half_equals_a_fit_with_half(kernel):
    likelihood, y = GaussianLikelihood(0.05), F + 0.2 * RNG.normal(size=300)
    Z = X[choose_inducing(X, kernel, 40)[0]]
    half = half_posterior(posterior(kernel, likelihood, X, y, Z)).moments(X)
    expected = posterior(kernel, likelihood, X, y, Z[:20]).moments(X)
    # Digits are lost where 1/(1 + s) is read from s/(1 + s), with s up to 10⁵.
    np.testing.assert_allclose(half.mean, expected.mean, rtol=0, atol=1e-7)
    np.testing.assert_allclose(half.variance, expected.variance, rtol=1e-6, atol=1e-9)


def test_a_wiggly_function_needs_more():
    kernel = EQ(1.0, (0.15, 1.5))
    model = GPRegressor(kernel, inducing=8, **FIXED).fit(X, WIGGLY)
    few = model.inducing_check()
    assert not few.passed
    assert few.largest_change > 0.25
    assert "Raise inducing, for example to 16" in few.advice
    # The values are R-sens, per standard deviation of a column.
    np.testing.assert_allclose(few.values, rsens(model, X).mean(axis=0) * X.std(axis=0), rtol=1e-10)
    found = check(model, X[:60]).to_frame().set_index("name").loc["inducing inputs"]
    assert found.verdict == "warning"
    assert "Raise inducing" in found.text
    model = GPRegressor(kernel, inducing=80, **FIXED).fit(X, WIGGLY)
    assert model.inducing_check().passed
    assert check(model, X[:60]).to_frame().set_index("name").loc["inducing inputs"].verdict == "ok"
    exact = GPRegressor(**FIXED).fit(X, F)
    assert exact.inducing_check() is None
    assert "inducing inputs" not in check(exact, X[:60]).to_frame()["name"].to_list()


def test_nothing_left_is_enough_even_if_half_is_not():
    """A line needs two inducing inputs, and half of them is one."""
    check = GPRegressor(EQ(1.0, 30.0), inducing=6, **FIXED).fit(X, X[:, 0]).inducing_check()
    assert check.left < 1e-4
    assert check.passed
    assert "as if exact" in str(check)


def test_variables_that_trade_places_are_named():
    swapped = InducingCheck(("a", "b"), 6, np.array([1.0, 0.5]), np.array([0.5, 1.0]), 0.3)
    assert swapped.changed_order == [("a", "b")]
    assert "a and b trade places" in str(swapped)
    alike = InducingCheck(("a", "b"), 6, np.array([1.0, 0.99]), np.array([0.99, 1.0]), 0.3)
    assert alike.changed_order == []
    assert alike.passed


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.filterwarnings("ignore:.*did not converge:rsens.RsensWarning")  # how well it fits does not matter
def test_classes_and_categories(classes):
    table = pd.DataFrame({"x": X[:, 0], "level": np.where(X[:, 1] > 0.0, "a", "b")})
    y = np.digitize(F, [0.0, 0.7][: classes - 1])
    model = GPClassifier(inducing=20, n_restarts=0, tolerance=1e-2, random_state=0).fit(table, y)
    found = model.inducing_check(table[:50])
    assert found.names == ("x", "level")
    assert found.values[0] > 0.0
    assert found.values[1] == found.values_of_half[1] == 0.0
