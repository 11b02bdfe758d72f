"""The rational quadratic kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsens._typing import Array
from rsens.kernels._leaf import Positive
from rsens.kernels._stationary import Stationary


@dataclass(frozen=True, repr=False)
class RationalQuadratic(Stationary):
    """Rational quadratic: g(s) = σ² (1 + s/2α)^−α, a mixture of EQ kernels of many length-scales; α → ∞ is EQ.

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import RationalQuadratic
        >>> RationalQuadratic(lengthscale=2.0, alpha=0.5)(np.array([[0.0], [2.0]])).round(4).tolist()
        [[1.0, 0.7071], [0.7071, 1.0]]
    """

    variance: float = 1.0
    lengthscale: Positive = 1.0
    alpha: float = 1.0
    dims: tuple[int, ...] | None = None

    def profile(self, s: Array) -> tuple[Array, ...]:
        """With b = s/2α: g' = −g/(2(1 + b)) and ∂g/∂log α = −αg (log(1 + b) − b/(1 + b))."""
        b = s / (2.0 * self.alpha)
        log = np.log1p(b)
        g = self.variance * np.exp(-self.alpha * log)
        return g, -0.5 * g / (1.0 + b), -self.alpha * g * (log - b / (1.0 + b))

    def prior(self, field: str, value: float, size: float, q: int, output_scale: float) -> tuple[float, float]:
        if field == "alpha":
            return 0.0, 1.0
        return super().prior(field, value, size, q, output_scale)

    def curvature(self, s: Array) -> Array:
        log = np.log1p(s / (2.0 * self.alpha))
        return 0.25 * self.variance * (1.0 + 1.0 / self.alpha) * np.exp(-(self.alpha + 2.0) * log)
