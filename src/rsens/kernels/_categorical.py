"""The kernel of unordered levels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from rsens._typing import Array
from rsens.kernels._base import DistanceKernel, KernelAt, KernelOn, Positive, inner, shared


@dataclass(frozen=True, repr=False)
class Categorical(DistanceKernel):
    """k(x, z) = σ² exp(−Σ_d [x_d ≠ z_d]/l_d) on level codes, whose order and size mean nothing.

    Its derivatives in x are 0: levels change in steps, and a contrast of two levels measures a step.

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import Categorical
        >>> Categorical(lengthscale=2.0)(np.array([[0.0], [1.0], [2.0]])).round(4).tolist()
        [[1.0, 0.6065, 0.6065], [0.6065, 1.0, 0.6065], [0.6065, 0.6065, 1.0]]
    """

    variance: float = 1.0
    lengthscale: Positive = 1.0
    dims: tuple[int, ...] | None = None
    slope_ratio: ClassVar[float | None] = -1.0
    separates: ClassVar[bool] = True
    about_one: ClassVar[tuple[str, ...]] = ("lengthscale",)
    power: ClassVar[int] = 1

    def on_seen(self, x: Array, z: Array | None) -> KernelOn:
        symmetric, z = z is None, x if z is None else z
        value = self._values(z, x).T

        def hyper_gradient(M: Array) -> Array:
            """∂k/∂log l_d = k [x_d ≠ z_d]/l_d."""
            P = M * value
            of_columns = ((b[:, None] != a).astype(np.float64).T for a, b in zip(x.T, z.T, strict=True))
            slopes = self._inverse(x.shape[1]) * [inner(P, differ, symmetric) for differ in of_columns]
            return np.concatenate([[inner(M, value, symmetric)], shared(slopes, self.lengthscale)])

        return KernelOn(value, hyper_gradient)

    def at_seen(self, x: Array, z: Array, columns: tuple[int, ...], n_columns: int) -> KernelAt:
        return KernelAt(self._values(x, z), (), n_columns)

    def active_in_units(self, columns: Array, variance: float) -> Self:
        """Level codes have no unit."""
        return replace(self, variance=self.variance * variance)

    def active_rates(self, rows: Array) -> Array:
        """√(2(1 − e^(−1/l)))."""
        return np.sqrt(-2.0 * np.expm1(-1.0 / np.asarray(self.lengthscale)))

    def profile(self, s: Array) -> tuple[Array, ...]:
        np.negative(s, out=s)
        g = np.exp(s, out=s)
        g *= self.variance
        return g, -g

    def pair_distance(self, squares: Array, unit: float, lengthscale: float) -> tuple[Array, float]:
        """[x_d ≠ z_d], with weight 1/l_d."""
        return (squares > 0.0).astype(np.float64), 1.0 / lengthscale

    def _values(self, x: Array, z: Array) -> Array:
        """k(x, z) for rows of level codes; of rows x with the same levels, one is computed."""
        levels, place = np.unique(x, axis=0, return_inverse=True)
        differ = np.zeros((len(levels), len(z)))
        for d, inverse in enumerate(self._inverse(x.shape[1])):
            differ += inverse * (levels[:, d, None] != z[:, d])
        return self.profile(differ)[0][place.reshape(-1)]

    def _inverse(self, d: int) -> Array:
        """1/l for each of the columns."""
        return np.broadcast_to(1.0 / np.asarray(self.lengthscale), (d,))
