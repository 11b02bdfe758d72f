"""Newton's method for the mode of a posterior: the first step of every Laplace approximation.

`newton` climbs in weights w, for linear models and for sparse GPs. `find_mode` climbs in the values f ~ N(0, K) of a
GP, where weights are f = Ka: K may be nearly singular, so rounding of Ka limits what Ψ can show, and the search has to
notice when it no longer gains; the Student-t has negative curvature at outliers, for which conjugate gradients go on.

The mode of f maximises Ψ(f) = log p(y | f + offset) − ½ fᵀK⁻¹f. With f = Ka we never divide by K (GPML, section 3.4.3):
Ψ = log p − ½ aᵀf, its gradient is ∇log p − a, and at the mode a = ∇log p.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.linalg import blas, lapack

from rsens._errors import InputError
from rsens._typing import Array
from rsens.models._rows import Density
from rsens.posteriors import jittered_cholesky

MAX_STEPS = 200
MAX_HALVINGS = 60
MAX_INNER = 50
#: The search ends when the squared Newton decrement falls below this. It is twice the Ψ still to be gained, and the
#: squared distance to the mode in posterior standard deviations. The marginal likelihood depends on the mode to first
#: order, so the tolerance is far finer than Ψ itself can show.
TOLERANCE = 1e-22
#: A search that rounding stops earlier has converged if it came this near. From here on each step squares the
#: decrement, so a decrement that does not even fall to a tenth is only rounding.
ROUNDING = 1e-8
FALL = 0.1
#: After this many steps with neither a smaller decrement nor a higher Ψ, rounding has stopped the search further away.
MOST_IDLE = 10
IMPOSSIBLE = "the likelihood of y is zero at the prior mean of f. Check y and offset for extreme values."


@dataclass(frozen=True, eq=False)
class Point:
    """The log posterior Ψ at w, the size of the terms in its sum, its gradient, and W = −∇∇log p by row."""

    w: Array
    psi: float
    size: float
    gradient: Array
    W: Array


Where = TypeVar("Where", bound=Point)


def newton(
    start: Where,
    at: Callable[[Array], Where | None],
    step_from: Callable[[Where], Array],
    *,
    tolerance: float = TOLERANCE,
) -> tuple[Where, Array, float]:
    """The end of Newton's method with step halving, the next step, and the squared Newton decrement there."""
    here, decrement = start, np.inf
    for _ in range(MAX_STEPS):
        step = step_from(here)
        before, decrement = decrement, float(np.sum(here.gradient * step))
        if decrement <= tolerance or ROUNDING >= decrement >= before:
            break
        trials = (at(here.w + 0.5**halvings * step) for halvings in range(MAX_HALVINGS))
        uphill = (there for there in trials if there is not None and there.psi >= here.psi - 1e-13 * here.size)
        there = next(uphill, None)
        if there is None:
            break
        here = there
    return here, step, decrement


@dataclass(frozen=True, eq=False)
class Prior:
    """f ~ N(0, K) with K (N, N) in memory, in Fortran order. We use SciPy's BLAS only: two thread pools would fight."""

    K: Array

    def times(self, a: Array) -> Array:
        """K a."""
        return blas.dsymv(1.0, self.K, a, lower=1)

    def factored(self, W: Array) -> Factor:
        """B = I + √W K √W for W ≥ 0 (GPML, algorithm 3.1, line 5)."""
        s, jitter = np.sqrt(W), 0.0
        B = self._scaled(s)
        B[np.diag_indices_from(B)] += 1.0
        L, failed = lapack.dpotrf(B, lower=1, clean=1, overwrite_a=1)
        if failed:
            L, jitter = jittered_cholesky(self._scaled(s), 1.0)
        return Factor(self, s, L, jitter)

    def _scaled(self, s: Array) -> Array:
        scaled = np.multiply(self.K, s[:, None])
        scaled *= s
        return scaled


@dataclass(frozen=True, eq=False)
class Factor:
    """L Lᵀ = B = I + √W K √W, with s = √W. The jitter is 0 unless the rounding of √W K √W swallows the 1."""

    prior: Prior
    s: Array
    L: Array
    jitter: float

    def solve(self, b: Array) -> Array:
        """(I + WK)⁻¹ b = b − √W B⁻¹ √W K b (line 7)."""
        solved, _ = lapack.dpotrs(self.L, self.s * self.prior.times(b), lower=1)
        return b - self.s * solved


@dataclass(frozen=True, eq=False)
class Mode:
    """The mode f̂ = Ka of f given y, W and its factor at the last step, and whether the search reached the mode."""

    latent: Array
    weights: Array
    psi: float
    curvature: Array
    factor: Factor
    steps: int
    converged: bool


def find_mode(
    prior: Prior, likelihood: Density, y: Array, offset: Array | float = 0.0, start: Array | None = None
) -> Mode:
    """The mode of f given y, which depends on f + offset, from f = `start` or 0; the factor has W ≥ 0."""

    def psi_at(a: Array, f: Array) -> tuple[float, float]:
        """Ψ and the size of its terms; −∞ where exp overflows, so that the step is halved."""
        with np.errstate(over="ignore", invalid="ignore"):
            terms = likelihood.log_density(y, f + offset)
            quadratic = 0.5 * float(np.einsum("i,i", a, f))
            psi = float(np.sum(terms)) - quadratic
        return (psi, float(np.sum(np.abs(terms))) + quadratic) if np.isfinite(psi) else (-np.inf, np.inf)

    a = f = np.zeros(len(y))
    psi, size = psi_at(a, f)
    warm_a = None if start is None else _weights_near(prior, likelihood, y, offset, start)
    if warm_a is not None:
        warm_f = prior.times(warm_a)
        warm_psi, warm_size = psi_at(warm_a, warm_f)
        if warm_psi > psi:
            a, f, psi, size = warm_a, warm_f, warm_psi, warm_size
    if psi == -np.inf:
        raise InputError(IMPOSSIBLE)

    decrement = least = np.inf
    highest, steps, idle = psi, 0, 0
    while True:
        slope, second, _ = likelihood.f_derivatives(y, f + offset)
        gradient = slope - a
        W = np.maximum(-second, 0.0)
        factor = prior.factored(W)
        delta_a, delta_f = _step(prior, factor, gradient, W, -second)
        previous, decrement = decrement, float(np.einsum("i,i", gradient, delta_f))
        idle = 0 if decrement < least or psi > highest + 1e-13 * size else idle + 1
        least, highest = min(least, decrement), max(highest, psi)
        only_rounding = ROUNDING >= decrement >= FALL * previous
        if decrement <= TOLERANCE or only_rounding or idle == MOST_IDLE or steps == MAX_STEPS:
            break
        for halvings in range(MAX_HALVINGS):
            t = 0.5**halvings
            trial_a, trial_f = a + t * delta_a, f + t * delta_f
            if psi_at(trial_a, trial_f)[0] >= psi - 1e-13 * size:  # not lower than rounding can tell
                break
        else:
            break
        a, f = trial_a, prior.times(trial_a)  # computed again: f = Ka must hold to the last digit
        psi, size = psi_at(a, f)
        steps += 1
    return Mode(f, a, psi, W, factor, steps, abs(decrement) <= ROUNDING)


def _weights_near(prior: Prior, likelihood: Density, y: Array, offset: Array | float, f: Array) -> Array | None:
    """The weights after one Newton step from latent values f (lines 4 to 8), which need not be Ka for this prior.

    The data hold f in place while the hyperparameters move: this start is nearer to the mode than the last weights,
    since Ka changes with K. None if the likelihood underflows at f.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(likelihood.log_density(y, f + offset)).all():
            return None
        slope, second, _ = likelihood.f_derivatives(y, f + offset)
        W = np.maximum(-second, 0.0)
        return prior.factored(W).solve(W * f + slope)


def _step(prior: Prior, factor: Factor, gradient: Array, W: Array, true_W: Array) -> tuple[Array, Array]:
    """The changes of a and f = Ka in a Newton step: (K⁻¹ + true_W) Δf = gradient.

    With true_W = W ≥ 0 these are lines 4 to 8 of algorithm 3.1, written as a change, which loses no digits when W is
    large: a' − a = (I + WK)⁻¹(Wf + ∇log p) − a = (I + WK)⁻¹(∇log p − a), since f = Ka.

    If true_W has negative entries, conjugate gradients preconditioned with W go on from there. In exact arithmetic they
    need one step per negative entry. They stop at a direction of negative curvature (Steihaug, 1983), so that the step
    always goes uphill.
    """
    p_a = factor.solve(gradient)
    p_f = prior.times(p_a)
    if np.array_equal(W, true_W):
        return p_a, p_f
    residual, first = gradient, np.einsum("i,i", gradient, p_f)
    rz = first
    delta_a, delta_f = np.zeros_like(p_a), np.zeros_like(p_f)
    for _ in range(MAX_INNER):
        Hp = p_a + true_W * p_f
        curvature = np.einsum("i,i", p_f, Hp)
        if curvature <= 0.0:
            return (delta_a, delta_f) if delta_f.any() else (p_a, p_f)
        t = rz / curvature
        delta_a, delta_f, residual = delta_a + t * p_a, delta_f + t * p_f, residual - t * Hp
        z_a = factor.solve(residual)
        z_f = prior.times(z_a)
        previous, rz = rz, np.einsum("i,i", residual, z_f)
        if rz <= 1e-20 * first:
            break
        p_a, p_f = z_a + rz / previous * p_a, z_f + rz / previous * p_f
    return delta_a, delta_f
