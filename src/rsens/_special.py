"""Special functions that keep their digits where the textbook form cancels."""

from __future__ import annotations

from math import comb, factorial

import numpy as np
from scipy.special import digamma, gammaln, polygamma

from rsens._typing import Array

HALF_LOG_TWO_PI = 0.5 * np.log(2.0 * np.pi)
_EXP_SERIES = [1.0 / np.prod(np.arange(1.0, k + 1.0)) for k in range(2, 21)]


def expm1mx(x: Array) -> Array:
    """e^x − 1 − x ≥ 0."""
    small = np.clip(x, -1.0, 1.0)
    with np.errstate(over="ignore", under="ignore"):
        series = small**2 * np.polyval(_EXP_SERIES[::-1], small)
        return np.where(np.abs(x) < 1.0, series, np.expm1(x) - x)


def log1pmx(x: Array) -> Array:
    """log(1 + x) − x ≤ 0; −inf at x ≤ −1."""
    # With r = x/(2+x), log1p(x) = 2 artanh(r) and x = 2r/(1−r): the leading terms cancel, −r x + 2(r³/3 + …).
    small = np.clip(x, -0.5, 0.5)
    r = small / (2.0 + small)
    with np.errstate(under="ignore"):
        series = -r * small + 2.0 * r**3 * np.polyval(1.0 / np.arange(39.0, 2.0, -2.0), r**2)
    outside = np.maximum(x, -1.0)
    with np.errstate(divide="ignore"):
        return np.where(np.abs(x) < 0.5, series, np.log1p(outside) - outside)


def log_ratio(a: Array, b: Array) -> Array:
    """log(b/a) for a, b ≥ 0 (not both 0), accurate when they are close and when they are far apart."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        difference = (b - a) / a
        return np.where(np.abs(difference) < 0.5, np.log1p(difference), np.log(b) - np.log(a))


def stirling_error(z: Array) -> Array:
    """log Γ(z) − [(z − ½) log z − z + ½ log 2π], z > 0 (Loader 2000); 0 at z = inf."""
    large = np.maximum(z, 10.0)
    w = 1.0 / large**2
    coefficients = [-3617 / 122400, 1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12]
    with np.errstate(under="ignore"):
        series = np.polyval(coefficients, w) / large
    small = np.minimum(z, 10.0)
    direct = gammaln(small) - (small - 0.5) * np.log(small) + small - HALF_LOG_TWO_PI
    return np.where(z < 10.0, direct, series)


def log_gamma_half_step(z: Array) -> Array:
    """log Γ(z + ½) − log Γ(z), z > 0."""
    return 0.5 * np.log(z) + z * log1pmx(0.5 / z) + stirling_error(z + 0.5) - stirling_error(z)


def log_minus_digamma(z: Array) -> Array:
    """log z − ψ(z) > 0, about 1/(2z) for large z."""
    large = np.maximum(z, 10.0)
    w = 1.0 / large**2
    coefficients = [-3617 / 8160, 1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12]
    with np.errstate(under="ignore"):
        series = 0.5 / large + w * np.polyval(coefficients, w)
    small = np.minimum(z, 10.0)
    return np.where(z < 10.0, np.log(small) - digamma(small), series)


def trigamma_rest(z: Array) -> Array:
    """ψ′(z) − 1/z > 0, about 1/(2z²) for large z."""
    large = np.maximum(z, 20.0)
    w = 1.0 / large**2
    coefficients = [-3617 / 510, 7 / 6, -691 / 2730, 5 / 66, -1 / 30, 1 / 42, -1 / 30, 1 / 6]
    with np.errstate(under="ignore"):
        series = w * (0.5 + np.polyval(coefficients, w) / large)
    small = np.minimum(z, 20.0)
    return np.where(z < 20.0, polygamma(1, small) - 1.0 / small, series)


def trigamma_rest_drop(z: Array, step: Array) -> Array:
    """trigamma_rest(z) − trigamma_rest(z + step) ≥ 0 for step ≥ 0, by Taylor's series if step ≪ z."""
    direct = trigamma_rest(z) - trigamma_rest(z + step)
    relative = np.minimum(step / z, 1e-3)
    taylor = -sum(_trigamma_rest_term(z, j) * relative**j for j in range(1, 6))
    return np.where(step < 1e-3 * z, taylor, direct)


def _trigamma_rest_term(z: Array, j: int) -> Array:
    """z^j/j! times the j-th derivative of ψ′(z) − 1/z; for large z, term by term of its asymptotic series."""
    small, large = np.minimum(z, 30.0), np.maximum(z, 30.0)
    direct = (polygamma(1 + j, small) * small**j) / factorial(j) - (-1.0) ** j / small
    powers = {2: 1 / 2, 3: 1 / 6, 5: -1 / 30, 7: 1 / 42, 9: -1 / 30, 11: 5 / 66}
    with np.errstate(under="ignore"):
        series = sum((-1.0) ** j * c * comb(p + j - 1, j) * large ** -float(p) for p, c in powers.items())
    return np.where(z < 30.0, direct, series)
