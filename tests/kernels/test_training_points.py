"""Derivatives where x is a row of Z: finite limits, although g'' of Matern32 is infinite there."""

from itertools import pairwise

import numpy as np
import pytest

from rsens.kernels import EQ, Matern32, Matern52, Periodic, RationalQuadratic
from rsens.kernels import _stationary as stationary
from tests.kernels.cases import SMOOTH, X, Z

LENGTHSCALE = (0.5, 1.5, 2.0, 3.0)
#: ∂²k/∂x_d² · l_d²/σ² at x = z.
LIMITS = {EQ: -1.0, RationalQuadratic: -1.0, Matern52: -5.0 / 3.0, Matern32: -3.0}


@pytest.mark.parametrize("kind", LIMITS)
@pytest.mark.parametrize("variance", [1.0, 1e-8, 1e8])
def test_limits(kind, variance):
    kernel = kind(variance, LENGTHSCALE)
    W = np.eye(len(Z))  # Σ_j W_ij ∂²k(z_i, z_j) = ∂²k(z_i, z_i)
    at = kernel.at(Z, Z)
    expected = np.diag(LIMITS[kind] * variance / np.square(LENGTHSCALE))
    np.testing.assert_allclose(
        at.second(W), np.broadcast_to(expected, (len(Z), 4, 4)), rtol=1e-13, atol=1e-13 * variance
    )
    np.testing.assert_array_equal(at.first[range(len(Z)), range(len(Z))], 0.0)
    np.testing.assert_array_equal(np.diag(at.value), variance)


@pytest.mark.parametrize("kind", LIMITS)
@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9, 1e-12])
def test_the_limit_is_reached_from_nearby(kind, distance):
    """No jump and no lost digits as x → z, even 1e4 length-scales from the other rows."""
    kernel = kind(1.0, 1.0)
    z = np.array([[0.0, 0.0], [1e4, -1e4]])
    x = z + distance * np.array([0.6, 0.8])
    second = kernel.at(x, z).second(np.eye(2))
    # ∂²k = limit·I + O(r); Matern32: 4g''uuᵀ + 2g'I with √3r(9uuᵀ/r² + 3·I)… is off by at most 9·√3·r
    np.testing.assert_allclose(second, np.broadcast_to(LIMITS[kind] * np.eye(2), (2, 2, 2)), atol=16 * distance + 1e-10)


def test_matern32_near_a_row_exactly():
    """4g''uuᵀ + 2g'I = σ²·3e^{−√3r}(√3 uuᵀ/r − I) for l = 1, at distances where the products lose all digits."""
    z = np.array([[3.0, -2.0], [0.0, 1.0], [0.0, 0.0]])
    for r in (1e-2, 1e-5, 1e-8):
        x = r * np.array([[0.6, 0.8]])
        u = x - z[2]
        r = np.linalg.norm(u)
        expected = 3 * np.exp(-np.sqrt(3) * r) * (np.sqrt(3) * u.T @ u / r - np.eye(2))
        second = Matern32().at(x, z).second(np.array([0.0, 0.0, 1.0]))
        np.testing.assert_allclose(second[0], expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", LIMITS)
@pytest.mark.parametrize("dims", [None, (2, 0), (1,)])
def test_both_ways_to_sum_agree(kind, dims, monkeypatch):
    kernel = kind(1.3, 0.8, dims=dims)
    W = np.random.default_rng(6).normal(size=(len(X), len(Z)))
    fast = kernel.at(X, Z).second(W)
    monkeypatch.setattr(stationary, "MOST_ROUNDING", 0.0)
    slow = kernel.at(X, Z).second(W)
    assert (fast != slow).any()
    np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-13)


def richardson(function, order, h):
    """The limit for h → 0 of a quantity with errors h^order, h^(order+1) …, from halved steps."""
    table = [function(h / 2**i) for i in range(4)]
    while len(table) > 1:
        table = [b + (b - a) / (2**order - 1) for a, b in pairwise(table)]
        order += 1
    return table[0]


@pytest.mark.parametrize("kernel", SMOOTH, ids=repr)
def test_differences(kernel):
    """At rows of Z, of values and of first derivatives; one-sided slopes of Matern32 make the errors O(h)."""
    x, columns = Z[:2], 3  # the last column holds levels
    W = np.random.default_rng(5).normal(size=(2, len(Z)))
    at = kernel.at(x, Z)
    scale = np.abs(kernel(Z)).max()
    for d in range(columns):
        step = np.eye(4)[d]

        def slope(h, step=step):
            return ((kernel(x + h * step, Z) - kernel(x - h * step, Z)) * W).sum(1) / (2 * h)

        def curvature(h, step=step):
            up, down = kernel.at(x + h * step, Z), kernel.at(x - h * step, Z)
            return (up.weighted_first(W) - down.weighted_first(W)) / (2 * h)

        np.testing.assert_allclose(at.weighted_first(W)[:, d], richardson(slope, 1, 1e-3), atol=1e-8 * scale)
        rough = "Matern32" in repr(kernel)
        np.testing.assert_allclose(
            at.second(W)[:, d, :columns],
            richardson(curvature, 1, 1e-3)[:, :columns],
            atol=(1e-4 if rough else 1e-8) * scale,
        )


def test_periodic_at_whole_periods_is_as_at_zero():
    kernel = Periodic(1.3, 0.8, 2.0)
    second = kernel.at(np.array([[0.0], [2.0], [-4.0]]), np.array([[0.0]])).second(np.ones((3, 1)))
    np.testing.assert_allclose(second[:, 0, 0], -1.3 * (2 * np.pi / 2.0) ** 2 / 0.8**2, rtol=1e-13)
