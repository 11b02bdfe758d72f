"""p-values from probes, and marks for all values together."""

from __future__ import annotations

import numpy as np

from rsens._typing import Array, Flags

#: The share of the probes that the tail of p-values is fitted to, and the least number of them.
TAIL, LEAST_IN_TAIL = 0.25, 5


def tail_p_values(values: Array, probes: Array) -> Array:
    """The share of irrelevant variables that reach each value, from N values of probes.

    Among the probes it is (1 + #{probe ≥ value}) / (N + 1). Above the k = N/4 largest ones it is the tail of an
    exponential distribution, k/N · exp(−(value − u)/m), where u is the largest probe below these k and m their mean
    excess over u (Pickands, 1975, with shape 0): counting alone cannot give less than 1/(N + 1).
    """
    n = len(probes)
    k = int(TAIL * n)
    p = (1.0 + np.sum(probes >= values[:, np.newaxis], axis=1)) / (n + 1.0)
    if k < LEAST_IN_TAIL:
        return np.asarray(p)
    ordered = np.sort(probes)
    u = ordered[n - k - 1]
    m = float(np.mean(ordered[n - k :])) - u
    if m <= 0.0:  # all of them the same
        return np.asarray(p)
    return np.where(values > u, k / n * np.exp(-np.maximum(values - u, 0.0) / m), p)


def discoveries(p: Array, rate: float) -> Flags:
    """Which p-values are discoveries (Benjamini and Hochberg, 1995): to the last p₍ᵢ₎ ≤ i/T · rate; NaN never is."""
    tested = np.flatnonzero(~np.isnan(p))
    ordered = np.sort(p[tested])
    below = np.flatnonzero(ordered <= np.arange(1, len(tested) + 1) / max(len(tested), 1) * rate)
    found = np.zeros(len(p), dtype=np.bool_)
    if len(below):
        found[tested] = p[tested] <= ordered[below[-1]]
    return found


def familywise(p: Array, level: float) -> Flags:
    """Which of T p-values are at most level/T: a false one among them has a chance of at most `level` (Bonferroni)."""
    return np.asarray(p <= level / max(int(np.sum(~np.isnan(p))), 1), dtype=np.bool_)
