"""Rényi divergences without a closed form, in JAX, to be differentiated: sums over nodes y of the fixed p = p(y | x).

With weights w_k of p and d_k = log q/p at the nodes, D_α = log Σ w_k e^{(1−α) d_k} / (α − 1), and −Σ w_k d_k for α = 1.
The nodes belong to p alone and stay while q moves: enough for derivatives at q = p, not for D far away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.distributions import Distribution, Mixture, NegativeBinomial, StudentT, Weibull, mixture_nodes
from rsens.measures._fourth_derivative._log_densities import log_density
from rsens.measures._fourth_derivative._rules import negative_binomial_rule, normalised, student_t_rule, weibull_rule


def summed_divergence(ratios: Any, weights: Any, alpha: float) -> Any:
    """D_α from d and w, (n, K) each."""
    import jax.numpy as jnp

    if alpha == 1.0:
        return -(weights * ratios).sum(-1)
    return jnp.log1p((weights * jnp.expm1((1.0 - alpha) * ratios)).sum(-1)) / (alpha - 1.0)


def _student_t_ratios(p: Any, q: Any, v: Any) -> Any:
    """y = location + scale √df sinh v. 1 + z²/df is taken relative to its value under p, cosh² v: nothing overflows."""
    import jax.numpy as jnp

    df, scale2 = p.df[:, None], p.scale2[:, None]
    ratio = scale2 / _rows(q.scale2)
    shift = (_rows(q.location) - p.location[:, None]) / jnp.sqrt(df * scale2)
    sech, tanh = 1.0 / jnp.cosh(jnp.clip(v, -700.0, 700.0)), jnp.tanh(v)
    return 0.5 * jnp.log(ratio) - 0.5 * (df + 1.0) * jnp.log(sech**2 + ratio * (tanh - shift * sech) ** 2)


def _weibull_ratios(p: Any, q: Any, t: Any) -> Any:
    """(y/s)^k = e^t, so (y/s')^k' = e^{t k'/k + k' log(s/s')}."""
    import jax.numpy as jnp

    shape1 = _rows(q.shape)
    ratio = shape1 / p.shape[:, None]
    t1 = ratio * t + shape1 * jnp.log(p.scale[:, None] / _rows(q.scale))
    return jnp.log(ratio) + (t1 - t) - (jnp.exp(t1) - jnp.exp(t))


def _mixture_rule(p: Mixture) -> tuple[Array, Array]:
    y, log_weights = mixture_nodes(p)
    with np.errstate(divide="ignore", under="ignore"):
        weights = normalised((log_weights + p.log_prob(y)).T)
    return np.moveaxis(y, 0, 1), weights


def _density_ratios(p: Any, q: Any, y: Any) -> Any:
    import jax.numpy as jnp

    here, there = log_density(p, y), log_density(q, y)
    held = jnp.isfinite(here)
    return jnp.where(held, there, 0.0) - jnp.where(held, here, 0.0)


def _rows(field: Any) -> Any:
    import jax.numpy as jnp

    return jnp.asarray(field)[..., None]


#: Families without a closed form: nodes and weights of p, in NumPy, and log q/p at these nodes, in JAX.
SUMMED: dict[type[Distribution], tuple[Callable[[Any], tuple[Array, Array]], Callable[[Any, Any, Any], Any]]] = {
    StudentT: (student_t_rule, _student_t_ratios),
    Weibull: (weibull_rule, _weibull_ratios),
    NegativeBinomial: (negative_binomial_rule, _density_ratios),
    Mixture: (_mixture_rule, _density_ratios),
}
