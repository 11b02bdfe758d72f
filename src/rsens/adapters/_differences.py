"""Derivatives of rows z(x) that are made of rows x, by differences: steps of a pipeline, designs of formulas.

Central differences with Richardson's extrapolation: exact up to rounding for products of columns, with an error of h⁴
otherwise. A formula takes as long for one row as for thousands, so moved copies of the rows go in together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rsens._typing import Array

#: Steps that balance truncation (h⁴ after extrapolation) against rounding (eps/h, eps/h²), in units of a column.
FIRST, SECOND = 2.0**-10, 2.0**-8
#: Rows in one call.
ROWS_PER_CALL = 8192

#: transform(rows, which): z (m, L) at moved copies of the rows numbered `which`.
Transform = Callable[[Array, Any], Array]


def first_differences(transform: Transform, X: Array, unit: Array, columns: list[int]) -> Array:
    """∂z/∂x, (n, L, D); 0 in columns that are not named."""

    def slopes(h: Array) -> Array:
        up, down = _moved(transform, X, h, -h)
        return (up - down) / _apart(X, h, -h)

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
        (up, down), above, below = _moved(transform, X, h, -h), _apart(X, h, 0.0 * h), _apart(X, 0.0 * h, -h)
        return 2.0 * ((up - here) / above - (here - down) / below) / (above + below)

    def crosses(h: Array, k: Array) -> Array:
        a, b, c, d = _moved(transform, X, h + k, h - k, k - h, -h - k)
        return ((a - b) - (c - d)) / (_apart(X, h, -h) * _apart(X, k[None], -k[None]))

    coarse, fine = map(bends, steps)
    if check is not None:
        check(coarse, fine)
    second[..., columns, columns] = np.moveaxis(_extrapolated(coarse, fine), 0, -1)
    for k in range(1, len(columns)) if mixed else ():
        pairs = np.moveaxis(_extrapolated(*(crosses(h[:k], h[k]) for h in steps)), 0, -1)
        second[..., columns[:k], columns[k]] = second[..., columns[k], columns[:k]] = pairs
    return second


def _moved(transform: Transform, X: Array, *moves: Array) -> list[Array]:
    """z at copies of the rows with each of the moves added, each (K, D) → (K, n, L)."""
    rows = (X + np.concatenate(moves)[:, None, :]).reshape(-1, X.shape[1])
    which = np.tile(np.arange(len(X)), len(rows) // len(X))
    blocks = [slice(k, k + ROWS_PER_CALL) for k in range(0, len(rows), ROWS_PER_CALL)]
    values = np.concatenate([transform(rows[b], which[b]) for b in blocks]).reshape(len(rows) // len(X), len(X), -1)
    return np.split(values, len(moves))


def _apart(X: Array, above: Array, below: Array) -> Array:
    """How far two moves (K, D) of one column each are apart, as rounded, (K, n, 1)."""
    return ((X + above[:, None]) - (X + below[:, None])).sum(axis=2, keepdims=True)


def _extrapolated(coarse: Array, fine: Array) -> Array:
    """Quotients over h and h/2, whose errors are c h² and c h²/4, without that error."""
    return (4.0 * fine - coarse) / 3.0
