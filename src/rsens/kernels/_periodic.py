"""The periodic kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from scipy.spatial.distance import cdist

from rsens._typing import Array
from rsens.kernels._base import ConstantDiagonal, KernelAt, KernelOn, Positive, row_products, shared, times, weighted
from rsens.kernels._stationary import profiled, weighted_squares


@dataclass(frozen=True, repr=False)
class Periodic(ConstantDiagonal):
    """k(x, z) = σ² exp(−2 Σ_d sin²(πΔ_d/p_d)/l_d²), Δ = x − z: functions that repeat with period p_d in column d.

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import Periodic
        >>> Periodic(period=24.0)(np.array([[1.0], [25.0]])).round(4).tolist()  # the same hour
        [[1.0, 1.0], [1.0, 1.0]]
    """

    variance: float = 1.0
    lengthscale: Positive = 1.0
    period: Positive = 1.0
    dims: tuple[int, ...] | None = None
    per_column: ClassVar[tuple[str, ...]] = ("lengthscale", "period")
    separates: ClassVar[bool] = True

    def on_seen(self, x: Array, z: Array | None) -> KernelOn:
        """The EQ kernel of points on circles: with φ(x) = (cos t, sin t)/l, t = 2πx/p, s = |φ(x) − φ(z)|²."""
        symmetric = z is None
        centre = np.median(x if z is None else z, axis=0)  # small angles lose no digits
        t_x, A = self.circles(x - centre)
        t_z, B = (t_x, A) if z is None else self.circles(z - centre)
        (value,) = profiled(A, None if symmetric else B, lambda s: (self.profile(s),))

        def hyper_gradient(M: Array) -> Array:
            """∂k/∂log l = k|φ(x) − φ(z)|² and ∂k/∂log p = k·t sin(t)/l², t = 2πΔ/p, also through a matrix product:

            t sin(t)/l² = (t_x − t_z)(sin t_x cos t_z − cos t_x sin t_z)/l².
            """
            P = M * value
            squares, variance = weighted_squares(P, A, B, symmetric)
            cos_x, sin_x = np.hsplit(A, 2)
            cos_z, sin_z = np.hsplit(B, 2)
            features = np.hstack([cos_z, sin_z, t_z * cos_z, t_z * sin_z])
            P_cos, P_sin, P_t_cos, P_t_sin = np.hsplit(weighted(P, features, symmetric), 4)
            period = (t_x * (sin_x * P_cos - cos_x * P_sin) - sin_x * P_t_cos + cos_x * P_t_sin).sum(0)
            lengthscale = shared(np.add(*np.split(squares, 2)), self.lengthscale)
            return np.concatenate([[variance], lengthscale, shared(period, self.period)])

        return KernelOn(value, hyper_gradient)

    def at_seen(self, x: Array, z: Array, columns: tuple[int, ...], n_columns: int) -> KernelAt:
        return _AtPeriodic(self, x, z, columns, n_columns)

    def circles(self, X: Array) -> tuple[Array, Array]:
        """t = 2πx/p, and φ(x) = (cos t, sin t)/l."""
        t = 2.0 * np.pi * X / np.asarray(self.period)
        l = np.asarray(self.lengthscale)
        return t, np.hstack([np.cos(t) / l, np.sin(t) / l])

    def profile(self, s: Array) -> Array:
        """σ² exp(−s/2), s = 4 Σ_d sin²(πΔ_d/p_d)/l_d² = |φ(x) − φ(z)|². Overwrites s."""
        s *= -0.5
        np.exp(s, out=s)
        s *= self.variance
        return s

    def active_in_units(self, columns: Array, variance: float) -> Self:
        """The length-scale has no unit."""
        return replace(self, variance=self.variance * variance, period=times(self.period, columns))

    def prior(self, field: str, value: float, size: float, q: int, output_scale: float) -> tuple[float, float]:
        if field in self.per_column:  # the data fit a period and its multiples almost as well
            return value, 0.5
        return super().prior(field, value, size, q, output_scale)

    def active_rates(self, rows: Array) -> Array:
        """2π/(pl)."""
        return 2.0 * np.pi / (np.asarray(self.period) * np.asarray(self.lengthscale))

    def arrays_at(self, n_columns: int) -> int:
        return 4 + 3 * len(self.active_of(n_columns))


class _AtPeriodic(KernelAt):
    """k = σ² exp(h), ∂_d h = −ω sin(t)/l², ∂²_d h = −ω² cos(t)/l², with ω = 2π/p and t = ωΔ.

    We get them from sines and cosines of x and z alone: sin(t_x − t_z) = sin t_x cos t_z − cos t_x sin t_z.
    """

    def __init__(self, kernel: Periodic, x: Array, z: Array, columns: tuple[int, ...], n_columns: int) -> None:
        self._omega = 2.0 * np.pi / np.broadcast_to(kernel.period, x.shape[1:])
        centre = np.median(z, axis=0)
        (_, A), (_, B) = kernel.circles(x - centre), kernel.circles(z - centre)
        self._cos_x, self._sin_x = np.hsplit(A, 2)  # divided by l
        self._cos_z, self._sin_z = np.hsplit(B, 2)
        super().__init__(kernel.profile(cdist(A, B, "sqeuclidean")), columns, n_columns)

    def _slope(self) -> Array:
        """∂_d h, (n, columns, N)."""
        slope = np.multiply(self._cos_x[:, :, None], self._sin_z.T, order="C")
        slope -= np.multiply(self._sin_x[:, :, None], self._cos_z.T, order="C")
        slope *= self._omega[:, None]
        return slope

    def active_first(self) -> Array:
        """k ∂_d h."""
        slope = self._slope()
        slope *= self.value[:, None, :]
        return slope

    def active_weighted_first(self, W: Array) -> Array:
        C = W * self.value
        sin = self._cos_x * row_products(C, self._sin_z.T) - self._sin_x * row_products(C, self._cos_z.T)
        return self._omega * sin

    def active_second(self, W: Array) -> Array:
        """k (∂_d h ∂_e h + δ_de ∂²_d h)."""
        slope, C = self._slope(), W * self.value
        second = (slope * C[:, None, :]) @ slope.transpose(0, 2, 1)
        cos = self._cos_x * row_products(C, self._cos_z.T) + self._sin_x * row_products(C, self._sin_z.T)
        diagonal = np.arange(len(self.columns))
        second[:, diagonal, diagonal] -= self._omega**2 * cos
        return second
