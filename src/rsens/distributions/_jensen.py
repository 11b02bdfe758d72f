"""Rényi divergences of exponential families, piece by piece, so that close distributions keep their digits.

For an exponential family D_α = [A(αθ + βθ') − αA(θ) − βA(θ')]/(α − 1) with β = 1 − α (van Erven and Harremoës 2014):
the Jensen gap of the log-partition function A, divided by −β. Taken literally it loses all digits when θ' ≈ θ or when A
is huge. So each function here is the gap of one piece of A, divided by −β: the linear part cancels by algebra, the rest
is a sum of terms of one sign, and β = 0 (α = 1, Kullback–Leibler) is an ordinary value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from scipy.special import expit, logsumexp

from rsens._special import expm1mx, log1pmx, log_minus_digamma, log_ratio, piecewise, polygamma, stirling_error
from rsens._typing import Array


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


def stirling_rise(k: Array, other: Array) -> Array:
    """stirling_error(other) − stirling_error(k), with its digits where they are close."""
    step = other - k
    taylor = _stirling_slope(k, step) * step
    return np.where(np.abs(step) < 1e-3 * k, taylor, stirling_error(other) - stirling_error(k))


def _stirling_slope(k: Array, step: Array) -> Array:
    """[f(k + step) − f(k)]/step for f = `stirling_error` and a small step, by Taylor's series."""
    slope = 0.5 / k - log_minus_digamma(k)
    second, third, fourth = (_stirling_derivative(order, k) for order in (2, 3, 4))
    return slope + step * (second / 2.0 + step * (third / 6.0 + step * fourth / 24.0))


def segment_gap(
    whiten: Callable[[Array, Array], Sequence[Array]], first: Sequence[Array], last: Sequence[Array], beta: float
) -> Array:
    """The gap of A itself from its second derivative along the segment from θ to θ', both with positive coordinates.

    With θ(t) = θ + t(θ' − θ), D_α = ∫ K(t) A″(t) dt, an average of the Fisher information in the direction θ' − θ, so
    all terms are positive: K = 1 − t on [max(β, 0), 1], plus αt/β on [0, β] for β > 0, or plus 1 − t/β on [β, 0] for
    β < 0. A″(t) = |B(θ' − θ)|², `whiten(θ(t), θ' − θ)`, may have poles where a coordinate is 0, −1, −2, …: on either
    leg, even steps in the logit of t keep a distance of π from all of them. inf where θ(β) is not positive.
    """
    begin, end = (
        np.array(np.broadcast_arrays(*first, *last))[part] for part in (np.s_[: len(first)], np.s_[len(first) :])
    )
    middle = (1.0 - beta) * begin + beta * end
    result = np.where((middle > 0.0).all(axis=0), 0.0, np.inf)
    chosen = (result == 0.0) & (begin != end).any(axis=0)
    if not chosen.any():
        return result
    begin, middle, end = (each[:, chosen] for each in (begin, middle, end))
    depth = min(max(float(np.abs(log_ratio(begin, other)).max()) for other in (middle, end)), 700.0)
    # A leg has a length, and K falls to 0 at its far end: there e^{−2·19} is negligible, at the other one e^{−38}.
    legs = [(middle if beta > 0.0 else begin, end, 1.0 - max(beta, 0.0), 1.0 - max(beta, 0.0))]
    if beta != 0.0:
        legs.append((middle, begin, abs(beta), 1.0 - beta) if beta > 0.0 else (begin, middle, -beta, 1.0))
    s = np.arange(-38.0 - depth, 19.0 + depth, 0.55)
    for near, far, length, height in legs:
        for x, rest in zip(expit(s), expit(-s), strict=True):
            lengths = whiten(rest * near + x * far, end - begin)
            result[chosen] += 0.55 * x * rest * length * height * rest * np.sum([each**2 for each in lengths], axis=0)
    return result


#: By order: c₁ and c₂ of the derivative c₁/z^(order − 1) + c₂/z^order of Stirling's formula, and for large z the
#: coefficients of the rest in 1/z², times z^(order + 1).
_STIRLING = {
    2: (1.0, 0.5, (1 / 6, -1 / 30, 1 / 42, -1 / 30)),
    3: (-1.0, -1.0, (-1 / 2, 1 / 6, -1 / 6)),
    4: (2.0, 3.0, (2.0, -1.0, 4 / 3)),
}


def _stirling_derivative(order: int, z: Array) -> Array:
    """The second, third or fourth derivative of `stirling_error`: the second is ψ′(z) − 1/z − 1/(2z²) ≈ 1/(6z³)."""
    c1, c2, series = _STIRLING[order]
    return piecewise(
        z < 30.0,
        lambda z: polygamma(order - 1, z) - c1 / z ** (order - 1) - c2 / z**order,
        lambda z: np.sum([c / z ** (2 * k) for k, c in enumerate(series)], axis=0) / z ** (order + 1),
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


# ---- Integrals of smooth functions of one variable, many rows at once, from the logarithm of the integrand -----------


LogIntegrand = Callable[[Array], Array]  #: nodes (n, K) → log integrand (n, K)

_NEGLIGIBLE = 60.0  # e^{−60} ≈ 1e-26 of the largest value
_SEARCH = np.linspace(0.0, 1.0, 129)


@cache
def gauss_legendre(order: int) -> tuple[Array, Array]:
    """Nodes and weights on [−1, 1]."""
    return np.polynomial.legendre.leggauss(order)


def window(log_f: LogIntegrand, low: Array, high: Array) -> tuple[Array, Array]:
    """The part of [low, high], per row, outside which the integrand is negligible."""
    for _ in range(40):
        t = low[:, None] + (high - low)[:, None] * _SEARCH
        values = log_f(t)
        top = values.max(axis=1, keepdims=True)
        counts = values >= np.where(np.isfinite(top), top - _NEGLIGIBLE, -np.inf)
        first = np.maximum(counts.argmax(axis=1) - 1, 0)
        last = np.minimum(counts.shape[1] - counts[:, ::-1].argmax(axis=1), counts.shape[1] - 1)
        rows = np.arange(len(t))
        shrinks = (last - first) < 0.7 * (len(_SEARCH) - 1)
        low, high = t[rows, first], t[rows, last]
        if not shrinks.any():
            break
    return low, high


def rule(
    log_f: LogIntegrand, low: Array, high: Array, panels: int = 40, order: int = 20, breaks: Array | None = None
) -> tuple[Array, Array]:
    """Nodes and log weights (n, K) of Gauss–Legendre panels over the window of the integrand.

    The panels are equally wide; `breaks` (n, …) adds panel ends where the integrand has finer features.
    """
    low, high = (end[:, None] for end in window(log_f, low, high))
    edges = low + (high - low) * np.linspace(0.0, 1.0, panels + 1)
    if breaks is not None:
        edges = np.sort(np.concatenate([edges, np.clip(breaks, low, high)], axis=1), axis=1)
    nodes, weights = gauss_legendre(order)
    start, width = edges[:, :-1, None], np.diff(edges, axis=1)[..., None]
    with np.errstate(divide="ignore"):
        log_weights = np.log(0.5 * weights) + np.log(width)
    return (start + width * (0.5 * (nodes + 1.0))).reshape(len(low), -1), log_weights.reshape(len(low), -1)


def integrated_renyi(
    log_p: LogIntegrand,
    log_q: LogIntegrand,
    d: LogIntegrand,
    nodes: Callable[[LogIntegrand], tuple[Array, Array]],
    alpha: float,
) -> Array:
    """D_α from nodes and log weights (n, K) that suit p^α q^β; d = log(q/p).

    Close distributions need nodes that hold all of p and all of q as well.
    """

    def product(t: Array) -> Array:
        value = alpha * log_p(t) + (1.0 - alpha) * log_q(t)
        return np.where(np.isnan(value), -np.inf, value)

    def all_of_them(t: Array) -> Array:
        return np.maximum(np.maximum(log_p(t), log_q(t)), product(t))

    def divergence(log_f: LogIntegrand) -> Array:
        t, log_weights = nodes(log_f)
        return finite_renyi(log_p(t) + log_weights, log_q(t) + log_weights, d(t), alpha, exact=False)

    far = divergence(product)
    return far if (far > 0.1).all() else np.where(far > 0.1, far, divergence(all_of_them))
