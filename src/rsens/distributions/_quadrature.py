"""Integrals of smooth functions of one variable, many rows at once, from the logarithm of the integrand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from rsens._typing import Array

LogIntegrand = Callable[[Array], Array]  #: nodes (n, K) → log integrand (n, K)

_NEGLIGIBLE = 60.0  # e^{−60} ≈ 1e-26 of the largest value
_SEARCH = np.linspace(0.0, 1.0, 129)


@cache
def gauss_legendre(order: int) -> tuple[Array, Array]:
    """Nodes and weights on [−1, 1]."""
    return np.polynomial.legendre.leggauss(order)


def window(log_f: LogIntegrand, low: Array, high: Array) -> tuple[Array, Array]:
    """The part of [low, high], per row, outside which the integrand is negligible."""
    for _ in range(40):
        t = low[:, None] + (high - low)[:, None] * _SEARCH
        values = log_f(t)
        top = values.max(axis=1, keepdims=True)
        counts = values >= np.where(np.isfinite(top), top - _NEGLIGIBLE, -np.inf)
        first = np.maximum(counts.argmax(axis=1) - 1, 0)
        last = np.minimum(counts.shape[1] - counts[:, ::-1].argmax(axis=1), counts.shape[1] - 1)
        rows = np.arange(len(t))
        shrinks = (last - first) < 0.7 * (len(_SEARCH) - 1)
        low, high = t[rows, first], t[rows, last]
        if not shrinks.any():
            break
    return low, high


def rule(
    log_f: LogIntegrand, low: Array, high: Array, panels: int = 40, order: int = 20, breaks: Array | None = None
) -> tuple[Array, Array]:
    """Nodes and log weights (n, K) of Gauss–Legendre panels over the window of the integrand.

    The panels are equally wide; `breaks` (n, …) adds panel ends where the integrand has finer features.
    """
    low, high = (end[:, None] for end in window(log_f, low, high))
    edges = low + (high - low) * np.linspace(0.0, 1.0, panels + 1)
    if breaks is not None:
        edges = np.sort(np.concatenate([edges, np.clip(breaks, low, high)], axis=1), axis=1)
    nodes, weights = gauss_legendre(order)
    start, width = edges[:, :-1, None], np.diff(edges, axis=1)[..., None]
    with np.errstate(divide="ignore"):
        log_weights = np.log(0.5 * weights) + np.log(width)
    return (start + width * (0.5 * (nodes + 1.0))).reshape(len(low), -1), log_weights.reshape(len(low), -1)
