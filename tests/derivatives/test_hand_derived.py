"""Derivatives worked out by hand, in the paper and its supplement, against every source."""

import numpy as np
import pytest

from rsens.distributions import Normal, Poisson
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
