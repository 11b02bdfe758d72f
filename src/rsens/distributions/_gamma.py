"""Gamma, λ = (mean, shape); Exponential, λ = mean; Weibull, λ = (shape, scale); Beta, λ = (a, b)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import special

from rsens._special import (
    HALF_LOG_TWO_PI,
    expm1mx,
    log_minus_digamma,
    log_ratio,
    stirling_error,
    trigamma_rest,
    trigamma_rest_drop,
)
from rsens._typing import Array
from rsens.distributions._base import FAR, NEGLIGIBLE, POSITIVE, Domain, Link, Reach, RowShaper, Univariate, scalar_link
from rsens.distributions._jensen import exponential_renyi, integrated_renyi, largest, rule, segment_gap


@dataclass(frozen=True, eq=False)
class Gamma(Univariate):
    """Gamma(mean, shape), with a density proportional to y^(shape − 1) exp(−y·shape/mean).

    λ = (mean, shape), which are orthogonal: I = diag(shape/mean², ψ′(shape) − 1/shape). The variance is mean²/shape,
    the rate shape/mean and the scale mean/shape.

    Args:
        mean: The mean (not a rate or a scale), greater than 0; one value per row, shape (n,), or one for all rows.
        shape: Greater than 0; same shape. 1 is an exponential distribution.

    Example:
        >>> from rsens import Gamma
        >>> Gamma(mean=[2.0, 3.0], shape=4.0).variance.tolist()
        [1.0, 2.25]
    """

    mean: Any
    shape: Any
    line: ClassVar[Literal["positive"]] = "positive"
    matched_by_average: ClassVar[bool] = False
    additive_on: ClassVar[Literal["log"]] = "log"
    domains: ClassVar[dict[str, Domain]] = {"mean": POSITIVE, "shape": POSITIVE}
    orthogonal_blocks: ClassVar[dict[str, slice]] = {"mean": slice(0, 1), "shape": slice(1, 2)}

    @property
    def variance(self) -> Array:
        return self._checked.mean**2 / self._checked.shape

    def _matched(self, average: Callable[..., Any]) -> Gamma:
        """The mean and the variance of the mixture."""
        mean = average(self.mean)
        variance = average(self.mean**2 / self.shape) + average((self.mean - mean) ** 2)
        return Gamma(mean, mean**2 / variance)

    def _log_prob(self, y: Array) -> Array:
        inside = np.where(y > 0.0, y, 1.0)
        log_p = self._at(log_ratio(self.mean, inside))[0] - np.log(inside)
        return np.where(y > 0.0, log_p, density_at_zero(y, self.shape, self.mean))

    def _score(self, y: Array) -> Array:
        return np.stack(np.broadcast_arrays(*self._at(log_ratio(self.mean, y))[1]), -1)

    def _log_prob_and_scores(self, t: Array) -> tuple[Array, list[Array]]:
        return self._at(t - np.log(self.mean))

    def _at(self, w: Array) -> tuple[Array, list[Array]]:
        """log density of log y and ∂ log p/∂λ, from w = log y/m, which reaches below the smallest y.

        With Stirling's formula for Γ(k), log p = ½ log(k/2π) − k (e^w − 1 − w) − error(k).
        """
        k, above = self.shape, expm1mx(w)  # e^w − 1 − w
        small = np.minimum(k, 10.0)
        direct = small * (np.log(small) - 1.0 - above) - special.gammaln(small)
        log_p = 0.5 * np.log(k) - HALF_LOG_TWO_PI - k * above - stirling_error(k)
        return np.where(k < 10.0, direct, log_p), [k / self.mean * np.expm1(w), log_minus_digamma(k) - above]

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return self.mean * (rng.standard_gamma(self.shape, size + self.mean.shape) / self.shape)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        inverse = special.gammainccinv if upper else special.gammaincinv
        return self.mean * (inverse(self.shape, q) / self.shape)

    def _cdf(self, y: Array, upper: bool) -> Array:
        return (special.gammaincc if upper else special.gammainc)(
            self.shape, self.shape * (np.maximum(y, 0.0) / self.mean)
        )

    def _renyi(self, other: Self, alpha: float) -> Array:
        k, k1, d = self.shape, other.shape, log_ratio(self.mean, other.mean)
        same, rate = k == k1, k / self.mean
        rate1 = np.where(same, rate, k1 / other.mean)
        cross = -rate * k1 * np.expm1(-d)  # k'·rate − k·rate', the same all along the segment

        def whiten(at: Array, step: Array) -> list[Array]:
            """Factors of A″ for A = log Γ(k) − k log(rate): ψ′(k) Δk² − 2 Δk Δrate/rate + k (Δrate/rate)²."""
            return [np.sqrt(trigamma_rest(at[0])) * step[0], step[1] / (np.sqrt(at[0]) * at[1])]

        result = segment_gap(whiten, (k, rate), (k1, rate1), (k1 - k, cross), alpha)
        if np.isinf(alpha):
            result = np.where(rate > rate1, result, np.inf)
        return np.where(same, k * exponential_renyi(d, alpha), result) if same.any() else result

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        return [u[0] * row(np.sqrt(self.shape) / self.mean), u[1] * row(np.sqrt(trigamma_rest(self.shape)))]

    def _reach(self) -> Reach:
        # w = log y/m has the density e^{−k(e^w − 1 − w)}: with e^{−x} − 1 + x ≥ x²/(2 + x) on the left, x²/2 and e^x/2
        # or so on the right, k times it is `FAR` no later than here.
        c, centre = FAR / self.shape, np.log(self.mean)
        left, right = 0.5 * c + np.sqrt(0.25 * c**2 + 2.0 * c), np.minimum(np.sqrt(2.0 * c), np.log(2.0 * c + 3.0))
        return Reach(centre - left, centre + right, centre, np.minimum(1.0, 1.0 / np.sqrt(self.shape)))

    def _variance_gradient(self) -> tuple[Array, Array]:
        return 2.0 * self.mean / self.shape, -((self.mean / self.shape) ** 2)


def density_at_zero(y: Array, shape: Array, scale: Array) -> Array:
    """log density at y ≤ 0 if it is proportional to y^(shape − 1) near 0, and 1/scale at 0 for a shape of 1."""
    at_zero = np.where(shape < 1.0, np.inf, np.where(shape > 1.0, -np.inf, -np.log(scale)))
    return np.where(y == 0.0, at_zero, -np.inf)


@dataclass(frozen=True, eq=False)
class Exponential(Univariate):
    """Exponential(mean), with the density exp(−y/mean)/mean.

    λ = mean, I = 1/mean². The rate is 1/mean.

    Args:
        mean: The mean (not a rate), greater than 0; one value per row, shape (n,), or one for all rows.

    Example:
        >>> from rsens import Exponential
        >>> Exponential(mean=[2.0, 3.0]).variance.tolist()
        [4.0, 9.0]
    """

    mean: Any
    line: ClassVar[Literal["positive"]] = "positive"
    additive_on: ClassVar[Literal["log"]] = "log"
    domains: ClassVar[dict[str, Domain]] = {"mean": POSITIVE}

    @property
    def variance(self) -> Array:
        return self._checked.mean**2

    def _log_prob(self, y: Array) -> Array:
        return np.where(y >= 0.0, -y / self.mean - np.log(self.mean), -np.inf)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return self.mean * rng.standard_exponential(size + self.mean.shape)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        return -self.mean * (np.log(q) if upper else np.log1p(-q))

    def _cdf(self, y: Array, upper: bool) -> Array:
        t = np.maximum(y, 0.0) / self.mean
        return np.exp(-t) if upper else -np.expm1(-t)

    def _renyi(self, other: Self, alpha: float) -> Array:
        return exponential_renyi(log_ratio(self.mean, other.mean), alpha)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        return [u[0] / row(self.mean)]

    def _score(self, y: Array) -> Array:
        return ((y / self.mean - 1.0) / self.mean)[..., None]

    def _reach(self) -> Reach:
        return exponential_reach(self.mean, np.ones(self.mean.shape))

    def _log_prob_and_scores(self, t: Array) -> tuple[Array, list[Array]]:
        w = t - np.log(self.mean)
        rise = np.expm1(w)
        return w - rise - 1.0, [rise / self.mean]

    def _variance_gradient(self) -> tuple[Array]:
        return (2.0 * self.mean,)


def exponential_reach(scale: Array, shape: Array) -> Reach:
    """The reach of y if e^w = (y/scale)^shape is exponential with mean 1, so that w has the density e^{w − e^w}."""
    centre, unit = np.log(scale), 1.0 / shape
    return Reach(centre - FAR * unit, centre + np.log(2.0 * FAR) * unit, centre, 0.7 * unit)


_LOG_MEAN = 1.0 - np.euler_gamma  # E[E log E] for E ~ Exponential(1)


@dataclass(frozen=True, eq=False)
class Weibull(Univariate):
    """Weibull(shape, scale): (y/scale)^shape is exponential with mean 1, so P(Y > y) = exp(−(y/scale)^shape).

    λ = (k, s) = (shape, scale), I_kk = (π²/6 + (1 − γ)²)/k², I_ks = −(1 − γ)/s, I_ss = (k/s)² with Euler's γ ≈ 0.577.

    Args:
        shape: Greater than 0; one value per row, shape (n,), or one for all rows. 1 is an exponential distribution.
        scale: In the unit of y, greater than 0; same shape. The mean is scale·Γ(1 + 1/shape).

    Example:
        >>> from rsens import Weibull
        >>> Weibull(shape=[1.0, 0.5], scale=3.0).mean.tolist()
        [3.0, 6.0]
    """

    shape: Any
    scale: Any
    line: ClassVar[Literal["positive"]] = "positive"
    additive_on: ClassVar[Literal["log"]] = "log"
    domains: ClassVar[dict[str, Domain]] = {"shape": POSITIVE, "scale": POSITIVE}

    @property
    def mean(self) -> Array:
        with np.errstate(over="ignore"):
            return self._checked.scale * special.gamma(1.0 + 1.0 / self._checked.shape)

    @property
    def variance(self) -> Array:
        with np.errstate(over="ignore"):
            return self.mean**2 * np.expm1(_log_second_moment(1.0 / self._checked.shape))

    def _log_prob(self, y: Array) -> Array:
        inside = np.where(y > 0.0, y, 1.0)
        log_p = self._at(self.shape * log_ratio(self.scale, inside))[0] - np.log(inside)
        return np.where(y > 0.0, log_p, density_at_zero(y, self.shape, self.scale))

    def _score(self, y: Array) -> Array:
        return np.stack(np.broadcast_arrays(*self._at(self.shape * log_ratio(self.scale, y))[1]), -1)

    def _log_prob_and_scores(self, t: Array) -> tuple[Array, list[Array]]:
        return self._at(self.shape * (t - np.log(self.scale)))

    def _at(self, w: Array) -> tuple[Array, list[Array]]:
        """log density of log y and ∂ log p/∂λ, from w = k log(y/s), which has the density e^{w − e^w}."""
        rise = np.expm1(w)
        return np.log(self.shape) + w - rise - 1.0, [(1.0 - w * rise) / self.shape, self.shape / self.scale * rise]

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return self.scale * rng.standard_exponential(size + self.scale.shape) ** (1.0 / self.shape)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        return self.scale * (-(np.log(q) if upper else np.log1p(-q))) ** (1.0 / self.shape)

    def _cdf(self, y: Array, upper: bool) -> Array:
        t = np.exp(self.shape * log_ratio(self.scale, np.maximum(y, 0.0)))  # (y/scale)^shape
        return np.exp(-t) if upper else -np.expm1(-t)

    def _renyi(self, other: Self, alpha: float) -> Array:
        shape, scale, shape1, scale1 = self.shape, self.scale, other.shape, other.scale
        same = shape == shape1
        d = shape * log_ratio(scale, scale1)  # log ratio of the means of y^k, which is exponential
        result = np.where(same, exponential_renyi(d, alpha), np.inf)
        # ∫ p^α q^β converges at 0 if αk + βk' > 0, and at infinity, for α > 1, only if the shape of q is the smaller.
        finite = ~same & (shape1 < shape if alpha > 1.0 else np.full(len(d), True))
        if np.isfinite(alpha):
            finite &= alpha * shape + (1.0 - alpha) * shape1 > 0.0
        if finite.any():
            ratio, offset = shape1 / shape, shape1 * log_ratio(scale1, scale)
            log_k = log_ratio(shape, shape1)
            routine = _renyi_max if np.isinf(alpha) else _renyi_different_shapes
            result[finite] = routine(ratio[finite], offset[finite], log_k[finite], alpha)
        return result

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        relative = u[0] / row(self.shape)
        return [row(self.shape / self.scale) * u[1] - _LOG_MEAN * relative, np.pi / np.sqrt(6.0) * relative]

    def _reach(self) -> Reach:
        return exponential_reach(self.scale, self.shape)

    def _prediction_gradient(self) -> Array:
        # mean = s Γ(1 + x), x = 1/k
        k, x = self.shape, 1.0 / self.shape
        g, g1 = special.gamma(1.0 + x), special.gamma(1.0 + x) * special.digamma(1.0 + x)
        return np.stack([-self.scale * g1 / k**2, g], -1)[..., None, :]

    def _prediction_hessian(self) -> Array:
        k, x = self.shape, 1.0 / self.shape
        g = special.gamma(1.0 + x)
        g1, g2 = g * special.digamma(1.0 + x), g * (special.digamma(1.0 + x) ** 2 + special.polygamma(1, 1.0 + x))
        by_shape = self.scale * (g2 / k**4 + 2.0 * g1 / k**3)
        cross = -g1 / k**2
        return np.stack([by_shape, cross, cross, np.zeros_like(cross)], -1).reshape(*k.shape, 1, 2, 2)

    def _variance_gradient(self) -> tuple[Array, Array]:
        """V = s² (Γ(1 + 2x) − Γ(1 + x)²), x = 1/k, dx/dk = −x²."""
        x = 1.0 / self.shape
        one, two = special.gamma(1.0 + x), special.gamma(1.0 + 2.0 * x)
        by_x = 2.0 * two * special.digamma(1.0 + 2.0 * x) - 2.0 * one**2 * special.digamma(1.0 + x)
        return -(self.scale**2) * by_x * x**2, 2.0 * self.variance / self.scale

    def _link(self) -> Link:
        """log s + log Γ(1 + 1/k); η moves the scale s with the shape k held."""
        k, s = self.parameters.T
        u = 1.0 + 1.0 / k
        bends = (special.polygamma(1, u) / k**4 + 2.0 * special.digamma(u) / k**3, -1.0 / s**2)
        slopes = (-special.digamma(u) / k**2, 1.0 / s)
        return scalar_link(np.log(s) + special.gammaln(u), slopes, bends, (0.0, s))


def _log_second_moment(x: Array) -> Array:
    """log[Γ(1 + 2x)/Γ(1 + x)²], by the series of log Γ if the difference would cancel (large shapes)."""
    orders = np.arange(2.0, 16.0)
    coefficients = special.zeta(orders) * (-1.0) ** orders * (2.0**orders - 2.0) / orders
    small = np.minimum(x, 0.05)
    series = np.sum(coefficients * small[..., None] ** orders, axis=-1)
    return np.where(x < 0.05, series, special.gammaln(1.0 + 2.0 * x) - 2.0 * special.gammaln(1.0 + x))


def _log_ratio_at(t: Array, ratio: Array, offset: Array, log_k: Array) -> Array:
    """d = log q/p where (y/s)^k = e^t: then (y/s')^k' = e^{ratio t + offset}."""
    t1 = ratio[:, None] * t + offset[:, None]
    rise = np.where(np.abs(t1 - t) < 1.0, np.exp(t) * np.expm1(t1 - t), np.exp(t1) - np.exp(t))
    return log_k[:, None] + (t1 - t) - rise


def _renyi_different_shapes(ratio: Array, offset: Array, log_k: Array, alpha: float) -> Array:
    """D_α by quadrature over t = log (y/s)^k, where p has the density e^{t − e^t}."""
    beta = 1.0 - alpha

    def log_q(t: Array) -> Array:
        t1 = ratio[:, None] * t + offset[:, None]
        return log_k[:, None] + t1 - np.exp(t1)

    # To the left p^α q^β falls as e^{(α + β ratio) t}; to the right doubly exponentially.
    left = np.minimum(0.0, -offset / ratio) - 80.0 / np.minimum(alpha + beta * ratio, 1.0) - np.abs(offset)
    right = _beyond(ratio, offset, -beta / alpha)
    # The other shape has features of width 1/ratio in t: they need panels too.
    fine = (np.linspace(-60.0, 60.0, 121) - offset[:, None]) / ratio[:, None]
    return integrated_renyi(
        lambda t: t - np.exp(t),
        log_q,
        lambda t: _log_ratio_at(t, ratio, offset, log_k),
        lambda log_f: rule(log_f, left, right, panels=120, breaks=fine),
        alpha,
    )


def _beyond(ratio: Array, offset: Array, share: float) -> Array:
    """A point to the right of all mass; p^α q^β may peak far beyond p and q, where e^t = share · ratio · e^{t1}."""
    peak = (offset + np.log(max(share, 0.0) * ratio)) / (1.0 - ratio)
    peak = np.where((ratio < 1.0) & np.isfinite(peak), peak, 0.0)
    return np.minimum(np.maximum(np.maximum(0.0, -offset / ratio), peak) + 50.0, 705.0)


def _renyi_max(ratio: Array, offset: Array, log_k: Array, alpha: float) -> Array:
    """sup log p/q for k' < k, where −d(t) rises to one top and falls."""
    low = np.minimum(0.0, -offset / ratio) - 80.0 - np.abs(log_k) / (1.0 - ratio)
    return largest(lambda t: -_log_ratio_at(t, ratio, offset, log_k), low, _beyond(ratio, offset, 1.0))


@dataclass(frozen=True, eq=False)
class Beta(Univariate):
    """Beta(a, b), with a density proportional to y^(a − 1) (1 − y)^(b − 1) for 0 < y < 1.

    λ = (a, b), I = diag(ψ′(a), ψ′(b)) − ψ′(a + b). The mean is a/(a + b).

    Args:
        a: Greater than 0; one value per row, shape (n,), or one for all rows.
        b: Greater than 0; same shape.

    Example:
        >>> from rsens import Beta
        >>> Beta(a=[1.0, 3.0], b=1.0).mean.tolist()
        [0.5, 0.75]
    """

    a: Any
    b: Any
    line: ClassVar[Literal["unit"]] = "unit"
    matched_by_average: ClassVar[bool] = False
    additive_on: ClassVar[Literal["logit"]] = "logit"
    domains: ClassVar[dict[str, Domain]] = {"a": POSITIVE, "b": POSITIVE}

    @property
    def mean(self) -> Array:
        return self._checked.a / (self._checked.a + self._checked.b)

    @property
    def variance(self) -> Array:
        a, b = self._checked.a, self._checked.b
        return (a / (a + b)) * (b / (a + b)) / (a + b + 1.0)

    def _matched(self, average: Callable[..., Any]) -> Beta:
        """The mean and the variance of the mixture."""
        c = self.a + self.b
        each = self.a / c
        mean = average(each)
        variance = average(each * (1.0 - each) / (c + 1.0)) + average((each - mean) ** 2)
        total = mean * (1.0 - mean) / variance - 1.0
        return Beta(mean * total, (1.0 - mean) * total)

    def _log_prob(self, y: Array) -> Array:
        a, b = self.a, self.b
        inside = (y > 0.0) & (y < 1.0)
        x = np.where(inside, y, 0.5)
        log_p = self._at(*self._log_ratios(x))[0] - np.log(x) - np.log1p(-x)
        return np.where(inside, log_p, np.where(y == 0.0, _edge(a, b), np.where(y == 1.0, _edge(b, a), -np.inf)))

    def _score(self, y: Array) -> Array:
        return np.stack(np.broadcast_arrays(*self._at(*self._log_ratios(y))[1]), -1)

    def _log_prob_and_scores(self, t: Array) -> tuple[Array, list[Array]]:
        # In t = logit y, which keeps 1 − y where y is close to 1.
        c = self.a + self.b
        return self._at(special.log_expit(t) + np.log(c / self.a), special.log_expit(-t) + np.log(c / self.b))

    def _log_ratios(self, y: Array) -> tuple[Array, Array]:
        """log cy/a and log c(1 − y)/b, c = a + b."""
        c = self.a + self.b
        return log_ratio(self.a, c * y), log_ratio(self.b, c * (1.0 - y))

    def _at(self, by_a: Array, by_b: Array) -> tuple[Array, list[Array]]:
        """log density of logit y and ∂ log p/∂λ, from log cy/a and log c(1 − y)/b.

        With Stirling's formula in B(a, b), y^a (1−y)^b/B leaves −c KL between (a, b)/c and (y, 1−y), and
        ψ(c) − ψ(a) = log(c/a) + (log − ψ)(a) − (log − ψ)(c).
        """
        a, b, c = self.a, self.b, self.a + self.b
        error = stirling_error(c) - stirling_error(a) - stirling_error(b)
        middle = 0.5 * (np.log(a) + np.log(b) - np.log(c)) - HALF_LOG_TWO_PI
        log_p = middle - a * expm1mx(by_a) - b * expm1mx(by_b) + error
        drop = log_minus_digamma(c)
        return log_p, [by_a + log_minus_digamma(a) - drop, by_b + log_minus_digamma(b) - drop]

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return rng.beta(self.a, self.b, size + self.a.shape)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        return (special.betainccinv if upper else special.betaincinv)(self.a, self.b, q)

    def _cdf(self, y: Array, upper: bool) -> Array:
        return (special.betaincc if upper else special.betainc)(self.a, self.b, np.clip(y, 0.0, 1.0))

    def _renyi(self, other: Self, alpha: float) -> Array:
        def whiten(at: Array, step: Array) -> list[Array]:
            return Beta(*at)._whiten(step, lambda field: field)

        first, last = (self.a, self.b), (other.a, other.b)
        return segment_gap(whiten, first, last, (other.a - self.a, other.b - self.b), alpha)

    def _reach(self) -> Reach:
        low, high = _log_quantile(self.a, self.b, NEGLIGIBLE), _log_quantile(self.b, self.a, NEGLIGIBLE)
        low, high = low - np.log1p(-np.exp(low)), -(high - np.log1p(-np.exp(high)))
        spread = np.minimum(1.0, np.sqrt(1.0 / self.a + 1.0 / self.b))
        return Reach(low, high, np.log(self.a) - np.log(self.b), spread)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        # ψ′(z) = 1/z + rest(z). The 1/z part of uᵀIu is (ab/c)(u₁/a − u₂/b)², exactly; the rest is a 2 × 2 form.
        a, b, c = self.a, self.b, self.a + self.b
        joint = trigamma_rest(c)
        first = np.sqrt(trigamma_rest_drop(a, b))
        cross = joint / first
        second = np.sqrt(np.maximum(trigamma_rest_drop(b, a) - cross**2, 0.0))
        return [
            row(np.sqrt(a) * np.sqrt(b / c)) * (u[0] / row(a) - u[1] / row(b)),
            row(first) * u[0] - row(cross) * u[1],
            row(second) * u[1],
        ]

    def _prediction_gradient(self) -> Array:
        c = self.a + self.b
        return np.stack([self.b / c**2, -self.a / c**2], -1)[..., None, :]

    def _prediction_hessian(self) -> Array:
        a, b, c = self.a, self.b, self.a + self.b
        entries = np.stack([-2.0 * b, a - b, a - b, 2.0 * a], -1) / c[..., None] ** 3
        return entries.reshape(*a.shape, 1, 2, 2)

    def _variance_gradient(self) -> tuple[Array, Array]:
        """log V = log a + log b − 2 log c − log(c + 1), c = a + b."""
        c = self.a + self.b
        rest = 2.0 / c + 1.0 / (c + 1.0)
        return self.variance * (1.0 / self.a - rest), self.variance * (1.0 / self.b - rest)

    def _link(self) -> Link:
        """log a − log b; η moves the mean a/(a + b) with a + b held: ∂a/∂η = ab/(a + b) = −∂b/∂η."""
        a, b = self.parameters.T
        moved = 1.0 / (1.0 / a + 1.0 / b)
        return scalar_link(np.log(a) - np.log(b), (1.0 / a, -1.0 / b), (-1.0 / a**2, 1.0 / b**2), (moved, -moved))


def _edge(a: Array, b: Array) -> Array:
    """log density where y^{a−1} is 0^{a−1}: +inf, −inf or, for a = 1, the finite −log B(1, b) = log b."""
    return np.where(a < 1.0, np.inf, np.where(a > 1.0, -np.inf, np.log(b)))


def _log_quantile(a: Array, b: Array, q: float) -> Array:
    """log of the q-quantile, also below every float64: for small y the distribution function is y^a/(a B(a, b))."""
    y = special.betaincinv(a, b, q)
    return np.where(y > 1e-290, np.log(np.maximum(y, 1e-290)), (np.log(q) + np.log(a) + special.betaln(a, b)) / a)
