"""How far values vary: standard errors with their degrees of freedom, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from rsens._typing import Array

#: A difference is marked if chance alone gives one as large in at most this share of cases.
PER_TERM = 0.05


@dataclass(frozen=True, eq=False)
class Spread:
    """Standard errors with their degrees of freedom."""

    error: Array
    degrees: Array

    @classmethod
    def of(cls, error: Array, degrees: float) -> Spread:
        """The same degrees of freedom for all."""
        return cls(error, np.full(error.shape, float(degrees)))

    def plus(self, other: Spread) -> Spread:
        """Of the difference of two independent values (Welch and Satterthwaite)."""
        one, two = self.error**2, other.error**2
        below = one**2 / self.degrees + two**2 / other.degrees
        least = np.minimum(self.degrees, other.degrees)
        return Spread(np.sqrt(one + two), np.divide((one + two) ** 2, below, out=least, where=below > 0.0))

    def around(self, values: Array, level: float) -> Array:
        """Lower and upper ends."""
        reach = student.ppf(0.5 + level / 2.0, self.degrees) * self.error
        return np.array([values - reach, values + reach])

    def p_values(self, values: Array) -> Array:
        """How often chance alone gives a difference from 0 as large; 1 for a difference of exactly 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(values == 0.0, 0.0, np.abs(values) / self.error)
        return np.asarray(2.0 * student.sf(t, self.degrees))
