"""The Matérn kernels of order 1/2, 3/2 and 5/2, as profiles of s = (r/√(2ν))²."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rsens._typing import Array
from rsens.kernels._base import Positive
from rsens.kernels._stationary import Stationary


def _root_and_exp(factor: float, s: Array) -> tuple[Array, Array]:
    """r = √(factor·s), written over s, and exp(−r). In a profile, new arrays cost the time, not arithmetic."""
    s *= factor
    r = np.sqrt(s, out=s)
    e = np.negative(r)
    return r, np.exp(e, out=e)


@dataclass(frozen=True, repr=False)
class Matern52(Stationary):
    """Matérn 5/2: g(s) = σ² (1 + r + r²/3) exp(−r), r = √(5s). Functions with two derivatives.

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import Matern52
        >>> Matern52(lengthscale=2.0)(np.array([[0.0], [2.0]])).round(4).tolist()
        [[1.0, 0.524], [0.524, 1.0]]
    """

    variance: float = 1.0
    lengthscale: Positive = 1.0
    dims: tuple[int, ...] | None = None

    def profile(self, s: Array) -> tuple[Array, ...]:
        r, e = _root_and_exp(5.0, s)
        e *= self.variance
        slope = 1.0 + r
        r *= r
        r /= 3.0
        r += slope
        r *= e  # (1 + r + r²/3) e
        slope *= e
        slope *= -5.0 / 6.0  # −5/6 (1 + r) e
        return r, slope

    def curvature(self, s: Array) -> Array:
        return 25.0 / 12.0 * self.variance * np.exp(-np.sqrt(5.0 * s))


@dataclass(frozen=True, repr=False)
class Matern32(Stationary):
    """Matérn 3/2: g(s) = σ² (1 + r) exp(−r), r = √(3s). Functions with one derivative.

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import Matern32
        >>> Matern32(lengthscale=2.0)(np.array([[0.0], [2.0]])).round(4).tolist()
        [[1.0, 0.4834], [0.4834, 1.0]]
    """

    variance: float = 1.0
    lengthscale: Positive = 1.0
    dims: tuple[int, ...] | None = None

    def profile(self, s: Array) -> tuple[Array, ...]:
        r, e = _root_and_exp(3.0, s)
        e *= self.variance
        r += 1.0
        r *= e  # (1 + r) e
        e *= -1.5
        return r, e

    def curvature(self, s: Array) -> Array:
        r = np.sqrt(3.0 * s)
        return np.divide(2.25 * self.variance * np.exp(-r), r, out=np.zeros_like(r), where=r > 0.0)


@dataclass(frozen=True, repr=False)
class Matern12(Stationary):
    """Matérn 1/2 (exponential): g(s) = σ² exp(−√s). Rough functions with no derivative in x at x = z: values only.

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import Matern12
        >>> Matern12(lengthscale=2.0)(np.array([[0.0], [2.0]])).round(4).tolist()
        [[1.0, 0.3679], [0.3679, 1.0]]
    """

    variance: float = 1.0
    lengthscale: Positive = 1.0
    dims: tuple[int, ...] | None = None
    differentiable: ClassVar[bool] = False

    def profile(self, s: Array) -> tuple[Array, ...]:
        """g' is infinite at s = 0; we set it to 0 there, since it only occurs times Δ² = 0."""
        r = np.sqrt(s)
        g = self.variance * np.exp(-r)
        return g, np.divide(-0.5 * g, r, out=np.zeros_like(r), where=r > 0.0)

    def curvature(self, s: Array) -> Array:
        r = np.sqrt(s)
        return np.divide(0.25 * self.variance * (1.0 + r) * np.exp(-r), r**3, out=np.zeros_like(r), where=r > 0.0)
