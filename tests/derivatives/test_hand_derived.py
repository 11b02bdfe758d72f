"""Derivatives worked out by hand, in the paper and its supplement, against every source."""

import numpy as np
import pytest
from scipy.stats import norm

from rsens.distributions import Mixture, Normal, Poisson
from tests.derivatives.sources import SOURCES, rows

SOURCE = pytest.mark.parametrize("source", SOURCES, ids=[source.name for source in SOURCES])
BETA = np.array([1.0, -0.5, 0.25])


@SOURCE
def test_poisson_limit(source):
    """Supplement: ∂rate = β exp(xβ), so R-sens = |β| exp(xβ/2)."""
    X = rows(20)
    record = source.model(lambda s, X: Poisson(s.xp.exp(X @ s.array(BETA)))).derivatives(X, 2)
    rate = np.exp(X @ BETA)
    source.close(record.first[:, 0], BETA * rate[:, None])
    source.close2(record.second[:, 0], np.multiply.outer(rate, np.outer(BETA, BETA)))
    source.close(record.distribution.fisher_norm(record.first), np.abs(BETA) * np.exp(X @ BETA / 2)[:, None])


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
