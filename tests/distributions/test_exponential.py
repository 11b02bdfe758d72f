import numpy as np
import pytest

from rsens.distributions import Exponential
from tests.distributions.check import ALPHAS, check_fisher_norm, check_log_prob, check_renyi


def row(mean: float) -> dict[str, float]:
    return {"mean": mean}


POINTS = [
    (row(2.0), 0.7),
    (row(1e-12), 3e-12),
    (row(1e12), 1.0),
    (row(1e12), 0.0),
    (row(1e-150), 1e-148),
    (row(1e150), 1e-300),
    (row(3.0), 2000.0),
]
DIRECTIONS = [(row(2.0), [0.3]), (row(1e-12), [1e-20]), (row(1e12), [-5.0]), (row(1e-150), [1e-160])]
PAIRS = [
    (row(2.0), row(3.0)),
    (row(2.0), row(2.0 * (1 + 1e-6))),
    (row(2.0), row(2.0 * (1 - 1e-3))),
    (row(1.0), row(2.0)),  # α = 2 is the edge in one direction
    (row(1e-12), row(1e-12 * (1 + 1e-5))),
    (row(1e12), row(1e12 * (1 - 1e-4))),
    (row(1e-12), row(1e12)),
    (row(1e-150), row(1e150)),
    (row(4.0), row(4.0)),
]


def test_log_prob() -> None:
    check_log_prob("Exponential", POINTS)


def test_log_prob_outside_the_support() -> None:
    assert Exponential(np.ones(1)).log_prob(np.array([-1e-9]))[0] == -np.inf


def test_fisher_norm() -> None:
    check_fisher_norm("Exponential", DIRECTIONS)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    check_renyi("Exponential", PAIRS, alpha)


def test_moments() -> None:
    family = Exponential(np.array([3.0]))
    np.testing.assert_array_equal(family.mean, [3.0])
    np.testing.assert_array_equal(family.variance, [9.0])
