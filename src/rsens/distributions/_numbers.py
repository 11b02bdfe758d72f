"""Numbers that go into a family's methods, and the length of the vectors that come out."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rsens._errors import Argument, InputError
from rsens._typing import Array


def norm(vectors: Array, axis: int) -> Array:
    """Euclidean length along an axis, without overflow or underflow of the squares."""
    if vectors.shape[axis] == 1:
        return np.abs(vectors.take(0, axis))
    scale = np.max(np.abs(vectors), axis=axis, keepdims=True)
    safe = np.where((scale > 0.0) & (scale < np.inf), scale, 1.0)
    with np.errstate(over="ignore", under="ignore"):
        return (safe * np.sqrt(np.sum((vectors / safe) ** 2, axis=axis, keepdims=True))).squeeze(axis)


def as_numbers(values: ArrayLike, what: str) -> Array:
    """The values as float64, or an error that says what is not numeric."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(Argument(what), f" is not numeric ({error}).") from None


def divergence_order(alpha: Any) -> float:
    """The order of a divergence: one number from 0 to ∞."""
    if isinstance(alpha, Real) and not isinstance(alpha, bool):
        try:
            order = float(alpha)
        except OverflowError:
            order = np.inf
        if order >= 0.0:
            return order
    raise InputError(Argument("alpha"), f" must be at least 0; got {alpha!r}.")
