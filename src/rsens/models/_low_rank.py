"""The low-rank prior of sparse GPs: f = Vᵀw at the training rows, with w ~ N(0, I) and V = L⁻¹K_ux.

L Lᵀ = K_uu is the covariance at the M inducing inputs, so that f has the covariance Q = VᵀV = K_xu K_uu⁻¹ K_ux. We sum
over rows in these whitened coordinates: K_ux W K_xu would have to be divided by K_uu twice, and would lose its digits
if K_uu is nearly singular; VWVᵀ keeps them.

Rows come in chunks. Memory holds the data, a few chunks, and V itself only if it is small.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import blas, lapack, qr

from rsens._errors import InputError
from rsens._typing import Array
from rsens.kernels import Kernel
from rsens.posteriors import DenseRoot, LatentPosterior

#: The size of one array (M, rows of a chunk).
CHUNK_BYTES = 4 * 2**20
#: V is kept between passes over the rows up to this size; a larger V is computed again in each pass.
KEPT_BYTES = 400 * 2**20
#: What we add to the diagonal of K_uu, relative to its mean: always at least the first, so that the marginal likelihood
#: stays a smooth function of the hyperparameters; the others only if rounding has made K_uu more indefinite than that.
JITTERS = tuple(10.0 ** np.arange(-12, -2))


class LowRankPrior:
    """K_uu, factored, and V by chunks, for one kernel."""

    def __init__(self, kernel: Kernel, X: Array, inducing: Array) -> None:
        self.kernel, self.X, self.inducing = kernel, X, inducing
        self.rank = len(inducing)
        self._on = kernel.on(inducing)
        self.L, self._relative_jitter, self.jitter = _factored(self._on.value)
        self._kept: dict[int, Array] | None = {} if 8 * len(X) * self.rank <= KEPT_BYTES else None

    def slices(self) -> Iterator[slice]:
        """The rows of each chunk."""
        most = max(1, CHUNK_BYTES // (8 * self.rank))
        chunks = -(-len(self.X) // most)
        for i in range(chunks):
            yield slice(len(self.X) * i // chunks, len(self.X) * (i + 1) // chunks)

    def chunks(self) -> Iterator[tuple[slice, Array]]:
        """The columns of V for the rows of each chunk, (M, rows) in Fortran order. Do not change them."""
        for rows in self.slices():
            if self._kept is None:
                yield rows, self._whitened(self.kernel(self.inducing, self.X[rows]))
                continue
            if rows.start not in self._kept:
                self._kept[rows.start] = self._whitened(self.kernel(self.inducing, self.X[rows]))
            yield rows, self._kept[rows.start]

    def transposed_times(self, w: Array) -> Array:
        """Vᵀw, (N,)."""
        return np.concatenate([blas.dgemv(1.0, V, w, trans=1) for _, V in self.chunks()])

    def _whitened(self, K_uc: Array) -> Array:
        return blas.dtrsm(1.0, self.L, K_uc, lower=1, overwrite_b=1)

    def kernel_gradient(self, E: Array, W: Array, P: Array, R: Array, DVt: Array) -> Array:
        """Σ_ij M_ij ∂Q_ij/∂θ in the kernel's θ, where 2VM = D = E V diag(W) + P Rᵀ; E (M, M), P (M, r), R (N, r).

        With ∂Q = ∂K_xu A⁻¹K_ux + K_xu A⁻¹∂K_ux − K_xu A⁻¹∂A A⁻¹K_ux and A = K_uu = L Lᵀ, the derivative in K_ux is
        L⁻ᵀD, and in K_uu it is −½ L⁻ᵀ(DVᵀ)L⁻¹. `DVt` is DVᵀ (M, M), symmetric.
        """
        left_E, left_P = (blas.dtrsm(1.0, self.L, B, lower=1, trans_a=1) for B in (E, P))
        of_A = blas.dtrsm(-0.5, self.L, DVt, lower=1, trans_a=1)
        of_A = blas.dtrsm(1.0, self.L, of_A, lower=1, side=1, overwrite_b=1)
        # The jitter is a fixed share of the mean of the diagonal, and moves with it.
        of_A[np.diag_indices_from(of_A)] += self._relative_jitter * np.mean(np.diagonal(of_A))
        gradient = self._on.hyper_gradient(of_A)
        for rows, V in self.chunks():
            of_K = blas.dgemm(1.0, left_E, V * W[rows])
            of_K = blas.dgemm(1.0, left_P, R[rows], trans_b=1, beta=1.0, c=of_K, overwrite_c=1)
            gradient = gradient + self.kernel.on(self.inducing, self.X[rows]).hyper_gradient(of_K)
        return gradient

    def posterior(self, w: Array, VWVt: Array, mean: float = 0.0) -> LatentPosterior:
        """The latent posterior for w ~ N(ŵ, (I + VWVᵀ)⁻¹) given y; at a new row the variance includes k** − q**.

        With φ = L⁻¹k(x): m = φᵀŵ, and v = k** − φᵀφ + φᵀ(I + S)⁻¹φ = k** − |diag(√(s/(1 + s))) Uᵀφ|² for
        S = VWVᵀ = U diag(s) Uᵀ. The root is the triangular factor of diag(√(s/(1 + s))) UᵀL⁻¹, as quick as it can be.
        """
        s, U = _eigen(VWVt)
        s = np.maximum(s, 0.0)
        R = blas.dtrsm(1.0, self.L, (U * np.sqrt(s / (1.0 + s))).T, lower=1, side=1)
        a = blas.dtrsv(self.L, w, lower=1, trans=1)
        root = DenseRoot(np.asfortranarray(qr(R, mode="r", overwrite_a=True, check_finite=False)[0]))
        return LatentPosterior(self.kernel, self.inducing, a, root, mean, self.jitter)


def add_outer(S: Array, V: Array) -> Array:
    """S + VVᵀ, written over S, lower triangle only."""
    return blas.dsyrk(1.0, V, beta=1.0, c=S, lower=1, overwrite_c=1)


def symmetric(S: Array) -> Array:
    """The whole of a symmetric matrix whose lower triangle is given."""
    return np.asfortranarray(np.tril(S) + np.tril(S, -1).T)


def factored_identity_plus(S: Array) -> Array:
    """The lower L_B with L_B L_Bᵀ = I + S, which is never singular: S is positive semi-definite."""
    B = np.array(S, order="F")
    B[np.diag_indices_from(B)] += 1.0
    L, failed = lapack.dpotrf(B, lower=1, clean=1, overwrite_a=1)
    if failed:
        raise InputError("the posterior covariance is not finite. Check the hyperparameters, the data and the offset.")
    return L


def inverse_from(L_B: Array) -> Array:
    """(L_B L_Bᵀ)⁻¹, both triangles."""
    inverse, _ = lapack.dpotri(L_B, lower=1)
    return symmetric(inverse)


def _eigen(S: Array) -> tuple[Array, Array]:
    s, U, failed = lapack.dsyevd(S, lower=1)
    if failed:
        raise InputError("the posterior covariance is not finite. Check the hyperparameters, the data and the offset.")
    return s, U


def _factored(K_uu: Array) -> tuple[Array, float, float]:
    """L with L Lᵀ = K_uu + jitter·I, the jitter relative to the mean variance, and the jitter itself."""
    size = float(np.mean(np.diagonal(K_uu)))
    if not np.isfinite(size):
        raise InputError("the covariance matrix is not finite. Check the kernel's hyperparameters and the data.")
    size = size if size > 0.0 else 1.0  # f = 0 everywhere, as under a Linear kernel at the origin
    for relative in JITTERS:
        A = np.array(K_uu, order="F")
        A[np.diag_indices_from(A)] += relative * size
        L, failed = lapack.dpotrf(A, lower=1, clean=1, overwrite_a=1)
        if not failed:
            return L, float(relative), float(relative * size)
    raise InputError(
        "the covariance matrix of the inducing inputs is not positive definite, even with a jitter of 1e-3 of its "
        "variance. Check the kernel's hyperparameters."
    )
