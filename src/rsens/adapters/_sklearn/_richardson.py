"""Derivatives of one step of a pipeline by central differences with Richardson extrapolation: right to 1e-10 or so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.derivatives import NoSecondDerivativesError, step_unit

#: Steps that balance truncation (h⁴ after extrapolation) against rounding (eps/h, eps/h²), in units of a column. They
#: and the units are powers of two, so that x ± h has no rounding.
FIRST, SECOND = 2.0**-10, 2.0**-9
#: Over half the step a second difference may change by this share; at a kink it doubles.
KINK = 0.2

#: transform(rows, which): what the step makes of moved copies of the rows numbered `which`.
Transform = Callable[[Array, Any], Array]


class RoughStepError(Exception):
    """A step has no derivatives: it jumps, or computes in single precision. The text says which step."""


def step_derivatives(name: str, transform: Transform, X: Array, order: int) -> tuple[Array, Array | None]:
    """∂z (n, L, D) and ∂²z (n, L, D, D) of a step at the rows X (n, D); None for order 1."""
    n, D = X.shape
    unit, rows = 2.0 ** np.round(np.log2(step_unit(X))), np.arange(n)
    here = transform(X, rows)

    def at(*moves: tuple[int, float]) -> Array:
        moved = X.copy()
        for d, by in moves:
            moved[:, d] += by
        return transform(moved, rows)

    def slope(d: int, h: float) -> Array:
        return (at((d, h)) - at((d, -h))) / (2.0 * h)

    halves = [FIRST * unit, 0.5 * FIRST * unit]
    first = np.stack([_extrapolated(*(slope(d, h[d]) for h in halves)) for d in range(D)], axis=-1)
    _check_smooth(name, transform, X, here, first, unit)
    if order == 1:
        return first, None
    second = np.zeros((*here.shape, D, D))
    for d in range(D):
        coarse, fine = (
            (at((d, h)) - 2.0 * here + at((d, -h))) / h**2 for h in (SECOND * unit[d], 0.5 * SECOND * unit[d])
        )
        _check_kinks(name, coarse, fine, here, unit[d])
        second[..., d, d] = _extrapolated(coarse, fine)
    for d, e in _coupled(transform, X, here, first):
        crosses = []
        for share in (1.0, 0.5):
            h, k = share * SECOND * unit[d], share * SECOND * unit[e]
            corners = at((d, h), (e, k)) - at((d, h), (e, -k)) - at((d, -h), (e, k)) + at((d, -h), (e, -k))
            crosses.append(corners / (4.0 * h * k))
        second[..., d, e] = second[..., e, d] = _extrapolated(*crosses)
    return first, second


def _extrapolated(coarse: Array, fine: Array) -> Array:
    """Quotients over h and h/2, whose errors are c h² and c h²/4, without that error."""
    return (4.0 * fine - coarse) / 3.0


def _check_smooth(name: str, transform: Transform, X: Array, here: Array, first: Array, unit: Any) -> None:
    """An output that is flat at nearly all rows, and yet changes over a unit of all columns, jumps."""
    flat = (first != 0.0).any(axis=2).mean(axis=0) < 0.1
    for by in (unit, -unit) if flat.any() else ():
        try:
            moved = transform(X + by, np.arange(len(X)))
        except ValueError:  # outside the domain of the step
            continue
        if (flat & (moved != here).any(axis=0)).any():
            raise RoughStepError(name)


def _check_kinks(name: str, coarse: Array, fine: Array, here: Array, unit: float) -> None:
    size = np.ptp(here, axis=0) / unit**2
    bends = np.maximum(np.abs(coarse), np.abs(fine)) > 0.01 * np.where(size > 0.0, size, np.inf)
    if (bends & (np.abs(fine - coarse) > KINK * np.abs(coarse))).mean() > 0.01:
        raise NoSecondDerivativesError(
            f"the step {name} of the pipeline has kinks at the rows, where second derivatives do not exist. Replace it "
            "by a smooth step, such as PowerTransformer or SplineTransformer, or leave pairs out."
        )


def _coupled(transform: Transform, X: Array, here: Array, first: Array) -> list[tuple[int, int]]:
    """Pairs of columns that an output may depend on together; most steps look at each column by itself.

    An output whose only slopes are in column d must not change when the other columns are taken from other rows.
    """
    n, _, D = first.shape
    pairs = [(d, e) for d in range(D) for e in range(d)]
    uses = (first != 0.0).any(axis=0)  # (L, D)
    if (uses.sum(axis=1) > 1).any() or n < 2:
        return pairs
    for d in range(D):
        others = np.roll(X, 1, axis=0)
        others[:, d] = X[:, d]
        again = transform(others, np.arange(n))
        if not np.array_equal(again[:, uses[:, d]], here[:, uses[:, d]]):
            return pairs
    return []
