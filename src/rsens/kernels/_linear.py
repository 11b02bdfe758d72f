"""The linear and the constant kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from rsens._typing import Array
from rsens.kernels import _base as base


@dataclass(frozen=True, repr=False)
class Linear(base.Leaf):
    """k(x, z) = Σ_d σ²_d x_d z_d: a straight line through the origin; add Constant for the level.

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import Constant, Linear
        >>> line = Constant() + Linear(variance=2.0)
        >>> line(np.array([[0.0], [3.0]])).tolist()
        [[1.0, 1.0], [1.0, 19.0]]
    """

    variance: base.Positive = 1.0
    dims: tuple[int, ...] | None = None
    per_column: ClassVar[tuple[str, ...]] = ("variance",)

    @property
    def _variance(self) -> Array:
        return np.asarray(self.variance)

    def on_seen(self, x: Array, z: Array | None) -> base.KernelOn:
        symmetric, z = z is None, x if z is None else z
        value = base.row_products(z, np.multiply(self.variance, x)).T
        if symmetric:  # to the last digit
            value = 0.5 * np.add(value, value.T, order="F")

        def hyper_gradient(M: Array) -> Array:
            """Σ_ij M_ij σ²_d x_id z_jd."""
            Mz = base.weighted(M, z, symmetric)
            return base.shared(np.multiply(self.variance, np.einsum("id,id->d", x, Mz)), self.variance)

        return base.KernelOn(value, hyper_gradient)

    def at_seen(self, x: Array, z: Array, columns: tuple[int, ...], n_columns: int) -> base.KernelAt:
        slopes: Array = np.multiply(self.variance, z)
        return _AtLinear(base.row_products(x, slopes), slopes, columns, n_columns)

    def active_in_units(self, columns: Array, variance: float) -> Self:
        return replace(self, variance=base.times(self.variance, variance / columns**2))

    def prior(self, field: str, value: float, size: float, q: int, output_scale: float) -> tuple[float, float]:
        return np.log(output_scale**2 / (q * size**2)), base.DEVIATION

    def active_rates(self, rows: Array) -> Array:
        """σ/√(mean over rows of k(x, x)); 0 if all rows are 0."""
        variance = self.diag(rows).mean()
        return np.sqrt(np.asarray(self.variance) / variance) if variance > 0.0 else np.zeros(())

    def split(self, inside: Sequence[int], outside: Sequence[int], n_columns: int) -> list[base.Term] | None:
        """A sum over columns."""
        some, others = self.restricted(inside, n_columns), self.restricted(outside, n_columns)
        return [((some,), ()), ((), (others,))]

    def diag(self, X: Array) -> Array:
        return (self._variance * self.seen(X) ** 2).sum(1)

    def hyper_gradient_diag(self, X: Array, w: Array) -> Array:
        return base.shared(self._variance * (w @ self.seen(X) ** 2), self.variance)

    def diag_derivatives(self, X: Array, order: int) -> tuple[Array, Array | None]:
        """2σ²_d x_d, and 2σ²_d δ_de."""
        x = self.seen(X)
        columns, D = list(self.active_of(np.shape(X)[1])), np.shape(X)[1]
        first, variance = np.zeros((len(x), D)), np.zeros(D)
        variance[columns] = self._variance
        first[:, columns] = 2.0 * self._variance * x
        return first, np.broadcast_to(2.0 * np.diag(variance), (len(x), D, D)).copy() if order == 2 else None


class _AtLinear(base.KernelAt):
    """∂k/∂x_d = σ²_d z_d, which does not depend on x."""

    def __init__(self, value: Array, slopes: Array, columns: tuple[int, ...], n_columns: int) -> None:
        super().__init__(value, columns, n_columns)
        self._slopes = slopes

    def active_first(self) -> Array:
        return np.repeat(self._slopes.T[None], len(self.value), axis=0)

    def active_weighted_first(self, W: Array) -> Array:
        return base.row_products(np.broadcast_to(W, self.value.shape), self._slopes.T)


@dataclass(frozen=True, repr=False)
class Constant(base.ConstantDiagonal):
    """k(x, z) = σ²: an unknown level, the same for all rows.

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import Constant
        >>> Constant(variance=4.0)(np.array([[0.0], [3.0]])).tolist()
        [[4.0, 4.0], [4.0, 4.0]]
    """

    variance: float = 1.0
    dims: tuple[int, ...] | None = field(default=None, init=False)

    def on_seen(self, x: Array, z: Array | None) -> base.KernelOn:
        value = np.full((len(x), len(x if z is None else z)), self.variance, order="F")
        return base.KernelOn(value, lambda M: np.array([base.inner(M, value, z is None)]))

    def at_seen(self, x: Array, z: Array, columns: tuple[int, ...], n_columns: int) -> base.KernelAt:
        return base.KernelAt(np.full((len(x), len(z)), self.variance), (), n_columns)

    def active_in_units(self, columns: Array, variance: float) -> Self:
        return replace(self, variance=self.variance * variance)

    def active_rates(self, rows: Array) -> Array:
        return np.zeros(())

    def split(self, inside: Sequence[int], outside: Sequence[int], n_columns: int) -> list[base.Term] | None:
        """The kernel itself, which looks at no column."""
        return [((self,), ())]
