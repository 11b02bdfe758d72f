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

    def on(self, X: Array, Z: Array | None = None) -> base.KernelOn:
        return _OnLinear(self, *self.seen_pair(X, Z))

    def at(self, X: Array, Z: Array) -> base.KernelAt:
        return _AtLinear(self, *self.seen_rows(X, Z), self.active(X))

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

    def arrays_at(self, n_columns: int) -> int:
        return 2 + len(self.active_of(n_columns))

    def diag(self, X: Array) -> Array:
        return (self._variance * self.seen(X) ** 2).sum(1)

    def hyper_gradient_diag(self, X: Array, w: Array) -> Array:
        return base.shared(self._variance * (w @ self.seen(X) ** 2), self.variance)

    def diag_derivatives(self, X: Array, order: int) -> tuple[Array, Array | None]:
        """2σ²_d x_d, and 2σ²_d δ_de."""
        x = self.seen(X)
        columns, D = self.active(X)
        first, variance = np.zeros((len(x), D)), np.zeros(D)
        variance[list(columns)] = self._variance
        first[:, columns] = 2.0 * self._variance * x
        return first, np.broadcast_to(2.0 * np.diag(variance), (len(x), D, D)).copy() if order == 2 else None


class _OnLinear(base.KernelOn):
    def __init__(self, kernel: Linear, X: Array, Z: Array | None) -> None:
        self._kernel = kernel
        self._symmetric = Z is None
        self._X, self._Z = X, X if Z is None else Z
        self.value = base.row_products(self._Z, np.multiply(kernel.variance, X)).T
        if self._symmetric:  # to the last digit
            self.value = 0.5 * np.add(self.value, self.value.T, order="F")

    def hyper_gradient(self, M: Array) -> Array:
        """Σ_ij M_ij σ²_d x_id z_jd."""
        MZ = base.weighted(M, self._Z, self._symmetric)
        variance = self._kernel.variance
        return base.shared(np.multiply(variance, np.einsum("id,id->d", self._X, MZ)), variance)


class _AtLinear(base.KernelAt):
    """∂k/∂x_d = σ²_d z_d, which does not depend on x."""

    def __init__(self, kernel: Linear, x: Array, z: Array, active: tuple[tuple[int, ...], int]) -> None:
        self.columns, self.n_columns = active
        self._slopes: Array = np.multiply(kernel.variance, z)
        self.value = base.row_products(x, self._slopes)

    def active_first(self) -> Array:
        return np.repeat(self._slopes.T[None], len(self.value), axis=0)

    def active_weighted_first(self, W: Array) -> Array:
        return base.row_products(np.broadcast_to(W, self.value.shape), self._slopes.T)

    def active_second(self, W: Array) -> Array:
        d = len(self.columns)
        return np.zeros((len(self.value), d, d))


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

    def on(self, X: Array, Z: Array | None = None) -> base.KernelOn:
        return _OnConstant(self.variance, *self.seen_pair(X, Z))

    def at(self, X: Array, Z: Array) -> base.KernelAt:
        x, z = self.seen_rows(X, Z)
        return base.FlatAt(np.full((len(x), len(z)), self.variance), x.shape[1])

    def active_in_units(self, columns: Array, variance: float) -> Self:
        return replace(self, variance=self.variance * variance)

    def active_rates(self, rows: Array) -> Array:
        return np.zeros(())

    def split(self, inside: Sequence[int], outside: Sequence[int], n_columns: int) -> list[base.Term] | None:
        """The kernel itself, which looks at no column."""
        return [((self,), ())]

    def arrays_at(self, n_columns: int) -> int:
        return 1


class _OnConstant(base.KernelOn):
    def __init__(self, variance: float, X: Array, Z: Array | None) -> None:
        self._symmetric = Z is None
        self.value = np.full((len(X), len(X if Z is None else Z)), variance, order="F")

    def hyper_gradient(self, M: Array) -> Array:
        return np.array([base.inner(M, self.value, self._symmetric)])
