"""Normal: λ = (mean, variance)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import ndtr, ndtri

from rsens.distributions._base import POSITIVE, REAL, Array, Domain, RowShaper
from rsens.distributions._gaussian import gaussian_log_prob, gaussian_renyi, gaussian_score
from rsens.distributions._univariate import Univariate


@dataclass(frozen=True, eq=False)
class Normal(Univariate):
    """Normal(mean, variance); λ = (mean, variance), I = diag(1/variance, 1/(2 variance²))."""

    mean: Any
    variance: Any
    domains: ClassVar[dict[str, Domain]] = {"mean": REAL, "variance": POSITIVE}
    orthogonal_blocks: ClassVar[dict[str, slice]] = {"mean": slice(0, 1), "variance": slice(1, 2)}

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return ("mean", "variance")

    def columns(self) -> tuple[Any, ...]:
        return self.mean, self.variance

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
