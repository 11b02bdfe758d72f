"""The exponentiated quadratic kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rsens._typing import Array
from rsens.kernels._leaf import Positive, Term
from rsens.kernels._stationary import Stationary


@dataclass(frozen=True, repr=False)
class EQ(Stationary):
    """Exponentiated quadratic (RBF, squared exponential): g(s) = σ² exp(−s/2). Very smooth functions.

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import EQ
        >>> EQ(lengthscale=2.0)(np.array([[0.0], [2.0]])).round(4).tolist()
        [[1.0, 0.6065], [0.6065, 1.0]]
    """

    variance: float = 1.0
    lengthscale: Positive = 1.0
    dims: tuple[int, ...] | None = None
    slope_ratio: ClassVar[float | None] = -0.5

    def profile(self, s: Array) -> tuple[Array, ...]:
        s *= -0.5
        g = np.exp(s, out=s)
        g *= self.variance
        return g, -0.5 * g

    def curvature(self, s: Array) -> Array:
        return 0.25 * self.variance * np.exp(-0.5 * s)

    def split(self, inside: Sequence[int], outside: Sequence[int], n_columns: int) -> list[Term] | None:
        """exp of a sum over columns."""
        some, others = self.restricted(inside, n_columns), self.restricted(outside, n_columns)
        return [((some,), (replace(others, variance=1.0),))]
