"""Partial dependence importance against scikit-learn, and in closed form."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.inspection import partial_dependence

from rsens.black_box import BUDGETS
from rsens.black_box._partial_dependence import pd

from .functions import correlated, curved, linear, of_levels, predictor_of, with_levels

STANDARD, PAPER = BUDGETS["standard"], BUDGETS["paper"]


class Fitted(RegressorMixin, BaseEstimator):
    def __init__(self, f):
        self.f = f
        self.is_fitted_ = True

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.f(X)


def by_scikit_learn(x, f, d, grid, categorical=()):
    averages = partial_dependence(
        Fitted(f), x, [d], grid_resolution=grid, method="brute", categorical_features=list(categorical) or None
    )["average"][0]
    return np.ptp(averages) / 4.0 if d in categorical else averages.std(ddof=1)


@pytest.mark.parametrize("budget", ["standard", "full"])
def test_equal_to_scikit_learn(budget):
    x = correlated(80)
    x[:, 1] = np.round(x[:, 1])  # fewer values than the grid has points
    found = pd(predictor_of(x, curved), BUDGETS[budget], np.random.default_rng(0))
    expected = [by_scikit_learn(x, curved, d, BUDGETS[budget].grid) for d in range(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_levels_equal_to_scikit_learn():
    x, coding = with_levels(60)
    found = pd(predictor_of(x, of_levels, coding=coding), STANDARD, np.random.default_rng(0))
    expected = [by_scikit_learn(x, of_levels, d, STANDARD.grid, (1,)) for d in range(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found[1], 1.0)  # a quarter of 4 − 0
    rows = x[x[:, 1] < 2.0]  # levels that do not occur are not asked about
    found = pd(predictor_of(rows, of_levels, coding=coding), PAPER, np.random.default_rng(0))
    np.testing.assert_allclose(found[1], 0.25)


def test_a_linear_function_gives_slope_times_spread_of_the_deciles():
    x = correlated(200)
    beta = np.array([2.0, -3.0, 0.5])
    deciles = np.quantile(x, np.arange(1, 10) / 10, axis=0)
    found = pd(predictor_of(x, linear(beta)), PAPER, np.random.default_rng(0))
    np.testing.assert_allclose(found, np.abs(beta) * deciles.std(axis=0, ddof=1), rtol=1e-10)


def test_a_column_that_is_mostly_one_value():
    """Its quantiles 0.05 and 0.95 are equal, where scikit-learn raises an error."""
    x = correlated(1000, D=2)
    x[:, 0] = 7.0
    x[:30, 0] = np.linspace(0.0, 1.0, 30)
    found = pd(predictor_of(x, linear([1.0, 1.0])), STANDARD, np.random.default_rng(0))
    np.testing.assert_allclose(found[0], np.linspace(0.0, 7.0, STANDARD.grid).std(ddof=1))
