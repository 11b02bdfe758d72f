"""Is a step affine? Its slopes, if base + (X − c)A reproduces what it makes of every row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rsens._typing import Array
from rsens.derivatives import step_unit

#: How closely, relative to the size of an output.
SAME = 1e-11


def affine_slopes(transform: Callable[[Array], Array], X: Array) -> Array | None:
    """A (L, D), the derivatives of an affine step; None for any other step.

    The slopes come from a centre c and from c + u_d e_d, with u_d a power of two near the spread of column d, so that
    no digit is lost. They are tried on the rows X and on rows around c, in case there are few.
    """
    D = X.shape[1]
    c = np.median(X, axis=0)
    u = 2.0 ** np.round(np.log2(step_unit(X)))
    pattern = np.modf(np.outer(np.arange(1.0, 9.0), np.sqrt(np.arange(2.0, 2.0 + D))))[0]
    around = c + u * (4.0 * pattern - 2.0)
    outputs = transform(np.vstack([c, c + np.diag(u), X, around]))
    base, ends, given = outputs[0], outputs[1 : 1 + D], outputs[1 + D :]
    A = ((ends - base) / u[:, None]).T
    rows = np.vstack([X, around]) - c
    found = base + rows @ A.T
    size = np.abs(given).max(axis=0) + np.abs(rows).max(axis=0) @ np.abs(A.T) + np.abs(c) @ np.abs(A.T)
    return A if np.isfinite(given).all() and (np.abs(found - given) <= SAME * size).all() else None
