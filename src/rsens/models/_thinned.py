"""Rows of which the common ones were thinned out: p(y | f) given that the row was kept.

If nearly all classes or counts are the same, say 0, the few others say most about f. A draw keeps them, and of the
common rows a share r. Among the rows kept, y has the density

    p̃(y | f) = r^[y = 0] p(y | f)/(1 − (1 − r) p(0 | f)),

which has the same f: so hyperparameters that are learned with p̃ on such a draw are those of the model of all rows. With
the logit link, p̃ is a shift of f, known from case-control studies (Prentice and Pyke 1979).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsens._typing import Array
from rsens.likelihoods import Likelihood


@dataclass(frozen=True, eq=False)
class ThinnedDensity:
    """p̃(y | f) = r^[y = common] p(y | f)/(1 − c p(common | f)) with c = 1 − r: what Laplace's method asks of it.

    With l = log p(common | f) and u = c eˡ/(1 − c eˡ), ∂u = u(1 + u)∂l, and log p̃ − log p has the derivative u ∂l.
    """

    likelihood: Likelihood
    common: float
    rate: float  # r

    def log_density(self, y: Array, f: Array) -> Array:
        kept = np.where(y == self.common, np.log(self.rate), 0.0) - np.log(self._denominator(f))
        return self.likelihood.log_density(y, f) + kept

    def f_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        first, second, third = self.likelihood.f_derivatives(y, f)
        l1, l2, l3 = self.likelihood.f_derivatives(np.full_like(y, self.common), f)
        u = self._u(f)
        du = u * (1.0 + u)
        return (
            first + u * l1,
            second + du * l1**2 + u * l2,
            third + du * (1.0 + 2.0 * u) * l1**3 + 3.0 * du * l1 * l2 + u * l3,
        )

    def curvature(self, y: Array, f: Array) -> tuple[Array, Array]:
        """W = −∂² log p̃, cut off at 0."""
        _, second, third = self.f_derivatives(y, f)
        return np.maximum(-second, 0.0), np.where(second < 0.0, -third, 0.0)

    def theta_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        of_log_density, of_slope, of_W = self.likelihood.theta_derivatives(y, f)
        common = np.full_like(y, self.common)
        l1, l2, _ = self.likelihood.f_derivatives(common, f)
        of_l, of_l1, of_minus_l2 = self.likelihood.theta_derivatives(common, f)
        u = self._u(f)
        du = u * (1.0 + u)
        of_second = du * (1.0 + 2.0 * u) * of_l * l1**2 + du * (2.0 * l1 * of_l1 + of_l * l2) - u * of_minus_l2
        curved = self.f_derivatives(y, f)[1] < 0.0
        return of_log_density + u * of_l, of_slope + du * of_l * l1 + u * of_l1, (of_W - of_second) * curved

    def _denominator(self, f: Array) -> Array:
        """1 − c eˡ, which is r + c(1 − eˡ): nothing cancels."""
        l = self.likelihood.log_density(np.full_like(f, self.common), f)
        return self.rate - (1.0 - self.rate) * np.expm1(l)

    def _u(self, f: Array) -> Array:
        denominator = self._denominator(f)
        return (1.0 - denominator) / denominator


#: What Laplace's method takes.
Density = Likelihood | ThinnedDensity
