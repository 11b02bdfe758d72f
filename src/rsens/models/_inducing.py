"""Inducing inputs, chosen among the rows of X, so that categorical columns keep their levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from rsens._errors import InputError
from rsens._typing import Array
from rsens.kernels import Kernel

#: When less than this share of the largest prior variance is left, another row says nothing new.
NOTHING = 1e-10
#: Rows whose variances differ by less than this share are equally good, and the first is taken: on a regular grid
#: rounding would decide otherwise, and rounding depends on the order in which a mean was summed.
TIE = 1e-9
#: The most memory of the greedy choice: if X has too many rows for it, we draw as many as fit.
GREEDY_BYTES = 64 * 2**20


@dataclass(frozen=True, eq=False)
class InducingInputs:
    """The chosen rows of X, their places in X in the order of choice, and how much of the prior variance they leave.

    `left` is the largest variance of f at a row given f at the chosen rows, relative to the largest prior variance.
    """

    inputs: Array  # (m, D), m ≤ M
    rows: NDArray[np.intp]
    left: float


def choose_inducing(
    X: Array,
    kernel: Kernel,
    M: int,
    random_state: int | np.random.Generator | None = None,
    *,
    enough: float = NOTHING,
) -> InducingInputs:
    """At most M rows of X; fewer if those say everything, as with repeated rows or a kernel of low rank.

    "Everything" means that at no row more than the share `enough` of the largest prior variance is left.

    Each step takes the row with the largest variance given the rows so far: a pivoted Cholesky factorisation of
    k(X, X), in O(N M²), random only if X has very many rows. Of equally good rows the first is taken, so give X in an
    order of its own if the choice must not depend on how the rows came.
    """
    if M < 1:
        raise InputError(f"the number of inducing inputs must be at least 1; got {M}.")
    rng = np.random.default_rng(random_state)
    seen = np.arange(len(X))
    most = max(M, GREEDY_BYTES // (8 * M))
    if len(X) > most:
        seen = np.sort(rng.choice(len(X), most, replace=False))
    rows, left = _greedy(X[seen], kernel, min(M, len(seen)), enough)
    chosen = seen[rows or [0]]  # at least one, even if f = 0 everywhere, as under a Linear kernel at the origin
    largest = float(kernel.diag(X[seen]).max())
    return InducingInputs(X[chosen], chosen, float(left.max()) / largest if largest > 0.0 else 0.0)


def _greedy(X: Array, kernel: Kernel, M: int, enough: float) -> tuple[list[int], Array]:
    """The pivots, and k(x, x) − q(x, x) at every row; C is the Cholesky factor."""
    left = kernel.diag(X)
    nothing = enough * left.max()
    C = np.empty((len(X), M), order="F")
    rows: list[int] = []
    while (j := len(rows)) < M and left.max() > nothing:
        pivot = int(np.argmax(left >= (1.0 - TIE) * left.max()))
        column = kernel(X, X[pivot : pivot + 1])[:, 0]
        if j:
            column = column - blas.dgemv(1.0, C[:, :j], C[pivot, :j])
        C[:, j] = column / np.sqrt(left[pivot])
        left = np.maximum(left - C[:, j] ** 2, 0.0)
        rows.append(pivot)
        left[rows] = 0.0
    return rows, left
