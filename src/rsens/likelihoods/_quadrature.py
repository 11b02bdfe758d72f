"""Integrals over the latent, many rows at once: a trapezoid rule where the integrand is not negligible.

Each row is computed from its own numbers only, so the result does not depend on which rows come together.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

from rsens._typing import Array

LogIntegrand = Callable[..., Array]  #: (nodes (n, K), *rows, each (n, 1)) → log integrand (n, K)

NEGLIGIBLE = 60.0  #: e^{−60} ≈ 1e-26 of the largest value
REACH = np.sqrt(2.0 * NEGLIGIBLE)  #: standard deviations after which a Gaussian is negligible
SMALLEST_VARIANCE = 1e-200  #: used for v = 0: the nodes then differ by less than the spacing of float64

_SEARCH = np.linspace(0.0, 1.0, 65)
_NODES = 96  # over a Gaussian: one node per 0.23 standard deviations; over a gamma in log y, error below 1e-12
_BLOCK = 2**18  # values in memory at once


def integral(
    log_f: LogIntegrand,
    low: Array,
    high: Array,
    step: float,
    rows: tuple[Array, ...],
    moments: tuple[Callable[..., Array], ...] = (),
) -> list[Array]:
    """log ∫ e^{log_f} over [low, high] per row, and for each moment its mean under the normalised e^{log_f}.

    `log_f` is analytic, with one summit or several that a grid of 65 points can see. The trapezoid rule's error is
    e^{−2πa/step}, a the half-width of the strip in which the integrand is analytic and of moderate size.
    """
    n = len(low)
    results = [np.empty(n) for _ in range(1 + len(moments))]
    for block in np.array_split(np.arange(n), 1 + n * len(_SEARCH) // _BLOCK):
        columns = tuple(row[block, None] for row in rows)
        start, end = window(log_f, low[block], high[block], columns)
        doublings = np.ceil(np.log2(np.maximum((end - start) / (step * _NODES), 1.0))).astype(int)
        for doubling in np.unique(doublings):
            count = _NODES * 2 ** int(doubling)
            chosen = np.flatnonzero(doublings == doubling)
            for part in np.array_split(chosen, 1 + len(chosen) * count // _BLOCK):
                own = tuple(column[part] for column in columns)
                width = (end - start)[part]
                nodes = start[part, None] + width[:, None] * (np.arange(count) / (count - 1.0))
                values = log_f(nodes, *own)
                log_total = logsumexp(values, axis=1)
                results[0][block[part]] = log_total + np.log(width / (count - 1.0))
                weights = np.exp(values - log_total[:, None])
                for result, moment in zip(results[1:], moments, strict=True):
                    result[block[part]] = (weights * moment(nodes, *own)).sum(axis=1)
    return results


def window(log_f: LogIntegrand, low: Array, high: Array, columns: tuple[Array, ...]) -> tuple[Array, Array]:
    """The part of [low, high], per row, outside which the integrand is negligible."""
    rows = np.arange(len(low))
    shrinking = np.ones(len(low), dtype=bool)
    while shrinking.any():
        t = low[:, None] + (high - low)[:, None] * _SEARCH
        values = log_f(t, *columns)
        counts = values >= values.max(axis=1, keepdims=True) - NEGLIGIBLE
        first = np.maximum(counts.argmax(axis=1) - 1, 0)
        last = len(_SEARCH) - 1 - np.maximum(counts[:, ::-1].argmax(axis=1) - 1, 0)
        left, right = t[rows, first], t[rows, last]
        # A row stops at its first small gain, no matter what the other rows do.
        shrinking &= right - left < 0.7 * (high - low)
        low, high = np.where(shrinking, left, low), np.where(shrinking, right, high)
    return low, high
