"""The Gaussian formulas that Normal, LogNormal and others share."""

from __future__ import annotations

import numpy as np

from rsens._special import HALF_LOG_TWO_PI, log_ratio
from rsens._typing import Array
from rsens.distributions._jensen import rate_gap
from rsens.distributions._univariate import Reach


def gaussian_log_prob(y: Array, mean: Array, variance: Array) -> Array:
    """−½(y − m)²/v − ½ log 2πv."""
    return -0.5 * ((y - mean) / np.sqrt(variance)) ** 2 - 0.5 * np.log(variance) - HALF_LOG_TWO_PI


def gaussian_score(y: Array, mean: Array, variance: Array) -> Array:
    """(∂_m, ∂_v) log p: (y − m)/v and [(y − m)²/v − 1]/(2v)."""
    z = (y - mean) / np.sqrt(variance)
    return np.stack([z / np.sqrt(variance), 0.5 * (z**2 - 1.0) / variance], -1)


def gaussian_log_prob_and_scores(y: Array, mean: Array, variance: Array) -> tuple[Array, list[Array]]:
    """Both of these in one pass: mixtures of thousands of components spend their time here."""
    sd = np.sqrt(variance)
    rate = 1.0 / sd
    z = y - mean
    z *= rate
    z2 = z * z
    log_p = z2 * -0.5
    log_p -= np.log(sd) + HALF_LOG_TWO_PI
    z *= rate
    z2 -= 1.0
    z2 *= 0.5 / variance
    return log_p, [z, z2]


def gaussian_reach(mean: Array, variance: Array) -> Reach:
    """8.8 standard deviations either way hold all but 1e-18 of it."""
    sd = np.sqrt(variance)
    return Reach(mean - 8.8 * sd, mean + 8.8 * sd, mean, sd)


def gaussian_renyi(mean: Array, variance: Array, other_mean: Array, other_variance: Array, alpha: float) -> Array:
    """D_α of two Gaussians: α(m − m')²/(2v*) + the gap of the variances, with v* = αv' + (1 − α)v > 0, else inf."""
    if alpha == 0.0:
        return np.zeros(np.broadcast_shapes(mean.shape, other_mean.shape))
    d = log_ratio(variance, other_variance)
    difference = np.abs(mean - other_mean)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if np.isinf(alpha):
            # log p/q is a parabola in y, bounded above only if v < v' (or the two are equal).
            excess = other_variance - variance
            bounded = 0.5 * d + 0.5 * (difference / np.sqrt(excess)) ** 2
            same = (excess == 0.0) & (difference == 0.0)
            return np.where(excess > 0.0, bounded, np.where(same, 0.0, np.inf))
        beta = 1.0 - alpha
        one = np.ones_like(d)
        middle = alpha * other_variance + beta * variance
        return np.where(
            middle > 0.0,
            0.5 * alpha * (difference / np.sqrt(middle)) ** 2 + 0.5 * rate_gap(one, one, d, beta),
            np.inf,
        )
