"""Normal: λ = (mean, variance)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

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
        return gaussian_renyi(self.mean, self.variance, other.mean, other.variance, alpha)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        variance = row(self.variance)
        return [u[0] / np.sqrt(variance), u[1] / (np.sqrt(2.0) * variance)]

    def _score(self, y: Array) -> Array:
        return gaussian_score(y, self.mean, self.variance)

    def _reach(self) -> Reach:
        return gaussian_reach(self.mean, self.variance)

    def _log_prob_and_scores(self, t: Array) -> tuple[Array, list[Array]]:
        return gaussian_log_prob_and_scores(t, self.mean, self.variance)
