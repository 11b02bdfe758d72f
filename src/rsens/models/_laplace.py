"""Laplace's approximation for a GP with a likelihood other than the Gaussian (GPML, algorithms 3.1, 3.2 and 5.1).

f given y is approximated by N(f̂, (K⁻¹ + W)⁻¹) at its mode f̂. Everything goes through one Cholesky factor of
B = I + √W K √W, whose eigenvalues are at least 1: K itself is never factored, so it may be singular.

W is −∇∇log p(y | f) if that is never negative. For the Student-t it is the expected information, which does not depend
on f (Laplace–Fisher): the mode is the same, only the curvature differs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import blas, lapack

from rsens._typing import Array
from rsens.kernels import Kernel
from rsens.likelihoods import Likelihood
from rsens.models._mode import Factor, Prior, find_mode
from rsens.models._rows import Data
from rsens.posteriors import LatentPosterior, TriangularRoot


@dataclass(eq=False)
class WarmStart:
    """The last mode, where the next search starts: latent values f̂, or weights with inducing inputs."""

    latent: Array | None = None
    weights: Array | None = None
    #: Whether the weights are the mode of some of the rows, so that few passes over all rows are needed.
    near: bool = False


class LaplaceApproximation:
    """q(f | y) = N(f̂, (K⁻¹ + W)⁻¹) at the mode (algorithm 3.1), from `warm`; y depends on mean + f + offset."""

    def __init__(self, kernel: Kernel, likelihood: Likelihood, data: Data, warm: WarmStart | None = None) -> None:
        self.kernel, self.likelihood, self.data, self.y = kernel, data.density(likelihood), data, data.y
        self.kernel_on = kernel.on(data.X)
        self.prior = Prior(self.kernel_on.value)
        warm = warm or WarmStart()
        self.mode = find_mode(self.prior, self.likelihood, self.y, data.mean + data.offset, warm.latent)
        self.converged = self.mode.converged
        warm.latent = self.mode.latent if self.converged else None

    @property
    def jitter(self) -> float:
        return self._factor.jitter

    @cached_property
    def _curvature(self) -> tuple[Array, Array]:
        """W and ∂W/∂f at the mode."""
        return self.likelihood.curvature(self.y, self._predictor)

    @cached_property
    def _factor(self) -> Factor:
        W, _ = self._curvature
        return self.mode.factor if np.array_equal(W, self.mode.curvature) else self.prior.factored(W)

    @property
    def _predictor(self) -> Array:
        # bit for bit what `find_mode` saw, so that W is the same
        return self.mode.latent + (self.data.mean + self.data.offset)

    @cached_property
    def log_marginal_likelihood(self) -> float:
        """log q(y) = log p(y | f̂) − ½ aᵀf̂ − Σ log L_ii (algorithm 3.1, line 10)."""
        return self.mode.psi - float(np.sum(np.log(np.diagonal(self._factor.L))))

    def posterior(self) -> LatentPosterior:
        """Algorithm 3.2: m = kᵀ∇log p(y | f̂) (line 4) and v = k** − |L⁻¹√W k|² (lines 5 and 6)."""
        root = TriangularRoot(self._factor.L, self._factor.s)
        return LatentPosterior(self.kernel, self.data.X, self.mode.weights, root, self.data.mean, self.jitter)

    def gradient(self) -> Array:
        """∂ log q(y)/∂θ, first the kernel's hyperparameters, then the likelihood's (algorithm 5.1).

        Explicitly θ moves K and p(y | f); implicitly it moves the mode f̂, and with it W. The rest of Ψ is at its
        maximum in f̂. With W = −∇∇log p the mode moves by ∂f̂ = (I + KW)⁻¹(∂K ∇log p + K ∂∇log p); where W does not
        depend on f, as for the Student-t, the implicit terms vanish and ∂f̂ is not needed.
        """
        W, dW = self._curvature
        a, s = self.mode.weights, self._factor.s
        inverse, _ = lapack.dpotri(self._factor.L, lower=1)  # lower triangle of B⁻¹, zeros above
        # The posterior variances are Σ_ii = (1 − B⁻¹_ii)/W_i. They are always multiplied by a derivative of W_i, and
        # (∂W_i/W_i)(1 − B⁻¹_ii) keeps its digits for small W, where it goes to 0. This saves lines 8 and 9 a solve.
        per_W = np.divide(1.0 - np.diagonal(inverse), W, out=np.zeros(len(W)), where=W > 1e-300)
        s2 = -0.5 * per_W * dW  # line 9: ∂ log q/∂f̂

        R = inverse  # line 7: R = √W B⁻¹ √W = (K + W⁻¹)⁻¹, in place
        R *= s[:, None]
        R *= s
        u = s2 - blas.dsymv(1.0, R, self.prior.times(s2), lower=1)  # s2ᵀ(I − KR) of line 14, once for all θ

        # Lines 12 to 15 for every θ at once: ½ aᵀ∂K a − ½ tr(R ∂K) + uᵀ ∂K a = Σ_ij M_ij ∂K_ij with
        # M = ½[(a + u)(a + u)ᵀ − uuᵀ − R], of which the kernel reads the lower triangle.
        R = blas.dsyr(-1.0, a + u, a=R, lower=1, overwrite_a=1)
        R = blas.dsyr(1.0, u, a=R, lower=1, overwrite_a=1)
        R *= -0.5
        of_kernel = self.kernel_on.hyper_gradient(R)

        of_log_density, of_slope, of_W = self.likelihood.theta_derivatives(self.y, self._predictor)
        implicit = self.prior.times(u)  # s2ᵀ∂f̂ = uᵀK ∂∇log p
        of_likelihood = np.sum(of_log_density - 0.5 * per_W * of_W + implicit * of_slope, axis=1)
        return np.concatenate([of_kernel, of_likelihood])
