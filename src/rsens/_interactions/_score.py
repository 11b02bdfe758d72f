"""The variance-component score test: is there a function of two terms that their sum leaves out?

With C = K + W⁻¹ the covariance of the data under the null model, Φ the products of the features of two terms and
F = [1, Φ_i, Φ_j] their main effects as *fixed* effects (so that no shrinkage of a main effect looks like an
interaction), the score of a further term with covariance τ ΦΦᵀ at τ = 0 is

    Q = |Φᵀa|²,   a = Pα̂ = α − C⁻¹F(FᵀC⁻¹F)⁻¹Fᵀα,   P = C⁻¹ − C⁻¹F(FᵀC⁻¹F)⁻¹FᵀC⁻¹

(Zhang and Lin, 2003; Liu, Lin and Ghosh, 2007). Under the null Q ~ Σ λ_k χ²₁ with λ the eigenvalues of
Cov(Φᵀa) = ΦᵀPΦ. That covariance believes the noise W⁻¹. The robust one takes the noise of row i from its residual,

    ΦᵀPΦ + (PΦ)ᵀ diag((a_i²/P_ii − 1)/W_i) (PΦ),

which is unbiased if the model has the right noise (MacKinnon and White, 1985, call it HC2) and right on average if its
variance depends on x or the counts vary too much. p-values are robust. The other one decides, together with them, which
pair the null model takes up: far in the tail the robust one has less power.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import sqrt

import numpy as np
from scipy.linalg import blas
from scipy.special import chdtrc
from scipy.stats import ncx2

from rsens._typing import Array
from rsens.models import LatentFit

#: Two terms, by position.
Pair = tuple[int, int]
#: Directions of F with less than this part of the largest are combinations of others.
RANK = 1e-7
#: Triangular solves with this many right-hand sides run at full speed.
BATCH = 256
#: A row that the fixed effects fit by themselves has no residual; its P_ii counts as this part of (C⁻¹)_ii.
LEAST_LEVERAGE = 0.05


class ScoreTest:
    """Tests against one null model."""

    def __init__(self, fit: LatentFit, features: Sequence[Array]) -> None:
        self._fit, self._features = fit, features
        n = len(fit.score)
        fixed = np.concatenate([np.ones((n, 1)), *features], axis=1)
        ends = np.cumsum([1, *(each.shape[1] for each in features)])
        self._columns = [np.arange(start, end) for start, end in pairwise(ends)]
        self._whitened = fit.whiten(fixed)  # RF
        self._solved = fit.unwhiten(self._whitened)  # C⁻¹F
        self._slopes = fixed.T @ fit.score  # Fᵀα
        root = fit.whiten(np.eye(n))
        self._diagonal = np.einsum("ij,ij->j", root, root)  # of C⁻¹
        self._noise = np.divide(1.0, fit.precision, out=np.zeros(n), where=fit.precision > 0.0)

    def p_values(self, pairs: Sequence[Pair]) -> Array:
        """Robust and classical p-values (2, pairs) of these pairs of terms; NaN where a term has no features."""
        tails = [tail for batch in self._batches(pairs) for tail in self._batch(batch)]
        return np.array(tails).reshape(-1, 2).T

    def _batches(self, pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
        batch: list[Pair] = []
        width = 0
        for pair in pairs:
            batch.append(pair)
            width += self._features[pair[0]].shape[1] * self._features[pair[1]].shape[1]
            if width >= BATCH:
                yield batch
                batch, width = [], 0
        if batch:
            yield batch

    def _batch(self, pairs: Sequence[Pair]) -> Iterator[tuple[float, float]]:
        products = [_products(self._features[i], self._features[j]) for i, j in pairs]
        ends = np.cumsum([0, *(each.shape[1] for each in products)])
        whitened = self._fit.whiten(np.concatenate(products, axis=1)) if ends[-1] else np.empty((len(self._noise), 0))
        residuals, effects = [], []
        for (i, j), (start, end) in zip(pairs, pairwise(ends), strict=True):
            U, E, in_fixed = self._effects(i, j)
            V = whitened[:, start:end]
            residuals.append(V - U @ blas.dgemm(1.0, U, V, trans_a=1))  # (I − UUᵀ)RΦ
            effects.append((E, in_fixed))
        G_all = self._fit.unwhiten(np.concatenate(residuals, axis=1)) if ends[-1] else whitened  # PΦ
        for Phi, V, (E, in_fixed), (start, end) in zip(products, residuals, effects, pairwise(ends), strict=True):
            if start == end:
                yield float("nan"), float("nan")
                continue
            G = G_all[:, start:end]
            a = self._fit.score - E @ in_fixed
            P_ii = np.maximum(self._diagonal - np.einsum("ij,ij->i", E, E), LEAST_LEVERAGE * self._diagonal)
            ratio = np.divide(a**2, P_ii, out=np.ones(len(a)), where=P_ii > 0.0)
            A = V.T @ V
            robust = A + (G.T * (self._noise * (ratio - 1.0))) @ G
            Q = float(np.sum((Phi.T @ a) ** 2))
            yield upper_tail(Q, robust), upper_tail(Q, A)

    def _effects(self, i: int, j: int) -> tuple[Array, Array, Array]:
        """An orthonormal basis U of RF, E = RᵀU, and the component of α along it: a = α − E·(component)."""
        columns = np.concatenate([[0], self._columns[i], self._columns[j]])
        U, s, Vt = np.linalg.svd(self._whitened[:, columns], full_matrices=False)
        r = int(np.count_nonzero(s > RANK * s[0]))
        onto = Vt[:r].T / s[:r]
        return U[:, :r], self._solved[:, columns] @ onto, onto.T @ self._slopes[columns]


def _products(first: Array, second: Array) -> Array:
    """Centred products of all columns of one with all columns of the other."""
    products = (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)
    return np.asarray(products - products.mean(axis=0))


def upper_tail(q: float, A: Array) -> float:
    """P(Q ≥ q) for Q = Σ λ_k χ²₁ with λ the eigenvalues of A, by a non-central χ² with the same first moments.

    Liu, Tang and Zhang (2009): with c_k = Σ λᵏ = tr Aᵏ, s₁ = c₃/c₂^{3/2} and s₂ = c₄/c₂², the χ²_l(δ) has the skewness
    of Q, and its kurtosis where s₁² > s₂; else δ = 0 and l = 1/s₁². NaN if A = 0: then Q is always 0.
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
    """One p-value from several, over the first axis, for any dependence (Liu and Xie, 2020); NaNs are left out."""
    p = np.clip(p, 1e-300, 1.0 - 1e-15)
    tangent = np.where(p < 1e-10, 1.0 / (np.pi * p), np.tan((0.5 - p) * np.pi))  # tan(π/2 − πp) ≈ 1/(πp)
    known = ~np.isnan(p)
    count = known.sum(axis=0)
    mean = np.where(known, tangent, 0.0).sum(axis=0) / np.maximum(count, 1)
    combined = np.where(mean > 1e9, 1.0 / (np.pi * np.maximum(mean, 1.0)), 0.5 - np.arctan(mean) / np.pi)
    return np.where(count > 0, combined, np.nan)
