"""The chain rule against automatic differentiation of the composed function."""

import numpy as np
import pytest
import torch

from rsens.derivatives import Inner, chain_rule, from_torch
from rsens.distributions import Normal
from tests.derivatives.sources import TORCH, rows


def latent(X):
    """(m, v) of x."""
    return torch.stack([torch.sin(X[:, 0] * X[:, 1]), torch.exp(0.3 * X[:, 2]) + X[:, 0] ** 2], -1)


def outer(Z):
    """λ of (m, v), mixing both."""
    m, v = Z[:, 0], Z[:, 1]
    return Normal(m * torch.sqrt(v), torch.exp(m) + v**2)


def derivatives(fn, at):
    record = from_torch(fn).derivatives(at, 2)
    return record.first, record.second


def test_it_is_the_derivative_of_the_composition():
    X = rows()
    z_first, z_second = derivatives(lambda X: Normal(*latent(X).unbind(-1)), X)
    λ_first, λ_second = derivatives(outer, latent(torch.tensor(X)).numpy())
    expected_first, expected_second = derivatives(lambda X: outer(latent(X)), X)
    first, second = chain_rule(z_first, z_second, λ_first, λ_second)
    TORCH.close(first, expected_first)
    TORCH.close2(second, expected_second)
    only, none = chain_rule(z_first, None, λ_first)
    assert none is None
    np.testing.assert_array_equal(only, first)


rng = np.random.default_rng(0)
N, L, D, M = 5, 4, 3, 2


def symmetric(*shape):
    values = rng.normal(size=shape)
    return values + np.swapaxes(values, -1, -2)


J, H = rng.normal(size=(N, L, D)), symmetric(N, L, D, D)
FIRST, SECOND = rng.normal(size=(N, M, L)), symmetric(N, M, L, L)


@pytest.mark.parametrize("bent", [True, False], ids=["bent", "straight"])
def test_the_chain_rule(bent):
    first, second = Inner(J, H if bent else None).chain(FIRST, SECOND)
    expected = chain_rule(J, H if bent else 0.0 * H, FIRST, SECOND)
    np.testing.assert_allclose(first, expected[0])
    np.testing.assert_allclose(second, expected[1], atol=1e-12)


def test_what_is_none_is_zero():
    """Of a linear outer function only the inner one bends; two straight ones do not."""
    np.testing.assert_allclose(Inner(J, H).chain(FIRST, None)[1], chain_rule(J, H, FIRST, 0.0 * SECOND)[1])
    assert Inner(J).chain(FIRST, None)[1] is None


def test_one_behind_the_other():
    """x² and then sin: sin(x²) has the derivatives 2x cos(x²) and 2cos(x²) − 4x² sin(x²)."""
    x = rng.normal(size=(N, 1, 1))
    square = Inner(2.0 * x, np.full((N, 1, 1, 1), 2.0))
    sine = Inner(np.cos(x**2), -np.sin(x**2)[..., None])
    both = square.into(sine)
    np.testing.assert_allclose(both.first, 2.0 * x * np.cos(x**2))
    np.testing.assert_allclose(both.second, (2.0 * np.cos(x**2) - 4.0 * x**2 * np.sin(x**2))[..., None])
    assert both.n_columns == 1
