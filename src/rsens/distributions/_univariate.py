"""Families whose y is one number: distribution function and quantiles."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.distributions._base import Distribution, as_numbers

#: Outside the reach of a component lies about this share of it.
NEGLIGIBLE = 1e-18
#: −log of that share, and a little more for the squares of scores.
FAR = 43.0


class Reach(NamedTuple):
    """Where a component has its mass on the line of its family: its ends, its centre, and the finest feature of it."""

    low: Array
    high: Array
    centre: Array
    spread: Array


class Ordered(Distribution):
    """A family with a distribution function, unless it is a mixture of classes or vectors."""

    def cdf(self, y: ArrayLike) -> Array:
        """P(Y ≤ y) per row; y has one value per row, or further axes in front."""
        return self._tail(y, upper=False)

    def survival(self, y: ArrayLike) -> Array:
        """P(Y > y) per row, with the digits that 1 − cdf(y) loses where it is small."""
        return self._tail(y, upper=True)

    def _tail(self, y: ArrayLike, *, upper: bool) -> Array:
        """P(Y ≤ y), or with `upper` P(Y > y), at every y: NaN for NaN, 0 or 1 at ±∞ and at negative counts."""
        if self._checked.support in ("classes", "vector"):
            raise InputError(f"{type(self).__name__}: {self.support} have no distribution function. Use log_prob.")
        values = self._read_y(y)
        inside = np.isfinite(values)
        if self.support == "counts":
            values = np.floor(values)
            inside &= values >= 0.0
        with np.errstate(all="ignore"):
            p = self._checked._cdf(np.where(inside, values, 0.0), upper)
        outside = np.where(np.isnan(values), np.nan, np.where((values < 0.0) == upper, 1.0, 0.0))
        return np.where(inside, np.clip(p, 0.0, 1.0), outside)

    @abstractmethod
    def _cdf(self, y: Array, upper: bool) -> Array:
        """P(Y ≤ y), or with `upper` P(Y > y), for finite y, and for counts whole y ≥ 0."""


class Univariate(Ordered):
    """A family whose y is one number, and which therefore has a distribution function and quantiles.

    Mixtures are integrated along the whole `line`: t = y for a real or a count y, log y for a positive one and logit y
    between 0 and 1. There densities are smooth, and fall at least exponentially.
    """

    line: ClassVar[Literal["real", "positive", "unit"]] = "real"

    def quantile(self, q: ArrayLike) -> Array:
        """The q-quantile of y per row; q has one value, one per row, or more axes in front; 0 and 1 give its ends."""
        q = as_numbers(q, "q")
        if not ((q >= 0.0) & (q <= 1.0)).all():
            raise InputError("quantile: ", Argument("q"), " must be between 0 and 1.")
        with np.errstate(all="ignore"):
            return self._checked._quantile(q)

    @abstractmethod
    def _quantile(self, q: Array, upper: bool = False) -> Array:
        """The q-quantile, or with `upper` the point y exceeds with probability q, which 1 − q could not express."""

    def _reach(self) -> Reach:
        """Where each of these distributions has its mass, on the line."""
        if self.support == "counts":
            sd = np.sqrt(self.variance)
            # Far out a count family falls at least as e^{−y·mean/variance}.
            high = self.mean + 12.0 * sd + 80.0 * (1.0 + self.variance / self.mean)
            return Reach(self.mean - 9.3 * sd, high, self.mean, sd)
        low, left, centre, right = (self._on_line(self._quantile(np.array(q))) for q in (NEGLIGIBLE, 0.16, 0.5, 0.84))
        high = self._on_line(self._quantile(np.array(NEGLIGIBLE), upper=True))
        return Reach(low, high, centre, np.minimum(right - centre, centre - left))

    def _on_line(self, y: Array) -> Array:
        tiny = np.finfo(float).tiny
        if self.line == "positive":
            return np.log(np.clip(y, tiny, None))
        return y if self.line == "real" else np.log(np.clip(y, tiny, None)) - np.log(np.clip(1.0 - y, tiny, None))

    def _log_prob_and_scores(self, t: Array) -> tuple[Array, list[Array]]:
        """log density of t on the line, and ∂ log p/∂λ_m for each m."""
        y, log_slope = t, np.zeros(())
        if self.line == "positive":
            y, log_slope = np.exp(t), t
        elif self.line == "unit":
            y, log_slope = expit(t), log_expit(t) + log_expit(-t)
        return self._log_prob(y) + log_slope, list(np.moveaxis(self._score(y), -1, 0))
