"""The design that a formula makes of the columns of a data frame, with its derivatives.

The design is mostly linear in each column, so its derivatives are central differences with Richardson's extrapolation:
exact up to rounding for products of columns, with an error of h⁴ otherwise. A formula takes as long for one row as for
thousands, so all moved copies of the rows go in together.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rsens._typing import Array

#: Steps for first and second derivatives, in units of a column: powers of two, so that they add no rounding.
FIRST_STEP, SECOND_STEP = 2.0**-10, 2.0**-8
#: Rows in one call of the design.
ROWS_PER_CALL = 8192

Design = Callable[[Array], Array]  #: numbers (n, D) → design (n, P)


def first_differences(design: Design, X: Array, unit: Array, columns: list[int]) -> Array:
    """∂ design/∂x, (n, P, D); 0 in columns that are not named."""
    directions = (np.eye(X.shape[1]) * unit)[columns]

    def quotients(step: float) -> list[Array]:
        return [step * directions, -step * directions]

    z, x = _moved(design, X, quotients(FIRST_STEP) + quotients(0.5 * FIRST_STEP))
    slopes = [(z[k] - z[k + 1]) / _apart(x[k], x[k + 1], columns) for k in (0, 2)]
    found = np.zeros((*z[0].shape[1:], X.shape[1]))
    found[..., columns] = np.moveaxis(_extrapolated(*slopes), 0, -1)
    return found


def second_differences(design: Design, X: Array, unit: Array, columns: list[int]) -> Array:
    """∂² design/∂x∂x, (n, P, D, D): three points for d = e, the four corners for d ≠ e."""
    directions = (np.eye(X.shape[1]) * unit)[columns]
    d, e = np.triu_indices(len(columns), 1)

    def points(step: float) -> list[Array]:
        h = step * directions
        return [h, -h, h[d] + h[e], h[d] - h[e], h[e] - h[d], -h[d] - h[e]]

    here = design(X)
    z, x = _moved(design, X, points(SECOND_STEP) + points(0.5 * SECOND_STEP))
    own, mixed = [], []
    for k in (0, 6):
        above, below = _apart(x[k], X, columns), _apart(X, x[k + 1], columns)
        own.append(2.0 * ((z[k] - here) / above - (here - z[k + 1]) / below) / (above + below))
        wide = _apart(x[k], x[k + 1], columns)
        mixed.append(((z[k + 2] - z[k + 3]) - (z[k + 4] - z[k + 5])) / (wide[d] * wide[e]))
    found = np.zeros((*here.shape, X.shape[1], X.shape[1]))
    place = np.array(columns)
    found[..., place, place] = np.moveaxis(_extrapolated(*own), 0, -1)
    found[..., place[d], place[e]] = found[..., place[e], place[d]] = np.moveaxis(_extrapolated(*mixed), 0, -1)
    return found


def _moved(design: Design, X: Array, moves: list[Array]) -> tuple[list[Array], list[Array]]:
    """For each of the moves (K, D) the design at moved copies of the rows, (K, n, P), and the copies, (K, n, D)."""
    copies = [X + move[:, None, :] for move in moves]
    rows = np.concatenate(copies).reshape(-1, X.shape[1])
    parts = [design(rows[k : k + ROWS_PER_CALL]) for k in range(0, len(rows), ROWS_PER_CALL)]
    values = np.concatenate(parts).reshape(-1, len(X), parts[0].shape[1])
    return np.split(values, np.cumsum([len(move) for move in moves])[:-1]), copies


def _apart(above: Array, below: Array, columns: list[int]) -> Array:
    """How far the copies moved along their own column, as rounded, (C, n, 1)."""
    difference = above - below
    return np.stack([difference[k, :, d] for k, d in enumerate(columns)])[..., None]


def _extrapolated(whole: Array, half: Array) -> Array:
    """(4 q(h/2) − q(h))/3, in which the errors of order h² cancel."""
    return (4.0 * half - whole) / 3.0
