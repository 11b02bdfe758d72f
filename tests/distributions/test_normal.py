import numpy as np
import pytest

from rsens.distributions import LogNormal, Normal
from tests.distributions.check import ALPHAS, check_fisher_norm, check_log_prob, check_renyi


def row(mean: float, variance: float) -> dict[str, float]:
    return {"mean": mean, "variance": variance}


POINTS = [
    (row(0.0, 1.0), 0.0),
    (row(0.3, 2.5), -1.7),
    (row(0.0, 1.0), 40.0),
    (row(1e8, 1e-4), 1e8 + 0.0125),
    (row(0.0, 1e-150), 1e-75),
    (row(1e-75, 1e-150), 3e-75),
    (row(0.0, 1e150), -3e75),
    (row(1e75, 1e150), 1e75),
    (row(-1e5, 1e-12), -1e5),
    (row(0.0, 1e-150), 1.0),
]
DIRECTIONS = [
    (row(0.0, 1.0), [1.0, 0.0]),
    (row(5.0, 0.3), [0.7, -1.1]),
    (row(0.0, 1e-150), [1e-80, 1e-150]),
    (row(0.0, 1e-150), [1.0, 1.0]),
    (row(0.0, 1e150), [1e70, 1e150]),
    (row(0.0, 1e150), [1e-60, 1e-60]),
    (row(1e8, 1e-150), [0.0, 1e-300]),
]
PAIRS = [
    (row(0.3, 1.7), row(-0.5, 2.5)),
    (row(0.0, 1.0), row(1e-6, 1.0)),
    (row(0.0, 1.0), row(0.0, 1.0 + 1e-6)),
    (row(1.0, 2.0), row(1.0 + 1e-3, 2.0 + 1e-5)),
    (row(1e8, 1.0), row(1e8 + 1e-5, 1.0 + 1e-6)),
    (row(0.0, 1.0), row(40.0, 1.0)),
    (row(0.0, 1.0), row(0.0, 1e8)),
    (row(1.0, 2.0), row(0.0, 1.0)),  # α = 2 is the edge: the mixed variance is exactly 0
    (row(2e-75, 1e-150), row(-1e-75, 1e-150 * (1 + 1e-4))),
    (row(2e75, 1e150), row(-1e75, 1e150 * (1 - 1e-6))),
    (row(0.0, 1e-150), row(0.0, 1e150)),
    (row(0.0, 1e-150), row(1e100, 1e-150)),  # beyond the largest float64
    (row(3.0, 0.5), row(3.0, 0.5)),
]


def test_log_prob() -> None:
    check_log_prob("Normal", POINTS)


def test_fisher_norm() -> None:
    check_fisher_norm("Normal", DIRECTIONS)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    check_renyi("Normal", PAIRS, alpha)


def test_moments_and_information() -> None:
    family = Normal(np.array([1.0, -2.0]), np.array([4.0, 0.25]))
    np.testing.assert_array_equal(family.mean, [1.0, -2.0])
    np.testing.assert_array_equal(family.variance, [4.0, 0.25])
    np.testing.assert_allclose(family.fisher(), [np.diag([0.25, 1 / 32]), np.diag([4.0, 8.0])], rtol=1e-14)


def test_log_normal_is_the_normal_of_the_logarithm() -> None:
    mu, sigma2, y = np.array([0.2, -1.0]), np.array([0.5, 2.0]), np.array([1.3, 0.01])
    log, normal = LogNormal(mu, sigma2), Normal(mu, sigma2)
    np.testing.assert_allclose(log.log_prob(y), normal.log_prob(np.log(y)) - np.log(y), rtol=1e-13)
    np.testing.assert_allclose(log.fisher(), normal.fisher(), rtol=1e-15)
    np.testing.assert_allclose(log.score(y), normal.score(np.log(y)), rtol=1e-13)
    np.testing.assert_allclose(
        log.renyi(LogNormal(mu + 0.1, sigma2 * 2), 0.7), normal.renyi(Normal(mu + 0.1, sigma2 * 2), 0.7), rtol=1e-14
    )
