from typing import Any

import numpy as np
import pytest

from rsens.distributions import MultivariateNormal, Normal
from tests.distributions import exact
from tests.distributions.check import ALPHAS, batch, check_log_prob, check_renyi, compare


def row(mean: list[float], covariance: list[list[float]]) -> dict[str, Any]:
    return {"mean": mean, "covariance": covariance}


def scaled(r: dict[str, Any], factor: float) -> dict[str, Any]:
    """Mean times the factor, covariance times its square."""
    covariance = [[factor**2 * c for c in line] for line in r["covariance"]]
    return row([factor * m for m in r["mean"]], covariance)


PLAIN = row([0.0, 1.0], [[1.0, 0.25], [0.25, 2.0]])
TIGHT = row([0.0, 1.0], [[1.0, 1 - 1e-6], [1 - 1e-6, 1.0]])
UNEQUAL = row([1e70, 1e-80], [[1e150, 0.3], [0.3, 1e-150]])
POINTS = [
    (PLAIN, [0.3, -0.2]), (PLAIN, [30.0, -40.0]), (TIGHT, [0.5, 1.5]), (TIGHT, [0.5, -0.5]),
    (scaled(PLAIN, 1e-75), [1e-75, 2e-75]), (scaled(PLAIN, 1e75), [1e75, -2e75]), (UNEQUAL, [2e75, -1e-75]),
]  # fmt: skip
DIRECTIONS = [  # λ: mean0, mean1, covariance 0,0 1,0 1,1
    (PLAIN, [1.0, -0.5, 0.2, 0.3, -0.4]), (PLAIN, [0.0, 0.0, 0.0, 1.0, 0.0]), (TIGHT, [1.0, 1.0, 0.0, 0.0, 0.0]),
    (TIGHT, [1.0, -1.0, 1e-6, 0.0, -1e-6]), (scaled(PLAIN, 1e-75), [1e-80, 1e-76, 1e-150, 2e-151, -1e-152]),
    (scaled(PLAIN, 1e75), [1e70, 1e72, 1e150, 2e151, -1e148]), (UNEQUAL, [1e70, 1e-76, 1e149, 0.2, -1e-151]),
]  # fmt: skip
PAIRS = [
    (PLAIN, row([0.2, 0.9], [[1.2, 0.2], [0.2, 2.5]])),
    (PLAIN, row([1e-6, 1.0], [[1.0, 0.25], [0.25, 2.0]])),
    (PLAIN, row([0.0, 1.0], [[1.0, 0.25 + 2.0**-20], [0.25 + 2.0**-20, 2.0]])),
    (PLAIN, row([0.0, 1.0 + 1e-4], [[1.0 + 1e-5, 0.25], [0.25, 2.0 - 1e-5]])),
    (PLAIN, row([50.0, -50.0], [[3.0, 0.0], [0.0, 3.0]])),
    (TIGHT, row([0.01, 1.01], [[1.1, 1.099], [1.099, 1.1]])),
    (TIGHT, PLAIN),
    (scaled(PLAIN, 1e-75), scaled(row([0.1, 0.9], [[1.0 + 1e-4, 0.25], [0.25, 2.0]]), 1e-75)),
    (scaled(PLAIN, 1e75), scaled(row([0.1, 0.9], [[1.1, 0.25], [0.25, 2.2]]), 1e75)),
    (scaled(PLAIN, 1e-75), scaled(PLAIN, 1e75)),
    (PLAIN, PLAIN),
]


def test_log_prob() -> None:
    check_log_prob("MultivariateNormal", POINTS)


def test_fisher_norm() -> None:
    got = batch("MultivariateNormal", [r for r, _ in DIRECTIONS]).fisher_norm(np.array([u for _, u in DIRECTIONS]))
    want = [exact.MultivariateNormal(**r).norm_of(u[:2], [[u[2], u[3]], [u[3], u[4]]]) for r, u in DIRECTIONS]
    compare(got, want, DIRECTIONS, 1e-8)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    check_renyi("MultivariateNormal", PAIRS, alpha)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_one_dimension_is_normal(alpha: float) -> None:
    m, v = np.array([0.0, 2.0, 5.0]), np.array([1.0, 0.3, 1e100])
    m2, v2 = np.array([0.5, 2.0, 1e50]), np.array([2.0, 0.31, 3e100])
    p, q = (MultivariateNormal(a[:, None], b[:, None, None]) for a, b in ((m, v), (m2, v2)))
    normal, other = Normal(m, v), Normal(m2, v2)
    np.testing.assert_allclose(p.renyi(q, alpha), normal.renyi(other, alpha), rtol=1e-10)
    np.testing.assert_allclose(p.log_prob(m2[:, None]), normal.log_prob(m2), rtol=1e-13)
    u = np.array([[0.3, -0.2], [1.0, 2.0], [1e50, 1e99]])
    np.testing.assert_allclose(p.fisher_norm(u), normal.fisher_norm(u), rtol=1e-13)
    np.testing.assert_array_equal(p.parameters, normal.parameters)
