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
from scipy.special import logsumexp

from rsens._special import expm1mx, log1pmx, log_ratio
from rsens._typing import Array


def exp_gap(p: Array, q: Array, d: Array, beta: float) -> Array:
    """The piece e^θ between p = e^θ and q = e^{θ+d}: [αp + βq − p^α q^β]/β ≥ 0; q − p − p d at β = 0."""
    held = p > 0.0
    first = np.where(np.abs(d) < 1.0, p * expm1mx(d), q - p - np.where(held, p * d, 0.0))
    if beta == 0.0:
        return first
    step = np.where(held, beta * d, -np.inf)
    power = np.exp(np.log(p) + step)
    second = np.where(np.abs(step) < 1.0, p * expm1mx(step), power - p - np.where(held, p * step, 0.0))
    return first - second / beta


def exponential_renyi(d: Array, alpha: float) -> Array:
    """D_α of two exponential distributions whose means m and m' have the log ratio d = log m'/m: the piece −log(rate).

    For other families with a scale, k times it is the divergence of gammas of shape k, and ½ times it the divergence
    of normals with the variances m and m'.
    """
    if np.isinf(alpha):
        return np.where(d >= 0.0, d, np.inf)  # log p/q falls in y, from d at 0, if m ≤ m'
    beta = 1.0 - alpha
    if beta == 0.0:
        return expm1mx(-d)
    w = beta * np.expm1(-d)
    close = expm1mx(-d) + log1pmx(w) / beta
    # Far apart the two pieces above are huge and cancel; log(1 + w) itself does not, unless w is large: then
    # 1 + w = β e^{−d} (1 + …), and its −d is taken out.
    rest = np.maximum(alpha + beta * np.exp(-d), 0.0)
    falls = d + np.where(np.abs(w) < 0.5, np.log1p(np.clip(w, -0.9, 1.0)), np.log(rest)) / beta
    rises = (np.log1p(-alpha) + np.log1p(alpha / beta * np.exp(d)) - alpha * d) / beta
    far = np.where((beta > 0.5) & (alpha * np.exp(d) < beta), rises, falls)
    return np.where(w > -1.0, np.where(np.abs(d) < 1.0, close, far), np.inf)


def segment_gap(
    whiten: Callable[[Array, Array], Sequence[Array]],
    first: Sequence[Array],
    last: Sequence[Array],
    step: Sequence[Array],
    alpha: float,
) -> Array:
    """The gap of A itself, as an integral in which nothing cancels.

    Along the segment θ(t) = θ + t(θ' − θ), D_α = ∫ K(t) A″(t) dt, an average of the Fisher information in the direction
    θ' − θ: K = 1 − t on [max(β, 0), 1], plus αt/β on [0, β] for β > 0, or plus 1 − t/β on [β, 0]
    for β < 0, which is 1 below 0 for α = ∞. A″ is the sum of squares of `whiten(θ(t), step)`, where `step` is θ' − θ or
    another description of it, and smooth as long as θ is positive. inf where θ(β) is not positive.
    """
    parts = np.array(np.broadcast_arrays(*first, *last, *step))
    begin, end, change = np.split(parts, np.cumsum([len(first), len(last)]))
    beta, endless = 1.0 - alpha, np.isinf(alpha)
    middle = begin - end if endless else alpha * begin + beta * end  # for α = ∞ the direction of a ray from θ
    bounded = (middle >= 0.0 if endless else middle > 0.0).all(axis=0)
    result, chosen = np.where(bounded, 0.0, np.inf), bounded & (begin != end).any(axis=0)
    # The two ends of each leg, and its length times K at the first one; at the second one K is 0.
    if beta > 0.0:
        legs = [(middle, end, alpha**2), (middle, begin, alpha * beta)]
    else:
        legs = [(begin, end, 1.0), (begin, middle, -beta)][: 1 if beta == 0.0 else 2]
    for near, far, weight in legs:
        is_ray = endless and far is middle
        apart = np.where(far > 0.0, np.abs(log_ratio(near, far)), 0.0).max(axis=0)
        depth = np.maximum(np.ceil(apart / np.log(2.0)) - 1.0, 0.0) + (60.0 if is_ray else 0.0)
        if not is_ray:
            depth = np.where(apart < 0.05, -2.0, np.where(apart < 0.4, -1.0, depth))
        for halvings in np.unique(depth[chosen]):
            rows = chosen & (depth == halvings)
            a, b, u = (each[:, None, rows] for each in (near, far, change))
            graded = np.stack(_graded(int(halvings)))
            for k in range(0, graded.shape[1], size := max(1, _NUMBERS // a.shape[-1])):
                x, rest, w = graded[:, k : k + size, None]
                at, slope = (a + x / rest * b, w / rest**2) if is_ray else (rest * a + x * b, weight * w * rest)
                result[rows] += np.sum([(slope * each**2).sum(axis=0) for each in whiten(at, u)], axis=0)
    return result


@cache
def _graded(halvings: int) -> tuple[Array, Array, Array]:
    """x, 1 − x and weights of Gauss–Legendre panels on [0, 1] that halve towards both ends.

    On the way (1 − x) a + x b from a to b, if neither is larger than 2^(halvings + 1) times the other, every panel is
    at least as far from the zero of the line as its own width. −1 and −2 are one panel, for ends within 50 % and 5 %.
    """
    if halvings < 0:
        nodes, weights = gauss_legendre(5 if halvings == -2 else 9)
        return 0.5 * (1.0 + nodes), 0.5 * (1.0 - nodes), 0.5 * weights
    nodes, weights = gauss_legendre(12)
    edges = np.concatenate([[0.0], 0.5 ** np.arange(halvings + 1.0, 0.0, -1.0)])
    width = np.diff(edges)[:, None]
    x, w = (edges[:-1, None] + width * 0.5 * (nodes + 1.0)).ravel(), (0.5 * width * weights).ravel()
    return np.concatenate([x, 1.0 - x]), np.concatenate([1.0 - x, x]), np.concatenate([w, w])


def finite_renyi(log_p: Array, log_q: Array, d: Array, alpha: float, *, exact: bool = True) -> Array:
    """D_α over the last axis; d = log(q/p) is passed in as well, because it keeps digits that log q − log p loses.

    For close distributions, Σ p^α q^β − 1 is summed as terms of one sign, which uses Σp = Σq = 1; at quadrature nodes
    for p^α q^β (`exact=False`), Σq = 1 holds only for close distributions.
    """
    beta = 1.0 - alpha
    held = log_p > -np.inf
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


LogIntegrand = Callable[[Array], Array]  #: nodes (n, K) → log integrand (n, K)

_NEGLIGIBLE = 60.0  # e^{−60} ≈ 1e-26 of the largest value
_SEARCH = np.linspace(0.0, 1.0, 129)
_NUMBERS = 2**14  # numbers in one array: they stay in the cache


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


def largest(f: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """The largest f(t) between low and high (n,), for an f with one top there: zoom in on it, but not below 0."""
    for _ in range(40):
        t = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, 65)
        top, rows = np.argmax(f(t), axis=1), np.arange(len(t))
        low, high = t[rows, np.maximum(top - 1, 0)], t[rows, np.minimum(top + 1, 64)]
    return np.maximum(f(low[:, None])[:, 0], 0.0)


def rule(
    log_f: LogIntegrand, low: Array, high: Array, panels: int = 40, order: int = 20, breaks: Array | None = None
) -> tuple[Array, Array]:
    """Nodes and log weights (n, K) of even Gauss–Legendre panels over the window of f, with more ends at `breaks`."""
    low, high = (end[:, None] for end in window(log_f, low, high))
    edges = low + (high - low) * np.linspace(0.0, 1.0, panels + 1)
    if breaks is not None:
        edges = np.sort(np.concatenate([edges, np.clip(breaks, low, high)], axis=1), axis=1)
    nodes, weights = gauss_legendre(order)
    start, width = edges[:, :-1, None], np.diff(edges, axis=1)[..., None]
    log_weights = np.log(0.5 * weights) + np.log(width)
    return (start + width * (0.5 * (nodes + 1.0))).reshape(len(low), -1), log_weights.reshape(len(low), -1)


def integrated_renyi(
    log_p: LogIntegrand,
    log_q: LogIntegrand,
    d: LogIntegrand,
    nodes: Callable[[LogIntegrand], tuple[Array, Array]],
    alpha: float,
) -> Array:
    """D_α from nodes and log weights (n, K) that suit p^α q^β, and for close pairs all of p and q; d = log(q/p)."""

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
