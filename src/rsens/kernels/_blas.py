"""The matrix products of kernels, all through SciPy's BLAS.

NumPy and SciPy each bring a BLAS with its own threads; a loop that alternates between the two loses its time waiting.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import dgemm, dsymm

from rsens._typing import Array

#: How many columns at a time `inner` takes of a triangle.
STRIP = 64


def row_products(A: Array, B: Array) -> Array:
    """A Bᵀ, in C order; without copies if A and B are in C order."""
    return dgemm(1.0, B.T, A.T, trans_a=1).T


def weighted(P: Array, B: Array, symmetric: bool) -> Array:
    """P B; reads only the lower triangle of a symmetric P. Without a copy if P is in Fortran order."""
    return dsymm(1.0, P, B, lower=1) if symmetric else dgemm(1.0, P, B)


def inner(M: Array, K: Array, symmetric: bool) -> float:
    """Σ_ij M_ij K_ij, without an array for the products; reads only the lower triangles of symmetric matrices."""
    if not symmetric:
        return float(np.einsum("ij,ij->", M, K))
    total = 0.0
    for start in range(0, len(M), STRIP):
        stop = start + STRIP
        square = np.tril(M[start:stop, start:stop] * K[start:stop, start:stop])
        total += 2.0 * square.sum() - square.trace()
        total += 2.0 * np.einsum("ij,ij->", M[stop:, start:stop], K[stop:, start:stop])
    return float(total)


def weighted_squares(P: Array, A: Array, B: Array, symmetric: bool) -> tuple[Array, float]:
    """Σ_ij P_ij (a_id − b_jd)² for every column d, and Σ_ij P_ij; symmetric means B = A."""
    d = A.shape[1]
    one = np.ones(len(B))
    if symmetric:
        PA = weighted(P, np.column_stack([A, one]), symmetric)
        p = PA[:, d]
        return 2.0 * np.einsum("id,id->d", A, A * p[:, None] - PA[:, :d]), float(p.sum())
    PB = weighted(P, np.column_stack([B, one, B * B]), symmetric)
    p = PB[:, d]
    squares = np.einsum("id,id->d", A, A * p[:, None] - 2.0 * PB[:, :d]) + PB[:, d + 1 :].sum(0)
    return squares, float(p.sum())


def weighted_differences(C: Array, A: Array, B: Array) -> Array:
    """Σ_j C_ij (a_i − b_j), (n, d), from one matrix product."""
    d = A.shape[1]
    CB = row_products(C, np.vstack([B.T, np.ones(len(B))]))
    return A * CB[:, d:] - CB[:, :d]


def weighted_outer(C: Array, A: Array, B: Array) -> Array:
    """Σ_j C_ij (a_i − b_j)(a_i − b_j)ᵀ, (n, d, d), from one matrix product with the d(d+1)/2 products b_jd b_je."""
    n, d = A.shape
    row, column = np.triu_indices(d)
    features = np.vstack([B.T[row] * B.T[column], B.T, np.ones(len(B))])
    CB = row_products(C, features)
    square, linear, sums = CB[:, : len(row)], CB[:, len(row) : -1], CB[:, -1:]
    a, b = A[:, row], A[:, column]
    outer = np.empty((n, d, d))
    outer[:, row, column] = square - a * linear[:, column] - linear[:, row] * b + sums * a * b
    outer[:, column, row] = outer[:, row, column]
    return outer


#: Entries of a block, which fits in the processor's cache on the way from distances to values.
BLOCK = 2**15


def profiled(A: Array, B: Array | None, profile: Callable[[Array], tuple[Array, ...]]) -> list[Array]:
    """Arrays (n, N) that `profile` makes of s_ij = |a_i − b_j|²; for B = None lower triangles but for the first."""
    symmetric = B is None
    B = A if B is None else B
    squared_a, squared_b = (np.einsum("id,id->i", M, M) for M in (A, B))
    # s_ij = (−2a, 1, |a|²)_i · (b, |b|², 1)_j: one matrix product
    left = np.column_stack([B, squared_b, np.ones(len(B))])
    right = np.column_stack([-2.0 * A, np.ones(len(A)), squared_a])
    # Anything below the rounding of that product counts as 0, as for equal rows.
    rounding = 8.0 * np.finfo(np.float64).eps * squared_b[:, None]
    arrays: list[Array] = []
    step = max(8, BLOCK // len(A))
    for start in range(0, len(B), step):
        rows = slice(start, start + step)  # of the transposed arrays, which are in C order
        columns = slice(start if symmetric else 0, None)
        with np.errstate(over="ignore", invalid="ignore"):  # squares of inputs may overflow; predictions check
            s = row_products(left[rows], right[columns])
            s *= s > rounding[rows]
        if symmetric:  # equal halves of the block on the diagonal, and zeros on the diagonal
            square = s[:, : len(s)]
            square += square.T.copy()
            square *= 0.5
            np.fill_diagonal(square, 0.0)
        blocks = profile(s)
        arrays = arrays or [np.zeros((len(B), len(A))) for _ in blocks]
        for array, block in zip(arrays, blocks, strict=True):
            array[rows, columns] = block
        if symmetric:
            arrays[0][columns, rows] = blocks[0].T
    return [array.T for array in arrays]
