import numpy as np
import pytest

from rsens.distributions import Exponential, Gamma
from tests.distributions.check import ALPHAS, check_fisher_norm, check_log_prob, check_renyi


def row(mean: float, shape: float) -> dict[str, float]:
    return {"mean": mean, "shape": shape}


POINTS = [
    (row(2.0, 1.5), 0.7),
    (row(1.0, 1e-6), 1e-300),
    (row(1.0, 1e-6), 0.5),
    (row(1e12, 1e-6), 1e-12),
    (row(1.0, 1e9), 1.0 + 1e-5),
    (row(1e-12, 1e9), 1e-12 * (1 - 3e-5)),
    (row(1e12, 1e9), 1.1e12),
    (row(3.0, 1e5), 3.01),
    (row(1e-12, 0.3), 1e-15),
    (row(1e12, 40.0), 8e11),
    (row(1.0, 1.0), 700.0),
]
DIRECTIONS = [
    (row(2.0, 1.5), [0.3, 1.0]),
    (row(1.0, 1e-6), [0.0, 1.0]),
    (row(1.0, 1e-6), [1.0, 1e-12]),
    (row(1.0, 1e9), [0.0, 1.0]),
    (row(1e12, 1e9), [1e3, 1e9]),
    (row(1e-12, 1e9), [1e-20, -1e4]),
    (row(1e150, 3.0), [1e150, 0.0]),
    (row(1.0, 30.0), [0.0, 1.0]),
    (row(1.0, 1e4), [0.0, 1.0]),
]
PAIRS = [
    (row(2.0, 1.5), row(2.7, 1.2)),
    (row(2.0, 1.5), row(2.0 * (1 + 1e-6), 1.5)),
    (row(2.0, 1.5), row(2.0, 1.5 * (1 + 1e-6))),
    (row(2.0, 1.5), row(2.0 * (1 - 1e-3), 1.5 * (1 + 1e-4))),
    (row(1.0, 1e-6), row(1.0, 1e-6 * (1 + 1e-4))),
    (row(1.0, 1e-6), row(3.0, 2e-6)),
    (row(1.0, 1e-6), row(1.0, 1e9)),
    (row(1.0, 1e9), row(1.0, 1e9 * (1 + 1e-6))),
    (row(1.0, 1e9), row(1.0 + 1e-6, 1e9)),
    (row(1.0, 1e9), row(1.0 + 1e-4, 1.3e9)),
    (row(1e12, 30.0), row(1e12 * (1 + 1e-5), 30.01)),
    (row(1e-12, 30.0), row(1e12, 0.01)),
    (row(1.0, 50.0), row(1.0, 50.0 + 1e-3)),
    (row(1.0, 1e-3), row(1e4, 1e5)),
    (row(7e11, 2e-3), row(2.0, 1.7e8)),
    (row(1.25, 260.0), row(0.43, 1.7e8)),
    (row(0.060590871155267394, 8.146764217607521e-05), row(9.136169583364737, 104855176.17011477)),
    (row(5.0, 3.0), row(5.0, 3.0)),
]


def test_log_prob() -> None:
    check_log_prob("Gamma", POINTS)


def test_log_prob_outside_the_support() -> None:
    np.testing.assert_array_equal(Gamma(1.0, np.full(2, 2.5)).log_prob(np.array([0.0, -1.0])), -np.inf)


def test_fisher_norm() -> None:
    check_fisher_norm("Gamma", DIRECTIONS)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    check_renyi("Gamma", PAIRS, alpha)


def test_moments() -> None:
    family = Gamma(np.array([3.0]), np.array([4.0]))
    np.testing.assert_allclose(family.mean, 3.0, rtol=1e-15)
    np.testing.assert_allclose(family.variance, 9.0 / 4.0, rtol=1e-15)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 1.4])
def test_shape_one_is_exponential(alpha: float) -> None:
    mean, other, y = np.array([0.5, 20.0]), np.array([0.6, 17.0]), np.array([0.1, 60.0])
    gamma, exponential = Gamma(mean, np.ones(2)), Exponential(mean)
    np.testing.assert_allclose(gamma.log_prob(y), exponential.log_prob(y), rtol=1e-13)
    np.testing.assert_allclose(gamma.fisher()[:, :1, :1], exponential.fisher(), rtol=1e-14)
    np.testing.assert_allclose(
        gamma.renyi(Gamma(other, np.ones(2)), alpha), exponential.renyi(Exponential(other), alpha), rtol=1e-11
    )
