"""A kernel written outside the package, following CONTRIBUTING, works like the kernels of the package."""

from dataclasses import dataclass

import numpy as np
import pytest

import rsens
from rsens import GPRegressor, InputError
from rsens.kernels import ALL_KERNELS, EQ, Constant, ConstantDiagonal, Linear, Stationary

X = np.random.default_rng(0).normal(size=(40, 3)) * [1.0, 100.0, 0.1] + [0.0, 50.0, 3.0]
Y = np.sin(X[:, 0]) + 0.02 * X[:, 1] + 0.1 * np.random.default_rng(1).normal(size=40)
SETTINGS = {"n_restarts": 0, "random_state": 0}


@dataclass(frozen=True, repr=False)
class Mine(Stationary):
    """EQ, written again: a profile and its curvature."""

    variance: float = 1.0
    lengthscale: float | tuple[float, ...] = 1.0
    dims: tuple[int, ...] | None = None

    def profile(self, s):
        g = self.variance * np.exp(-0.5 * s)
        return g, -0.5 * g

    def curvature(self, s):
        return 0.25 * self.variance * np.exp(-0.5 * s)


@pytest.mark.parametrize(
    "make", [lambda kind: kind(1.0, (1.0,) * 3), lambda kind: kind(dims=(0, 2)) + Linear(dims=(1,))]
)
def test_a_profile_is_all_that_a_stationary_kernel_needs(make):
    """The same model as with EQ; rounding differs, as EQ needs no array for its slope."""
    mine, eq = (GPRegressor(make(kind), **SETTINGS).fit(X, Y) for kind in (Mine, EQ))
    close = {"rtol": 1e-5, "atol": 1e-9}
    assert mine.kernel_.hyperparameter_names == eq.kernel_.hyperparameter_names
    np.testing.assert_allclose(mine.kernel_.theta, eq.kernel_.theta, **close)  # in the units of the data
    np.testing.assert_allclose(mine.predict(X), eq.predict(X), **close)
    for order in (1, 2):
        ours, theirs = (model.derivatives(X, order) for model in (mine, eq))
        np.testing.assert_allclose(ours.first, theirs.first, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(rsens.rsens(mine, X), rsens.rsens(eq, X), rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(rsens.measures.ard(mine, X), rsens.measures.ard(eq, X), **close)


def test_with_its_line_in_the_list_it_is_explained_and_stored(tmp_path):
    path = tmp_path / "model.rsens"
    model = GPRegressor(Mine(1.0, (1.0,) * 3) + Constant(), **SETTINGS).fit(X, Y)
    explained = rsens.explain(model, X)
    ALL_KERNELS.append(Mine)
    try:
        rsens.save_model(model, path)
        again = rsens.load_model(path)
    finally:
        ALL_KERNELS.remove(Mine)
    assert (again.kernel, again.kernel_) == (model.kernel, model.kernel_)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(rsens.explain(again, X).main, explained.main)
    with pytest.raises(InputError, match="is damaged"):
        rsens.load_model(path)


class Unknown(Mine):
    """Has no information about its hyperparameters."""

    def active_in_units(self, columns, variance):
        return self

    def prior(self, field, value, size, q, output_scale):
        return ConstantDiagonal.prior(self, field, value, size, q, output_scale)

    active_rates = ConstantDiagonal.active_rates


def test_an_unknown_hyperparameter_stays_near_its_start_and_an_unknown_rate_is_an_error():
    kernel = Unknown(2.0, (3.0, 4.0, 5.0))
    (variance, *lengthscales) = kernel.priors(np.ones(3), 10.0)
    assert variance == (np.log(100.0), 2.0)
    np.testing.assert_allclose(lengthscales, [(np.log(l), 2.0) for l in (3.0, 4.0, 5.0)])
    with pytest.raises(InputError, match="ard does not know where Unknown keeps its length-scales"):
        kernel.rates(X)
    assert kernel.split([0], [1, 2], 3) is None
