"""The exact GP with Gaussian noise: marginal likelihood with its gradient, and posterior (GPML, algorithm 2.1)."""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas, lapack

from rsens._typing import Array
from rsens.kernels import Kernel
from rsens.likelihoods import GaussianLikelihood
from rsens.posteriors import LatentPosterior, TriangularRoot, jittered_cholesky


def objective(kernel: Kernel, likelihood: GaussianLikelihood, X: Array, y: Array) -> tuple[float, Array]:
    """log p(y) and its gradient in the kernel's `theta`, then the log noise variance.

    ∂log p/∂θ = Σ_ij M_ij ∂C_ij/∂θ with C = K + σ²I, α = C⁻¹y and M = ½(ααᵀ − C⁻¹) (GPML, equation 5.9).
    """
    on = kernel.on(X)
    L, _ = jittered_cholesky(on.value, likelihood.noise_variance)
    alpha, _ = lapack.dpotrs(L, y, lower=1)
    value = _log_density(L, alpha, y)
    inverse, _ = lapack.dpotri(L, lower=1, overwrite_c=1)  # the lower triangle, which is all the kernel reads
    of_noise = 0.5 * likelihood.noise_variance * (np.sum(alpha**2) - np.trace(inverse))
    M = blas.dsyr(-1.0, alpha, a=inverse, lower=1, overwrite_a=1)
    M *= -0.5
    return value, np.append(on.hyper_gradient(M), of_noise)


def posterior_and_value(
    kernel: Kernel, likelihood: GaussianLikelihood, X: Array, y: Array
) -> tuple[LatentPosterior, float]:
    """f given y, with a = C⁻¹y and R = L⁻¹; and log p(y)."""
    L, jitter = jittered_cholesky(kernel(X), likelihood.noise_variance)
    alpha, _ = lapack.dpotrs(L, y, lower=1)
    return LatentPosterior(kernel, X, alpha, TriangularRoot(L), jitter=jitter), _log_density(L, alpha, y)


def _log_density(L: Array, alpha: Array, y: Array) -> float:
    """−½ yᵀα − Σ log L_ii − ½ N log 2π (algorithm 2.1, line 7)."""
    return float(-0.5 * blas.ddot(y, alpha) - np.sum(np.log(np.diagonal(L))) - 0.5 * len(y) * np.log(2.0 * np.pi))
