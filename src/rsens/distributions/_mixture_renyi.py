"""The Rényi divergence of two mixtures at one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.distributions._finite import finite_renyi
from rsens.distributions._grid import Grid
from rsens.distributions._mixture_groups import Group
from rsens.distributions._mixture_integral import line_through
from rsens.distributions._mixture_nodes import mixture_nodes, supremum

#: The steps along the line are halved until the divergence changes by less than this share; it then is right to about
#: the square of it. Differences of log densities round at 1e-16, and the divergence of close mixtures with them.
_SETTLED = 1e-7
_ROUNDING = 1e-18
#: How many densities to hold at once: few enough for the processor's cache.
_BLOCK = 2**16


def mixture_renyi(p: Sequence[Group], q: Sequence[Group], alpha: float) -> float:
    """D_α[p ‖ q] of the mixtures whose components, at one row, are these groups."""
    line = line_through([*p, *q])
    if line is not None and alpha <= 1.0:  # beyond, far tails decide whether it is finite
        settled = _along_line(p, q, alpha, line)
        if settled is not None:
            return settled
    members = [group.family._taken((slice(s, s + 1),)) for group in (*p, *q) for s in range(len(group.weights))]
    weights = np.concatenate([group.weights for group in (*p, *q)])
    support = members[0].support
    y, log_weights = mixture_nodes(members, weights[None] / 2.0, tails=True)
    points, w = y[:, 0], log_weights[:, 0]
    if np.isinf(alpha) and support == "continuous":
        return supremum(lambda t: _log_density(p, t, _at) - _log_density(q, t, _at), points)
    log_p, log_q = _log_density(p, points, _at), _log_density(q, points, _at)
    d = _difference(log_p, log_q)
    if alpha > 1.0 and support == "continuous" and _diverges(log_p + (1.0 - alpha) * d + w):
        return np.inf
    return float(finite_renyi(log_p + w, log_q + w, d, alpha, exact=support == "classes"))


def _along_line(p: Sequence[Group], q: Sequence[Group], alpha: float, line: Grid) -> float | None:
    """The divergence on ever finer grids along the line of all components, until it settles; None if it does not."""
    kept: list[tuple[Array, Array, Array]] = []
    before = None
    for level in range(30):
        if not line.has_room(level):
            return None
        t, slope = line.nodes(level)
        kept.append((_log_density(p, t, _on_line), _log_density(q, t, _on_line), np.log(slope) + np.zeros(len(t))))
        log_p, log_q, log_slope = (np.concatenate(each) for each in zip(*kept, strict=True))
        w = log_slope + np.log(line.step / 2.0**level)
        # The line goes through all components of both, so Σp = Σq = 1 on it, as on a finite set.
        now = float(finite_renyi(log_p + w, log_q + w, _difference(log_p, log_q), alpha))
        if line.is_done(level) or (before is not None and abs(now - before) <= _SETTLED * now + _ROUNDING):
            return now
        before = now
    return None


def _at(family: Any, y: Array) -> Array:
    log_p: Array = family._log_prob(y)
    return log_p


def _on_line(family: Any, t: Array) -> Array:
    log_p: Array = family._log_prob_and_scores(t)[0]
    return log_p


def _log_density(groups: Sequence[Group], points: Array, of: Callable[[Any, Array], Array]) -> Array:
    """log Σ w_s p_s at the points (K,), or vectors (K, k)."""
    size = max(1, _BLOCK // sum(len(group.weights) for group in groups))
    result = np.empty(len(points))
    for k in range(0, len(points), size):
        here = slice(k, k + size)
        log_p = np.concatenate([of(group.family, points[here, None]) for group in groups], axis=1)
        top = log_p.max(axis=1, keepdims=True)
        top = np.where(np.isfinite(top), top, 0.0)
        weights = np.concatenate([group.weights for group in groups])
        result[here] = np.log(np.exp(log_p - top) @ weights) + top[:, 0]
    return result


def _difference(log_p: Array, log_q: Array) -> Array:
    """d = log q/p; 0 where there is no p."""
    return np.where(np.isneginf(log_p), 0.0, log_q - log_p)


def _diverges(log_integrand: Array) -> bool:
    """Whether the integrand is still large at the outermost nodes, which reach tail probabilities of 1e-300."""
    finite = log_integrand[np.isfinite(log_integrand)]
    return bool(finite.size and max(finite[0], finite[-1]) > finite.max() - 30.0)
