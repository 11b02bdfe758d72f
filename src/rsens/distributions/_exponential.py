"""Exponential: λ = mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from rsens._special import log_ratio
from rsens._typing import Array
from rsens.distributions._base import RowShaper
from rsens.distributions._domain import POSITIVE, Domain
from rsens.distributions._jensen import rate_gap
from rsens.distributions._univariate import FAR, Reach, Univariate


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
    domains: ClassVar[dict[str, Domain]] = {"mean": POSITIVE}

    @property
    def variance(self) -> Array:
        return self._checked.mean**2

    def _log_prob(self, y: Array) -> Array:
        return np.where(y >= 0.0, -y / self.mean - np.log(self.mean), -np.inf)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return self.mean * rng.standard_exponential(size + self.mean.shape)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        with np.errstate(divide="ignore"):
            return -self.mean * (np.log(q) if upper else np.log1p(-q))

    def _cdf(self, y: Array, upper: bool) -> Array:
        t = np.maximum(y, 0.0) / self.mean
        return np.exp(-t) if upper else -np.expm1(-t)

    def _renyi(self, other: Self, alpha: float) -> Array:
        d = log_ratio(self.mean, other.mean)
        if alpha == 0.0:
            return np.zeros_like(d)
        if np.isinf(alpha):
            return np.where(d >= 0.0, d, np.inf)  # log p/q falls in y, from log(m'/m) at 0, if m ≤ m'
        one = np.ones_like(d)
        return rate_gap(one, one, d, 1.0 - alpha)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        return [u[0] / row(self.mean)]

    def _score(self, y: Array) -> Array:
        return ((y / self.mean - 1.0) / self.mean)[..., None]

    def _reach(self) -> Reach:
        centre = np.log(self.mean)
        return Reach(centre - FAR, centre + np.log(2.0 * FAR), centre, np.full(centre.shape, 0.7))

    def _log_prob_and_scores(self, t: Array) -> tuple[Array, list[Array]]:
        w = t - np.log(self.mean)
        rise = np.expm1(w)
        return w - rise - 1.0, [rise / self.mean]
