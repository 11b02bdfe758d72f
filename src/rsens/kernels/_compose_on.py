"""The matrix of a sum or a product of kernels with its gradient in the hyperparameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import squareform

from rsens._typing import Array
from rsens.kernels._base import Kernel, KernelOn

if TYPE_CHECKING:
    from rsens.kernels._condensed import OnPairs

#: A sum keeps the matrices of its terms for the gradient up to this size; larger ones are computed again.
KEEP_BYTES = 2**28


def fits(numbers: int) -> bool:
    """Whether we may keep this many numbers."""
    return 8 * numbers <= KEEP_BYTES


def product(values: Sequence[Array], but: Iterable[int] = ()) -> Array:
    """The product of all `values` except those numbered `but`."""
    kept = [value for i, value in enumerate(values) if i not in but]
    return reduce(np.multiply, kept) if kept else np.ones_like(values[0])


class OnSum(KernelOn):
    """∂k/∂θ = ∂k_t/∂θ for the term k_t that θ belongs to."""

    def __init__(self, terms: tuple[Kernel, ...], X: Array, Z: Array | None) -> None:
        self._terms, self._X, self._Z = terms, X, Z
        n, N = len(X), len(X if Z is None else Z)
        # A term holds g and g'; further slopes are rare.
        self._kept = [term.on(X, Z) for term in terms] if fits(2 * n * N * len(terms)) else []
        self.value = np.zeros((n, N), order="F")
        for term in self._matrices():
            self.value += term.value

    def _matrices(self) -> Iterable[KernelOn]:
        return self._kept or (term.on(self._X, self._Z) for term in self._terms)

    def hyper_gradient(self, M: Array) -> Array:
        return np.concatenate([term.hyper_gradient(M) for term in self._matrices()])


class OnCondensedSum(KernelOn):
    """The same for k(X, X), from terms that are computed only at pairs of different rows."""

    def __init__(self, terms: list[OnPairs], n: int) -> None:
        self._terms = terms
        total = terms[0].value.copy()
        for term in terms[1:]:
            total += term.value
        self.value = squareform(total, checks=False).T if n > 1 else np.zeros((1, 1))
        np.fill_diagonal(self.value, sum(term.diagonal for term in terms))

    def hyper_gradient(self, M: Array) -> Array:
        # Every pair stands for two entries of the symmetric M. The upper triangle of Mᵀ is the lower one of M.
        m, trace = 2.0 * squareform(M.T, checks=False), float(np.trace(M))
        return np.concatenate([term.hyper_gradient(m, trace) for term in self._terms])


class OnProduct(KernelOn):
    """∂k/∂θ = ∂k_f/∂θ for the factor k_f that θ belongs to, times the other factors."""

    def __init__(self, factors: list[KernelOn]) -> None:
        self._factors = factors
        self._values = [factor.value for factor in factors]
        self.value = product(self._values)

    def hyper_gradient(self, M: Array) -> Array:
        return np.concatenate(
            [factor.hyper_gradient(M * product(self._values, but=[i])) for i, factor in enumerate(self._factors)]
        )
