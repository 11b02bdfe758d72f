"""Rényi divergences of exponential families, piece by piece, so that close distributions keep their digits.

For an exponential family D_α = [A(αθ + βθ') − αA(θ) − βA(θ')]/(α − 1) with β = 1 − α (van Erven and Harremoës 2014):
the Jensen gap of the log-partition function A, divided by −β. Taken literally it loses all digits when θ' ≈ θ or when A
is huge. So each function here is the gap of one piece of A, divided by −β: the linear part cancels by algebra, the rest
is a sum of terms of one sign, and β = 0 (α = 1, Kullback–Leibler) is an ordinary value.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

from rsens._special import expm1mx, log1pmx, log_minus_digamma, log_ratio, piecewise, polygamma, stirling_error
from rsens._typing import Array
from rsens.distributions._quadrature import gauss_legendre


def exp_gap(p: Array, q: Array, d: Array, beta: float) -> Array:
    """The piece e^θ between p = e^θ and q = e^{θ+d}: [αp + βq − p^α q^β]/β ≥ 0; q − p − p d at β = 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        held = p > 0.0
        first = np.where(np.abs(d) < 1.0, p * expm1mx(d), q - p - np.where(held, p * d, 0.0))
        if beta == 0.0:
            return first
        step = np.where(held, beta * d, -np.inf)
        power = np.exp(np.log(p) + step)
        second = np.where(np.abs(step) < 1.0, p * expm1mx(step), power - p - np.where(held, p * step, 0.0))
        return first - second / beta


def rate_gap(k: Array, other: Array, d: Array, beta: float) -> Array:
    """The piece −k log(rate) of a gamma family, mean = k/rate, d = log(mean'/mean), shapes k and other; may be inf."""
    if beta == 0.0:
        return other * expm1mx(-d)
    middle = k + beta * (other - k)
    with np.errstate(all="ignore"):
        share = beta * other / middle
        w = share * np.expm1(-d)
        close = other * expm1mx(-d) + middle * log1pmx(w) / beta
        # Far apart the two pieces above are huge and cancel; log(1 + w) itself does not, unless w is large: then
        # 1 + w = share e^{−d} (1 + …), its −d is taken out, and other − middle/β = −αk/β by algebra.
        own = (1.0 - beta) * k
        rest = own + beta * other * np.exp(-d)
        log1p_w = np.where(np.abs(w) < 0.5, np.log1p(np.clip(w, -0.9, 1.0)), log_ratio(middle, np.maximum(rest, 0.0)))
        falls = other * d + middle * log1p_w / beta
        rises = -own / beta * d + middle / beta * (np.log1p(-own / middle) + np.log1p(own / (beta * other) * np.exp(d)))
        far = np.where((share > 0.5) & (own * np.exp(d) < beta * other), rises, falls)
        return np.where((middle > 0.0) & (w > -1.0), np.where(np.abs(d) < 1.0, close, far), np.inf)


def log_gap(k: Array, other: Array, beta: float) -> Array:
    """The piece −log k: [log(k*/k) − β log(k'/k)]/β ≥ 0 with k* = αk + βk'; k'/k − 1 − log(k'/k) at β = 0."""
    x = (other - k) / k
    if beta == 0.0:
        return np.where(np.abs(x) < 0.5, -log1pmx(np.clip(x, -0.5, 0.5)), x - log_ratio(k, other))
    middle = (1.0 - beta) * k + beta * other
    with np.errstate(divide="ignore", invalid="ignore"):
        close = log1pmx(beta * x) / beta - log1pmx(x)
        step = np.where(np.abs(beta * x) < 0.5, np.log1p(np.clip(beta * x, -0.9, 1.0)), np.log(middle) - np.log(k))
        return np.where(np.abs(x) < 0.5, close, step / beta - log_ratio(k, other))


def stirling_rise(k: Array, other: Array) -> Array:
    """stirling_error(other) − stirling_error(k), with its digits where they are close."""
    step = other - k
    taylor = _stirling_slope(k, step) * step
    return np.where(np.abs(step) < 1e-3 * k, taylor, stirling_error(other) - stirling_error(k))


def _stirling_slope(k: Array, step: Array) -> Array:
    """[f(k + step) − f(k)]/step for f = `stirling_error` and a small step, by Taylor's series."""
    slope = 0.5 / k - log_minus_digamma(k)
    return slope + step * (_second(k) / 2.0 + step * (_third(k) / 6.0 + step * _fourth(k) / 24.0))


def stirling_gap(k: Array, other: Array, beta: float) -> Array:
    """The piece `stirling_error(k)`, by which log Γ(k) exceeds Stirling's formula."""
    step = beta * (other - k)
    middle = np.where(k + step > 0.0, (1.0 - beta) * k + beta * other, 1.0)
    # [f(k) − f(k + step)]/β, by Taylor's series when the step is small, so that β may be small too.
    with np.errstate(divide="ignore", invalid="ignore"):
        fall = (stirling_error(k) - stirling_error(middle)) / beta if beta != 0.0 else np.zeros_like(k)
    fall = np.where(np.abs(step) < 1e-3 * k, -_stirling_slope(k, step) * (other - k), fall)
    direct = fall + stirling_error(other) - stirling_error(k)
    # A gap is −αβ (k' − k)² times the second divided difference over (k, k', middle): f''/2 + … around their mean.
    centre = (k + other + middle) / 3.0
    squares = ((k - centre) ** 2 + (other - centre) ** 2 + (middle - centre) ** 2) / 24.0
    divided = 0.5 * _second(centre) + 0.5 * squares * _fourth(centre)
    return np.where(np.abs(other - k) < 1e-3 * k, (1.0 - beta) * (other - k) ** 2 * divided, direct)


def segment_gap(curvature: Callable[[float], Array], beta: float) -> Array:
    """The gap of A itself from its second derivative along the segment θ(t) = θ + t(θ' − θ), if A is smooth there.

    D_α = ∫ K(t) A″(t) dt, an average of the Fisher information in the direction θ' − θ, so all terms are positive:
    K = 1 − t on [max(β, 0), 1], plus αt/β on [0, β] for β > 0, or plus 1 − t/β on [β, 0] for β < 0.
    """
    x, w = gauss_legendre(16)
    x, w = 0.5 * (x + 1.0), 0.5 * w
    start = max(beta, 0.0)
    pieces = [
        (start + (1.0 - start) * t, (1.0 - start) * v, 1.0 - start - (1.0 - start) * t)
        for t, v in zip(x, w, strict=True)
    ]
    if beta > 0.0:
        pieces += [(beta * t, beta * v, (1.0 - beta) * t) for t, v in zip(x, w, strict=True)]
    elif beta < 0.0:
        pieces += [(beta * t, -beta * v, 1.0 - t) for t, v in zip(x, w, strict=True)]
    return np.sum([v * k * curvature(t) for t, v, k in pieces], axis=0)


def _second(z: Array) -> Array:
    """The second derivative of `stirling_error`: ψ′(z) − 1/z − 1/(2z²), about 1/(6z³)."""
    return piecewise(
        z < 30.0,
        lambda z: polygamma(1, z) - 1.0 / z - 0.5 / z**2,
        lambda z: (1 / 6 - 1 / 30 / z**2 + 1 / 42 / z**4 - 1 / 30 / z**6) / z**3,
        z,
    )


def _third(z: Array) -> Array:
    """The third derivative of `stirling_error`: ψ″(z) + 1/z² + 1/z³, about −1/(2z⁴)."""
    return piecewise(
        z < 30.0,
        lambda z: polygamma(2, z) + 1.0 / z**2 + 1.0 / z**3,
        lambda z: (-1 / 2 + 1 / 6 / z**2 - 1 / 6 / z**4) / z**4,
        z,
    )


def _fourth(z: Array) -> Array:
    """The fourth derivative of `stirling_error`: ψ‴(z) − 2/z³ − 3/z⁴, about 2/z⁵."""
    return piecewise(
        z < 30.0,
        lambda z: polygamma(3, z) - 2.0 / z**3 - 3.0 / z**4,
        lambda z: (2.0 - 1.0 / z**2 + 4 / 3 / z**4) / z**5,
        z,
    )


# ---- Rényi divergence of two probability vectors, for families that are summed over y or integrated at nodes ---------


def finite_renyi(log_p: Array, log_q: Array, d: Array, alpha: float, *, exact: bool = True) -> Array:
    """D_α over the last axis; d = log(q/p) is passed in as well, because it keeps digits that log q − log p loses.

    For close distributions, Σ p^α q^β − 1 is summed as terms of one sign, which keeps its digits and uses Σp = Σq = 1.
    Far apart the plain sum is just as good. At quadrature nodes (`exact=False`), which are chosen for p^α q^β, Σq = 1
    holds only for close distributions.
    """
    beta = 1.0 - alpha
    held = log_p > -np.inf
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        p, q = np.exp(log_p), np.exp(log_q)
        if alpha == 0.0:
            return -np.log1p(-np.sum(np.where(held, 0.0, q), axis=-1)) + 0.0
        if np.isinf(alpha):
            return np.maximum(np.max(np.where(held, -d, -np.inf), axis=-1), 0.0)
        total = np.sum(exp_gap(p, q, d, beta), axis=-1)
        close = total if beta == 0.0 else np.log1p(-beta * total) / -beta
        if beta == 0.0:
            far = -np.sum(np.where(held, p * d, 0.0), axis=-1)
        else:
            change = np.sum(np.where(held, p * np.expm1(beta * d), 0.0), axis=-1)
            log_sum = logsumexp(np.where(held, log_p + beta * d, -np.inf), axis=-1)
            # Where p is wholly held, Σp = 1 turns the logarithm into log1p, which a β near 0 needs.
            whole = np.abs(np.sum(p, axis=-1) - 1.0) < 1e-9
            far = np.where(whole & (np.abs(change) < 0.5), np.log1p(change), log_sum) / -beta
        near = np.abs(beta * total) < 0.5 if exact else np.abs(far) < 0.1
        return np.maximum(np.where(near & np.isfinite(close), close, far), 0.0)
