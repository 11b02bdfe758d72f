"""Poisson, λ = rate, and NegativeBinomial, λ = (mean, size), which are orthogonal; sums over counts y = 0, 1, 2, …"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import betainc, betaincc, gammainc, gammaincc, gammaln

from rsens._special import HALF_LOG_TWO_PI, expm1mx, log1pmx, log_minus_digamma, log_ratio, stirling_error
from rsens._typing import Array, Flags
from rsens.distributions._base import POSITIVE, Domain, RowShaper, Univariate
from rsens.distributions._jensen import LogIntegrand, exp_gap, integrated_renyi, rule

#: Sums over counts are exact up to here, and integrals beyond.
_EXACT = 4096
#: Terms of the series of the information about the size that are added up before the rest is integrated.
_TERMS = 512


@dataclass(frozen=True, eq=False)
class Poisson(Univariate):
    """Poisson(rate): y = 0, 1, 2, … with the probabilities rate^y exp(−rate)/y!.

    λ = rate, which is the mean and the variance; I = 1/rate.

    Args:
        rate: The expected count, greater than 0; one value per row, shape (n,), or one for all rows.

    Example:
        >>> from rsens import Poisson
        >>> Poisson(rate=[2.0, 0.5]).fisher().ravel().round(12).tolist()
        [0.5, 2.0]
    """

    rate: Any
    support: ClassVar[Literal["counts"]] = "counts"
    additive_on: ClassVar[Literal["log"]] = "log"
    domains: ClassVar[dict[str, Domain]] = {"rate": POSITIVE}

    @property
    def mean(self) -> Array:
        return self._checked.rate

    @property
    def variance(self) -> Array:
        return self._checked.rate

    def _log_prob(self, y: Array) -> Array:
        # Loader's saddle-point form: y log r − r − log y! without its cancellation.
        inside = (y > 0.0) & np.isfinite(y)
        k = np.where(inside, y, 1.0)
        log_p = -k * expm1mx(log_ratio(k, self.rate)) - stirling_error(k) - 0.5 * np.log(k) - HALF_LOG_TWO_PI
        return np.where(inside, log_p, np.where(y == 0.0, -self.rate, -np.inf))

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return rng.poisson(self.rate, size + self.rate.shape).astype(np.float64)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        return count_quantile(self, q, upper)

    def _cdf(self, y: Array, upper: bool) -> Array:
        # Y ≤ y as long as the (y + 1)-th arrival of a Poisson process comes after the time `rate`.
        return (gammainc if upper else gammaincc)(y + 1.0, self.rate)

    def _renyi(self, other: Self, alpha: float) -> Array:
        d = log_ratio(self.rate, other.rate)
        if np.isinf(alpha):  # log p/q is linear in y, largest at y = 0 if r ≤ r'
            return np.where(d >= 0.0, other.rate - self.rate, np.inf)
        return exp_gap(self.rate, other.rate, d, 1.0 - alpha)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        return [u[0] / row(np.sqrt(self.rate))]

    def _score(self, y: Array) -> Array:
        return ((y - self.rate) / self.rate)[..., None]

    def _variance_gradient(self) -> tuple[float]:
        return (1.0,)


@dataclass(frozen=True, eq=False)
class NegativeBinomial(Univariate):
    """NegativeBinomial(mean, size): a Poisson whose rate is gamma distributed with this mean and shape `size`.

    λ = (m, k) = (mean, size), which are orthogonal: I_mm = 1/variance, I_kk = E[ψ′(k) − ψ′(k + y)] − m/(k(k + m)), an
    expectation summed over y. The variance is m + m²/k; for large k it is a Poisson. In SciPy's terms n = k and
    p = k/(k + m).

    Args:
        mean: The expected count, greater than 0; one value per row, shape (n,), or one for all rows.
        size: Greater than 0, not necessarily whole; same shape. Small sizes spread more.

    Example:
        >>> from rsens import NegativeBinomial
        >>> NegativeBinomial(mean=[2.0, 2.0], size=[4.0, 1.0]).variance.tolist()
        [3.0, 6.0]
    """

    mean: Any
    size: Any
    support: ClassVar[Literal["counts"]] = "counts"
    additive_on: ClassVar[Literal["log"]] = "log"
    domains: ClassVar[dict[str, Domain]] = {"mean": POSITIVE, "size": POSITIVE}
    orthogonal_blocks: ClassVar[dict[str, slice]] = {"mean": slice(0, 1), "size": slice(1, 2)}

    @property
    def variance(self) -> Array:
        mean = self._checked.mean
        return mean * (1.0 + mean / self._checked.size)

    def _log_prob(self, y: Array) -> Array:
        inside = (y >= 0.0) & np.isfinite(y)
        return np.where(inside, negative_binomial_log_prob(np.where(inside, y, 0.0), self.mean, self.size), -np.inf)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        rate = self.mean * (rng.standard_gamma(self.size, size + self.mean.shape) / self.size)
        return rng.poisson(rate).astype(np.float64)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        return count_quantile(self, q, upper)

    def _cdf(self, y: Array, upper: bool) -> Array:
        total = self.size + self.mean
        return beta_cdf(self.size, y + 1.0, self.size / total, self.mean / total, upper)

    def _renyi(self, other: Self, alpha: float) -> Array:
        mean, size, mean1, size1 = self.mean, self.size, other.mean, other.size
        result = _renyi_equal_size(mean, size, mean1, alpha)
        for i in np.flatnonzero(size != size1):
            # Row by row: without a closed form, each pair needs its own rule for the sum over y.
            one = slice(i, i + 1)
            result[one] = _renyi_any_size(mean[one], size[one], mean1[one], size1[one], alpha)
        return result

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        by_mean = np.sqrt(self.mean) * np.sqrt(1.0 + self.mean / self.size)
        if not u[1].any():  # the size is the same everywhere, as in a Gaussian process: no sum over y is needed
            return [u[0] / row(by_mean), u[1]]
        return [u[0] / row(by_mean), u[1] * row(np.sqrt(_size_information(self.mean, self.size)))]

    def _score(self, y: Array) -> Array:
        mean, k = self.mean, self.size
        by_mean = (y - mean) / (mean * (1.0 + mean / k))
        # ψ(y+k) − ψ(k) − log(1 + mean/k) + (mean − y)/(mean + k), with ψ = log − (log − ψ).
        by_size = log1pmx((y - mean) / (k + mean)) + log_minus_digamma(k) - log_minus_digamma(y + k)
        return np.stack(np.broadcast_arrays(by_mean, by_size), -1)

    def _variance_gradient(self) -> tuple[Array, Array]:
        return 1.0 + 2.0 * self.mean / self.size, -((self.mean / self.size) ** 2)


def negative_binomial_log_prob(y: Array, mean: Array, k: Array) -> Array:
    """Loader's saddle-point form for real y ≥ 0: it never subtracts one log-gamma from another."""
    x = np.where(y > 0.0, y, 1.0)
    excess = (x - mean) / (k + mean)
    expected = _log1p((mean - x) / x * (k / (k + mean)), mean, x + k, x, k + mean)
    log_p = (
        stirling_error(x + k)
        - stirling_error(k)
        - stirling_error(x)
        - k * expm1mx(_log1p(excess, x + k, 1.0, k + mean, 1.0))
        - x * expm1mx(expected)
        + 0.5 * (np.log(k) - np.log(x) - np.log(x + k))
        - HALF_LOG_TWO_PI
    )
    return np.where(y > 0.0, log_p, -k * np.log1p(mean / k))


def _log1p(x: Array, a: Any, b: Any, c: Any, d: Any) -> Array:
    """log(ab/(cd)) where ab/(cd) = 1 + x: from x when it is small, else from the factors."""
    return np.where(np.abs(x) < 0.5, np.log1p(np.clip(x, -0.9, 1.0)), np.log(a) + np.log(b) - np.log(c) - np.log(d))


def _mean_ratios(mean: Array, size: Array, mean1: Array) -> tuple[Array, Array]:
    """(log q'/q, log (1−q')/(1−q)) for q = mean/(mean + size): a new mean tilts log p by y·first + size·second."""
    success = _log1p((mean1 - mean) / mean * (size / (mean1 + size)), mean1, mean + size, mean, mean1 + size)
    failure = -_log1p((mean1 - mean) / (mean + size), mean1 + size, 1.0, mean + size, 1.0)
    return success, failure


def _renyi_equal_size(mean: Array, size: Array, mean1: Array, alpha: float) -> Array:
    """Exponential family in q = mean/(mean + size): a Bernoulli divergence, continued over the size."""
    success, failure = _mean_ratios(mean, size, mean1)
    if np.isinf(alpha):
        return np.where(success >= 0.0, -size * failure, np.inf)  # log p/q is linear in y, largest at 0 if mean ≤ mean'
    beta = 1.0 - alpha
    gap = exp_gap(mean, mean * np.exp(success), success, beta) + exp_gap(size, size * np.exp(failure), failure, beta)
    if beta == 0.0:
        return gap
    x = beta * gap * np.exp(-beta * failure) / size
    # Far apart x is near −1; there the plain formula, log[1 − q^α q'^β] and so on, is accurate.
    log_q, log_q1 = -np.log1p(size / mean), -np.log1p(size / mean1)
    joint = (1.0 - beta) * log_q + beta * log_q1
    plain = np.log(-np.expm1(joint)) + (1.0 - beta) * np.log1p(mean / size) + beta * np.log1p(mean1 / size)
    logarithm = np.where(np.abs(x) < 0.5, np.log1p(np.clip(x, -0.9, 1.0)), plain)
    return np.where(joint < 0.0, size * logarithm / beta, np.inf)


def _log_ratio_at(y: Array, mean: Array, size: Array, mean1: Array, size1: Array) -> Array:
    """d = log q/p at y, in two steps: change the size at the old mean, then the mean at the new size."""
    success, failure = _mean_ratios(mean, size1, mean1)
    step = size1 - size
    # Two forms of the first step, and how large the terms are that cancel in each: take the smaller.
    tilted = np.abs(y - mean) / (mean + np.minimum(size, size1)) * np.abs(y - mean)
    plain = np.abs(step) * (1.0 + np.log1p(y + size)) + size * np.log1p(mean / size)
    by_size = np.where(
        tilted < plain,
        _size_part(y, mean, size1) - _size_part(y, mean, size),
        _gamma_ratio(y + size, step)
        - _gamma_ratio(size, step)
        - size1 * np.log1p(mean / size1)
        + size * np.log1p(mean / size)
        - y * np.log1p(step / (mean + size)),
    )
    return by_size + y * success + size1 * failure


def _size_part(y: Array, mean: Array, k: Array) -> Array:
    """The part of log p with the size, arranged to vanish as the size grows, so that differences keep their digits."""
    w = (y - mean) / (mean + k)
    return (y - mean) * w + (y + k) * log1pmx(w) - 0.5 * np.log1p(y / k) + stirling_error(y + k) - stirling_error(k)


def _gamma_ratio(a: Array, step: Array) -> Array:
    """log Γ(a + step) − log Γ(a), by Stirling's formula for large a."""
    large = (
        (a + step - 0.5) * np.log1p(step / a) + step * np.log(a) - step + stirling_error(a + step) - stirling_error(a)
    )
    return np.where(a < 10.0, gammaln(a + step) - gammaln(a), large)


def _renyi_any_size(mean: Array, size: Array, mean1: Array, size1: Array, alpha: float) -> Array:
    """D_α of one pair, arrays (1,), summed over y."""
    q_log, q1_log = -np.log1p(size / mean), -np.log1p(size1 / mean1)
    if np.isinf(alpha):
        if (q_log > q1_log)[0] or ((q_log == q1_log)[0] and (size > size1)[0]):
            return np.full(1, np.inf)
        return _renyi_max(mean, size, mean1, size1)
    tail = np.maximum(q_log, q1_log)
    if alpha > 1.0:
        # Tails y^{k−1} q^y: the sum of p^α q^β converges only if α log q + β log q' < 0.
        tail = np.maximum(tail, alpha * q_log + (1.0 - alpha) * q1_log)
        if (tail >= 0.0)[0]:
            return np.full(1, np.inf)
    high = np.maximum(mean, mean1) * 1e3 + 1e4 + 400.0 / -tail
    return integrated_renyi(
        lambda y: negative_binomial_log_prob(y, mean, size),
        lambda y: negative_binomial_log_prob(y, mean1, size1),  # not log p + d, which cancels far out
        lambda y: _log_ratio_at(y, mean, size, mean1, size1),
        lambda log_f: count_rule(log_f, high),
        alpha,
    )


def _renyi_max(mean: Array, size: Array, mean1: Array, size1: Array) -> Array:
    """sup_y log p/q. From y to y + 1 it changes by log q(y + k) − log q'(y + k'): it rises to one y, or only falls."""
    turn = (mean * size * (mean1 + size1) - mean1 * size1 * (mean + size)) / (mean1 * size - mean * size1)
    top = np.where(np.isfinite(turn) & (size > size1), np.maximum(turn, 0.0), 0.0)
    candidates = np.concatenate([np.zeros(1), np.floor(top), np.ceil(top)])
    return np.maximum((-_log_ratio_at(candidates, mean, size, mean1, size1)).max(keepdims=True), 0.0)


def _size_information(mean: Array, size: Array) -> Array:
    """I_kk = Σ_{j≥2} (j−1)! q^j/(j (k)_j), q = mean/(mean + size): all positive, where ψ′(k) − E ψ′(y + k) cancels."""
    q = 1.0 / (1.0 + size / mean)
    j = np.arange(2.0, _TERMS + 2.0)
    k = size[..., None]
    first = (q / size) * (q / (1.0 + size)) * 0.5
    ratios = q[..., None] * (j / (j + 1.0)) * (j / (k + j))
    terms = first[..., None] * np.cumprod(np.concatenate([np.ones((*size.shape, 1)), ratios], -1), -1)
    total = terms[..., :_TERMS].sum(-1)
    slow = np.atleast_1d(terms[..., _TERMS] * _TERMS > 1e-18 * total)
    if slow.any():
        log_q, k = (np.atleast_1d(each)[slow, None] for each in (-np.log1p(size / mean), size))
        start = _TERMS + 2.0

        def log_term(x: Array) -> Array:
            """log Γ(x) Γ(k) q^x/(Γ(x + k) x) relative to its value at the start."""
            return _log_tail(x, k, log_q) - _log_tail(np.full((len(k), 1), start), k, log_q)

        total = np.array(total, ndmin=1)
        total[slow] += np.atleast_2d(terms)[slow, _TERMS] * sum_from(start, log_term, 800.0 / -log_q[:, 0])
        total = total.reshape(size.shape)
    return total


def _log_tail(x: Array, k: Array, log_q: Array) -> Array:
    """log[Γ(x)/Γ(x + k)] + x log q − log x by Stirling's formula, up to terms that do not depend on x."""
    gammas = -k * np.log(x) - (x + k - 0.5) * np.log1p(k / x) + stirling_error(x) - stirling_error(x + k)
    return gammas + x * log_q - np.log(x)


def count_rule(log_f: LogIntegrand, high: Array) -> tuple[Array, Array]:
    """Nodes y and log weights (n, K) with Σ_y f(y) ≈ Σ_k w_k f(y_k), for an f that is smooth over its own spread.

    From y = J = 4096 on, Σ f = ∫ f + f'/24 + … (Euler–Maclaurin at the half-integer J − ½), f' = f(J) − f(J − 1). A
    count family has a spread of 64 or more there, so the next term is below 1e-9 of the sum.
    """
    n = len(high)
    exact = np.broadcast_to(np.arange(_EXACT + 1, dtype=np.float64), (n, _EXACT + 1))
    weights = np.ones((n, _EXACT + 1))
    weights[:, -2:] = 1.0 - 1.0 / 24.0, 1.0 / 24.0
    t, log_weights = _rule_in_log(log_f, np.full(n, _EXACT - 0.5), np.maximum(high, 2.0 * _EXACT))
    return np.concatenate([exact, np.exp(t)], axis=1), np.concatenate([np.log(weights), t + log_weights], axis=1)


def sum_from(start: float, log_f: LogIntegrand, high: Array) -> Array:
    """Σ_{y ≥ start} f(y) for a slowly varying f, as in `count_rule` with one more term, −17 f‴/5760."""
    t, log_weights = _rule_in_log(log_f, np.full(len(high), start - 0.5), np.maximum(high, 2.0 * start))
    integral = np.exp(log_f(np.exp(t)) + t + log_weights).sum(axis=1)
    f = np.exp(log_f(np.broadcast_to(start + np.arange(-2.0, 2.0), (len(high), 4))))
    return integral + (f[:, 2] - f[:, 1]) / 24.0 - (f[:, 3] - 3.0 * f[:, 2] + 3.0 * f[:, 1] - f[:, 0]) * 17.0 / 5760.0


def count_quantile(family: Univariate, q: Array, upper: bool, largest: Array | float = np.inf) -> Array:
    """The smallest count y with P(Y ≤ y) ≥ q, or with `upper` P(Y > y) ≤ q: bisection, to the digits of a float64."""

    def reached(y: Array) -> Flags:
        p = family._cdf(y, upper)
        return p <= q if upper else p >= q

    low = np.full(np.broadcast_shapes(np.shape(q), family.mean.shape), -1.0)
    high = np.ceil(family.mean) - low - 1.0
    while not (found := reached(high) | (high > 1e300)).all():
        low, high = np.where(found, low, high), np.where(found, high, 2.0 * high + 1.0)
    while (between := ((middle := np.floor(0.5 * low + 0.5 * high)) > low) & (middle < high)).any():
        found = reached(middle)
        low, high = np.where(between & ~found, middle, low), np.where(between & found, middle, high)
    return np.where(q == (0.0 if upper else 1.0), largest, high)


def beta_cdf(a: Array, b: Array, x: Array, rest: Array, upper: bool) -> Array:
    """P(B ≤ x), or with `upper` P(B > x), for B ~ Beta(a, b) and rest = 1 − x: from the smaller of the two."""
    left, right = (betaincc, betainc) if upper else (betainc, betaincc)
    return np.where(x <= rest, left(a, b, x), right(b, a, rest))


def _rule_in_log(log_f: LogIntegrand, low: Array, high: Array) -> tuple[Array, Array]:
    return rule(lambda t: log_f(np.exp(t)) + t, np.log(low), np.log(high))
