"""Beta: λ = (a, b)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, log_expit

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
from rsens.distributions._base import NEGLIGIBLE, POSITIVE, Domain, Reach, RowShaper, Univariate
from rsens.distributions._jensen import segment_gap


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
        return self._at(log_expit(t) + np.log(c / self.a), log_expit(-t) + np.log(c / self.b))

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
        return (betainccinv if upper else betaincinv)(self.a, self.b, q)

    def _cdf(self, y: Array, upper: bool) -> Array:
        return (betaincc if upper else betainc)(self.a, self.b, np.clip(y, 0.0, 1.0))

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


def _edge(a: Array, b: Array) -> Array:
    """log density where y^{a−1} is 0^{a−1}: +inf, −inf or, for a = 1, the finite −log B(1, b) = log b."""
    return np.where(a < 1.0, np.inf, np.where(a > 1.0, -np.inf, np.log(b)))


def _log_quantile(a: Array, b: Array, q: float) -> Array:
    """log of the q-quantile, also below every float64: for small y the distribution function is y^a/(a B(a, b))."""
    y = betaincinv(a, b, q)
    return np.where(y > 1e-290, np.log(np.maximum(y, 1e-290)), (np.log(q) + np.log(a) + betaln(a, b)) / a)
