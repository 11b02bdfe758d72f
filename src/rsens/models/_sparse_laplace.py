"""Laplace's approximation with the low-rank prior of inducing inputs, for likelihoods other than the Gaussian.

At the training rows f = Vᵀw with w ~ N(0, I) (see `_low_rank`): the prior N(0, Q) known as DTC. So we look for the mode
of M numbers, each Newton step is one pass over the rows, and w given y is approximated by N(ŵ, (I + VWVᵀ)⁻¹). In f this
is Laplace's approximation with K replaced by Q, step for step (GPML, section 3.4 and algorithm 5.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import blas, lapack

from rsens._errors import InputError
from rsens._typing import Array
from rsens.kernels import Kernel
from rsens.models._laplace import WarmStart
from rsens.models._low_rank import LowRankPrior, add_outer, factored_identity_plus, inverse_from, symmetric
from rsens.models._mode import MAX_HALVINGS, MAX_STEPS, ROUNDING, TOLERANCE
from rsens.models._thinned import Density
from rsens.posteriors import LatentPosterior

#: A squared Newton decrement so small that the step squares it below anything that matters (see `_mode.TOLERANCE`).
NEAR = 1e-6


def approximate(
    kernel: Kernel,
    likelihood: Density,
    X: Array,
    y: Array,
    inducing: Array,
    *,
    mean: float = 0.0,
    offset: Array | float = 0.0,
    warm: WarmStart | None = None,
) -> SparseLaplaceApproximation:
    """The approximation at the mode; takes the arguments of `_laplace.approximate`, and the inducing inputs."""
    target = LowRankTarget(LowRankPrior(kernel, X, inducing), likelihood, y, np.broadcast_to(mean + offset, y.shape))
    w, converged, there = target.mode() if warm is None else target.mode(warm.weights, near=warm.near)
    if warm is not None:
        warm.weights, warm.converged = w, converged
    return SparseLaplaceApproximation(target, w, converged, mean, there)


@dataclass(frozen=True, eq=False)
class Climb:
    """Ψ(w) = log p(y | f) − ½|w|² at one w, the size of the terms in that sum, its gradient, and VWVᵀ.

    By row, `predictor` is f + offset.
    """

    psi: float
    size: float
    gradient: Array
    VWVt: Array
    predictor: Array
    W: Array


@dataclass(frozen=True, eq=False)
class LowRankTarget:
    """y given w: p(y | Vᵀw + offset)."""

    prior: LowRankPrior
    likelihood: Density
    y: Array
    offset: Array

    def climb(self, w: Array) -> Climb | None:
        """One pass over the rows, with W = max(−∇∇log p, 0); None if the likelihood underflows because exp overflows.

        With the curvature of the Student-t cut off at 0, steps still go uphill.
        """
        size = 0.5 * float(np.sum(w**2))
        psi = -size
        gradient, VWVt = -w, np.zeros((len(w), len(w)), order="F")
        predictor, W = np.empty((2, len(self.y)))
        for rows, V in self.prior.chunks():
            y, f = self.y[rows], blas.dgemv(1.0, V, w, trans=1) + self.offset[rows]
            with np.errstate(over="ignore", invalid="ignore"):
                terms = self.likelihood.log_density(y, f)
            if not np.isfinite(terms).all():
                return None
            slope, second, _ = self.likelihood.f_derivatives(y, f)
            psi += float(np.sum(terms))
            size += float(np.sum(np.abs(terms)))
            gradient = gradient + blas.dgemv(1.0, V, slope)
            predictor[rows], W[rows] = f, np.maximum(-second, 0.0)
            VWVt = add_outer(VWVt, V * np.sqrt(W[rows]))
        return Climb(psi, size, gradient, VWVt, predictor, W)

    def mode(self, start: Array | None = None, *, near: bool = False) -> tuple[Array, bool, Climb | None]:
        """ŵ, whether the search reached it, and the pass at ŵ: Newton's method with step halving.

        It starts from `start` if that is better than 0. In f, these are the steps and the stopping rule of
        `_mode.find_mode`. With `near`, the mode of fewer rows is the start, and passes are saved: 0 is not tried, and
        the last step, a tiny one, is taken without a look, so that there is no pass at ŵ.
        """
        w, here = self._start(start, near)
        decrement = np.inf
        for _ in range(MAX_STEPS):
            step, _ = lapack.dpotrs(factored_identity_plus(here.VWVt), here.gradient, lower=1)
            before, decrement = decrement, float(np.sum(here.gradient * step))
            if near and 0.0 <= decrement <= NEAR:
                return w + step, True, None
            if decrement <= TOLERANCE or ROUNDING >= decrement >= before:
                break
            uphill = self._halved(w, here, step)
            if uphill is None:
                break
            w, here = uphill
        return w, abs(decrement) <= ROUNDING, here

    def _start(self, start: Array | None, near: bool) -> tuple[Array, Climb]:
        """0 or `start`, whichever is better."""
        w = np.zeros(self.prior.rank)
        if start is not None and start.shape == w.shape:
            warm = self.climb(start)
            if warm is not None and (near or not self._psi_at_zero() >= warm.psi):
                return start, warm
        here = self.climb(w)
        if here is None:
            raise InputError(
                "the likelihood of y is zero at the prior mean of f. Check y and offset for extreme values."
            )
        return w, here

    def _psi_at_zero(self) -> float:
        """Ψ(0), which takes no pass: f is the offset there. Not a number, or −inf, if the likelihood underflows."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.sum(self.likelihood.log_density(self.y, self.offset)))

    def _halved(self, w: Array, here: Climb, step: Array) -> tuple[Array, Climb] | None:
        """The longest of the steps 1, ½, ¼, … after which Ψ is not lower than rounding can tell."""
        for halvings in range(MAX_HALVINGS):
            trial = w + 0.5**halvings * step
            there = self.climb(trial)
            if there is not None and there.psi >= here.psi - 1e-13 * here.size:
                return trial, there
        return None


@dataclass(frozen=True, eq=False)
class SparseLaplaceApproximation:
    """w ~ N(ŵ, B⁻¹) given y, with B = I + VWVᵀ and W the likelihood's `curvature`; `there` is the pass at ŵ."""

    target: LowRankTarget
    w: Array
    converged: bool
    mean: float
    there: Climb | None = None

    @property
    def jitter(self) -> float:
        return self.target.prior.jitter

    @cached_property
    def _at_mode(self) -> tuple[Array, Array]:
        """f̂ + offset at the training rows, and VWVᵀ, in one pass, unless the search for the mode has made it."""
        target, there = self.target, self.there
        if there is not None:
            W, _ = target.likelihood.curvature(target.y, there.predictor)
            if np.array_equal(W, there.W):  # it is not for a Student-t
                return there.predictor, symmetric(there.VWVt)
        predictor = np.empty(len(target.y))
        VWVt = np.zeros((len(self.w), len(self.w)), order="F")
        for rows, V in target.prior.chunks():
            predictor[rows] = blas.dgemv(1.0, V, self.w, trans=1) + target.offset[rows]
            W, _ = target.likelihood.curvature(target.y[rows], predictor[rows])
            VWVt = add_outer(VWVt, V * np.sqrt(W))
        return predictor, symmetric(VWVt)

    @property
    def _predictor(self) -> Array:
        return self._at_mode[0]

    @property
    def _VWVt(self) -> Array:
        return self._at_mode[1]

    @cached_property
    def _curvature(self) -> tuple[Array, Array]:
        """W and ∂W/∂f at the mode."""
        return self.target.likelihood.curvature(self.target.y, self._predictor)

    @cached_property
    def _L_B(self) -> Array:
        return factored_identity_plus(self._VWVt)

    @cached_property
    def log_marginal_likelihood(self) -> float:
        """log q(y) = log p(y | f̂) − ½|ŵ|² − ½ log|B|."""
        log_density = np.sum(self.target.likelihood.log_density(self.target.y, self._predictor))
        return float(log_density - 0.5 * np.sum(self.w**2) - np.sum(np.log(np.diagonal(self._L_B))))

    def posterior(self) -> LatentPosterior:
        """m = φᵀŵ and v = k** − q** + φᵀB⁻¹φ with φ = L⁻¹k."""
        return self.target.prior.posterior(self.w, self._VWVt, self.mean)

    def gradient(self) -> Array:
        """∂ log q(y)/∂θ, first the kernel's hyperparameters, then the likelihood's (algorithm 5.1, K = Q).

        As for the dense prior, the kernel's part is Σ_ij M_ij ∂Q_ij with M = ½[(a + u)(a + u)ᵀ − uuᵀ − R], where
        a = ∇log p(y | f̂), u = (I + WQ)⁻¹s₂ carries the movement of the mode with s₂ = ∂ log q/∂f̂ = −½ Σ_ii ∂W_i/∂f_i,
        and R = (Q + W⁻¹)⁻¹. Here Va = ŵ, Vu = B⁻¹Vs₂ = z, VR = B⁻¹VW; so 2VM = ŵ(a + u)ᵀ + zaᵀ − B⁻¹VW.
        """
        prior, likelihood, y = self.target.prior, self.target.likelihood, self.target.y
        W, dW = self._curvature
        a, _, _ = likelihood.f_derivatives(y, self._predictor)
        variance, Vs2 = np.empty(len(y)), np.zeros(len(self.w))
        for rows, V in prior.chunks():
            half = blas.dtrsm(1.0, self._L_B, V, lower=1)
            variance[rows] = np.einsum("ij,ij->j", half, half)  # Σ_ii = v_iᵀB⁻¹v_i
            Vs2 = Vs2 + blas.dgemv(-0.5, V, variance[rows] * dW[rows])
        z, _ = lapack.dpotrs(self._L_B, Vs2, lower=1)
        Qu = prior.transposed_times(z)
        u = -0.5 * variance * dW - W * Qu  # s₂ − WVᵀB⁻¹Vs₂

        inverse = inverse_from(self._L_B)
        P, R = np.column_stack([self.w, z]), np.column_stack([a + u, a])
        # DVᵀ = ŵ(ŵ + z)ᵀ + zŵᵀ − B⁻¹VWVᵀ, and B⁻¹VWVᵀ = I − B⁻¹
        DVt = inverse + np.outer(self.w, self.w + z) + np.outer(z, self.w)
        DVt[np.diag_indices_from(DVt)] -= 1.0
        of_kernel = prior.kernel_gradient(-inverse, W, P, R, DVt)

        of_log_density, of_slope, of_W = likelihood.theta_derivatives(y, self._predictor)
        # s₂ᵀ∂f̂ = uᵀQ ∂∇log p
        of_likelihood = np.sum(of_log_density - 0.5 * variance * of_W + Qu * of_slope, axis=1)
        return np.concatenate([of_kernel, of_likelihood])
