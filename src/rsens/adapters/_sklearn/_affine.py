"""Is a step affine? Its slopes, if base + (X − c)A reproduces what it makes of every row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.derivatives import step_unit

#: How closely, relative to the size of an output.
SAME = 1e-11


def affine_slopes(transform: Callable[[Array, Any], Array], X: Array, labels: bool) -> Array | None:
    """A (L, D), the derivatives of an affine step in numbers X (n, D); None for any other step.

    A step that refuses moved rows, such as a logarithm below 0, is none.

    The slopes come from a centre c and from c + u_d e_d, with u_d a power of two near the spread of column d, so that
    no digit is lost. They are tried on the rows X and on rows around c, in case there are few.

    Args:
        transform: transform(rows, which) is what the step makes of rows with the labels of the rows `which` of X.
        X: The numbers.
        labels: Whether there are labels. Then rows differ in their base, and each is moved instead.
    """
    try:
        return _slopes(transform, X, labels)
    except ValueError:
        return None


def _slopes(transform: Callable[[Array, Any], Array], X: Array, labels: bool) -> Array | None:
    D = X.shape[1]
    c = X[0] if labels else np.median(X, axis=0)
    u = 2.0 ** np.round(np.log2(step_unit(X)))
    ends = transform(np.vstack([c, c + np.diag(u)]), np.zeros(1 + D, dtype=np.intp))
    A = ((ends[1:] - ends[0]) / u[:, None]).T
    moves = u * (4.0 * _scattered(8, D) - 2.0)
    if labels:
        rows = np.concatenate([np.broadcast_to(move, X.shape) for move in moves])
        which = np.tile(np.arange(len(X)), len(moves))
        base = np.tile(transform(X, np.arange(len(X))), (len(moves), 1))
        given = transform(np.tile(X, (len(moves), 1)) + rows, which)
    else:
        rows, base = np.vstack([X - c, moves]), ends[0]
        given = transform(c + rows, np.zeros(len(rows), dtype=np.intp))
    size = np.abs(given).max(axis=0) + (np.abs(rows).max(axis=0) + np.abs(c)) @ np.abs(A.T)
    same = np.abs(base + rows @ A.T - given) <= SAME * size
    return A if np.isfinite(given).all() and same.all() else None


def _scattered(n: int, D: int) -> Array:
    """Points in the unit cube that lie on no line through columns."""
    return np.modf(np.outer(np.arange(1.0, n + 1.0), np.sqrt(np.arange(2.0, 2.0 + D))))[0]
