"""The latent Gaussian posterior of every GP, with derivatives in x: one piece of code for exact, Laplace and sparse.

With k = k(x, Z), the mean is linear in k and the variance quadratic,

    m(x) = mean + kᵀa        v(x) = k(x, x) − kᵀQk,  Q = RᵀR,

so ∂m = ∂kᵀa,  ∂²m = ∂²kᵀa,  ∂v = ∂k** − 2 ∂kᵀQk  and  ∂²v = ∂²k** − 2[∂²kᵀQk + (R∂k)ᵀ(R∂k)]  (supplement, Gaussian
processes; the last one is not printed there). It makes no difference here how a model got its a and R.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import blas, lapack

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.derivatives import Inner
from rsens.kernels import Kernel, KernelAt

#: The mean m at n rows (n,), with its first (n, D) and second (n, D, D) derivatives in x, or None.
Mean = tuple[Array, Array | None, Array | None]
#: Working memory for the rows of one chunk: enough right-hand sides for a triangular solve at full speed.
CHUNK_BYTES = 64 * 2**20


class Root(ABC):
    """A matrix R with Q = RᵀR. Arguments are Fortran-ordered and may be overwritten."""

    @abstractmethod
    def times(self, B: Array) -> Array:
        """R B for B (M, c)."""

    @abstractmethod
    def transposed_times(self, B: Array) -> Array:
        """Rᵀ B."""


@dataclass(frozen=True, eq=False)
class TriangularRoot(Root):
    """R = L⁻¹ diag(s). Exact GP: L Lᵀ = K + σ²I, s = 1; Laplace: L Lᵀ = I + √W K √W, s = √W (GPML, equation 3.26)."""

    L: Array
    s: Array | None = None

    def times(self, B: Array) -> Array:
        return blas.dtrsm(1.0, self.L, self._scaled(B), lower=1, overwrite_b=1)

    def transposed_times(self, B: Array) -> Array:
        return self._scaled(blas.dtrsm(1.0, self.L, B, lower=1, trans_a=1, overwrite_b=1))

    def _scaled(self, B: Array) -> Array:
        return B if self.s is None else np.multiply(B, self.s[:, None], out=B)


@dataclass(frozen=True, eq=False)
class DenseRoot(Root):
    """R itself (sparse GPs). An upper triangular R takes half the work."""

    R: Array

    def times(self, B: Array) -> Array:
        return blas.dtrmm(1.0, self.R, B, overwrite_b=1) if self._upper else blas.dgemm(1.0, self.R, B)

    def transposed_times(self, B: Array) -> Array:
        return (blas.dtrmm if self._upper else blas.dgemm)(1.0, self.R, B, trans_a=1)

    @cached_property
    def _upper(self) -> bool:
        return self.R.shape[0] == self.R.shape[1] and not np.tril(self.R, -1).any()


@dataclass(frozen=True, eq=False)
class Latent:
    """(m, v) at n rows; `first` (n, 2, D) and `second` (n, 2, D, D) are their derivatives in x, or None."""

    mean: Array
    variance: Array
    first: Array | None = None
    second: Array | None = None


@dataclass(frozen=True, eq=False)
class LatentPosterior:
    """The posterior of f given the kernel, the inputs Z (M, D), the weights a (M,), the root R and a constant mean."""

    kernel: Kernel
    inputs: Array
    weights: Array
    root: Root
    mean: float = 0.0
    jitter: float = 0.0  # added to the diagonal of a covariance to factor it

    def moments(self, X: Array) -> Latent:
        """Mean and variance of f at the rows X."""
        n = len(X)
        mean, variance = np.empty(n), np.empty(n)
        for rows in self._chunks(n, 2):
            k = self.kernel(self.inputs, X[rows])  # (M, rows) in Fortran order
            mean[rows] = blas.dgemv(1.0, k, self.weights, trans=1)
            variance[rows] = self._variance(X[rows], self.root.times(k))
        return Latent(self.mean + mean, variance)

    def means(self, X: Array) -> Array:
        """The mean of f alone, which needs no solve."""
        return self.mean_derivatives(X, 0)[0]

    def mean_derivatives(self, X: Array, order: int) -> Mean:
        """The mean of f alone, with derivatives up to this order (0, 1 or 2): no solve either."""
        n, D = X.shape
        mean = np.empty(n)
        first = np.empty((n, D)) if order else None
        second = np.empty((n, D, D)) if order == 2 else None
        for rows in self._chunks(n, 1 + (self.kernel.arrays_at(D) if order else 0)):
            if first is None:
                mean[rows] = blas.dgemv(1.0, self.kernel(self.inputs, X[rows]), self.weights, trans=1)
                continue
            at = self.kernel.at(X[rows], self.inputs)
            mean[rows] = blas.dgemv(1.0, at.value.T, self.weights, trans=1)
            first[rows] = at.weighted_first(self.weights)
            if second is not None:
                second[rows] = at.second(self.weights)
        return self.mean + mean, first, second

    def combination_variances(self, X: Array, weights: Array) -> Array:
        """The variances of Σ_i w_gi f(x_i) over the rows X, for weights w (g, n): diag(w C wᵀ), C = k** − (Rk)ᵀRk."""
        prior, explained = np.zeros(len(weights)), np.zeros((1, len(weights)))
        for rows in self._chunks(len(X), 2 + len(X) // len(self.weights)):
            prior += np.einsum("gi,gi->g", weights @ self.kernel(X, X[rows]), weights[:, rows])
            Rk = self.root.times(self.kernel(self.inputs, X[rows]))
            explained = explained + blas.dgemm(1.0, Rk, np.asfortranarray(weights[:, rows].T))
        return np.maximum(prior - np.sum(np.square(explained), axis=0), 0.0)

    def derivatives(self, X: Array, order: int, inner: Inner | None = None) -> Latent:
        """Mean and variance of f at the rows X with derivatives in X, or in the columns of `inner`."""
        n, D = len(X), X.shape[1] if inner is None else inner.n_columns
        mean, variance = np.empty(n), np.empty(n)
        first = np.empty((n, 2, D))
        second = np.empty((n, 2, D, D)) if order == 2 else None
        columns = max(D, X.shape[1])
        for rows in self._chunks(n, 2 + (columns if order == 2 else 0) + self.kernel.arrays_at(columns)):
            x, within = X[rows], None if inner is None else inner.rows(rows)
            at = self.kernel.at(x, self.inputs)
            mean[rows] = blas.dgemv(1.0, at.value.T, self.weights, trans=1)
            Rk = self.root.times(np.array(at.value).T)
            variance[rows] = self._variance(x, Rk)
            Qk = self.root.transposed_times(Rk).T
            diag_first, diag_second = self.kernel.diag_derivatives(x, order)
            slope = np.stack([at.weighted_first(self.weights), diag_first - 2.0 * at.weighted_first(Qk)], axis=1)
            bend = None
            if diag_second is not None:
                bend = np.stack([at.second(self.weights), diag_second - 2.0 * at.second(Qk)], axis=1)
            first[rows], bend = (slope, bend) if within is None else within.chain(slope, bend)
            if second is not None and bend is not None:
                bend[:, 1] -= 2.0 * self._squared_first(at, within)
                second[rows] = bend
        return Latent(self.mean + mean, variance, first, second)

    def _squared_first(self, at: KernelAt, inner: Inner | None) -> Array:
        """(R∂k)ᵀ(R∂k), (n, D, D): one solve per row and column, of x or of the kernel, whichever has fewer."""
        dk = at.first_by_column()
        few = inner is not None and inner.n_columns < dk.shape[1]
        if few and inner is not None:
            dk = np.matmul(inner.first.transpose(0, 2, 1), dk)
        n, D, M = dk.shape
        R_dk = self.root.times(dk.reshape(n * D, M).T).T.reshape(n, D, -1)
        products = np.empty((n, D, D))
        for product, V in zip(products, R_dk, strict=True):
            product[:] = blas.dgemm(1.0, V.T, V.T, trans_a=1)  # SciPy's BLAS, like the solves: two pools would fight
        return products if inner is None or few else inner.first.transpose(0, 2, 1) @ products @ inner.first

    def _variance(self, X: Array, Rk: Array) -> Array:
        """k** − |Rk|², but at least the rounding of k**."""
        prior = self.kernel.diag(X)
        return np.maximum(prior - np.einsum("ji,ji->i", Rk, Rk), np.finfo(float).eps * prior)

    def _chunks(self, n: int, arrays: int) -> Iterator[slice]:
        """Chunks of rows so small that `arrays` arrays of shape (rows, M) fit in `CHUNK_BYTES`."""
        return even_chunks(n, 8 * len(self.weights) * arrays, CHUNK_BYTES)


def even_chunks(n: int, row_bytes: int, most_bytes: int) -> Iterator[slice]:
    """Chunks of about equally many of n rows, each as large as fits, but at least one row."""
    chunks = -(-n // max(1, most_bytes // row_bytes))
    for k in range(chunks):
        yield slice(n * k // chunks, n * (k + 1) // chunks)


#: Jitters relative to the mean of the diagonal, tried one after the other.
JITTERS = (0.0, *10.0 ** np.arange(-10, -2))


def jittered_cholesky(K: Array, noise: float = 0.0, jitters: Sequence[float] = JITTERS) -> tuple[Array, float]:
    """The lower factor L of K + (noise + jitter)·I (Fortran order, zeros above), and the first jitter that works."""
    size = float(np.mean(np.diagonal(K))) + noise
    if not np.isfinite(size):
        raise InputError("the covariance matrix is not finite. Check the kernel's hyperparameters and the data.")
    size = size or 1.0  # f = 0 everywhere, as under a Linear kernel at the origin
    for relative in jitters:
        A = np.array(K, order="F")
        A[np.diag_indices_from(A)] += noise + relative * size
        L, failed = lapack.dpotrf(A, lower=1, clean=1, overwrite_a=1)
        if not failed:
            return L, float(relative * size)
    raise InputError(
        "the covariance matrix is not positive definite, even with a jitter of 1e-3 of its variance. Raise ",
        Argument("noise_variance"),
        ", or remove rows that are nearly the same.",
    )
