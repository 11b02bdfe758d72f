"""Rényi divergence of two probability vectors, for families that are summed over y or integrated at nodes."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from rsens._typing import Array
from rsens.distributions._jensen import exp_gap


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
