import numpy as np
import pytest

from rsens.distributions import Beta
from tests.distributions.check import ALPHAS, check_fisher_norm, check_log_prob, check_renyi


def row(a: float, b: float) -> dict[str, float]:
    return {"a": a, "b": b}


POINTS = [
    (row(2.0, 3.0), 0.3),
    (row(0.5, 0.5), 1e-300),
    (row(0.5, 0.5), 1.0 - 2.0**-50),
    (row(1e-6, 1e-6), 0.5),
    (row(1e-6, 1e-6), 1e-200),
    (row(1e-6, 2.0), 1e-9),
    (row(1e9, 1e9), 0.5 + 1e-5),
    (row(1e9, 1e9), 0.5),
    (row(1e9, 3.0), 1.0 - 2.0**-29),
    (row(2.0, 1e9), 1e-9),
    (row(1e5, 3e5), 0.2501),
    (row(1e9, 1e-3), 1.0 - 2.0**-40),
    (row(1e3, 1e-3), 0.9),
]
DIRECTIONS = [
    (row(2.0, 3.0), [1.0, 0.4]),
    (row(2.0, 3.0), [2.0, 3.0]),
    (row(1e-6, 1e-6), [1.0, -1.0]),
    (row(1e-6, 1e3), [1e-7, 10.0]),
    (row(1e9, 1e9), [1.0, 1.0]),  # along the ridge: the mean does not move
    (row(1e9, 1e9), [1.0, -1.0]),
    (row(1e9, 1e9), [1.0, 0.0]),
    (row(1e9, 2e9), [1e6, 2e6]),
    (row(1e9, 1.0), [0.0, 1.0]),
    (row(1e9, 1.0), [1.0, 0.0]),
    (row(1e9, 1e-6), [1e9, 1e-6]),
    (row(1e9, 0.5), [1e9, 0.5]),
    (row(300.0, 700.0), [3.0, 7.0]),
    (row(5045.304229317391, 3.262222266259165), [120.08644884983653, 0.07764627488392674]),
]
PAIRS = [
    (row(2.0, 3.0), row(1.5, 2.9)),
    (row(2.0, 3.0), row(2.0 * (1 + 1e-6), 3.0)),
    (row(2.0, 3.0), row(2.0 * (1 + 1e-3), 3.0 * (1 - 1e-5))),
    (row(0.5, 0.5), row(0.5 + 1e-6, 0.5 + 1e-6)),
    (row(1e-6, 1e-6), row(1e-6 * (1 + 1e-4), 1e-6)),
    (row(1e-6, 1e-6), row(3e-6, 1.0)),
    (row(1e-6, 1e3), row(2e-6, 1.1e3)),
    (row(1e9, 1e9), row(1e9 * (1 + 1e-6), 1e9 * (1 + 1e-6))),
    (row(1e9, 1e9), row(1e9 * (1 + 1e-5), 1e9 * (1 - 1e-5))),
    (row(1e9, 2e9), row(1.1e9, 2.2e9)),
    (row(1e9, 1.0), row(1e9 * (1 + 1e-4), 1.0 + 1e-4)),
    (row(40.0, 60.0), row(40.0, 60.0 + 1e-4)),
    (row(3.0, 200.0), row(200.0, 3.0)),
    (row(5.0, 3.0), row(5.0, 2.0)),  # one parameter alike, with α = ∞ finite in one direction
    (row(0.567, 2.9e-6), row(0.563, 2.9e-6 * (1 + 1e-6))),
    (row(0.3, 0.2), row(1e5, 3e7)),
    (row(2.473015838631024, 0.3467922362974397), row(175.72470377141101, 937209776.4772798)),
    (row(0.01525438006311027, 0.01998298799447737), row(100023974.18371962, 0.1115803897008697)),
    (row(5.0, 3.0), row(5.0, 3.0)),
]


def test_log_prob() -> None:
    check_log_prob("Beta", POINTS)


def test_log_prob_outside_the_support() -> None:
    np.testing.assert_array_equal(Beta(2.0, np.full(2, 2.0)).log_prob(np.array([-0.1, 1.1])), -np.inf)


def test_fisher_norm() -> None:
    check_fisher_norm("Beta", DIRECTIONS)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    check_renyi("Beta", PAIRS, alpha)


def test_moments() -> None:
    family = Beta(np.array([2.0]), np.array([6.0]))
    np.testing.assert_allclose(family.mean, 0.25, rtol=1e-15)
    np.testing.assert_allclose(family.variance, 0.25 * 0.75 / 9.0, rtol=1e-14)
