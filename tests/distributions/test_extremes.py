"""Density, Fisher norm and divergence of every family where float64 is hard, against 60 digits."""

from __future__ import annotations

import numpy as np
import pytest

from rsens import distributions
from tests.distributions.check import ALPHAS, check_fisher_norm, check_log_prob, check_renyi
from tests.distributions.extremes import EXTREMES

each = pytest.mark.parametrize("name", EXTREMES)


@each
def test_log_prob(name: str) -> None:
    check_log_prob(name, EXTREMES[name].points)


@each
def test_fisher_norm(name: str) -> None:
    check_fisher_norm(name, EXTREMES[name].directions)


@each
@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(name: str, alpha: float) -> None:
    check_renyi(name, EXTREMES[name].pairs, alpha)


#: Parameters, and y that cannot occur.
OUTSIDE = {
    "LogNormal": ((0.0, 1.0), [0.0, -1.0]),
    "Gamma": ((1.0, 2.5), [0.0, -1.0]),
    "Exponential": ((1.0,), [-1e-9]),
    "Beta": ((2.0, 2.0), [-0.1, 1.1]),
    "Weibull": ((2.0, 1.0), [0.0, -1.0]),
    "Bernoulli": ((0.5,), [-1.0, 0.5, 2.0]),
    "Binomial": ((5.0, 0.5), [-1.0, 2.5, 6.0]),
    "Categorical": (([0.5, 0.5],), [-1.0, 0.5, 2.0]),
    "Poisson": ((3.0,), [-1.0, 2.5]),
    "NegativeBinomial": ((3.0, 2.0), [-1.0, 2.5]),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_log_prob_outside_the_support(name: str) -> None:
    parameters, y = OUTSIDE[name]
    family = getattr(distributions, name)(*parameters).checked(len(y))
    np.testing.assert_array_equal(family.log_prob(np.array(y)), -np.inf)


def test_log_prob_of_the_impossible() -> None:
    never_and_always = distributions.Bernoulli(np.array([0.0, 1.0]))
    np.testing.assert_array_equal(never_and_always.log_prob(np.array([1.0, 0.0])), -np.inf)
    np.testing.assert_array_equal(never_and_always.log_prob(np.array([0.0, 1.0])), 0.0)
    assert distributions.Categorical(np.array([[0.0, 1.0]])).log_prob(np.array([0.0]))[0] == -np.inf
