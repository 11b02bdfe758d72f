"""Families whose y is one number: distribution function and quantiles."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.distributions._base import Distribution
from rsens.distributions._numbers import as_numbers


class Univariate(Distribution):
    """A family whose y is one number, and which therefore has a distribution function and quantiles."""

    def cdf(self, y: ArrayLike) -> Array:
        """P(Y ≤ y) per row; y has one value per row, or further axes in front."""
        return tail_probability(self, y, upper=False)

    def survival(self, y: ArrayLike) -> Array:
        """P(Y > y) per row, with the digits that 1 − cdf(y) loses where it is small."""
        return tail_probability(self, y, upper=True)

    def quantile(self, q: ArrayLike) -> Array:
        """The q-quantile of y per row; q has one value, one per row, or more axes in front; 0 and 1 give its ends."""
        q = as_numbers(q, "q")
        if not ((q >= 0.0) & (q <= 1.0)).all():
            raise InputError("quantile: ", Argument("q"), " must be between 0 and 1.")
        return self._checked._quantile(q)

    @abstractmethod
    def _quantile(self, q: Array, upper: bool = False) -> Array:
        """The q-quantile, or with `upper` the point y exceeds with probability q, which 1 − q could not express."""

    @abstractmethod
    def _cdf(self, y: Array, upper: bool) -> Array:
        """P(Y ≤ y), or with `upper` P(Y > y), for finite y, and for counts whole y ≥ 0."""


def tail_probability(family: Any, y: ArrayLike, *, upper: bool) -> Array:
    """P(Y ≤ y), or with `upper` P(Y > y), at every y: NaN for NaN, 0 or 1 at ±∞ and at negative counts."""
    values: Array = family._read_y(y)
    inside = np.isfinite(values)
    if family.support == "counts":
        values = np.floor(values)
        inside &= values >= 0.0
    with np.errstate(all="ignore"):
        p = family._checked._cdf(np.where(inside, values, 0.0), upper)
    outside = np.where(np.isnan(values), np.nan, np.where((values < 0.0) == upper, 1.0, 0.0))
    return np.where(inside, np.clip(p, 0.0, 1.0), outside)
