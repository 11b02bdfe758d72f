"""The Rényi divergence of two mixtures at one row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rsens._typing import Array
from rsens.distributions._finite import finite_renyi
from rsens.distributions._mixture_groups import Group
from rsens.distributions._mixture_nodes import mixture_nodes, supremum


def mixture_renyi(p: Sequence[Group], q: Sequence[Group], alpha: float) -> float:
    """D_α[p ‖ q] of the mixtures whose components, at one row, are these groups."""
    members = [group.family._taken((slice(s, s + 1),)) for group in (*p, *q) for s in range(len(group.weights))]
    weights = np.concatenate([group.weights for group in (*p, *q)])
    support = members[0].support
    y, log_weights = mixture_nodes(members, weights[None] / 2.0, tails=True)
    points = y[:, 0]
    log_p, log_q = _log_density(p, points), _log_density(q, points)
    with np.errstate(invalid="ignore"):
        d = np.where(np.isneginf(log_p), 0.0, log_q - log_p)
    w = log_weights[:, 0]
    if np.isinf(alpha) and support == "continuous":
        return supremum(lambda t: _log_density(p, t) - _log_density(q, t), points)
    if alpha > 1.0 and support == "continuous" and _diverges(log_p + (1.0 - alpha) * d + w):
        return np.inf
    return float(finite_renyi(log_p + w, log_q + w, d, alpha, exact=support == "classes"))


def _log_density(groups: Sequence[Group], y: Array) -> Array:
    """log Σ w_s p_s at the points y (K,), or vectors (K, k)."""
    with np.errstate(divide="ignore"):
        parts = [np.log(group.weights) + group.family._log_prob(y[:, None]) for group in groups]
        return np.asarray(np.logaddexp.reduce(np.concatenate(parts, axis=1), axis=1))


def _diverges(log_integrand: Array) -> bool:
    """Whether the integrand is still large at the outermost nodes, which reach tail probabilities of 1e-300."""
    finite = log_integrand[np.isfinite(log_integrand)]
    return bool(finite.size and max(finite[0], finite[-1]) > finite.max() - 30.0)
