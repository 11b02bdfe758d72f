"""A stationary kernel with its derivatives in x."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import cdist

from rsens._errors import InputError
from rsens._typing import Array
from rsens.kernels._base import KernelAt
from rsens.kernels._blas import weighted_differences, weighted_outer

if TYPE_CHECKING:
    from rsens.kernels._stationary import Stationary

#: Multiplied out, Σ_j C_ij uuᵀ has more rounding than the sum of products of differences, but one large matrix product
#: is faster than many small ones. We take it as long as the rounding grows by no more than this: twelve digits remain.
MOST_ROUNDING = 1e4


class AtStationary(KernelAt):
    """Holds s, g, g' and g''. s is a sum of squared differences, and so exact for rows that nearly coincide."""

    def __init__(self, kernel: Stationary, x: Array, z: Array, active: tuple[tuple[int, ...], int]) -> None:
        self.columns, self.n_columns = active
        self._kernel = kernel
        self._inverse = np.broadcast_to(1.0 / np.square(kernel.lengthscale), x.shape[1:])  # 1/l²
        centre = np.median(z, axis=0)
        self._x, self._z = x - centre, z - centre
        self._s = cdist(kernel.scaled(self._x), kernel.scaled(self._z), "sqeuclidean")
        self.value, self._slope = kernel.profile(self._s.copy())[:2]

    def _check_differentiable(self) -> None:
        if not self._kernel.differentiable:
            name = type(self._kernel).__name__
            raise InputError(
                f"{name} has no derivatives in x at x = z. Use Matern32, Matern52 or EQ for sensitivities."
            )

    @cached_property
    def _curvature(self) -> Array:
        """g''; if g' = c·g, then it is c²·g."""
        ratio = self._kernel.slope_ratio
        return self._kernel.curvature(self._s) if ratio is None else ratio**2 * self.value

    @cached_property
    def _rounding(self) -> float:
        """How much Σ_j g''uuᵀ grows before it cancels, if it is multiplied out."""
        reach = max(np.square(self._kernel.scaled(rows)).sum(1).max() for rows in (self._x, self._z))
        return float(reach * np.abs(self._curvature).max() / self._kernel.variance)

    def _u(self) -> Array:
        """u = Δ/l², (n, columns, N), from columns of numbers that lie side by side: strides would double the time."""
        return (self._x * self._inverse)[:, :, None] - np.ascontiguousarray((self._z * self._inverse).T)

    def active_first(self) -> Array:
        """2g'u."""
        self._check_differentiable()
        u = self._u()
        u *= (2.0 * self._slope)[:, None, :]
        return u

    def active_weighted_first(self, W: Array) -> Array:
        """Σ_j W_j 2g'u."""
        self._check_differentiable()
        return 2.0 * self._inverse * weighted_differences(W * self._slope, self._x, self._z)

    def active_second(self, W: Array) -> Array:
        """Σ_j W_j (4g''uuᵀ + 2g'·diag(1/l²))."""
        self._check_differentiable()
        weights = W * self._curvature
        n, d = self._x.shape
        if self._rounding <= MOST_ROUNDING and d <= 4 * n:  # its d²/2 rows of products take no more room than u does
            second = weighted_outer(weights, self._x * self._inverse, self._z * self._inverse)
        else:
            u = self._u()
            second = (u * weights[:, None, :]) @ u.transpose(0, 2, 1)
        second *= 4.0
        slopes = np.einsum("ij,ij->i", np.broadcast_to(W, self._slope.shape), self._slope)
        diagonal = np.arange(d)
        second[:, diagonal, diagonal] += 2.0 * slopes[:, None] * self._inverse
        return second
