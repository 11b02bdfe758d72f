"""The upper tail of Q = Σ λ_k χ²₁, and p-values put together."""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.special import chdtrc
from scipy.stats import ncx2

from rsens._typing import Array, Flags


def upper_tail(q: float, A: Array) -> float:
    """P(Q ≥ q) for Q = Σ λ_k χ²₁ with λ the eigenvalues of A, by a non-central χ² with the same first moments.

    Liu, Tang and Zhang (2009): with c_k = Σ λᵏ = tr Aᵏ, s₁ = c₃/c₂^{3/2} and s₂ = c₄/c₂², the χ²_l(δ) has the skewness
    of Q, and its kurtosis where s₁² > s₂; else δ = 0 and l = 1/s₁². NaN if A = 0: then Q says nothing.
    """
    c1, A2 = float(np.trace(A)), A @ A
    c2, c3, c4 = float(np.trace(A2)), float(np.sum(A * A2)), float(np.sum(A2 * A2))
    if not (c1 > 0.0 and c2 > 0.0 and c3 > 0.0):
        return float("nan")
    s1, s2 = c3 / c2**1.5, c4 / c2**2
    if s1**2 > s2:
        a = 1.0 / (s1 - sqrt(s1**2 - s2))
        delta = s1 * a**3 - a**2
        freedom = a**2 - 2.0 * delta
    else:
        delta, freedom = 0.0, 1.0 / s1**2
        a = sqrt(freedom)
    standard = (q - c1) / sqrt(2.0 * c2)
    x = standard * sqrt(2.0) * a + freedom + delta
    return float(chdtrc(freedom, max(x, 0.0)) if delta == 0.0 else ncx2.sf(max(x, 0.0), freedom, delta))


def cauchy_combination(p: Array) -> Array:
    """One p-value from several, over the first axis, whatever their dependence (Liu and Xie, 2020).

    T = mean tan((½ − p)π) is about Cauchy in its tail. NaNs are left out; all NaN gives NaN.
    """
    p = np.clip(p, 1e-300, 1.0 - 1e-15)
    tangent = np.where(p < 1e-10, 1.0 / (np.pi * p), np.tan((0.5 - p) * np.pi))  # tan(π/2 − πp) ≈ 1/(πp)
    known = ~np.isnan(p)
    count = known.sum(axis=0)
    mean = np.where(known, tangent, 0.0).sum(axis=0) / np.maximum(count, 1)
    combined = np.where(mean > 1e9, 1.0 / (np.pi * np.maximum(mean, 1.0)), 0.5 - np.arctan(mean) / np.pi)
    return np.where(count > 0, combined, np.nan)


def discoveries(p: Array, rate: float) -> Flags:
    """Which p-values Benjamini and Hochberg (1995) take as discoveries at this false-discovery rate; NaN is none."""
    known = np.flatnonzero(~np.isnan(p))
    ordered = known[np.argsort(p[known], kind="stable")]
    below = np.flatnonzero(p[ordered] <= rate * np.arange(1, len(ordered) + 1) / max(len(ordered), 1))
    found = np.zeros(p.shape, dtype=np.bool_)
    if len(below):
        found[ordered[: below[-1] + 1]] = True
    return found
