"""The matrix of a stationary kernel with its gradient in the hyperparameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rsens._typing import Array
from rsens.kernels._base import KernelOn
from rsens.kernels._blas import inner, weighted_squares
from rsens.kernels._blocks import profiled

if TYPE_CHECKING:
    from rsens.kernels._stationary import Stationary


class OnStationary(KernelOn):
    """Holds g, g' and the slopes in the further hyperparameters, all computed once."""

    def __init__(self, kernel: Stationary, X: Array, Z: Array | None) -> None:
        self._kernel = kernel
        self._symmetric = Z is None
        # A common shift changes no distance and keeps |a|² + |b|² − 2a·b exact; the median is not moved by outliers.
        centre = np.median(X if Z is None else Z, axis=0)
        self._A = kernel.scaled(X - centre)
        self._B = self._A if Z is None else kernel.scaled(Z - centre)
        self.value, *self._slopes = profiled(self._A, None if Z is None else self._B, self._profile)

    def _profile(self, s: Array) -> tuple[Array, ...]:
        g, slope, *shapes = self._kernel.profile(s)
        return (g, slope, *shapes) if self._kernel.slope_ratio is None else (g, *shapes)

    def hyper_gradient(self, M: Array) -> Array:
        """∂k/∂log σ² = g, ∂k/∂log l_d = −2g'·(a_d − b_d)², and the rest as the profile gives it."""
        ratio = self._kernel.slope_ratio
        if ratio is None:
            slope, *shapes = self._slopes
            squares, _ = weighted_squares(M * slope, self._A, self._B, self._symmetric)
            variance = inner(M, self.value, self._symmetric)
        else:
            shapes = self._slopes
            squares, variance = weighted_squares(M * self.value, self._A, self._B, self._symmetric)
            squares *= ratio
        if not isinstance(self._kernel.lengthscale, tuple):
            squares = squares.sum(keepdims=True)
        further = [inner(M, shape, self._symmetric) for shape in shapes]
        return np.concatenate([[variance], -2.0 * squares, further])
