"""Sums over counts y = 0, 1, 2, … in bounded time: the first few thousand exactly, the rest as an integral."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import betainc, betaincc, gammainc, gammaincc, ndtri

from rsens._special import HALF_LOG_TWO_PI, expm1mx, log_ratio, stirling_error
from rsens._typing import Array, Flags
from rsens.distributions._base import POSITIVE, Domain, RowShaper
from rsens.distributions._jensen import exp_gap
from rsens.distributions._quadrature import LogIntegrand, rule
from rsens.distributions._univariate import FAR, Reach, Univariate

_EXACT = 4096


def count_rule(log_f: LogIntegrand, high: Array) -> tuple[Array, Array]:
    """Nodes y and log weights (n, K) with Σ_y f(y) ≈ Σ_k w_k f(y_k), for an f that is smooth over its own spread.

    From y = J = 4096 on, Σ f = ∫ f + f'/24 + … (Euler–Maclaurin at the half-integer J − ½), f' = f(J) − f(J − 1); the
    integral is taken in log y. A count family has a spread of 64 or more there, so the next term is below 1e-9 of the
    sum.
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


def count_quantile(family: Any, q: Array, upper: bool, mean: Array, variance: Array, *arguments: Array) -> Array:
    """scipy.stats' quantile of a Poisson, binomial or negative binomial family, or Cornish and Fisher's of huge counts.

    SciPy gives up for rates above 1e11, or never ends, and some versions are off by 1e-4 standard deviations there.
    """
    z, sd = (-ndtri(q) if upper else ndtri(q)), np.sqrt(variance)
    with np.errstate(all="ignore"):  # no mean, no variance, q = 0 or 1: none of them huge
        skewness = (2.0 * variance / mean - 1.0) / sd  # of all three families
        huge = (sd > 1e5) & (np.abs(skewness) < 1e-5) & np.isfinite(z)
        bent = np.where(huge, skewness * (z**2 - 1.0) / 6.0, 0.0)
        normal = np.ceil(mean + sd * (z + bent) - 0.5)
    found = (family.isf if upper else family.ppf)(q, *(np.where(huge, 1.0, each) for each in arguments))
    return np.where(huge | np.isnan(found), np.maximum(normal, 0.0), found)


def first_count(reached: Callable[[Array], Flags], shape: tuple[int, ...]) -> Array:
    """The smallest y with `reached(y)`, which stays true from there on; to the digits that a float64 has."""
    low, high = np.full(shape, -1.0), np.zeros(shape)
    for _ in range(1023):  # up to the largest float64
        if (found := reached(high)).all():
            break
        low, high = np.where(found, low, high), np.where(found, high, 2.0 * high + 1.0)
    for _ in range(53):
        middle = np.ceil(0.5 * low + 0.5 * high)
        found = reached(middle)
        low, high = np.where(found, low, middle), np.where(found, middle, high)
    return high


def bounded_reach(mean: Array, variance: Array) -> Reach:
    """Where a sum of independent events has its mass, by Bernstein's inequality."""
    sd = np.sqrt(variance)
    high = mean + FAR / 3.0 + np.sqrt((FAR / 3.0) ** 2 + 2.0 * FAR * variance)
    return Reach(mean - np.sqrt(2.0 * FAR) * sd, high, mean, sd)


def beta_cdf(a: Array, b: Array, x: Array, rest: Array, upper: bool) -> Array:
    """P(B ≤ x), or with `upper` P(B > x), for B ~ Beta(a, b) and rest = 1 − x: from the smaller of the two."""
    left, right = (betaincc, betainc) if upper else (betainc, betaincc)
    return np.where(x <= rest, left(a, b, x), right(b, a, rest))


def _rule_in_log(log_f: LogIntegrand, low: Array, high: Array) -> tuple[Array, Array]:
    return rule(lambda t: log_f(np.exp(t)) + t, np.log(low), np.log(high))


# ---- Poisson: λ = rate -----------------------------------------------------------------------------------------------


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
        if np.isinf(alpha):  # log p/q is linear in y, largest at y = 0 if r ≤ r'
            return np.where(d >= 0.0, other.rate - self.rate, np.inf)
        return exp_gap(self.rate, other.rate, d, 1.0 - alpha)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        return [u[0] / row(np.sqrt(self.rate))]

    def _reach(self) -> Reach:
        return bounded_reach(self.rate, self.rate)

    def _score(self, y: Array) -> Array:
        return ((y - self.rate) / self.rate)[..., None]
