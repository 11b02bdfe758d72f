"""The matrix of a kernel that is a profile of squared distances, made block by block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rsens._typing import Array
from rsens.kernels._blas import row_products

#: Entries of a block, which fits in the processor's cache on the way from distances to values.
BLOCK = 2**15


def profiled(A: Array, B: Array | None, profile: Callable[[Array], tuple[Array, ...]]) -> list[Array]:
    """The arrays that `profile` makes of s_ij = |a_i − b_j|², each (n, N) in Fortran order; it may overwrite s.

    B = None means B = A: then s is exactly symmetric with exact zeros on its diagonal, only half of it is computed,
    the first array is whole, and the others hold the lower triangle only, with zeros above it.
    """
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
        with np.errstate(over="ignore", invalid="ignore"):  # inputs whose squares overflow: whoever predicts says so
            s = row_products(left[rows], right[columns])
            s *= s > rounding[rows]
        if symmetric:
            _make_symmetric(s[:, : len(s)])
        blocks = profile(s)
        arrays = arrays or [np.zeros((len(B), len(A))) for _ in blocks]
        for array, block in zip(arrays, blocks, strict=True):
            array[rows, columns] = block
        if symmetric:
            arrays[0][columns, rows] = blocks[0].T
    return [array.T for array in arrays]


def _make_symmetric(s: Array) -> None:
    """A square block on the diagonal: equal halves, and zeros on the diagonal."""
    s += s.T.copy()
    s *= 0.5
    np.fill_diagonal(s, 0.0)
