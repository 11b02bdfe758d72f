import numpy as np
import pytest
from scipy import special

from rsens.distributions import Exponential, Weibull
from tests.distributions.check import ALPHAS, check_fisher_norm, check_log_prob, check_renyi
from tests.distributions.precision import mp, relative_error


def row(shape: float, scale: float) -> dict[str, float]:
    return {"shape": shape, "scale": scale}


POINTS = [
    (row(1.5, 2.0), 0.7),
    (row(0.05, 1.0), 1e-30),
    (row(0.05, 1.0), 1e20),
    (row(0.05, 1e12), 1e-100),
    (row(50.0, 1.0), 0.9),
    (row(50.0, 1e-12), 1.01e-12),
    (row(50.0, 1e12), 1e9),
    (row(3.0, 1e-12), 2e-12),
]
DIRECTIONS = [
    (row(1.5, 2.0), [1.0, 0.4]),
    (row(0.05, 1.0), [1.0, 0.0]),
    (row(0.05, 1e12), [1e-3, 1e10]),
    (row(50.0, 1e-12), [1.0, 1e-14]),
    (row(50.0, 1e12), [-1.0, 1e9]),
    (row(1.0, 1e150), [1.0, 1e149]),
]
PAIRS = [
    (row(1.5, 2.0), row(1.2, 2.7)),
    (row(1.5, 2.0), row(1.5, 2.7)),
    (row(1.5, 2.0), row(1.5 * (1 + 1e-6), 2.0)),
    (row(1.5, 2.0), row(1.5, 2.0 * (1 + 1e-6))),
    (row(1.5, 2.0), row(1.5 * (1 + 1e-3), 2.0 * (1 - 1e-4))),
    (row(0.05, 1.0), row(0.05 * (1 + 1e-4), 1.0)),
    (row(0.05, 1e12), row(0.06, 1e-12)),
    (row(0.05, 1.0), row(50.0, 1.0)),
    (row(50.0, 1.0), row(50.0 * (1 + 1e-5), 1.0 + 1e-5)),
    (row(50.0, 1e-12), row(45.0, 1.1e-12)),
    (row(50.0, 1e12), row(45.0, 1.3e12)),
    (row(2.0, 1.0), row(1.0, 30.0)),
    (row(2.0, 1.0), row(1.0, 0.03)),
    (row(36.0, 0.16), row(0.55, 2e-9)),
    (row(33.5, 162.6), row(30.8, 162.6 * (1 + 3e-5))),
    (row(0.63, 3e4), row(0.58, 0.5)),
    (row(5.0, 3.0), row(5.0, 3.0)),
]


def test_log_prob() -> None:
    check_log_prob("Weibull", POINTS)


def test_log_prob_outside_the_support() -> None:
    np.testing.assert_array_equal(Weibull(2.0, np.ones(2)).log_prob(np.array([0.0, -1.0])), -np.inf)


def test_fisher_norm() -> None:
    check_fisher_norm("Weibull", DIRECTIONS)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    check_renyi("Weibull", PAIRS, alpha)


def test_moments() -> None:
    family = Weibull(np.array([2.0, 0.5]), np.array([3.0, 3.0]))
    mean, square = 3.0 * special.gamma([1.5, 3.0]), 9.0 * special.gamma([2.0, 5.0])
    np.testing.assert_allclose(family.mean, mean, rtol=1e-14)
    np.testing.assert_allclose(family.variance, square - mean**2, rtol=1e-13)


def test_moments_keep_their_digits() -> None:
    """Γ(1 + 2/k) − Γ(1 + 1/k)² cancels for large shapes and is huge for small ones."""
    for shape in (0.05, 0.3, 50.0, 1e4):
        family = Weibull(np.array([shape]), np.array([2.0]))
        mean = 2 * mp.gamma(1 + 1 / mp.mpf(shape))
        assert relative_error(family.mean[0], mean) < 1e-12
        assert relative_error(family.variance[0], 4 * mp.gamma(1 + 2 / mp.mpf(shape)) - mean**2) < 1e-8


@pytest.mark.parametrize("alpha", [0.3, 1.0, 1.4])
def test_shape_one_is_exponential(alpha: float) -> None:
    mean, other, y = np.array([0.5, 20.0]), np.array([0.6, 17.0]), np.array([0.1, 60.0])
    weibull, exponential = Weibull(np.ones(2), mean), Exponential(mean)
    np.testing.assert_allclose(weibull.log_prob(y), exponential.log_prob(y), rtol=1e-13)
    np.testing.assert_allclose(weibull.fisher()[:, 1:, 1:], exponential.fisher(), rtol=1e-14)
    np.testing.assert_allclose(
        weibull.renyi(Weibull(np.ones(2), other), alpha), exponential.renyi(Exponential(other), alpha), rtol=1e-11
    )
