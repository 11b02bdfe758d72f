"""The design that a formula makes of the columns of a data frame, with its derivatives.

The design is cheap to evaluate and mostly linear in each column, so its derivatives are central differences with
Richardson's extrapolation: exact up to rounding for products of columns, with an error of h⁴ otherwise.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rsens._typing import Array

#: Steps for first and second derivatives, in units of a column: powers of two, so that they add no rounding.
FIRST_STEP, SECOND_STEP = 2.0**-10, 2.0**-8

Design = Callable[[Array], Array]  #: numbers (n, D) → design (n, P)


def first_differences(design: Design, X: Array, unit: Array, columns: list[int]) -> Array:
    """∂ design/∂x, (n, P, D); 0 in columns that are not named."""

    def quotient(d: int, h: float) -> Array:
        above, below = _moved(X, {d: h}), _moved(X, {d: -h})
        return (design(above) - design(below)) / (above - below)[:, [d]]

    found = [_extrapolated(lambda h, d=d: quotient(d, h), FIRST_STEP * unit[d]) for d in columns]  # type: ignore[misc]
    return _filled(found, columns, X.shape[1])


def second_differences(design: Design, X: Array, unit: Array, columns: list[int]) -> Array:
    """∂² design/∂x∂x, (n, P, D, D): three points for d = e, the four corners for d ≠ e."""
    here = design(X)
    second = np.zeros((*here.shape, X.shape[1], X.shape[1]))

    def mixed(d: int, e: int, h: float, k: float) -> Array:
        if d == e:
            above, below = _moved(X, {d: h}), _moved(X, {d: -h})
            up, down = (above - X)[:, [d]], (X - below)[:, [d]]
            return 2.0 * ((design(above) - here) / up - (here - design(below)) / down) / (up + down)
        corners = [design(_moved(X, {d: a * h, e: b * k})) for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
        wide = [(_moved(X, {i: s}) - _moved(X, {i: -s}))[:, [i]] for i, s in ((d, h), (e, k))]
        return ((corners[0] - corners[1]) - (corners[2] - corners[3])) / (wide[0] * wide[1])

    for i, d in enumerate(columns):
        for e in columns[i:]:
            ratio = unit[e] / unit[d]
            second[..., d, e] = second[..., e, d] = _extrapolated(
                lambda h, d=d, e=e, ratio=ratio: mixed(d, e, h, h * ratio),  # type: ignore[misc]
                SECOND_STEP * unit[d],
            )
    return second


def _extrapolated(quotient: Callable[[float], Array], h: float) -> Array:
    """(4 q(h/2) − q(h))/3, in which the errors of order h² cancel."""
    return (4.0 * quotient(0.5 * h) - quotient(h)) / 3.0


def _moved(X: Array, by: dict[int, float]) -> Array:
    moved = X.copy()
    for d, h in by.items():
        moved[:, d] += h
    return moved


def _filled(found: list[Array], columns: list[int], n_columns: int) -> Array:
    full = np.zeros((*found[0].shape, n_columns))
    for d, values in zip(columns, found, strict=True):
        full[..., d] = values
    return full
