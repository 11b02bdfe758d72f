"""Divergences of Student-t distributions that are far apart, or whose df is below 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit, log_expit

from rsens._special import log_ratio
from rsens._typing import Array
from rsens.distributions._finite import finite_renyi
from rsens.distributions._quadrature import rule
from rsens.distributions._student_t_density import log1p_square_difference, log_density


def far_renyi(gap: Array, scale2: Array, scale21: Array, df: Array, alpha: float) -> Array:
    """D_α[t(0, scale2) ‖ t(gap, scale21)] for gap ≥ 0.

    No closed form: the integral is split at the two locations, and each piece is taken in the logarithm of the distance
    from them, where a power-law tail is an exponential and scales of 1e-75 and 1e75 are equally far from zero.
    """
    nu, root = df[:, None], np.sqrt(df)[:, None]
    spread = 0.5 * log_ratio(scale2, scale21)[:, None]
    scale, scale1 = np.sqrt(scale2), np.sqrt(scale21)
    span = np.maximum(np.maximum(scale, scale1), gap)
    near = np.log(np.minimum(scale, scale1)) - 45.0
    far = np.log(span) + 0.5 * np.log(np.maximum(df, 1.0)) + 45.0 / np.minimum(df, 1.0) + 5.0
    columns = (scale[:, None], scale1[:, None])

    def densities(x: Array, x1: Array) -> tuple[Array, Array]:
        """log p and d = log q/p at distances x from p's location and x1 from q's."""
        z, z1 = x / columns[0], x1 / columns[1]
        d = -spread - 0.5 * (nu + 1.0) * log1p_square_difference(z / root, z1 / root)
        return log_density(z, nu) - np.log(columns[0]), d

    def piece(distances: Callable[[Array], tuple[Array, Array, Array]], low: Array, high: Array) -> tuple[Array, Array]:
        def log_integrand(t: Array) -> Array:
            x, x1, log_jacobian = distances(t)
            log_p, d = densities(x, x1)
            return log_p + (1.0 - alpha) * d + log_jacobian

        t, log_weight = rule(log_integrand, low, high)
        x, x1, log_jacobian = distances(t)
        log_p, d = densities(x, x1)
        return log_p + log_jacobian + log_weight, d

    delta = gap[:, None]
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        depth = np.maximum(np.log(gap) - near, 1.0)
        pieces = [
            piece(lambda t: (np.exp(t), np.exp(t) + delta, t), near, far),
            piece(lambda t: (np.exp(t) + delta, np.exp(t), t), near, far),
            piece(
                lambda t: (delta * expit(t), delta * expit(-t), np.log(delta) + log_expit(t) + log_expit(-t)),
                -depth,
                depth,
            ),
        ]
    log_p = np.concatenate([p for p, _ in pieces], axis=1)
    d = np.concatenate([d for _, d in pieces], axis=1)
    return finite_renyi(log_p, log_p + d, d, alpha, exact=False)


def largest_log_ratio(gap: Array, scale2: Array, scale21: Array, df: Array) -> Array:
    """sup_y log p/q: at a stationary point of ((x − δ)² + νs'²)/(x² + νs²), a root of a quadratic, or in the tails."""
    unit = np.maximum(np.maximum(scale2, scale21), gap**2)
    a, b, delta = df * (scale2 / unit), df * (scale21 / unit), gap / np.sqrt(unit)
    wider = df * ((scale2 - scale21) / unit)  # a − b
    c = wider - delta**2
    with np.errstate(divide="ignore", invalid="ignore"):
        q = -0.5 * (c + np.copysign(np.sqrt(c**2 + 4.0 * delta**2 * a), c))
        roots = [np.where(delta != 0.0, q / delta, 0.0), np.where(q != 0.0, -delta * a / q, 0.0)]
    spread = log_ratio(scale2, scale21)
    best = np.maximum(-0.5 * df * spread, 0.0)
    for root in roots:
        x = np.where(np.isfinite(root), root, 0.0)
        # ((x − δ)² + b)/(x² + a) · a/b = 1 + rise; in units of a large x, whose square is beyond float64 for a tiny δ
        size = np.maximum(np.abs(x), 1.0)
        x, over = x / size, a / size
        rise = (wider * x**2 - 2.0 * over * delta * x + over * (delta / size) * delta) / (x**2 + over / size) / b
        with np.errstate(divide="ignore"):
            best = np.maximum(best, 0.5 * spread + 0.5 * (df + 1.0) * np.log1p(rise))
    return best
