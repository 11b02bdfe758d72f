"""Laplace's approximation to the posterior of the weights of a generalised linear model."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from scipy.linalg import solve_triangular

from rsens._errors import Argument, InputError, RsensWarning
from rsens._typing import Array
from rsens.likelihoods import Likelihood
from rsens.models._weights import Columns, WeightPosterior, triangular

MOST_STEPS = 200
MOST_HALVINGS = 60
#: Newton's method ends when gᵀH⁻¹g, the squared distance to the mode in posterior standard deviations, is below this,
TOLERANCE = 1e-24
#: or below this and no longer falling because of rounding.
ROUNDING = 1e-8


def laplace_weights(
    likelihood: Likelihood,
    columns: Columns,
    rows: Array,
    y: Array,
    offset: Array,
    counts: Array,
    prior_mean: Array,
    prior_precision: Array,
) -> WeightPosterior:
    """N(ŵ, H⁻¹): ŵ is the mode of the log posterior, H its negative Hessian there (supplement, logistic regression).

    The log posterior Σ_i counts_i log p(y_i | ζ_iᵀw + offset_i) − ½ Σ_p precision_p (w_p − mean_p)² is concave, so
    Newton's method with step halving finds the one mode from anywhere.
    """
    kept = counts > 0.0
    y, offset, counts, design = y[kept], offset[kept], counts[kept], columns.design(rows[kept])

    def log_posterior(w: Array) -> float:
        penalty = 0.5 * prior_precision @ (w - prior_mean) ** 2
        return float(counts @ likelihood.log_density(y, design @ w + offset) - penalty)

    def gradient_and_curvature(w: Array) -> tuple[Array, Array]:
        """∂ log posterior, and the W of H = ZᵀWZ + diag(precision)."""
        f = design @ w + offset
        slope, *_ = likelihood.f_derivatives(y, f)
        W, _ = likelihood.curvature(y, f)
        return design.T @ (counts * slope) - prior_precision * (w - prior_mean), counts * W

    w, value, remaining = prior_mean, log_posterior(prior_mean), np.inf
    if not np.isfinite(value):
        raise InputError("y is impossible at the prior mean of the weights. Check y and offset for extreme values.")
    for _ in range(MOST_STEPS):
        gradient, W = gradient_and_curvature(w)
        R = _quick_root(design, W, prior_precision)
        step = solve_triangular(R, solve_triangular(R, gradient, trans="T"))
        before, remaining = remaining, float(gradient @ step)
        if remaining <= TOLERANCE or ROUNDING >= remaining >= before:
            break
        w, value = _halved(log_posterior, w, value, step, remaining)
    if remaining > ROUNDING:
        warnings.warn(
            RsensWarning(
                f"Newton's method did not find the mode of the weights in {MOST_STEPS} steps. Scale the inputs (",
                Argument("standardize", True),
                "), or use a larger ",
                Argument("prior_precision"),
                ".",
            ),
            stacklevel=4,
        )
    return WeightPosterior(columns, w, solve_triangular(_root(design, W, prior_precision), np.eye(len(w))))


def _root(design: Array, W: Array, precision: Array) -> Array:
    """R with RᵀR = H = ZᵀWZ + diag(precision)."""
    return triangular(np.vstack([np.sqrt(W)[:, np.newaxis] * design, np.diag(np.sqrt(precision))]))


def _quick_root(design: Array, W: Array, precision: Array) -> Array:
    """The same from H itself: ten times as fast for many rows, and accurate enough for a step."""
    H = design.T @ (W[:, np.newaxis] * design)
    H[np.diag_indices_from(H)] += precision
    try:
        return np.asarray(np.linalg.cholesky(H)).T
    except np.linalg.LinAlgError:
        return _root(design, W, precision)


def _halved(
    log_posterior: Callable[[Array], float], w: Array, value: float, step: Array, gain: float
) -> tuple[Array, float]:
    """The longest of the steps 1, ½, ¼, … that gains enough: far from the mode a full step may overshoot or overflow.

    Close to the mode, the gain is below the rounding of the log posterior, and the full step is right.
    """
    rounding = 1e-13 * abs(value)
    for halvings in range(MOST_HALVINGS):
        length = 0.5**halvings
        trial = w + length * step
        reached = log_posterior(trial)
        if reached >= value + 1e-4 * length * gain - rounding:
            return trial, reached
    return w, value
