"""The full fourth derivative of the Rényi divergence, which the supplement compares R-sens₂ with.

The divergence of a fixed p = p(y | x) and a moving q = p(y | x') is written in JAX and differentiated four times: of
exponential families from the log-partition function (`NATURAL`), of others as a sum over nodes y of p (`SUMMED`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from rsens import distributions as ds
from rsens._errors import InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.adapters import read_for
from rsens.derivatives import MAX_BYTES, JaxModel, Model
from rsens.distributions import Distribution, negative_binomial_log_prob
from rsens.measures._contrasts import check_continuous
from rsens.measures._rsens import Chunks, check_alpha, finite, gathered

#: Rows at once where memory allows; more would save little time.
_MOST_ROWS = 256
#: e^{−60} ≈ 1e-26, times the eighth power of a distance of 11 standard deviations, is still nothing.
_NEGLIGIBLE = 60.0
#: Nodes of a Gauss rule for sums.
_PANEL = 16


class _Lazy:
    """A module that is imported when it is first used: JAX is an extra."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


jax, jnp, special, linalg = map(_Lazy, ("jax", "jax.numpy", "jax.scipy.special", "jax.scipy.linalg"))


def fourth_derivative(model: Any, X: Any, *, alpha: float = 1.0) -> Array:
    """∂⁴D_α[p(y | x) ‖ p(y | x')]/∂x'_d²∂x'_e² at x' = x of every row and pair, shape (n, D, D), symmetric, signed.

    Only for functions wrapped by `from_jax`. Where D is quadratic in λ, D = ½ δᵀHδ with H = α I (a Normal whose
    variance does not depend on x), this is

        2 λ_deᵀHλ_de + λ_ddᵀHλ_ee + 2 λ_dᵀHλ_dee + 2 λ_eᵀHλ_dde

    so that sqrt(∂⁴D/2) is R-sens₂ when all but the first term vanish: R-sens₂ is what is left when they are dropped.
    In general the third and fourth derivatives of D in λ come in as well. The value may be negative; as an importance,
    to be compared with R-sens₂, `importance` takes sqrt(|∂⁴D|/2). On the diagonal, d = e, it is ∂⁴D/∂x_d⁴. Derivatives
    are taken under the expectation over y (a Weibull has D = ∞ for α > 1 when x' makes its shape larger).

    Example:
        >>> import rsens
        >>> from rsens.measures import fourth_derivative
        >>> model = rsens.from_jax(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> fourth_derivative(model, [[0.0, 0.0]])[0].round(4).tolist()
        [[0.0, 2.0], [2.0, 0.0]]
    """
    order = check_alpha(alpha)
    source, table = read_for(model, X)
    return gathered(_signed_chunks(source, table, order), len(table.values))


def fourth_chunks(model: Model, table: Table, alpha: float) -> Chunks:
    """sqrt(|∂⁴D|/2), in the units of R-sens₂."""
    return ((rows, np.sqrt(0.5 * np.abs(values))) for rows, values in _signed_chunks(model, table, alpha))


def _signed_chunks(model: Model, table: Table, alpha: float) -> Chunks:
    check_continuous(table, "The fourth derivative")
    if not isinstance(model, JaxModel):
        raise InputError(
            f"fourth_derivative differentiates four times and needs a function written in JAX; got {model.name}. Wrap "
            "one with from_jax."
        )
    n, columns = table.values.shape
    d, e = np.triu_indices(columns)
    directions = np.eye(columns)
    compiled: dict[tuple[int, ...], Any] = {}
    size, start = min(n, _MOST_ROWS), 0
    while start < n:
        x = table.values[np.minimum(np.arange(start, start + size), n - 1)]  # the last chunk repeats its last row
        record = model.derivatives(x, 1)
        p = record.distribution
        known = [*NATURAL, *SUMMED]
        if type(p) not in known:  # a mixture, or a family of one's own, has no formula here to differentiate
            raise InputError(
                f"fourth_derivative has no divergence for {type(p).__name__}. It works for "
                f"{', '.join(sorted(f.__name__ for f in known))}; rsens and rsens2 work for every family."
            )
        nodes, weights = _nodes(p)
        arguments = (x, p.leaves(), nodes, weights, directions[d], directions[e])
        with jax.enable_x64(True):
            if nodes.shape not in compiled:
                compiled[nodes.shape] = jax.jit(_program(model.fn, p, alpha)).lower(*arguments).compile()
            memory = compiled[nodes.shape].memory_analysis()
            if size > 1 and memory is not None and memory.temp_size_in_bytes > MAX_BYTES:
                size = max(1, min(size // 2, int(size * MAX_BYTES / memory.temp_size_in_bytes)))
                continue
            second, fourth = jax.tree.map(np.asarray, compiled[nodes.shape](*arguments))
        _check_second(second.T, alpha * p.fisher_norm(record.first) ** 2, start)
        rows = slice(start, min(n, start + size))
        values = np.empty((rows.stop - start, columns, columns))
        values[:, d, e] = values[:, e, d] = fourth[:, : len(values)].T
        yield rows, finite(values, rows, table.names, 2, "The fourth derivative of the divergence")
        start += size


def _nodes(p: Distribution) -> tuple[Array, Array]:
    """Nodes and weights for the sum over y, filled up to a power of two with weight 0: few shapes, few compilations."""
    if type(p) not in SUMMED:
        empty = np.zeros((len(p.parameters), 0))
        return empty, empty
    nodes, weights = SUMMED[type(p)][0](p)
    missing = (1 << (nodes.shape[1] - 1).bit_length()) - nodes.shape[1]
    filling = ((0, 0), (0, missing))
    return np.pad(nodes, filling + ((0, 0),) * (nodes.ndim - 2), mode="edge"), np.pad(weights, filling)


def _program(fn: Callable[[Any], Distribution], template: Distribution, alpha: float) -> Callable[..., Any]:
    """The second derivative of D along every column, and the fourth along every pair, of all rows at once."""

    def program(x: Any, leaves: list[Any], nodes: Any, weights: Any, first: Any, then: Any) -> tuple[Any, Any]:
        p = template.rebuilt(iter([jnp.asarray(leaf) for leaf in leaves]))

        def divergence(z: Any) -> Any:
            q = fn(z)
            if type(p) in NATURAL:
                value = jensen_divergence(NATURAL[type(p)](p, q), alpha)
            else:
                value = summed_divergence(SUMMED[type(p)][1](p, q, nodes), weights, alpha)
            return jnp.broadcast_to(value, x.shape[:1])

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


# ---- exponential families --------------------------------------------------------------------------------------------
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


def _exponential(p: Any, q: Any) -> Natural:
    """y/mean: θ = −rate, A = −log(−θ)."""
    return (-jnp.ones_like(p.mean),), (-p.mean / q.mean,), lambda b: -jnp.log(-b)


def _beta(p: Any, q: Any) -> Natural:
    """θ = (a, b), A = log B(a, b)."""
    zero = jnp.zeros_like(p.a + q.a + q.b)
    return (p.a, p.b), (q.a + zero, q.b + zero), _log_beta


def _poisson(p: Any, q: Any) -> Natural:
    """Against p itself as base measure: θ = log(rate'/rate), A = rate (e^θ − 1)."""
    log_ratio = jnp.log(q.rate / p.rate)
    return (jnp.zeros_like(log_ratio),), (log_ratio,), lambda t: p.rate * jnp.expm1(t)


def _successes(p: Any, q: Any, trials: Any) -> Natural:
    """Against p itself as base measure: θ = difference of logits, A = n log(1 + π (e^θ − 1)).

    Where π > ½ success and failure change places, so that π stands for the smaller of the two and keeps its digits.
    """
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
    ds.Exponential: _exponential,
    ds.Beta: _beta,
    ds.Bernoulli: lambda p, q: _successes(p, q, 1.0),
    ds.Binomial: lambda p, q: _successes(p, q, p.n),
    ds.Categorical: _categorical,
    ds.Histogram: _categorical,
    ds.Poisson: _poisson,
    ds.MultivariateNormal: _multivariate_normal,
}


# ---- sums over nodes -------------------------------------------------------------------------------------------------
# With weights w_k of p and d_k = log q/p at nodes y_k, D_α = log Σ w_k e^{(1−α) d_k}/(α − 1), and −Σ w_k d_k for α = 1.
# The nodes belong to p alone and stay while q moves: enough for derivatives at q = p, not for D far away. The functions
# that are summed are polynomials of degree four at most in derivatives of log p: a rule that resolves p resolves them.


def summed_divergence(ratios: Any, weights: Any, alpha: float) -> Any:
    """D_α from d and w, (n, K) each."""
    if alpha == 1.0:
        return -(weights * ratios).sum(-1)
    return jnp.log1p((weights * jnp.expm1((1.0 - alpha) * ratios)).sum(-1)) / (alpha - 1.0)


def student_t_rule(p: ds.StudentT) -> tuple[Array, Array]:
    """Nodes v with y = location + scale √df sinh v, where the density is sech(v)^df: trapezoid rule, (n, K) each.

    The integrand is analytic up to |Im v| = π/2 and near v = 0 a Gaussian of variance 1/df; the step is fine for both.
    """
    df = p.df[:, None]
    reach = _NEGLIGIBLE / df + np.log1p(np.sqrt(-np.expm1(-2.0 * _NEGLIGIBLE / df)))  # log cosh(reach) = 60/df
    half = int(np.ceil(np.max(reach / np.minimum(0.16, 0.4 / np.sqrt(df)))))
    v = reach * np.linspace(-1.0, 1.0, 2 * half + 1)
    size = np.abs(v)
    log_cosh = np.where(
        size < 1e-2, size**2 / 2 - size**4 / 12 + size**6 / 45, size + np.log1p(np.expm1(-2 * size) / 2)
    )
    return v, normalised(-df * log_cosh)


def weibull_rule(p: ds.Weibull) -> tuple[Array, Array]:
    """Nodes t with (y/scale)^shape = e^t, where the density is e^{t − e^t}: trapezoid rule, the same for all rows."""
    t = np.arange(-60.0, 5.0, 0.2)
    shape = (len(p.shape), len(t))
    return np.broadcast_to(t, shape), np.broadcast_to(normalised(t - np.exp(t)), shape)


def negative_binomial_rule(p: ds.NegativeBinomial) -> tuple[Array, Array]:
    """Nodes y: panels that grow with y, no wider than a few standard deviations, with a Gauss rule for sums on each."""
    spread = np.sqrt(p.variance)
    tail = 1.0 + p.mean / p.size  # far out the probabilities fall as e^{−y/tail}, or faster
    low = np.maximum(0.0, np.floor(p.mean - 12.0 * spread))
    high = p.mean + 12.0 * spread + (_NEGLIGIBLE + 5.0) * tail
    rows = [panels(*ends) for ends in zip(low, high, 4.0 * np.maximum(spread, tail), strict=True)]
    y, w = padded([row[0] for row in rows]), padded([row[1] for row in rows], zero=True)
    with np.errstate(divide="ignore"):
        return y, normalised(np.log(w) + negative_binomial_log_prob(y, p.mean[:, None], p.size[:, None]))


def panels(low: float, high: float, widest: float) -> tuple[Array, Array]:
    """Nodes and weights for Σ_y g(y), low ≤ y ≤ high, on panels of 2^k integers."""
    nodes, weights = [], []
    start = low
    while start <= high:
        length = max(_PANEL, 2 ** int(np.log2(max(1.0, min(start, widest)))))
        x, w = gauss_for_sums(length)
        nodes.append(start + x)
        weights.append(w)
        start += length
    return np.concatenate(nodes), np.concatenate(weights)


@lru_cache(maxsize=128)
def gauss_for_sums(length: int) -> tuple[Array, Array]:
    """Nodes and weights of 16 points for Σ_{y=0}^{length−1} g(y), exact for polynomials up to degree 31.

    Golub and Welsch with the recurrence of the polynomials that are orthogonal on these integers (Gram, Chebyshev):
    b_k = k² (length² − k²)/(4 (4k² − 1)). With 16 integers it is the sum itself.
    """
    k = np.arange(1.0, _PANEL)
    off = np.sqrt(k**2 * (float(length) ** 2 - k**2) / (4.0 * (4.0 * k**2 - 1.0)))
    x, vectors = np.linalg.eigh(np.diag(off, 1) + np.diag(off, -1))
    return x + 0.5 * (length - 1.0), length * vectors[0] ** 2


def normalised(log_weights: Array) -> Array:
    weights = np.exp(log_weights - log_weights.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def padded(rows: list[Array], zero: bool = False) -> Array:
    """Rows of different lengths as one array, filled up with zeros or with the last value of each."""
    longest = max(len(row) for row in rows)
    return np.stack([np.pad(row, (0, longest - len(row)), mode="constant" if zero else "edge") for row in rows])


def _student_t_ratios(p: Any, q: Any, v: Any) -> Any:
    """y = location + scale √df sinh v. 1 + z²/df is taken relative to its value under p, cosh² v: nothing overflows."""
    df, scale2 = p.df[:, None], p.scale2[:, None]
    ratio = scale2 / _column(q.scale2)
    shift = (_column(q.location) - p.location[:, None]) / jnp.sqrt(df * scale2)
    sech, tanh = 1.0 / jnp.cosh(jnp.clip(v, -700.0, 700.0)), jnp.tanh(v)
    return 0.5 * jnp.log(ratio) - 0.5 * (df + 1.0) * jnp.log(sech**2 + ratio * (tanh - shift * sech) ** 2)


def _weibull_ratios(p: Any, q: Any, t: Any) -> Any:
    """(y/s)^k = e^t, so (y/s')^k' = e^{t k'/k + k' log(s/s')}."""
    shape1 = _column(q.shape)
    ratio = shape1 / p.shape[:, None]
    t1 = ratio * t + shape1 * jnp.log(p.scale[:, None] / _column(q.scale))
    return jnp.log(ratio) + (t1 - t) - (jnp.exp(t1) - jnp.exp(t))


def _negative_binomial_ratios(p: Any, q: Any, y: Any) -> Any:
    return _negative_binomial_density(q, y) - _negative_binomial_density(p, y)


def _negative_binomial_density(q: Any, y: Any) -> Any:
    mean, k = _column(q.mean), _column(q.size)
    ways = special.gammaln(y + k) - special.gammaln(k) - special.gammaln(y + 1.0)
    return ways - k * jnp.log1p(mean / k) - y * jnp.log1p(k / mean)


def _column(field: Any) -> Any:
    """One value per row, shaped to meet y (n, K)."""
    return jnp.asarray(field)[..., None]


#: Families without a closed form: nodes and weights of p, in NumPy, and log q/p at these nodes, in JAX.
SUMMED: dict[type[Distribution], tuple[Callable[[Any], tuple[Array, Array]], Callable[[Any, Any, Any], Any]]] = {
    ds.StudentT: (student_t_rule, _student_t_ratios),
    ds.Weibull: (weibull_rule, _weibull_ratios),
    ds.NegativeBinomial: (negative_binomial_rule, _negative_binomial_ratios),
}
