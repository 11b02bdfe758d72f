"""The exact GP with Gaussian noise: marginal likelihood with its gradient, and posterior (GPML, algorithm 2.1)."""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas, lapack

from rsens._typing import Array
from rsens.kernels import Kernel
from rsens.likelihoods import GaussianLikelihood
from rsens.models._rows import Data
from rsens.posteriors import LatentPosterior, TriangularRoot, jittered_cholesky


class ExactInference:
    """f given y − mean − offset, with C = K + σ²I = LLᵀ, α = C⁻¹y. The gradient overwrites L: no posterior then."""

    converged = True  # in closed form

    def __init__(self, kernel: Kernel, likelihood: GaussianLikelihood, data: Data) -> None:
        self.kernel, self.data, self.noise_variance, y = kernel, data, likelihood.noise_variance, data.residual
        self._on = kernel.on(data.X)
        self._L, self.jitter = jittered_cholesky(self._on.value, self.noise_variance)
        self.alpha, _ = lapack.dpotrs(self._L, y, lower=1)
        # −½ yᵀα − Σ log L_ii − ½ N log 2π (algorithm 2.1, line 7)
        half_log_determinant = np.sum(np.log(np.diagonal(self._L)))
        constant = 0.5 * len(y) * np.log(2.0 * np.pi)
        self.log_marginal_likelihood = float(-0.5 * blas.ddot(y, self.alpha) - half_log_determinant - constant)

    def gradient(self) -> Array:
        """∂log p/∂θ = Σ_ij M_ij ∂C_ij/∂θ with M = ½(ααᵀ − C⁻¹) (GPML, equation 5.9); last in the log noise variance."""
        inverse, _ = lapack.dpotri(self._L, lower=1, overwrite_c=1)  # the lower triangle, which is all the kernel reads
        of_noise = 0.5 * self.noise_variance * (np.sum(self.alpha**2) - np.trace(inverse))
        M = blas.dsyr(-1.0, self.alpha, a=inverse, lower=1, overwrite_a=1)
        M *= -0.5
        return np.append(self._on.hyper_gradient(M), of_noise)

    def posterior(self) -> LatentPosterior:
        """a = α and R = L⁻¹."""
        return LatentPosterior(
            self.kernel, self.data.X, self.alpha, TriangularRoot(self._L), self.data.mean, self.jitter
        )
