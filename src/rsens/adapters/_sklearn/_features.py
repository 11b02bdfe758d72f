"""Steps with formulas: PolynomialFeatures and SplineTransformer."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.derivatives import Inner


def polynomial_derivatives(step: Any, X: Array, order: int) -> Inner:
    """z_l = Π_d x_d^p_ld, with the powers p of `powers_`."""
    powers = np.asarray(step.powers_, dtype=np.intp)
    L, D = powers.shape
    first = np.zeros((len(X), L, D))
    second = np.zeros((len(X), L, D, D)) if order == 2 else None
    for l, p in enumerate(powers):
        for d in np.flatnonzero(p).tolist():
            first[:, l, d] = p[d] * _monomial(X, p, {d: 1})
            if second is None:
                continue
            for e in np.flatnonzero(p).tolist():
                factor = p[d] * (p[e] - (1 if d == e else 0))
                if factor:
                    second[:, l, d, e] = factor * _monomial(X, p, {d: 2} if d == e else {d: 1, e: 1})
    return Inner(first, second)


def _monomial(X: Array, p: Any, lowered: dict[int, int]) -> Array:
    """Π_d x_d^p_d with some of the powers lowered."""
    value = np.ones(len(X))
    for d in np.flatnonzero(p).tolist():
        power = p[d] - lowered.get(d, 0)
        if power:
            value = value * X[:, d] ** power
    return value


def spline_derivatives(step: Any, X: Array, order: int) -> Inner | None:
    """The B-splines of every column; None where the step has outputs that we do not know."""
    D = X.shape[1]
    splines = step.bsplines_
    each = [np.atleast_2d(spline.c).shape[1] - (0 if step.include_bias else 1) for spline in splines]
    if sum(each) != step.n_features_out_:
        return None
    first = np.zeros((len(X), sum(each), D))
    second = np.zeros((len(X), sum(each), D, D)) if order == 2 else None
    start = 0
    for d, (spline, width) in enumerate(zip(splines, each, strict=True)):
        place = slice(start, start + width)
        first[:, place, d] = _spline(spline, X[:, d], 1, step)[:, :width]
        if second is not None:
            second[:, place, d, d] = _spline(spline, X[:, d], 2, step)[:, :width]
        start += width
    return Inner(first, second)


def _spline(spline: Any, x: Array, k: int, step: Any) -> Array:
    """The k-th derivatives of all basis functions at x, (n, splines), with the step's rule outside the knots."""
    low, high = spline.t[spline.k], spline.t[-spline.k - 1]
    slope = spline.derivative(k) if k <= spline.k else None
    if slope is None:
        return np.zeros((len(x), spline.c.shape[1]))
    if step.extrapolation == "periodic":
        x = low + (x - low) % (high - low)
    inside = np.clip(x, low, high)
    if step.extrapolation == "continue":
        inside = x
    values = slope(inside)
    outside = (x < low) | (x > high)
    if step.extrapolation == "constant" or (step.extrapolation == "linear" and k == 2):
        values[outside] = 0.0
    return values
