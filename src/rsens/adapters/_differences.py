"""Derivatives of rows z(x) that are made of rows x, by differences: steps of a pipeline, designs of formulas.

Central differences with Richardson's extrapolation: exact up to rounding for products of columns, with an error of h⁴
otherwise. A formula takes as long for one row as for thousands, so moved copies of the rows go in together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.derivatives import Quotients

#: Steps that balance truncation (h⁴ after extrapolation) against rounding (eps/h, eps/h²), in units of a column.
FIRST, SECOND = 2.0**-10, 2.0**-8

#: transform(rows, which): z (m, L) at moved copies of the rows numbered `which`.
Transform = Callable[[Array, Any], Array]


def quotients(transform: Transform, X: Array, columns: list[int]) -> Quotients:
    """Difference quotients of z in these columns, at the rows X."""
    which = np.arange(len(X))

    def moved(points: Array) -> Array:
        z = transform(points.reshape(-1, X.shape[1]), np.tile(which, len(points)))
        return z.reshape(*points.shape[:2], -1)

    return Quotients(moved, X, transform(X, which), columns)
