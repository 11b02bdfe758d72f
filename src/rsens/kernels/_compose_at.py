"""A sum or a product of kernels with its derivatives in x."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rsens._typing import Array
from rsens.kernels._base import KernelAt
from rsens.kernels._compose_on import product


class AtComposed(KernelAt):
    """The columns of a composition are the columns of all its parts."""

    def __init__(self, parts: list[KernelAt], value: Array) -> None:
        self.value = value
        self.n_columns = parts[0].n_columns
        self.columns = tuple(sorted({column for part in parts for column in part.columns}))
        self._parts = parts
        self._places = [np.array([self.columns.index(column) for column in part.columns], dtype=int) for part in parts]

    def _zeros(self, *shape: int) -> Array:
        return np.zeros((len(self.value), *shape))


def as_slice(at: NDArray[np.int_]) -> slice | NDArray[np.int_]:
    """Consecutive places as a slice, which adds in place."""
    return slice(at[0], at[-1] + 1) if len(at) and (np.diff(at) == 1).all() else at


class AtSum(AtComposed):
    """Derivatives add up."""

    def __init__(self, terms: list[KernelAt]) -> None:
        super().__init__(terms, sum((term.value for term in terms[1:]), terms[0].value))

    def active_first(self) -> Array:
        first = self._zeros(len(self.columns), self.value.shape[1])
        for term, at in zip(self._parts, self._places, strict=True):
            first[:, as_slice(at)] += term.active_first()
        return first

    def active_weighted_first(self, W: Array) -> Array:
        first = self._zeros(len(self.columns))
        for term, at in zip(self._parts, self._places, strict=True):
            first[:, at] += term.active_weighted_first(W)
        return first

    def active_second(self, W: Array) -> Array:
        second = self._zeros(len(self.columns), len(self.columns))
        for term, at in zip(self._parts, self._places, strict=True):
            second[:, at[:, None], at] += term.active_second(W)
        return second


class AtProduct(AtComposed):
    """The product rule: ∂k = Σ_i k₋ᵢ ∂k_i, ∂²k = Σ_i k₋ᵢ ∂²k_i + Σ_{i≠j} k₋ᵢⱼ ∂k_i ∂k_jᵀ; k₋ᵢ is k without factor i."""

    def __init__(self, factors: list[KernelAt]) -> None:
        self._values = [factor.value for factor in factors]
        super().__init__(factors, product(self._values))

    def active_first(self) -> Array:
        first = self._zeros(len(self.columns), self.value.shape[1])
        for i, (factor, at) in enumerate(zip(self._parts, self._places, strict=True)):
            slopes = factor.active_first()
            slopes *= product(self._values, but=[i])[:, None, :]
            first[:, as_slice(at)] += slopes
        return first

    def active_weighted_first(self, W: Array) -> Array:
        first = self._zeros(len(self.columns))
        for i, (factor, at) in enumerate(zip(self._parts, self._places, strict=True)):
            first[:, at] += factor.active_weighted_first(W * product(self._values, but=[i]))
        return first

    def active_second(self, W: Array) -> Array:
        second = self._zeros(len(self.columns), len(self.columns))
        moving = [(i, f, at) for i, (f, at) in enumerate(zip(self._parts, self._places, strict=True)) if len(at)]
        for i, factor, at in moving:
            second[:, at[:, None], at] += factor.active_second(W * product(self._values, but=[i]))
        for (i, factor, at), (j, other, there) in combinations(moving, 2):
            weights = W * product(self._values, but=[i, j])
            cross = (weights[:, None, :] * factor.active_first()) @ other.active_first().transpose(0, 2, 1)
            second[:, at[:, None], there] += cross
            second[:, there[:, None], at] += cross.transpose(0, 2, 1)
        return second
