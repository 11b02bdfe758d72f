"""The constant kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from rsens._typing import Array
from rsens.kernels._base import KernelAt, KernelOn
from rsens.kernels._blas import inner
from rsens.kernels._leaf import ConstantDiagonal, Term


@dataclass(frozen=True, repr=False)
class Constant(ConstantDiagonal):
    """k(x, z) = σ²: an unknown level, the same for all rows.

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import Constant
        >>> Constant(variance=4.0)(np.array([[0.0], [3.0]])).tolist()
        [[4.0, 4.0], [4.0, 4.0]]
    """

    variance: float = 1.0
    dims: tuple[int, ...] | None = field(default=None, init=False)

    def on(self, X: Array, Z: Array | None = None) -> KernelOn:
        return _OnConstant(self.variance, *self.seen_pair(X, Z))

    def at(self, X: Array, Z: Array) -> KernelAt:
        x, z = self.seen_rows(X, Z)
        return FlatAt(np.full((len(x), len(z)), self.variance), x.shape[1])

    def active_in_units(self, columns: Array, variance: float) -> Self:
        return replace(self, variance=self.variance * variance)

    def active_rates(self, rows: Array) -> Array:
        return np.zeros(())

    def split(self, inside: Sequence[int], outside: Sequence[int], n_columns: int) -> list[Term] | None:
        """It looks at no column."""
        return [((self,), ())]

    def arrays_at(self, n_columns: int) -> int:
        return 1


class _OnConstant(KernelOn):
    def __init__(self, variance: float, X: Array, Z: Array | None) -> None:
        self._symmetric = Z is None
        self.value = np.full((len(X), len(X if Z is None else Z)), variance, order="F")

    def hyper_gradient(self, M: Array) -> Array:
        return np.array([inner(M, self.value, self._symmetric)])


class FlatAt(KernelAt):
    """A kernel that changes with x only in steps, if at all: its derivatives are 0, and no column is active."""

    def __init__(self, value: Array, n_columns: int) -> None:
        self.value, self.columns, self.n_columns = value, (), n_columns

    def active_first(self) -> Array:
        n, N = self.value.shape
        return np.zeros((n, 0, N))

    def active_weighted_first(self, W: Array) -> Array:
        return np.zeros((len(self.value), 0))

    def active_second(self, W: Array) -> Array:
        return np.zeros((len(self.value), 0, 0))
