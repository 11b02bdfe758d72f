"""The chain rule against automatic differentiation of the composed function."""

import numpy as np
import torch

from rsens.derivatives import chain_rule, from_torch
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


def test_probit_by_hand():
    """π = Φ(m/√(1+v)) at m = 0: ∂π/∂m = φ(0)/√(1+v) and ∂π/∂v = 0, so only ∂m and the cross term ∂_m∂_v matter."""
    φ, v = 1 / np.sqrt(2 * np.pi), 3.0
    λ_first = np.array([[[φ / 2.0, 0.0]]])
    cross = -φ / (2 * (1 + v) ** 1.5)
    λ_second = np.array([[[[0.0, cross], [cross, 0.0]]]])
    z_first = np.array([[[1.0, 2.0], [0.5, -1.0]]])
    first, second = chain_rule(z_first, np.zeros((1, 2, 2, 2)), λ_first, λ_second)
    np.testing.assert_allclose(first[0, 0], [φ / 2, φ], rtol=1e-15)
    np.testing.assert_allclose(second[0, 0], cross * np.array([[1.0, 0.0], [0.0, -4.0]]), rtol=1e-14, atol=1e-16)
