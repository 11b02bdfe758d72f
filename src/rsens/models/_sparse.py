"""The sparse GP with Gaussian noise: the variational bound of Titsias (2009) with its gradient, and the posterior.

With M inducing inputs and Q = VᵀV (see `_low_rank`), y ~ N(0, Q + σ²I), and the prior variance that Q misses is a
penalty:  F = log N(y | 0, Q + σ²I) − tr(K − Q)/(2σ²) ≤ log p(y), with equality for K = Q, as when all rows are inducing
inputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.linalg import blas, lapack

from rsens._typing import Array
from rsens.kernels import Kernel
from rsens.likelihoods import GaussianLikelihood
from rsens.models._low_rank import LowRankPrior, add_outer, factored_identity_plus, inverse_from, symmetric
from rsens.posteriors import LatentPosterior


def approximate(
    kernel: Kernel, likelihood: GaussianLikelihood, X: Array, y: Array, inducing: Array, *, mean: float = 0.0
) -> VariationalApproximation:
    """The approximation, in one pass over the rows. y has mean 0: the posterior adds `mean`, which y was reduced by."""
    prior = LowRankPrior(kernel, X, inducing)
    S, Vy, missed = np.zeros((prior.rank, prior.rank), order="F"), np.zeros(prior.rank), 0.0
    for rows, V in prior.chunks():
        S = add_outer(S, V)
        Vy = Vy + blas.dgemv(1.0, V, y[rows])
        missed += float(np.sum(np.maximum(kernel.diag(X[rows]) - np.einsum("ij,ij->j", V, V), 0.0)))
    S /= likelihood.noise_variance
    L_B = factored_identity_plus(S)
    w, _ = lapack.dpotrs(L_B, Vy / likelihood.noise_variance, lower=1)
    return VariationalApproximation(prior, likelihood.noise_variance, y, symmetric(S), L_B, w, missed, mean)


@dataclass(frozen=True, eq=False)
class VariationalApproximation:
    """w ~ N(ŵ, B⁻¹) given y, with B = I + S = L_B L_Bᵀ, S = VVᵀ/σ² and ŵ = B⁻¹Vy/σ²."""

    prior: LowRankPrior
    noise_variance: float
    y: Array
    S: Array
    L_B: Array
    w: Array
    missed: float  # tr(K − Q)
    mean: float
    converged: ClassVar[bool] = True  # there is no search

    @property
    def jitter(self) -> float:
        return self.prior.jitter

    @cached_property
    def _residual(self) -> Array:
        """y − Vᵀŵ = σ²C⁻¹y with C = Q + σ²I."""
        return self.y - self.prior.transposed_times(self.w)

    @cached_property
    def log_marginal_likelihood(self) -> float:
        """F, with |C| = σ²ᴺ|B| and yᵀC⁻¹y = |y − Vᵀŵ|²/σ² + |ŵ|², in which nothing cancels."""
        squares = np.sum(self._residual**2) / self.noise_variance + np.sum(self.w**2)
        half_log_determinant = np.sum(np.log(np.diagonal(self.L_B)))
        constant = len(self.y) * np.log(2.0 * np.pi * self.noise_variance)
        return float(-0.5 * (squares + constant + self.missed / self.noise_variance) - half_log_determinant)

    def gradient(self) -> Array:
        """∂F/∂θ, first the kernel's hyperparameters, then the log noise variance.

        In the kernel F moves by Σ_ij M_ij ∂Q_ij − tr(∂K)/(2σ²) with α = C⁻¹y and M = ½(ααᵀ − C⁻¹ + I/σ²). From
        C⁻¹ = (I − VᵀB⁻¹V/σ²)/σ² follow Vα = ŵ and 2VM = ŵαᵀ + (I − B⁻¹)V/σ².
        """
        noise, N = self.noise_variance, len(self.y)
        alpha = self._residual / noise
        inverse = inverse_from(self.L_B)
        E = -inverse
        E[np.diag_indices_from(E)] += 1.0  # I − B⁻¹ = B⁻¹S
        DVt = blas.dger(1.0, self.w, self.w, a=blas.dsymm(1.0, self.S, E, side=1, lower=1), overwrite_a=1)
        of_kernel = self.prior.kernel_gradient(E, np.full(N, 1.0 / noise), self.w[:, None], alpha[:, None], DVt)
        of_kernel = of_kernel - 0.5 / noise * self._diagonal_gradient()
        trace = (N - np.trace(E)) / noise  # of C⁻¹
        of_noise = 0.5 * noise * (np.sum(alpha**2) - trace + self.missed / noise**2)
        return np.append(of_kernel, of_noise)

    def _diagonal_gradient(self) -> Array:
        """∂tr(K)/∂θ."""
        kernel, X = self.prior.kernel, self.prior.X
        chunks = [kernel.hyper_gradient_diag(X[rows], np.ones(len(X[rows]))) for rows in self.prior.slices()]
        return np.sum(chunks, axis=0)

    def posterior(self) -> LatentPosterior:
        """Mean and variance of f anywhere (Titsias 2009, equation 6)."""
        return self.prior.posterior(self.w, self.S, self.mean)
