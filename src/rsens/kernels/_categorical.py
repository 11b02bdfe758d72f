"""The kernel of unordered levels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from rsens._typing import Array
from rsens.kernels._base import DistanceKernel, FlatAt, KernelAt, KernelOn, Positive, inner, shared


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

    def on(self, X: Array, Z: Array | None = None) -> KernelOn:
        return _OnCategorical(self, *self.seen_pair(X, Z))

    def at(self, X: Array, Z: Array) -> KernelAt:
        return FlatAt(self.values(*self.seen_rows(X, Z)), np.shape(X)[1])

    def active_in_units(self, columns: Array, variance: float) -> Self:
        """Level codes have no unit."""
        return replace(self, variance=self.variance * variance)

    def active_rates(self, rows: Array) -> Array:
        """√(2(1 − e^(−1/l)))."""
        return np.sqrt(-2.0 * np.expm1(-1.0 / np.asarray(self.lengthscale)))

    def arrays_at(self, n_columns: int) -> int:
        return 3

    def profile(self, s: Array) -> tuple[Array, ...]:
        np.negative(s, out=s)
        g = np.exp(s, out=s)
        g *= self.variance
        return g, -g

    def pair_distance(self, squares: Array, unit: float, lengthscale: float) -> tuple[Array, float]:
        """[x_d ≠ z_d], with weight 1/l_d."""
        return (squares > 0.0).astype(np.float64), 1.0 / lengthscale

    def values(self, x: Array, z: Array) -> Array:
        """k(x, z) for rows of level codes; of rows x with the same levels, one is computed."""
        levels, place = np.unique(x, axis=0, return_inverse=True)
        differ = np.zeros((len(levels), len(z)))
        for d, inverse in enumerate(self.inverse(x.shape[1])):
            differ += inverse * (levels[:, d, None] != z[:, d])
        return self.profile(differ)[0][place.reshape(-1)]

    def inverse(self, d: int) -> Array:
        """1/l for each of the columns."""
        return np.broadcast_to(1.0 / np.asarray(self.lengthscale), (d,))


class _OnCategorical(KernelOn):
    def __init__(self, kernel: Categorical, X: Array, Z: Array | None) -> None:
        self._kernel = kernel
        self._symmetric = Z is None
        self._X, self._Z = X, X if Z is None else Z
        self.value = kernel.values(self._Z, self._X).T

    def hyper_gradient(self, M: Array) -> Array:
        """∂k/∂log l_d = k [x_d ≠ z_d]/l_d."""
        P = M * self.value
        variance = inner(M, self.value, self._symmetric)
        columns = zip(self._X.T, self._Z.T, strict=True)
        differ = np.array([inner(P, (z[:, None] != x).astype(np.float64).T, self._symmetric) for x, z in columns])
        slopes = differ * self._kernel.inverse(len(differ))
        return np.concatenate([[variance], shared(slopes, self._kernel.lengthscale)])
