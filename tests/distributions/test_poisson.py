import numpy as np
import pytest

from rsens.distributions import Poisson
from tests.distributions.check import ALPHAS, check_fisher_norm, check_log_prob, check_renyi


def row(rate: float) -> dict[str, float]:
    return {"rate": rate}


POINTS = [
    (row(2.5), 3.0),
    (row(2.5), 0.0),
    (row(1e-12), 0.0),
    (row(1e-12), 1.0),
    (row(1e-12), 3.0),
    (row(1e12), 1e12),
    (row(1e12), 1e12 + 3e6),
    (row(1e12), 0.0),
    (row(1e5), 100100.0),
    (row(20.0), 500.0),
    (row(1e-300), 2.0),
]
DIRECTIONS = [(row(2.5), [0.3]), (row(1e-12), [1e-13]), (row(1e12), [-1e4]), (row(1e-300), [1e-200])]
PAIRS = [
    (row(2.5), row(3.5)),
    (row(2.5), row(2.5 * (1 + 1e-6))),
    (row(2.5), row(2.5 * (1 - 1e-3))),
    (row(1e-12), row(1e-12 * (1 + 1e-5))),
    (row(1e-12), row(3e-12)),
    (row(1e12), row(1e12 * (1 + 1e-6))),
    (row(1e12), row(1e12 + 0.125)),
    (row(1e12), row(2e12)),
    (row(1e-12), row(1e12)),
    (row(1e-300), row(1.0)),
    (row(7.0), row(7.0)),
]


def test_log_prob() -> None:
    check_log_prob("Poisson", POINTS)


def test_log_prob_outside_the_support() -> None:
    np.testing.assert_array_equal(Poisson(np.full(2, 3.0)).log_prob(np.array([-1.0, 2.5])), -np.inf)


def test_fisher_norm() -> None:
    check_fisher_norm("Poisson", DIRECTIONS)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    check_renyi("Poisson", PAIRS, alpha)


def test_moments() -> None:
    family = Poisson(np.array([3.0]))
    np.testing.assert_array_equal(family.mean, [3.0])
    np.testing.assert_array_equal(family.variance, [3.0])
