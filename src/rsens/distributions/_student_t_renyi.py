"""Rényi divergences of Student-t distributions with the same df: no closed form, so trapezoidal rules for many rows.

With x = s√ν sinh t, p(x) dx ∝ cosh⁻ᵛ(t) dt. Both densities are analytic around the real axis of t, up to the pole of q
at sinh t = gap/(s√ν) ± i s'/s; a trapezoidal rule of step h is off by e^(−2π·height/h). So few nodes have all digits,
and rows with the same df share them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rsens._special import log_gamma_half_step, log_ratio
from rsens._typing import Array, Positions
from rsens.distributions._finite import finite_renyi
from rsens.distributions._student_t_far import far_renyi, largest_log_ratio

#: Distributions are close if their locations are within this many scales, and their scales within this share.
CLOSE = 0.1
_DIGITS = 38.0  # e^−38 ≈ 3e-17 of the integral is negligible
_HALVINGS = 5  # beyond 2⁵ times the nodes that p alone needs, `far_renyi` is as fast
_NUMBERS = 1 << 17  # numbers in one array: they stay in the cache


def student_t_renyi(gap: Array, scale2: Array, scale21: Array, df: Array, alpha: float) -> Array:
    """D_α[t(0, scale2) ‖ t(gap, scale21)] for arrays (n,)."""
    if alpha == 0.0:
        return np.zeros(gap.shape)
    if np.isinf(alpha):
        return largest_log_ratio(gap, scale2, scale21, df)
    gap, ratio = np.abs(gap), np.exp(0.5 * log_ratio(scale2, scale21))
    reach = CLOSE / max(alpha, 1.0)
    close = (gap <= reach * np.sqrt(scale2)) & (np.abs(ratio - 1.0) <= reach) & (df >= 1.0)
    halvings = _halvings(gap, scale2, scale21, df, alpha)
    shared = ~close & (halvings <= _HALVINGS)
    values = np.empty(gap.shape)
    for route, chosen in ((close_renyi, close), (far_renyi, ~close & ~shared)):
        for i in _pieces(np.flatnonzero(chosen), 512):
            values[i] = route(gap[i], scale2[i], scale21[i], df[i], alpha)
    for nu, times, rows in _alike(df, halvings, np.flatnonzero(shared)):
        values[rows] = shared_renyi(gap[rows], scale2[rows], scale21[rows], nu, alpha, _step(nu, 1.0) * 0.5**times)
    return values


def close_renyi(gap: Array, scale2: Array, scale21: Array, df: Array, alpha: float) -> Array:
    """Distributions that nearly coincide: log q/p and the sum over the nodes keep their digits.

    The pole is at least 1.1 above the real axis.
    """
    nu, spread = df[:, None], 0.5 * log_ratio(scale2, scale21)[:, None]
    step = _step(nu, 1.0 / (1.0 - CLOSE) ** 2, 0.9)
    negligible = np.arccosh(np.exp(40.0 / nu))
    t = step * np.arange(-(n := int(np.max(np.ceil(negligible / step)))), n + 1)
    u = np.sinh(t)
    change = u * np.expm1(-spread) - (gap / np.sqrt(scale21 * df))[:, None]  # of u, from p's to q's
    d = -spread - 0.5 * (nu + 1.0) * np.log1p(change * ((change + 2.0 * u) / (1.0 + u**2)))
    log_p = log_gamma_half_step(0.5 * nu) - 0.5 * np.log(np.pi) - 0.5 * nu * np.log1p(u**2) + np.log(step)
    return finite_renyi(log_p, log_p + d, d, alpha, exact=False)


def shared_renyi(gap: Array, scale2: Array, scale21: Array, nu: float, alpha: float, step: float) -> Array:
    """Distributions that differ, with one df and so the same nodes: E_p[log p/q], or log E_p[(q/p)^β] / −β."""
    beta, spread, g, ratio = 1.0 - alpha, 0.5 * log_ratio(scale2, scale21), *_in_units(gap, scale2, scale21, nu)
    reach = np.sinh(np.arccosh(np.exp((_DIGITS + 7.0) / nu)))
    if beta != 0.0:
        precision = _precision(ratio, alpha)
        centre = g * np.abs(beta) / ratio**2 / precision  # of p^α q^β, if p and q were normal
        reach = np.max(centre + reach * np.maximum(1.0, precision**-0.5))
    u = np.sinh(step * np.arange(-(n := int(np.ceil(np.arcsinh(reach) / step))), n + 1))
    log1p_square = np.log1p(u**2)
    p = np.exp(log_gamma_half_step(np.asarray(0.5 * nu)) - 0.5 * nu * log1p_square) * (step / np.sqrt(np.pi))
    values = np.empty(gap.shape)
    for i in _pieces(np.arange(len(gap)), max(1, _NUMBERS // len(u))):
        u1 = (u - g[i, None]) / ratio[i, None]
        rise = 0.5 * (nu + 1.0) * (np.log1p(u1**2) - log1p_square)
        if beta == 0.0:
            values[i] = spread[i] + rise @ p
        else:
            values[i] = np.log1p(np.expm1(-beta * (spread[i, None] + rise)) @ p) / -beta
    return values


def _halvings(gap: Array, scale2: Array, scale21: Array, df: Array, alpha: float) -> Array:
    """How often the step that p alone would need is halved because of q; inf where `shared_renyi` would lose digits."""
    g, ratio = _in_units(gap, scale2, scale21, df)
    pole = np.arcsinh(g + 1j * ratio)
    height = np.abs(pole.imag)
    if alpha == 1.0:
        # Only log q has a pole there: the rule is off by p(pole) e^(−2π·height/h), unless the best w is below it.
        short = _DIGITS - df * np.log(np.abs(np.cosh(pole)))
        step = np.where((height < _best(df)) & (short > 0.0), 2.0 * np.pi * height / np.maximum(short, 1.0), np.inf)
        fits = (g < 1e100) & (ratio < 1e100)
    else:
        precision = _precision(ratio, alpha)
        step = _step(df, np.maximum(1.0, alpha + np.abs(1.0 - alpha) / ratio**2), 0.7 * height)
        centre = gap / np.sqrt(scale2) * np.abs(1.0 - alpha) / ratio**2 / precision
        fits = (alpha >= 0.5) & (precision > 0.3) & (centre < 5.0) & (gap < 3.0 * np.sqrt(scale2)) & (ratio < 10.0)
    halvings = np.ceil(np.log2(np.maximum(_step(df, 1.0) / step, 1.0)))
    return np.where(fits & (df >= 1.0) & np.isfinite(halvings), halvings, np.inf)


def _step(df: Array | float, precision: Array | float, height: Array | float = np.inf) -> Array:
    """The step for cosh⁻ᵛ(t) to the power `precision`: |cosh(t + iw)|⁻ᵛ ≤ cos⁻ᵛ(w) cosh⁻ᵛ(t) at the best w ≤ height."""
    w = np.minimum(_best(df * precision), height)
    step: Array = 2.0 * np.pi * w / (_DIGITS - precision * df * np.log(np.cos(w)))
    return step


def _best(df: Array | float) -> Array:
    """How far above the real axis of t the error of the rule is estimated best."""
    return np.minimum(np.sqrt(2.0 * _DIGITS / df), 1.2)


def _in_units(gap: Array, scale2: Array, scale21: Array, df: Array | float) -> tuple[Array, Array]:
    """The gap in units of s√ν, and s'/s."""
    scale = np.sqrt(scale2)
    return gap / scale / np.sqrt(df), np.sqrt(scale21) / scale


def _precision(ratio: Array, alpha: float) -> Array:
    """The precision of p^α q^β if p and q were normal, in units of p's."""
    return alpha + (1.0 - alpha) / ratio**2


def _alike(df: Array, halvings: Array, rows: Positions) -> Iterator[tuple[float, float, Positions]]:
    """Rows that can share their nodes: a df, a number of halvings, and which rows have them."""
    keys, place = np.unique(np.stack([df[rows], halvings[rows]]), axis=1, return_inverse=True)
    for k, (nu, times) in enumerate(keys.T):
        yield float(nu), float(times), rows[place.reshape(-1) == k]


def _pieces(rows: Positions, size: int) -> Iterator[Positions]:
    return (rows[start : start + size] for start in range(0, len(rows), size))
