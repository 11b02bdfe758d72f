"""Poisson: λ = rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import gammainc, gammaincc

from rsens._special import HALF_LOG_TWO_PI, expm1mx, log_ratio, stirling_error
from rsens._typing import Array
from rsens.distributions._base import RowShaper
from rsens.distributions._counts import bounded_reach, count_quantile
from rsens.distributions._domain import POSITIVE, Domain
from rsens.distributions._jensen import exp_gap
from rsens.distributions._univariate import Reach, Univariate


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
        from scipy.stats import poisson

        return count_quantile(poisson, q, upper, self.rate, self.rate, self.rate)

    def _cdf(self, y: Array, upper: bool) -> Array:
        # Y ≤ y as long as the (y + 1)-th arrival of a Poisson process comes after the time `rate`.
        return (gammainc if upper else gammaincc)(y + 1.0, self.rate)

    def _renyi(self, other: Self, alpha: float) -> Array:
        d = log_ratio(self.rate, other.rate)
        if alpha == 0.0:
            return np.zeros_like(d)
        if np.isinf(alpha):
            return np.where(
                d >= 0.0, other.rate - self.rate, np.inf
            )  # log p/q is linear in y, largest at y = 0 if r ≤ r'
        return exp_gap(self.rate, other.rate, d, 1.0 - alpha)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        return [u[0] / row(np.sqrt(self.rate))]

    def _reach(self) -> Reach:
        return bounded_reach(self.rate, self.rate)

    def _score(self, y: Array) -> Array:
        return ((y - self.rate) / self.rate)[..., None]
