"""The chain rule against automatic differentiation of the composed function."""

import numpy as np
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
    bent = Inner(z_first, z_second).chain(λ_first, None)[1]
    np.testing.assert_allclose(bent, chain_rule(z_first, z_second, λ_first, 0.0 * λ_second)[1])
    straight = Inner(z_first).chain(λ_first, λ_second)[1]
    np.testing.assert_allclose(straight, chain_rule(z_first, 0.0 * z_second, λ_first, λ_second)[1], atol=1e-12)
    assert Inner(z_first).chain(λ_first, None)[1] is None


def test_one_behind_the_other():
    """x² and then sin: sin(x²) has the derivatives 2x cos(x²) and 2cos(x²) − 4x² sin(x²)."""
    x = np.random.default_rng(0).normal(size=(5, 1, 1))
    square = Inner(2.0 * x, np.full((5, 1, 1, 1), 2.0))
    sine = Inner(np.cos(x**2), -np.sin(x**2)[..., None])
    both = square.into(sine)
    np.testing.assert_allclose(both.first, 2.0 * x * np.cos(x**2))
    np.testing.assert_allclose(both.second, (2.0 * np.cos(x**2) - 4.0 * x**2 * np.sin(x**2))[..., None])
    assert both.n_columns == 1
