"""Derivatives of rows z(x) that are made of rows x, by differences: steps of a pipeline, designs of formulas.

Central differences with Richardson's extrapolation: exact up to rounding for products of columns, with an error of h⁴
otherwise. A formula takes as long for one row as for thousands, so moved copies of the rows go in together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.derivatives import step_unit

#: Steps that balance truncation (h⁴ after extrapolation) against rounding (eps/h, eps/h²), in units of a column. They
#: and the units are powers of two, so that x ± h has no rounding.
FIRST, SECOND = 2.0**-10, 2.0**-8
#: Rows in one call.
ROWS_PER_CALL = 8192

#: transform(rows, which): z (m, L) at moved copies of the rows numbered `which`.
Transform = Callable[[Array, Any], Array]


def unit_of(X: Array) -> Array:
    """The unit of each column, a power of two."""
    return np.exp2(np.round(np.log2(step_unit(X))))


def first_differences(transform: Transform, X: Array, unit: Array, columns: list[int]) -> Array:
    """∂z/∂x, (n, L, D); 0 in columns that are not named."""

    def slopes(h: Array) -> Array:
        up, down = np.split(_moved(transform, X, np.concatenate([h, -h])), 2)
        return (up - down) / (2.0 * h.sum(axis=1)[:, None, None])

    found = _extrapolated(*(slopes(share * FIRST * np.diag(unit)[columns]) for share in (1.0, 0.5)))
    first = np.zeros((*found.shape[1:], X.shape[1]))
    first[..., columns] = np.moveaxis(found, 0, -1)
    return first


def second_differences(
    transform: Transform,
    X: Array,
    unit: Array,
    columns: list[int],
    *,
    mixed: bool = True,
    check: Callable[[Array, Array], None] | None = None,
) -> Array:
    """∂²z/∂x∂x, (n, L, D, D): three points for d = e, and with `mixed` the four corners for d ≠ e.

    `check` sees the second differences of each column over the step and over half of it, (columns, n, L).
    """
    here = transform(X, np.arange(len(X)))
    steps = [share * SECOND * np.diag(unit)[columns] for share in (1.0, 0.5)]
    second = np.zeros((*here.shape, X.shape[1], X.shape[1]))

    def bends(h: Array) -> Array:
        up, down = np.split(_moved(transform, X, np.concatenate([h, -h])), 2)
        return (up - 2.0 * here + down) / h.sum(axis=1)[:, None, None] ** 2

    def crosses(h: Array, k: Array) -> Array:
        a, b, c, d = np.split(_moved(transform, X, np.concatenate([h + k, h - k, k - h, -h - k])), 4)
        return ((a - b) - (c - d)) / (4.0 * h.sum(axis=1) * k.sum())[:, None, None]

    coarse, fine = map(bends, steps)
    if check is not None:
        check(coarse, fine)
    second[..., columns, columns] = np.moveaxis(_extrapolated(coarse, fine), 0, -1)
    for k in range(1, len(columns)) if mixed else ():
        pairs = np.moveaxis(_extrapolated(*(crosses(h[:k], h[k]) for h in steps)), 0, -1)
        second[..., columns[:k], columns[k]] = second[..., columns[k], columns[:k]] = pairs
    return second


def _moved(transform: Transform, X: Array, moves: Array) -> Array:
    """z at copies of the rows with each of the moves (K, D) added, (K, n, L)."""
    rows = (X + moves[:, None, :]).reshape(-1, X.shape[1])
    which = np.tile(np.arange(len(X)), len(moves))
    blocks = [slice(k, k + ROWS_PER_CALL) for k in range(0, len(rows), ROWS_PER_CALL)]
    return np.concatenate([transform(rows[b], which[b]) for b in blocks]).reshape(len(moves), len(X), -1)


def _extrapolated(coarse: Array, fine: Array) -> Array:
    """Quotients over h and h/2, whose errors are c h² and c h²/4, without that error."""
    return (4.0 * fine - coarse) / 3.0
