"""scikit-learn's ExpSineSquared: a periodic function of the Euclidean distance, where `Periodic` is one per column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsens._typing import Array
from rsens.kernels import Stationary

#: Below this angle the Taylor series of (θ cos θ − sin θ)/θ³ has more digits than the quotient.
SMALL = 1e-2


@dataclass(frozen=True, repr=False)
class ExpSineSquared(Stationary):
    """g(s) = σ² exp(−2 sin²(πr)/w²), r = √s: the length-scale is the period, and w how smooth one period is.

    With θ = 2πr, h = log(g/σ²): h' = −(2π²/w²) sin θ/θ and h'' = −(4π⁴/w²)(θ cos θ − sin θ)/θ³; g' = gh' and
    g'' = g(h'² + h'').
    """

    variance: float = 1.0
    lengthscale: float | tuple[float, ...] = 1.0
    width: float = 1.0
    dims: tuple[int, ...] | None = None

    def profile(self, s: Array) -> tuple[Array, ...]:
        """g, g' and ∂g/∂log w = g · 4 sin²(πr)/w²."""
        r = np.sqrt(s)
        exponent = 2.0 * np.square(np.sin(np.pi * r)) / self.width**2
        g = self.variance * np.exp(-exponent)
        return g, g * self._slope(r), 2.0 * g * exponent

    def curvature(self, s: Array) -> Array:
        r = np.sqrt(s)
        θ = 2.0 * np.pi * r
        far = np.where(θ < SMALL, 1.0, θ)
        bend = np.where(θ < SMALL, -1.0 / 3.0 + θ**2 / 30.0, (far * np.cos(far) - np.sin(far)) / far**3)
        return self.profile(s)[0] * (self._slope(r) ** 2 - 4.0 * np.pi**4 / self.width**2 * bend)

    def _slope(self, r: Array) -> Array:
        """h'."""
        return -2.0 * np.pi**2 / self.width**2 * np.sinc(2.0 * r)
