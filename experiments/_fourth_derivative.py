"""The full fourth derivative of the Rényi divergence, which the supplement compares R-sens₂ with.

The divergence of a fixed p = p(y | x) and a moving q = p(y | x') is written in JAX, from the log-partition function of
an exponential family, and differentiated four times.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from rsens import distributions as ds
from rsens._errors import InputError
from rsens._typing import Array
from rsens.derivatives import MAX_BYTES, JaxModel
from rsens.distributions import Distribution

#: Rows at once where memory allows; more would save little time.
_MOST_ROWS = 256


class _Lazy:
    """A module that is imported when it is first used: JAX is an extra."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


jax, jnp, special, linalg = map(_Lazy, ("jax", "jax.numpy", "jax.scipy.special", "jax.scipy.linalg"))


def fourth_derivative(model: Any, X: Any, *, alpha: float = 1.0) -> Array:
    """∂⁴D_α[p(y | x) ‖ p(y | x')]/∂x'_d²∂x'_e² at x' = x of every row and pair, shape (n, D, D), symmetric, signed.

    Only for functions wrapped by `from_jax` that return an exponential family. Where D is quadratic in λ, D = ½ δᵀHδ
    with H = α I (a Normal whose variance does not depend on x), this is

        2 λ_deᵀHλ_de + λ_ddᵀHλ_ee + 2 λ_dᵀHλ_dee + 2 λ_eᵀHλ_dde

    so that sqrt(∂⁴D/2) is R-sens₂ when all but the first term vanish: R-sens₂ is the result of dropping them. In
    general the third and fourth derivatives of D in λ come in as well. The value may be negative; on the diagonal,
    d = e, it is ∂⁴D/∂x_d⁴.
    """
    if not isinstance(model, JaxModel):
        raise InputError(f"fourth_derivative needs a function wrapped by from_jax; got {type(model).__name__}.")
    X = np.asarray(X, dtype=np.float64)
    n, columns = X.shape
    d, e = np.triu_indices(columns)
    directions = np.eye(columns)
    result = np.empty((n, columns, columns))
    compiled: dict[int, Any] = {}  # by the number of rows
    size, start = min(n, _MOST_ROWS), 0
    while start < n:
        x = X[np.minimum(np.arange(start, start + size), n - 1)]  # the last chunk repeats its last row
        record = model.derivatives(x, 1)
        p = record.distribution
        if type(p) not in NATURAL:
            raise InputError(
                f"fourth_derivative has no divergence for {type(p).__name__}. It works for "
                f"{', '.join(sorted(f.__name__ for f in NATURAL))}; rsens and rsens2 work for every family."
            )
        arguments = (x, p.leaves(), directions[d], directions[e])
        with jax.enable_x64(True):
            if size not in compiled:
                compiled[size] = jax.jit(_program(model.fn, p, alpha)).lower(*arguments).compile()
            memory = compiled[size].memory_analysis()
            if size > 1 and memory is not None and memory.temp_size_in_bytes > MAX_BYTES:
                size = max(1, min(size // 2, int(size * MAX_BYTES / memory.temp_size_in_bytes)))
                continue
            second, fourth = jax.tree.map(np.asarray, compiled[size](*arguments))
        _check_second(second.T, alpha * p.fisher_norm(record.first) ** 2, start)
        values = fourth[:, : n - start].T
        result[start : start + size, d, e] = result[start : start + size, e, d] = values
        start += size
    return result


def fourth_importance(model: Any, X: Any) -> Array:
    """The mean over rows of sqrt(|∂⁴D|/2) of every pair, in the units of R-sens₂."""
    return np.sqrt(0.5 * np.abs(fourth_derivative(model, X))).mean(axis=0)


def _program(fn: Callable[[Any], Distribution], template: Distribution, alpha: float) -> Callable[..., Any]:
    """The second derivative of D along every column, and the fourth along every pair, of all rows at once."""

    def program(x: Any, leaves: list[Any], first: Any, then: Any) -> tuple[Any, Any]:
        p = template.rebuilt(iter([jnp.asarray(leaf) for leaf in leaves]))

        def divergence(z: Any) -> Any:
            return jnp.broadcast_to(jensen_divergence(NATURAL[type(p)](p, fn(z)), alpha), x.shape[:1])

        def twice(f: Callable[[Any], Any], direction: Any) -> Callable[[Any], Any]:
            """∂²f along a direction. Rows are independent, so one tangent serves them all."""
            tangent = jnp.broadcast_to(direction, x.shape)

            def once(z: Any) -> Any:
                return jax.jvp(f, (z,), (tangent,))[1]

            return lambda z: jax.jvp(once, (z,), (tangent,))[1]

        second = jax.lax.map(lambda d: twice(divergence, d)(x), jnp.eye(x.shape[1]))
        fourth = jax.lax.map(lambda pair: twice(twice(divergence, pair[0]), pair[1])(x), (first, then))
        return second, fourth

    return program


def _check_second(second: Array, expected: Array, start: int) -> None:
    """∂²D/∂x_d² is α R-sens² (paper eqs. 1 and 2); where it is not, ∂⁴D cannot be trusted either."""
    with np.errstate(invalid="ignore"):
        off = np.abs(second - expected) > 1e-6 * expected.max(axis=1, keepdims=True)
    if off.any():
        row, column = (int(i) for i in np.argwhere(off)[0])
        raise InputError(
            f"The divergence at row {start + row} cannot be differentiated accurately: its second derivative comes out "
            f"as {second[row, column]:.8g} instead of {expected[row, column]:.8g}. The parameters there are too "
            "extreme for fourth_derivative; leave such rows out, or use rsens2."
        )


# D_α = [A(αθ + (1−α)θ') − αA(θ) − (1−α)A(θ')]/(α − 1), with natural parameters θ and log-partition function A, and
# A(θ') − A(θ) − ∇A(θ)ᵀ(θ' − θ) for α = 1. D_α does not change when y is shifted, rescaled or counted against another
# base measure, so every family is written relative to p: then θ is of order one at x' = x, and no digits are lost to a
# mean far from zero or to a probability near 0 or 1.

#: θ and θ' (tuples of arrays), and A.
Natural = tuple[tuple[Any, ...], tuple[Any, ...], Callable[..., Any]]


def jensen_divergence(natural: Natural, alpha: float) -> Any:
    """D_α from θ, θ' and A, shape (n,)."""
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
    m, v = (mean1 - mean) / jnp.sqrt(variance), variance1 / variance
    zero = jnp.zeros_like(m + v)
    return (zero, zero - 0.5), (m / v, zero - 0.5 / v), lambda a, b: -(a**2) / (4.0 * b) - 0.5 * jnp.log(-2.0 * b)


def _gamma(p: Any, q: Any) -> Natural:
    """y/mean: θ = (shape, −rate), A = log Γ(θ₁) − θ₁ log(−θ₂)."""
    k1 = q.shape + jnp.zeros_like(p.shape)
    return (p.shape, -p.shape), (k1, -k1 * p.mean / q.mean), lambda k, b: special.gammaln(k) - k * jnp.log(-b)


def _beta(p: Any, q: Any) -> Natural:
    """θ = (a, b), A = log B(a, b)."""
    zero = jnp.zeros_like(p.a + q.a + q.b)
    return (p.a, p.b), (q.a + zero, q.b + zero), _log_beta


def _poisson(p: Any, q: Any) -> Natural:
    """Against p itself as base measure: θ = log(rate'/rate), A = rate (e^θ − 1)."""
    log_ratio = jnp.log(q.rate / p.rate)
    return (jnp.zeros_like(log_ratio),), (log_ratio,), lambda t: p.rate * jnp.expm1(t)


def _successes(p: Any, q: Any, trials: Any) -> Natural:
    """Against p itself as base measure: θ = difference of logits, A = n log(1 + π (e^θ − 1))."""
    # Where π > ½ success and failure change places, so that π is the smaller of the two and keeps its digits.
    if q.logit is None:
        difference = jnp.log(q.probability / p.probability) - jnp.log((1.0 - q.probability) / (1.0 - p.probability))
        sign, small = jnp.sign(0.5 - p.probability), jnp.minimum(p.probability, 1.0 - p.probability)
    else:
        difference = q.logit - p.logit
        sign, small = -jnp.sign(p.logit), jax.nn.sigmoid(-jnp.abs(p.logit))
    theta = jnp.where(sign == 0.0, 1.0, sign) * difference
    return (jnp.zeros_like(theta),), (theta,), lambda t: trials * jnp.log1p(small * jnp.expm1(t))


def _categorical(p: Any, q: Any) -> Natural:
    """Against p itself as base measure: θ_k = log(p'_k/p_k), A = log(1 + Σ p_k (e^{θ_k} − 1))."""
    log_ratio = jnp.log(q.probabilities / p.probabilities)
    return (jnp.zeros_like(log_ratio),), (log_ratio,), lambda t: jnp.log1p((p.probabilities * jnp.expm1(t)).sum(-1))


def _multivariate_normal(p: Any, q: Any) -> Natural:
    """L⁻¹(y − mean) is N(0, I) under p: θ = (Pm, P) with precision P, A = ½ θ₁ᵀ P⁻¹ θ₁ − ½ log |P|."""
    factor = jnp.linalg.cholesky(p.covariance)
    half = linalg.solve_triangular(factor, jnp.broadcast_to(q.covariance, factor.shape), lower=True)
    precision = jnp.linalg.inv(linalg.solve_triangular(factor, half.swapaxes(-1, -2), lower=True))
    shift = linalg.solve_triangular(factor, (q.mean - p.mean)[..., None], lower=True)
    identity = jnp.broadcast_to(jnp.eye(factor.shape[-1]), precision.shape)

    def log_partition(a: Any, b: Any) -> Any:
        return 0.5 * (a * jnp.linalg.solve(b, a)).sum((-1, -2)) - 0.5 * jnp.linalg.slogdet(b)[1]

    return (jnp.zeros_like(shift), identity), (precision @ shift, precision), log_partition


def _log_beta(a: Any, b: Any) -> Any:
    """log B(a, b); JAX's betaln has seven digits from a = 8 on."""
    return special.gammaln(a) + special.gammaln(b) - special.gammaln(a + b)


#: The exponential families, with θ, θ' and A of a fixed p and a moving q.
NATURAL: dict[type[Distribution], Callable[[Any, Any], Natural]] = {
    ds.Normal: lambda p, q: _gaussian(p.mean, p.variance, q.mean, q.variance),
    ds.LogNormal: lambda p, q: _gaussian(p.mu, p.sigma2, q.mu, q.sigma2),
    ds.Gamma: _gamma,
    # y/mean: θ = −rate, A = −log(−θ)
    ds.Exponential: lambda p, q: ((-jnp.ones_like(p.mean),), (-p.mean / q.mean,), lambda b: -jnp.log(-b)),
    ds.Beta: _beta,
    ds.Bernoulli: lambda p, q: _successes(p, q, 1.0),
    ds.Binomial: lambda p, q: _successes(p, q, p.n),
    ds.Categorical: _categorical,
    ds.Histogram: _categorical,
    ds.Poisson: _poisson,
    ds.MultivariateNormal: _multivariate_normal,
}
