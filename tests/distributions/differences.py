"""Derivatives of a function of one number by central differences with Richardson's extrapolation."""

from __future__ import annotations

from collections.abc import Callable

from tests.distributions.cases import Array


def derivative(f: Callable[[Array], Array], step: Array) -> Array:
    """f'(0) by central differences at h, h/2 and h/4 with Richardson's extrapolation: error O(h⁶)."""
    d = [(f(step / k) - f(-step / k)) / (2 * step / k) for k in (1, 2, 4)]
    first = [(4 * d[1] - d[0]) / 3, (4 * d[2] - d[1]) / 3]
    return (16 * first[1] - first[0]) / 15


def second_derivative(f: Callable[[float], Array]) -> Array:
    """f''(0) where f(0) = f'(0) = 0, by steps 1, 1/2, 1/4 and Richardson's extrapolation."""
    d = [(f(h) + f(-h)) / h**2 for h in (1.0, 0.5, 0.25)]
    first = [(4 * d[1] - d[0]) / 3, (4 * d[2] - d[1]) / 3]
    return (16 * first[1] - first[0]) / 15
