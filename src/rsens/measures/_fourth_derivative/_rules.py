"""Expectations over y as sums: nodes y_k and weights w_k, Σ w_k = 1, with E[g(y)] = Σ w_k g(y_k) to rounding.

For families whose divergence has no closed form. The functions g are polynomials, of degree four at most, in
derivatives of log p, so a rule that resolves p resolves them.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rsens._typing import Array
from rsens.distributions import NegativeBinomial, StudentT, Weibull, negative_binomial_log_prob

_NEGLIGIBLE = 60.0  # e^{−60} ≈ 1e-26, times the eighth power of a distance of 11 standard deviations, is still nothing
_PANEL = 16


def student_t_rule(p: StudentT) -> tuple[Array, Array]:
    """Nodes v with y = location + scale √df sinh v, where the density is sech(v)^df: trapezoid rule, (n, K) each.

    The integrand is analytic up to |Im v| = π/2 and near v = 0 a Gaussian of variance 1/df; the step is fine for both.
    """
    df = p.df[:, None]
    reach = _NEGLIGIBLE / df + np.log1p(np.sqrt(-np.expm1(-2.0 * _NEGLIGIBLE / df)))  # log cosh(reach) = 60/df
    half = int(np.ceil(np.max(reach / np.minimum(0.16, 0.4 / np.sqrt(df)))))
    v = reach * np.linspace(-1.0, 1.0, 2 * half + 1)
    size = np.abs(v)
    log_cosh = np.where(
        size < 1e-2, size**2 / 2 - size**4 / 12 + size**6 / 45, size + np.log1p(np.expm1(-2 * size) / 2)
    )
    return v, normalised(-df * log_cosh)


def weibull_rule(p: Weibull) -> tuple[Array, Array]:
    """Nodes t with (y/scale)^shape = e^t, where the density is e^{t − e^t}: trapezoid rule, the same for all rows."""
    t = np.arange(-60.0, 5.0, 0.2)
    shape = (len(p.shape), len(t))
    return np.broadcast_to(t, shape), np.broadcast_to(normalised(t - np.exp(t)), shape)


def negative_binomial_rule(p: NegativeBinomial) -> tuple[Array, Array]:
    """Nodes y: panels that grow with y, no wider than a few standard deviations, with a Gauss rule for sums on each."""
    spread = np.sqrt(p.variance)
    tail = 1.0 + p.mean / p.size  # far out the probabilities fall as e^{−y/tail}, or faster
    low = np.maximum(0.0, np.floor(p.mean - 12.0 * spread))
    high = p.mean + 12.0 * spread + (_NEGLIGIBLE + 5.0) * tail
    rows = [panels(*ends) for ends in zip(low, high, 4.0 * np.maximum(spread, tail), strict=True)]
    y, w = padded([row[0] for row in rows]), padded([row[1] for row in rows], zero=True)
    with np.errstate(divide="ignore"):
        return y, normalised(np.log(w) + negative_binomial_log_prob(y, p.mean[:, None], p.size[:, None]))


def panels(low: float, high: float, widest: float) -> tuple[Array, Array]:
    """Nodes and weights for Σ_y g(y), low ≤ y ≤ high, on panels of 2^k integers."""
    nodes, weights = [], []
    start = low
    while start <= high:
        length = max(_PANEL, 2 ** int(np.log2(max(1.0, min(start, widest)))))
        x, w = gauss_for_sums(length)
        nodes.append(start + x)
        weights.append(w)
        start += length
    return np.concatenate(nodes), np.concatenate(weights)


@lru_cache(maxsize=128)
def gauss_for_sums(length: int) -> tuple[Array, Array]:
    """Nodes and weights of 16 points for Σ_{y=0}^{length−1} g(y), exact for polynomials up to degree 31.

    Golub and Welsch with the recurrence of the polynomials that are orthogonal on these integers (Gram, Chebyshev):
    b_k = k² (length² − k²)/(4 (4k² − 1)). With 16 integers it is the sum itself.
    """
    k = np.arange(1.0, _PANEL)
    off = np.sqrt(k**2 * (float(length) ** 2 - k**2) / (4.0 * (4.0 * k**2 - 1.0)))
    x, vectors = np.linalg.eigh(np.diag(off, 1) + np.diag(off, -1))
    return x + 0.5 * (length - 1.0), length * vectors[0] ** 2


def normalised(log_weights: Array) -> Array:
    weights = np.exp(log_weights - log_weights.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def padded(rows: list[Array], zero: bool = False) -> Array:
    """Rows of different lengths as one array, filled up with zeros or with the last value of each."""
    longest = max(len(row) for row in rows)
    return np.stack([np.pad(row, (0, longest - len(row)), mode="constant" if zero else "edge") for row in rows])
