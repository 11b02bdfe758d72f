"""LogNormal: λ = (mu, sigma2), the mean and variance of log y."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import ndtr, ndtri

from rsens._typing import Array
from rsens.distributions._base import RowShaper
from rsens.distributions._domain import POSITIVE, REAL, Domain
from rsens.distributions._gaussian import (
    gaussian_log_prob,
    gaussian_log_prob_and_scores,
    gaussian_reach,
    gaussian_renyi,
    gaussian_score,
)
from rsens.distributions._univariate import Reach, Univariate


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
    domains: ClassVar[dict[str, Domain]] = {"mu": REAL, "sigma2": POSITIVE}
    orthogonal_blocks: ClassVar[dict[str, slice]] = {"mu": slice(0, 1), "sigma2": slice(1, 2)}

    @property
    def mean(self) -> Array:
        with np.errstate(over="ignore"):
            return np.exp(self._checked.mu + 0.5 * self._checked.sigma2)

    @property
    def variance(self) -> Array:
        with np.errstate(over="ignore"):
            return self.mean**2 * np.expm1(self._checked.sigma2)

    def _matched(self, average: Callable[..., Any]) -> LogNormal:
        """The mean and the variance of log y."""
        mu = average(self.mu)
        return LogNormal(mu, average(self.sigma2) + average((self.mu - mu) ** 2))

    def _log_prob(self, y: Array) -> Array:
        positive = np.where(y > 0.0, y, 1.0)
        log_y = np.log(positive)
        return np.where(y > 0.0, gaussian_log_prob(log_y, self.mu, self.sigma2) - log_y, -np.inf)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return np.exp(self.mu + np.sqrt(self.sigma2) * rng.standard_normal(size + self.mu.shape))

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        return np.exp(self.mu + np.sqrt(self.sigma2) * (-ndtri(q) if upper else ndtri(q)))

    def _cdf(self, y: Array, upper: bool) -> Array:
        z = (np.log(np.maximum(y, 0.0)) - self.mu) / np.sqrt(self.sigma2)
        return ndtr(-z if upper else z)

    def _renyi(self, other: Self, alpha: float) -> Array:
        return gaussian_renyi(self.mu, self.sigma2, other.mu, other.sigma2, alpha)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        sigma2 = row(self.sigma2)
        return [u[0] / np.sqrt(sigma2), u[1] / (np.sqrt(2.0) * sigma2)]

    def _score(self, y: Array) -> Array:
        return gaussian_score(np.log(y), self.mu, self.sigma2)

    def _reach(self) -> Reach:
        return gaussian_reach(self.mu, self.sigma2)

    def _log_prob_and_scores(self, t: Array) -> tuple[Array, list[Array]]:
        return gaussian_log_prob_and_scores(t, self.mu, self.sigma2)

    def _prediction_gradient(self) -> Array:
        return np.stack([self.mean, 0.5 * self.mean], -1)[..., None, :]

    def _prediction_hessian(self) -> Array:
        return self.mean[..., None, None, None] * np.array([[1.0, 0.5], [0.5, 0.25]])
