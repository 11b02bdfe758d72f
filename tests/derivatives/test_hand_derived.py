"""Derivatives worked out by hand, in the paper and its supplement, against every source."""

import numpy as np
import pytest
from scipy.special import expit, ndtr
from scipy.stats import norm

from rsens.distributions import Bernoulli, Mixture, Normal, Poisson, StudentT
from tests.derivatives.sources import JAX, SOURCES, TORCH, rows

SOURCE = pytest.mark.parametrize("source", SOURCES, ids=[source.name for source in SOURCES])
BETA = np.array([1.0, -0.5, 0.25])


@SOURCE
def test_linear_model_equation_5(source):
    """R-sens of the Student-t predictive of Bayesian linear regression; what the paper calls Var is its scale²."""
    rng = np.random.default_rng(3)
    X_train = rng.normal(size=(12, 3))
    y = X_train @ BETA + 0.5 * rng.normal(size=12)
    gram_inverse = np.linalg.inv(X_train.T @ X_train)
    beta_hat = gram_inverse @ X_train.T @ y
    ν = 12 - 3
    s2 = np.sum((y - X_train @ beta_hat) ** 2) / ν

    def predictive(source, X):
        quadratic = ((X @ source.array(gram_inverse)) * X).sum(-1)
        return StudentT(X @ source.array(beta_hat), s2 * (1.0 + quadratic), float(ν))

    X = rows(20)
    record = source.model(predictive).derivatives(X, 2)
    V = X @ gram_inverse
    Var = s2 * (1.0 + np.sum(V * X, axis=1))[:, None]
    source.close(record.first[:, 0], np.broadcast_to(beta_hat, (20, 3)))
    source.close(record.first[:, 1], 2.0 * s2 * V)
    source.close2(record.second[:, 0], np.zeros((20, 3, 3)))
    source.close2(record.second[:, 1], np.broadcast_to(2.0 * s2 * gram_inverse, (20, 3, 3)))
    rsens = np.sqrt(((ν + 1) * beta_hat**2 + 2 * ν * s2**2 * V**2 / Var) / ((ν + 3) * Var))
    source.close(record.distribution.fisher_norm(record.first), rsens)


@SOURCE
def test_logistic_limit(source):
    """Supplement: ∂π = β π(1 − π), so R-sens = |β| sqrt(π(1 − π)) when the posterior is a point."""
    X = rows(20)
    record = source.model(lambda s, X: Bernoulli(logit=X @ s.array(BETA))).derivatives(X, 2)
    π = expit(X @ BETA)[:, None]
    source.close(record.first[:, 0], BETA * π * (1 - π))
    source.close2(
        record.second[:, 0], np.multiply.outer(π[:, 0] * (1 - π[:, 0]) * (1 - 2 * π[:, 0]), np.outer(BETA, BETA))
    )
    source.close(record.distribution.fisher_norm(record.first), np.abs(BETA) * np.sqrt(π * (1 - π)))


@SOURCE
def test_poisson_limit(source):
    """Supplement: ∂rate = β exp(xβ), so R-sens = |β| exp(xβ/2)."""
    X = rows(20)
    record = source.model(lambda s, X: Poisson(s.xp.exp(X @ s.array(BETA)))).derivatives(X, 2)
    rate = np.exp(X @ BETA)
    source.close(record.first[:, 0], BETA * rate[:, None])
    source.close2(record.second[:, 0], np.multiply.outer(rate, np.outer(BETA, BETA)))
    source.close(record.distribution.fisher_norm(record.first), np.abs(BETA) * np.exp(X @ BETA / 2)[:, None])


def probit_latent(source, X):
    """A latent mean E and variance V with all derivatives nonzero."""
    xp = source.xp
    return xp.sin(X[:, 0]) * X[:, 1] + X[:, 2], xp.exp(0.3 * X[:, 0] * X[:, 2]) + X[:, 1] ** 2


@pytest.mark.parametrize("source", [JAX, TORCH], ids=["jax", "torch"])
def test_probit_second_derivative_in_its_corrected_form(source):
    """Supplement, with the signs and powers corrected: see the errata."""
    X = rows(20)

    def predictive(s, X):
        mean, variance = probit_latent(s, X)
        z = mean / (1.0 + variance) ** 0.5
        if s is JAX:
            from jax.scipy.special import ndtr as Φ
        else:
            from torch.special import ndtr as Φ
        return Bernoulli(Φ(z))

    record = source.model(predictive).derivatives(X, 2)
    E, V, E1, V1, E2, V2 = latent_by_hand(X)
    z = E / np.sqrt(1 + V)
    a = E1 / np.sqrt(1 + V)[:, None] - (E / (2 * (1 + V) ** 1.5))[:, None] * V1
    φ = norm.pdf(z)
    cross = E1[:, :, None] * V1[:, None] + V1[:, :, None] * E1[:, None] + E[:, None, None] * V2
    second = φ[:, None, None] * (
        -z[:, None, None] * a[:, :, None] * a[:, None]
        + E2 / np.sqrt(1 + V)[:, None, None]
        - cross / (2 * (1 + V) ** 1.5)[:, None, None]
        + (3 * E / (4 * (1 + V) ** 2.5))[:, None, None] * V1[:, :, None] * V1[:, None]
    )
    np.testing.assert_allclose(record.distribution.parameters[:, 0], ndtr(z), rtol=1e-12)
    source.close(record.first[:, 0], φ[:, None] * a)
    source.close2(record.second[:, 0], second)
    # As printed (no minus sign before the first term, power 3/2 in the last) it is not the derivative.
    printed = second + 2 * (φ * z)[:, None, None] * a[:, :, None] * a[:, None]
    assert np.abs(printed - record.second[:, 0]).max() > 0.01


def latent_by_hand(X):
    x, y, w = X.T
    zero = np.zeros_like(x)
    g = np.exp(0.3 * x * w)
    E, V = np.sin(x) * y + w, g + y**2
    E1 = np.stack([np.cos(x) * y, np.sin(x), np.ones_like(x)], -1)
    V1 = np.stack([0.3 * w * g, 2 * y, 0.3 * x * g], -1)
    E2 = np.stack([[-np.sin(x) * y, np.cos(x), zero], [np.cos(x), zero, zero], [zero, zero, zero]])
    xw = 0.3 * g + 0.09 * x * w * g
    V2 = np.stack([[0.09 * w**2 * g, zero, xw], [zero, zero + 2, zero], [xw, zero, 0.09 * x**2 * g]])
    return E, V, E1, V1, np.moveaxis(E2, -1, 0), np.moveaxis(V2, -1, 0)


@SOURCE
def test_heteroscedastic_normal(source):
    """R-sens² = (∂mean)²/V + (∂V)²/(2V²) and R-sens₂ likewise, with mean = x0 x1 and V = exp(x1 + x2²)."""
    X = rows(20)
    x, y, w = X.T
    record = source.model(lambda s, X: Normal(X[:, 0] * X[:, 1], s.xp.exp(X[:, 1] + X[:, 2] ** 2))).derivatives(X, 2)
    zero, one, V = np.zeros_like(x), np.ones_like(x), np.exp(y + w**2)
    source.close(record.first[:, 0], np.stack([y, x, zero], -1))
    source.close(record.first[:, 1], np.stack([zero, V, 2 * w * V], -1))
    source.close2(record.second[:, 0, 0, 1], one)
    source.close2(record.second[:, 1, 1, 2], 2 * w * V)
    source.close2(record.second[:, 1, 2, 2], (2 + 4 * w**2) * V)
    norm1 = record.distribution.fisher_norm(record.first)
    source.close(norm1, np.stack([np.abs(y) / np.sqrt(V), np.sqrt(x**2 / V + 0.5), np.sqrt(2 * w**2)], -1))
    norm2 = record.distribution.fisher_norm(record.second)
    source.close2(norm2[:, 0, 1], 1 / np.sqrt(V))
    source.close2(norm2[:, 1, 2], np.sqrt(2) * np.abs(w))


@SOURCE
def test_mixture_against_quadrature_of_the_density(source):
    """R-sens² of a two-component mixture is E_y[(∂ log p(y|x)/∂x)²], by brute force on a grid of y."""

    def predictive(s, X):
        one = Normal(X[:, 0] * X[:, 1], s.xp.exp(X[:, 0]))
        return Mixture([one, Normal(2.0 + X[:, 1], 0.5 + X[:, 0] ** 2)], s.array([0.4, 0.6]))

    def density(x):
        one, two = norm.pdf(grid, x[0] * x[1], np.exp(x[0] / 2)), norm.pdf(grid, 2 + x[1], np.sqrt(0.5 + x[0] ** 2))
        return 0.4 * one + 0.6 * two

    X, grid, h = 0.5 * rows(3, columns=2), np.linspace(-25.0, 25.0, 100_001), 1e-5
    record = source.model(predictive).derivatives(X, 1)
    for x, found in zip(X, record.distribution.fisher_norm(record.first), strict=True):
        slopes = np.array([density(x + step) - density(x - step) for step in h * np.eye(2)]) / (2 * h)
        expected = np.sqrt((slopes**2 / np.maximum(density(x), 1e-300)).sum(axis=1) * (grid[1] - grid[0]))
        np.testing.assert_allclose(found, expected, rtol=1e-6)
