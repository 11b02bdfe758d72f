import numpy as np
import pytest

from rsens.distributions import LogNormal
from tests.distributions.check import ALPHAS, check_fisher_norm, check_log_prob, check_renyi


def row(mu: float, sigma2: float) -> dict[str, float]:
    return {"mu": mu, "sigma2": sigma2}


POINTS = [
    (row(0.0, 1.0), 1.0),
    (row(0.3, 2.5), 0.02),
    (row(0.0, 1.0), 1e-300),
    (row(0.0, 1.0), 1e300),
    (row(600.0, 1e-4), 1e260),
    (row(0.0, 1e150), 3.0),
    (row(-300.0, 1e-6), 1e-130),
]
DIRECTIONS = [
    (row(0.0, 1.0), [1.0, 0.0]),
    (row(5.0, 0.3), [0.7, -1.1]),
    (row(0.0, 1e-150), [1e-80, 1e-150]),
    (row(0.0, 1e150), [1e70, 1e150]),
]
PAIRS = [
    (row(0.3, 1.7), row(-0.5, 2.5)),
    (row(0.0, 1.0), row(1e-6, 1.0)),
    (row(0.0, 1.0), row(0.0, 1.0 + 1e-6)),
    (row(0.0, 1.0), row(40.0, 1.0)),
    (row(2e-75, 1e-150), row(-1e-75, 1e-150 * (1 + 1e-4))),
    (row(0.0, 1e-150), row(0.0, 1e150)),
]


def test_log_prob() -> None:
    check_log_prob("LogNormal", POINTS)


def test_log_prob_outside_the_support() -> None:
    np.testing.assert_array_equal(LogNormal(0.0, np.ones(2)).log_prob(np.array([0.0, -1.0])), -np.inf)


def test_fisher_norm() -> None:
    check_fisher_norm("LogNormal", DIRECTIONS)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    check_renyi("LogNormal", PAIRS, alpha)


def test_moments() -> None:
    family = LogNormal(np.array([0.5]), np.array([0.25]))
    np.testing.assert_allclose(family.mean, np.exp(0.625), rtol=1e-14)
    np.testing.assert_allclose(family.variance, np.expm1(0.25) * np.exp(1.25), rtol=1e-14)
    np.testing.assert_allclose(
        LogNormal(np.zeros(1), np.array([1e-12])).variance, 1e-12, rtol=1e-11
    )  # not (e^s − 1) of 1
