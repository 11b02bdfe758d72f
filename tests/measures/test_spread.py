"""The spread and its slopes: against differences of the variance, for every family that has one."""

import numpy as np
import pytest

from rsens.derivatives import Derivatives
from rsens.distributions import ALL_FAMILIES, Bernoulli, Mixture, Normal, StudentT
from rsens.measures import first_of_spread, spread_of
from tests.distributions.cases import CASES

KNOWN = [case for case in CASES if case.distribution.has_spread]


def test_which_families_have_one():
    without = {family.__name__ for family in ALL_FAMILIES} - {case.family for case in KNOWN}
    assert without == {"Bernoulli", "Categorical", "MultivariateNormal"}
    assert Mixture([Normal([0.2], [1.0]), Normal([0.4], [1.0])], [0.5, 0.5]).has_spread
    assert not Mixture([Bernoulli([0.2]), Bernoulli([0.4])], [0.5, 0.5]).has_spread


@pytest.mark.parametrize("case", KNOWN, ids=str)
def test_the_gradient_of_the_variance(case):
    """Central differences, with steps of 1e-6 of λ: right to about 1e-8 of its size."""
    λ = np.asarray(case.near, dtype=float)
    gradient = case.distribution.variance_gradient()
    for direction in case.tangent:
        size = 1e-6 * np.maximum(np.abs(λ[:, direction != 0.0]).min(axis=1), 1e-3)
        h = size[:, np.newaxis] * direction
        change = case.build(λ + h).checked().variance - case.build(λ - h).checked().variance
        np.testing.assert_allclose(gradient @ direction, change / (2.0 * size), rtol=1e-5, atol=1e-7)


def test_slopes_of_the_spread():
    """sd = exp(x): ∂variance = 2 exp(2x), and ∂sd = sd."""
    x = np.array([-1.0, 0.5])
    first = np.zeros((2, 2, 1))
    first[:, 1, 0] = 2.0 * np.exp(2.0 * x)
    record = Derivatives(Normal(x, np.exp(2.0 * x)), first)
    np.testing.assert_allclose(first_of_spread(record)[:, 0], spread_of(record.distribution), rtol=1e-14)
    without_variance = Derivatives(StudentT(np.zeros(2), np.ones(2), 1.5), np.ones((2, 2, 1)))
    assert np.isnan(first_of_spread(without_variance)).all()
