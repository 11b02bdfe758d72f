"""Special functions that keep their digits where the textbook form cancels."""

from __future__ import annotations

from collections.abc import Callable
from math import comb, factorial

import numpy as np
from scipy.special import digamma, gammaln, zeta

from rsens._typing import Array, Flags

HALF_LOG_TWO_PI = 0.5 * np.log(2.0 * np.pi)
_EXP_SERIES = [1.0 / float(np.prod(np.arange(1.0, k + 1.0))) for k in range(20, 1, -1)]
_LOG_SERIES = [1.0 / k for k in range(39, 2, -2)]


def piecewise(inside: Flags, near: Callable[..., Array], far: Callable[..., Array], *arguments: Array) -> Array:
    """`near` of the arguments inside, `far` of the others: each is computed only where it is wanted."""
    if inside.all():
        return near(*arguments)
    if not inside.any():
        return far(*arguments)
    result, outside = np.empty(inside.shape), ~inside
    arguments = tuple(np.broadcast_arrays(*arguments))
    result[inside] = near(*(x[inside] for x in arguments))
    result[outside] = far(*(x[outside] for x in arguments))
    return result


def polynomial(coefficients: list[float], x: Array) -> Array:
    """Horner's rule, highest power first."""
    total = coefficients[0] * x
    for c in coefficients[1:-1]:
        total += c
        total *= x
    return total + coefficients[-1]


def polygamma(n: int, x: Array) -> Array:
    """The n-th derivative of ψ, n ≥ 1. SciPy's own computes ψ itself too, for every n."""
    return (-1.0) ** (n + 1) * factorial(n) * zeta(n + 1, x)


def expm1mx(x: Array) -> Array:
    """e^x − 1 − x ≥ 0."""
    with np.errstate(over="ignore", under="ignore"):
        return piecewise(
            np.abs(x) < 1.0, lambda small: small**2 * polynomial(_EXP_SERIES, small), lambda x: np.expm1(x) - x, x
        )


def log1pmx(x: Array) -> Array:
    """log(1 + x) − x ≤ 0; −inf at x ≤ −1."""

    def near(x: Array) -> Array:
        # With r = x/(2+x), log1p(x) = 2 artanh(r) and x = 2r/(1−r): the leading terms cancel, −r x + 2(r³/3 + …).
        r = x / (2.0 + x)
        return -r * x + 2.0 * r**3 * polynomial(_LOG_SERIES, r**2)

    def far(x: Array) -> Array:
        x = np.maximum(x, -1.0)
        return np.log1p(x) - x

    with np.errstate(divide="ignore", under="ignore"):
        return piecewise(np.abs(x) < 0.5, near, far, x)


def log_ratio(a: Array, b: Array) -> Array:
    """log(b/a) for a, b ≥ 0 (not both 0), accurate when they are close and when they are far apart."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        difference = (b - a) / a
        return np.where(np.abs(difference) < 0.5, np.log1p(difference), np.log(b) - np.log(a))


def stirling_error(z: Array) -> Array:
    """log Γ(z) − [(z − ½) log z − z + ½ log 2π], z > 0 (Loader 2000); 0 at z = inf."""

    def direct(z: Array) -> Array:
        return gammaln(z) - (z - 0.5) * np.log(z) + z - HALF_LOG_TWO_PI

    def series(z: Array) -> Array:
        coefficients = [-3617 / 122400, 1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12]
        with np.errstate(under="ignore"):
            return polynomial(coefficients, 1.0 / z**2) / z

    return piecewise(z < 10.0, direct, series, z)


def log_gamma_half_step(z: Array) -> Array:
    """log Γ(z + ½) − log Γ(z), z > 0."""
    return 0.5 * np.log(z) + z * log1pmx(0.5 / z) + stirling_error(z + 0.5) - stirling_error(z)


def log_minus_digamma(z: Array) -> Array:
    """log z − ψ(z) > 0, about 1/(2z) for large z."""

    def series(z: Array) -> Array:
        w = 1.0 / z**2
        coefficients = [-3617 / 8160, 1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12]
        with np.errstate(under="ignore"):
            return 0.5 / z + w * polynomial(coefficients, w)

    return piecewise(z < 10.0, lambda z: np.log(z) - digamma(z), series, z)


def trigamma_rest(z: Array) -> Array:
    """ψ′(z) − 1/z > 0, about 1/(2z²) for large z."""

    def series(z: Array) -> Array:
        w = 1.0 / z**2
        coefficients = [-3617 / 510, 7 / 6, -691 / 2730, 5 / 66, -1 / 30, 1 / 42, -1 / 30, 1 / 6]
        with np.errstate(under="ignore"):
            return w * (0.5 + polynomial(coefficients, w) / z)

    return piecewise(z < 20.0, lambda z: polygamma(1, z) - 1.0 / z, series, z)


def trigamma_rest_drop(z: Array, step: Array) -> Array:
    """trigamma_rest(z) − trigamma_rest(z + step) ≥ 0 for step ≥ 0, by Taylor's series if step ≪ z."""

    def taylor(z: Array, step: Array) -> Array:
        relative = step / z
        return -np.sum([_trigamma_rest_term(z, j) * relative**j for j in range(1, 6)], axis=0)

    def direct(z: Array, step: Array) -> Array:
        return trigamma_rest(z) - trigamma_rest(z + step)

    return piecewise(step < 1e-3 * z, taylor, direct, z, step)


def _trigamma_rest_term(z: Array, j: int) -> Array:
    """z^j/j! times the j-th derivative of ψ′(z) − 1/z; for large z, term by term of its asymptotic series."""

    def direct(z: Array) -> Array:
        return (polygamma(1 + j, z) * z**j) / factorial(j) - (-1.0) ** j / z

    def series(z: Array) -> Array:
        powers = {2: 1 / 2, 3: 1 / 6, 5: -1 / 30, 7: 1 / 42, 9: -1 / 30, 11: 5 / 66}
        with np.errstate(under="ignore"):
            return np.sum([(-1.0) ** j * c * comb(p + j - 1, j) * z ** -float(p) for p, c in powers.items()], axis=0)

    return piecewise(z < 30.0, direct, series, z)
