"""Normal, λ = (mean, variance), and LogNormal, λ = (mu, sigma2), the mean and variance of log y."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import ndtr, ndtri

from rsens._special import HALF_LOG_TWO_PI, log_ratio
from rsens._typing import Array
from rsens.distributions._base import POSITIVE, REAL, Domain, Link, Reach, RowShaper, Univariate, scalar_link
from rsens.distributions._jensen import exponential_renyi


@dataclass(frozen=True, eq=False)
class Normal(Univariate):
    """Normal(mean, variance), with the density exp(−(y − mean)²/2v)/√(2πv), v = variance.

    λ = (mean, variance), I = diag(1/v, 1/(2v²)). All families take numbers, lists and arrays, also of JAX and PyTorch.

    Args:
        mean: One value per row, shape (n,), or one for all rows.
        variance: The square of the standard deviation, greater than 0; same shape.

    Example:
        >>> from rsens import Normal
        >>> Normal(mean=[0.0, 1.0], variance=4.0).quantile(0.5).tolist()
        [0.0, 1.0]
        >>> Normal([0.0, 1.0], 4.0).fisher_norm([[1.0, 0.0], [0.0, 8.0]]).round(6).tolist()  # lengths of changes of λ
        [0.5, 1.414214]
    """

    mean: Any
    variance: Any
    matched_by_average: ClassVar[bool] = False
    additive_on: ClassVar[Literal["identity"]] = "identity"
    domains: ClassVar[dict[str, Domain]] = {"mean": REAL, "variance": POSITIVE}
    orthogonal_blocks: ClassVar[dict[str, slice]] = {"mean": slice(0, 1), "variance": slice(1, 2)}

    def _matched(self, average: Callable[..., Any]) -> Normal:
        mean = average(self.mean)
        return Normal(mean, average(self.variance) + average((self.mean - mean) ** 2))

    def _log_prob(self, y: Array) -> Array:
        return gaussian_log_prob(y, self.mean, self.variance)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return self.mean + np.sqrt(self.variance) * rng.standard_normal(size + self.mean.shape)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        return self.mean + np.sqrt(self.variance) * (-ndtri(q) if upper else ndtri(q))

    def _cdf(self, y: Array, upper: bool) -> Array:
        z = (y - self.mean) / np.sqrt(self.variance)
        return ndtr(-z if upper else z)

    def _renyi(self, other: Self, alpha: float) -> Array:
        """α(m − m')²/(2v*) + the gap of the variances, with v* = αv' + (1 − α)v > 0, else inf."""
        d = log_ratio(self.variance, other.variance)
        difference = np.abs(self.mean - other.mean)
        if np.isinf(alpha):
            # log p/q is a parabola in y, bounded above only if v < v' (or the two are equal).
            excess = other.variance - self.variance
            bounded = 0.5 * d + 0.5 * (difference / np.sqrt(excess)) ** 2
            same = (excess == 0.0) & (difference == 0.0)
            return np.where(excess > 0.0, bounded, np.where(same, 0.0, np.inf))
        middle = alpha * other.variance + (1.0 - alpha) * self.variance
        means = 0.5 * alpha * (difference / np.sqrt(middle)) ** 2
        return np.where(middle > 0.0, means + 0.5 * exponential_renyi(d, alpha), np.inf)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        variance = row(self.variance)
        return [u[0] / np.sqrt(variance), u[1] / (np.sqrt(2.0) * variance)]

    def _score(self, y: Array) -> Array:
        """(∂_m, ∂_v) log p: (y − m)/v and [(y − m)²/v − 1]/(2v)."""
        return np.stack(self._log_prob_and_scores(y)[1], -1)

    def _reach(self) -> Reach:
        """8.8 standard deviations either way hold all but 1e-18 of it."""
        sd = np.sqrt(self.variance)
        return Reach(self.mean - 8.8 * sd, self.mean + 8.8 * sd, self.mean, sd)

    def _log_prob_and_scores(self, t: Array) -> tuple[Array, list[Array]]:
        """Both in one pass and in place: mixtures of thousands of components spend their time here."""
        sd = np.sqrt(self.variance)
        rate = 1.0 / sd
        z = np.asarray(t - self.mean)
        z *= rate
        z2 = z * z
        log_p = z2 * -0.5
        log_p -= np.log(sd) + HALF_LOG_TWO_PI
        z *= rate
        z2 -= 1.0
        z2 *= 0.5 / self.variance
        return log_p, [z, z2]

    def _variance_gradient(self) -> tuple[float, float]:
        return 0.0, 1.0


def gaussian_log_prob(y: Array, mean: Array, variance: Array) -> Array:
    """−½(y − m)²/v − ½ log 2πv."""
    return -0.5 * ((y - mean) / np.sqrt(variance)) ** 2 - 0.5 * np.log(variance) - HALF_LOG_TWO_PI


@dataclass(frozen=True, eq=False)
class LogNormal(Univariate):
    """LogNormal(mu, sigma2): log y is normal with mean mu and variance sigma2.

    λ = (mu, sigma2), I = diag(1/sigma2, 1/(2 sigma2²)): log y has the same divergence and information. `mean` and
    `variance` describe y itself.

    Args:
        mu: The mean of log y; one value per row, shape (n,), or one for all rows.
        sigma2: The variance of log y, greater than 0; same shape.

    Example:
        >>> from rsens import LogNormal
        >>> LogNormal(mu=[0.0], sigma2=2.0).mean.round(6).tolist()  # exp(mu + sigma2/2)
        [2.718282]
    """

    mu: Any
    sigma2: Any
    line: ClassVar[Literal["positive"]] = "positive"
    matched_by_average: ClassVar[bool] = False
    additive_on: ClassVar[Literal["log"]] = "log"
    domains: ClassVar[dict[str, Domain]] = {"mu": REAL, "sigma2": POSITIVE}
    orthogonal_blocks: ClassVar[dict[str, slice]] = {"mu": slice(0, 1), "sigma2": slice(1, 2)}

    @property
    def _log_y(self) -> Normal:
        """The distribution of log y."""
        return Normal(self.mu, self.sigma2)

    @property
    def mean(self) -> Array:
        with np.errstate(over="ignore"):
            return np.exp(self._checked.mu + 0.5 * self._checked.sigma2)

    @property
    def variance(self) -> Array:
        with np.errstate(over="ignore"):
            return self.mean**2 * np.expm1(self._checked.sigma2)

    def _matched(self, average: Callable[..., Any]) -> LogNormal:
        matched = self._log_y._matched(average)
        return LogNormal(matched.mean, matched.variance)

    def _log_prob(self, y: Array) -> Array:
        log_y = np.log(np.where(y > 0.0, y, 1.0))
        return np.where(y > 0.0, self._log_y._log_prob(log_y) - log_y, -np.inf)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return np.exp(self._log_y._sample(rng, size))

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        return np.exp(self._log_y._quantile(q, upper))

    def _cdf(self, y: Array, upper: bool) -> Array:
        return self._log_y._cdf(np.log(np.maximum(y, 0.0)), upper)

    def _renyi(self, other: Self, alpha: float) -> Array:
        return self._log_y._renyi(other._log_y, alpha)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        return self._log_y._whiten(u, row)

    def _score(self, y: Array) -> Array:
        return self._log_y._score(np.log(y))

    def _reach(self) -> Reach:
        return self._log_y._reach()

    def _log_prob_and_scores(self, t: Array) -> tuple[Array, list[Array]]:
        return self._log_y._log_prob_and_scores(t)

    def _prediction_gradient(self) -> Array:
        return np.stack([self.mean, 0.5 * self.mean], -1)[..., None, :]

    def _prediction_hessian(self) -> Array:
        return self.mean[..., None, None, None] * np.array([[1.0, 0.5], [0.5, 0.25]])

    def _variance_gradient(self) -> tuple[Array, Array]:
        return 2.0 * self.variance, self.variance + self.mean**2 * np.exp(self.sigma2)

    def _link(self) -> Link:
        """mu, the mean of log y."""
        return scalar_link(self.mu, (1.0, 0.0), (0.0, 0.0), (1.0, 0.0))
