"""Maxima of an integrand, as points for an integrator to look at."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tests.distributions.exact_base import STEPS
from tests.distributions.precision import mp


def maxima(slope: Callable[[Any], Any], grid: list[Any]) -> list[Any]:
    """Where a slope goes from + to − between two points of the grid."""
    found = []
    for left, right in pairwise(grid):
        if slope(left) > 0 >= slope(right):
            lo, hi = left, right
            for _ in range(200):
                middle = (lo + hi) / 2
                lo, hi = (middle, hi) if slope(middle) > 0 else (lo, middle)
            found.append((lo + hi) / 2)
    return found


def around(slope: Callable[[Any], Any], grid: list[Any]) -> list[Any]:
    """Points around the maxima of a function of t, spaced by the widths of its peaks."""
    points = []
    for t in maxima(slope, grid):
        width = 1 / mp.sqrt(abs(mp.diff(slope, t)))
        points += [t + k * width for k in STEPS]
    return points


def steps(low: Any, high: Any, n: int) -> list[Any]:
    return [low + (high - low) * i / n for i in range(n + 1)]
