"""Log densities in JAX, to be differentiated in the parameters: y (n, K) against one distribution per row.

Needed for mixtures, whose divergence is a sum over nodes y, so nothing is left out that differs between families.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

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
    Mixture,
    MultivariateNormal,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
    Weibull,
)

_LOG_2PI = float(np.log(2.0 * np.pi))


def log_density(q: Distribution, y: Any) -> Any:
    """log q(y), shape (n, K)."""
    return _LOG_DENSITY[type(q)](q, y)


def _column(field: Any) -> Any:
    """One value per row, shaped to meet y (n, K)."""
    import jax.numpy as jnp

    return jnp.asarray(field)[..., None]


def _gaussian(y: Any, mean: Any, variance: Any) -> Any:
    import jax.numpy as jnp

    return -0.5 * (y - mean) ** 2 / variance - 0.5 * jnp.log(variance) - 0.5 * _LOG_2PI


def _normal(q: Any, y: Any) -> Any:
    return _gaussian(y, _column(q.mean), _column(q.variance))


def _lognormal(q: Any, y: Any) -> Any:
    return _on_positive(y, lambda log_y: _gaussian(log_y, _column(q.mu), _column(q.sigma2)) - log_y)


def _student_t(q: Any, y: Any) -> Any:
    import jax.numpy as jnp

    df, scale2 = _column(q.df), _column(q.scale2)
    z2 = (y - _column(q.location)) ** 2 / scale2
    return _log_gamma_half_step(0.5 * df) - 0.5 * jnp.log(jnp.pi * df * scale2) - 0.5 * (df + 1.0) * jnp.log1p(z2 / df)


def _log_gamma_half_step(z: Any) -> Any:
    """log Γ(z + ½) − log Γ(z), which loses its digits for large z; JAX's betaln has seven of them from z = 8 on."""
    import jax.numpy as jnp
    from jax.scipy.special import gammaln

    near, far = jnp.minimum(z, 50.0), jnp.maximum(z, 50.0)
    series = 0.5 * jnp.log(far) - 1.0 / (8.0 * far) + 1.0 / (192.0 * far**3) - 1.0 / (640.0 * far**5)
    return jnp.where(z < 50.0, gammaln(near + 0.5) - gammaln(near), series)


def _gamma(q: Any, y: Any) -> Any:
    import jax.numpy as jnp
    from jax.scipy.special import gammaln

    k, mean = _column(q.shape), _column(q.mean)
    return _on_positive(
        y, lambda log_y: k * (jnp.log(k / mean) + log_y) - (k / mean) * jnp.exp(log_y) - gammaln(k) - log_y
    )


def _exponential(q: Any, y: Any) -> Any:
    import jax.numpy as jnp

    mean = _column(q.mean)
    return jnp.where(y >= 0.0, -y / mean - jnp.log(mean), -jnp.inf)


def _weibull(q: Any, y: Any) -> Any:
    import jax.numpy as jnp

    k, scale = _column(q.shape), _column(q.scale)

    def value(log_y: Any) -> Any:
        t = k * (log_y - jnp.log(scale))
        return jnp.log(k) + t - jnp.exp(t) - log_y

    return _on_positive(y, value)


def _beta(q: Any, y: Any) -> Any:
    import jax.numpy as jnp
    from jax.scipy.special import gammaln

    a, b = _column(q.a), _column(q.b)
    inside = (y > 0.0) & (y < 1.0)
    safe = jnp.where(inside, y, 0.5)
    log_beta = gammaln(a) + gammaln(b) - gammaln(a + b)  # not betaln, see above
    return jnp.where(inside, (a - 1.0) * jnp.log(safe) + (b - 1.0) * jnp.log1p(-safe) - log_beta, -jnp.inf)


def _bernoulli(q: Any, y: Any) -> Any:
    success, failure = _log_pair(q)
    return y * success + (1.0 - y) * failure


def _binomial(q: Any, y: Any) -> Any:
    import jax.numpy as jnp
    from jax.scipy.special import gammaln

    n = _column(q.n)
    success, failure = _log_pair(q)
    inside = y <= n
    rest = jnp.where(inside, n - y, 0.0)
    ways = gammaln(n + 1.0) - gammaln(y + 1.0) - gammaln(rest + 1.0)
    return jnp.where(inside, ways + y * success + rest * failure, -jnp.inf)


def _log_pair(q: Any) -> tuple[Any, Any]:
    import jax.numpy as jnp

    if q.logit is None:
        return jnp.log(_column(q.probability)), jnp.log1p(-_column(q.probability))
    logit = _column(q.logit)
    return -jnp.logaddexp(0.0, -logit), -jnp.logaddexp(0.0, logit)


def _categorical(q: Any, y: Any) -> Any:
    import jax.numpy as jnp

    log_p = jnp.broadcast_to(jnp.log(q.probabilities), (y.shape[0], q.probabilities.shape[-1]))
    return jnp.take_along_axis(log_p, y.astype(int), axis=-1)


def _histogram(q: Any, y: Any) -> Any:
    """log p_k − log width_k in the bin k that holds y."""
    import jax.numpy as jnp

    borders = jnp.asarray(q.borders).reshape(-1, q.borders.shape[-1])[0]
    number = jnp.clip(jnp.searchsorted(borders, y, side="right") - 1, 0, len(borders) - 2)
    return _categorical(q, number) - jnp.log(jnp.diff(borders))[number]


def _poisson(q: Any, y: Any) -> Any:
    import jax.numpy as jnp
    from jax.scipy.special import gammaln

    rate = _column(q.rate)
    return y * jnp.log(rate) - rate - gammaln(y + 1.0)


def _negative_binomial(q: Any, y: Any) -> Any:
    import jax.numpy as jnp
    from jax.scipy.special import gammaln

    mean, k = _column(q.mean), _column(q.size)
    ways = gammaln(y + k) - gammaln(k) - gammaln(y + 1.0)
    return ways - k * jnp.log1p(mean / k) - y * jnp.log1p(k / mean)


def _multivariate_normal(q: Any, y: Any) -> Any:
    """y has one axis more, for its components."""
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    covariance = jnp.broadcast_to(q.covariance, (y.shape[0], *q.covariance.shape[-2:]))
    factor = jnp.linalg.cholesky(covariance)
    mean = jnp.broadcast_to(q.mean, (y.shape[0], y.shape[-1]))
    z = solve_triangular(factor, (y - mean[:, None]).swapaxes(-1, -2), lower=True)
    log_root = jnp.log(jnp.diagonal(factor, axis1=-2, axis2=-1)).sum(-1)
    return -0.5 * (z**2).sum(-2) - log_root[:, None] - 0.5 * y.shape[-1] * _LOG_2PI


def _mixture(q: Any, y: Any) -> Any:
    import jax.numpy as jnp
    from jax.scipy.special import logsumexp

    weights = jnp.asarray(q.weights)
    parts = [jnp.log(weights[..., s])[..., None] + log_density(c, y) for s, c in enumerate(q.members)]
    return logsumexp(jnp.stack(jnp.broadcast_arrays(*parts)), axis=0)


def _on_positive(y: Any, value: Callable[[Any], Any]) -> Any:
    """value(log y), −inf where y ≤ 0; the argument there is replaced, or its derivative would be NaN."""
    import jax.numpy as jnp

    return jnp.where(y > 0.0, value(jnp.log(jnp.where(y > 0.0, y, 1.0))), -jnp.inf)


_LOG_DENSITY: dict[type[Distribution], Callable[[Any, Any], Any]] = {
    Normal: _normal,
    LogNormal: _lognormal,
    StudentT: _student_t,
    Gamma: _gamma,
    Exponential: _exponential,
    Weibull: _weibull,
    Beta: _beta,
    Bernoulli: _bernoulli,
    Binomial: _binomial,
    Categorical: _categorical,
    Histogram: _histogram,
    Poisson: _poisson,
    NegativeBinomial: _negative_binomial,
    MultivariateNormal: _multivariate_normal,
    Mixture: _mixture,
}
