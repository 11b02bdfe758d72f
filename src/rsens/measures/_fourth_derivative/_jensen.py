"""Rényi divergences of exponential families in JAX, to be differentiated: p = p(y | x) fixed, q = p(y | x') moving.

D_α = [A(αθ + (1−α)θ') − αA(θ) − (1−α)A(θ')]/(α − 1), with natural parameters θ and log-partition function A, and
A(θ') − A(θ) − ∇A(θ)ᵀ(θ' − θ) for α = 1. D_α does not change when y is shifted, rescaled or counted against another
base measure, so every family is written relative to p: then θ is of order one at x' = x, and no digits are lost to a
mean far from zero or to a probability near 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rsens.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Distribution,
    Exponential,
    Gamma,
    Histogram,
    LogNormal,
    MultivariateNormal,
    Normal,
    Poisson,
)

#: θ and θ' (tuples of arrays), and A.
Natural = tuple[tuple[Any, ...], tuple[Any, ...], Callable[..., Any]]


def jensen_divergence(natural: Natural, alpha: float) -> Any:
    """D_α from θ, θ' and A, shape (n,)."""
    import jax

    theta, other, log_partition = natural
    if alpha == 1.0:
        step = tuple(t1 - t for t, t1 in zip(theta, other, strict=True))
        value, slope = jax.jvp(log_partition, theta, step)
        return log_partition(*other) - value - slope
    mixed = (alpha * t + (1.0 - alpha) * t1 for t, t1 in zip(theta, other, strict=True))
    gap = log_partition(*mixed) - alpha * log_partition(*theta) - (1.0 - alpha) * log_partition(*other)
    return gap / (alpha - 1.0)


def _gaussian(mean: Any, variance: Any, mean1: Any, variance1: Any) -> Natural:
    """(y − mean)/sd is N(0, 1) under p: θ = (m/v, −1/(2v)), A = −θ₁²/(4θ₂) − ½ log(−2θ₂)."""
    import jax.numpy as jnp

    m, v = (mean1 - mean) / jnp.sqrt(variance), variance1 / variance
    zero = jnp.zeros_like(m + v)
    return (zero, zero - 0.5), (m / v, zero - 0.5 / v), lambda a, b: -(a**2) / (4.0 * b) - 0.5 * jnp.log(-2.0 * b)


def _normal(p: Any, q: Any) -> Natural:
    return _gaussian(p.mean, p.variance, q.mean, q.variance)


def _lognormal(p: Any, q: Any) -> Natural:
    return _gaussian(p.mu, p.sigma2, q.mu, q.sigma2)


def _gamma(p: Any, q: Any) -> Natural:
    """y/mean: θ = (shape, −rate), A = log Γ(θ₁) − θ₁ log(−θ₂)."""
    import jax.numpy as jnp
    from jax.scipy.special import gammaln

    k1 = q.shape + jnp.zeros_like(p.shape)
    return (p.shape, -p.shape), (k1, -k1 * p.mean / q.mean), lambda k, b: gammaln(k) - k * jnp.log(-b)


def _exponential(p: Any, q: Any) -> Natural:
    """y/mean: θ = −rate, A = −log(−θ)."""
    import jax.numpy as jnp

    return (-jnp.ones_like(p.mean),), (-p.mean / q.mean,), lambda b: -jnp.log(-b)


def _beta(p: Any, q: Any) -> Natural:
    """θ = (a, b), A = log B(a, b)."""
    import jax.numpy as jnp
    from jax.scipy.special import gammaln

    zero = jnp.zeros_like(p.a + q.a + q.b)
    return (p.a, p.b), (q.a + zero, q.b + zero), lambda a, b: gammaln(a) + gammaln(b) - gammaln(a + b)


def _poisson(p: Any, q: Any) -> Natural:
    """Against p itself as base measure: θ = log(rate'/rate), A = rate (e^θ − 1)."""
    import jax.numpy as jnp

    log_ratio = jnp.log(q.rate / p.rate)
    return (jnp.zeros_like(log_ratio),), (log_ratio,), lambda t: p.rate * jnp.expm1(t)


def _bernoulli(p: Any, q: Any) -> Natural:
    return _successes(p, q, 1.0)


def _binomial(p: Any, q: Any) -> Natural:
    return _successes(p, q, p.n)


def _successes(p: Any, q: Any, trials: Any) -> Natural:
    """Against p itself as base measure: θ = difference of logits, A = n log(1 + π (e^θ − 1)).

    Where π > ½ success and failure change places, so that π stands for the smaller of the two and keeps its digits.
    """
    import jax
    import jax.numpy as jnp

    if q.logit is None:
        difference = jnp.log(q.probability / p.probability) - jnp.log((1.0 - q.probability) / (1.0 - p.probability))
        sign, small = jnp.sign(0.5 - p.probability), jnp.minimum(p.probability, 1.0 - p.probability)
    else:
        difference = q.logit - p.logit
        sign, small = -jnp.sign(p.logit), jax.nn.sigmoid(-jnp.abs(p.logit))
    sign = jnp.where(sign == 0.0, 1.0, sign)
    theta = sign * difference
    return (jnp.zeros_like(theta),), (theta,), lambda t: trials * jnp.log1p(small * jnp.expm1(t))


def _categorical(p: Any, q: Any) -> Natural:
    """Against p itself as base measure: θ_k = log(p'_k/p_k), A = log(1 + Σ p_k (e^{θ_k} − 1))."""
    import jax.numpy as jnp

    log_ratio = jnp.log(q.probabilities / p.probabilities)
    return (jnp.zeros_like(log_ratio),), (log_ratio,), lambda t: jnp.log1p((p.probabilities * jnp.expm1(t)).sum(-1))


def _multivariate_normal(p: Any, q: Any) -> Natural:
    """L⁻¹(y − mean) is N(0, I) under p: θ = (Pm, P) with precision P, A = ½ θ₁ᵀ P⁻¹ θ₁ − ½ log |P|."""
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    factor = jnp.linalg.cholesky(p.covariance)
    covariance1 = jnp.broadcast_to(q.covariance, factor.shape)
    half = solve_triangular(factor, covariance1, lower=True)
    precision = jnp.linalg.inv(solve_triangular(factor, half.swapaxes(-1, -2), lower=True))
    shift = solve_triangular(factor, (q.mean - p.mean)[..., None], lower=True)
    identity = jnp.broadcast_to(jnp.eye(factor.shape[-1]), precision.shape)

    def log_partition(a: Any, b: Any) -> Any:
        quadratic = (a * jnp.linalg.solve(b, a)).sum((-1, -2))
        return 0.5 * quadratic - 0.5 * jnp.linalg.slogdet(b)[1]

    return (jnp.zeros_like(shift), identity), (precision @ shift, precision), log_partition


#: The exponential families, with θ, θ' and A of a fixed p and a moving q.
NATURAL: dict[type[Distribution], Callable[[Any, Any], Natural]] = {
    Normal: _normal,
    LogNormal: _lognormal,
    Gamma: _gamma,
    Exponential: _exponential,
    Beta: _beta,
    Bernoulli: _bernoulli,
    Binomial: _binomial,
    Categorical: _categorical,
    Histogram: _categorical,
    Poisson: _poisson,
    MultivariateNormal: _multivariate_normal,
}
