"""A question: one quantity of one family or likelihood, over many points, in float64 and in 60 digits."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.distributions.precision import mp
from tests.distributions.precision import relative_error as relative

#: A point of a grid, as JSON holds it.
Point = dict[str, Any]
DENSITY, NORM, SECOND, FISHER, DIVERGENCE = (
    "log density",
    "R-sens",
    "R-sens₂",
    "Fisher information",
    "divergence",
)


#: Below it a float64 has fewer digits, and errors are relative to it.
SMALLEST = sys.float_info.min


def relative_error(got: float, want: Any) -> float:
    """|got − want|/|want|, of numbers that a float64 can hold with all its digits."""
    if np.isfinite(got) and abs(want) < SMALLEST:
        return float(abs(mp.mpf(got) - want) / SMALLEST)
    return relative(got, want)


@dataclass(frozen=True)
class Question:
    """`got` gives the values at all points, `want` those at one: a number or a list of numbers each."""

    subject: str
    quantity: str
    points: Sequence[Point]
    got: Callable[[Sequence[Point]], Sequence[Any]]
    want: Callable[[Point], Any]
    error: Callable[[float, Any], float] = relative_error

    def errors(self, points: Sequence[Point]) -> list[float]:
        """The largest error of the numbers at each point."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = self.got(points)
        return [self._error(got, self.want(point)) for got, point in zip(found, points, strict=True)]

    def _error(self, got: Any, want: Any) -> float:
        numbers = np.asarray(got, dtype=np.float64).ravel()
        return max(
            self.error(float(g), w) for g, w in zip(numbers, want if isinstance(want, list) else [want], strict=True)
        )

    def worst(self) -> Point:
        """The largest error over all points, and where it is."""
        errors = self.errors(self.points)
        place = int(np.argmax(errors))  # the first NaN, if there is one
        if not np.isfinite(errors[place]):
            raise ArithmeticError(f"{self.subject}, {self.quantity}: no digit is right at {self.points[place]}")
        return {"points": len(errors), "worst": float(f"{errors[place]:.2e}"), "at": self.points[place]}


def each(got: Callable[[Point], Any]) -> Callable[[Sequence[Point]], list[Any]]:
    """Values at all points, asked one by one."""
    return lambda points: [got(point) for point in points]


def density_error(got: float, want: Any) -> float:
    """Error of a log density: relative where it is large, else absolute, the relative error of the density."""
    if mp.isinf(want) or not np.isfinite(got):
        return 0.0 if float(want) == got else np.inf
    return float(abs(mp.mpf(got) - want) / max(abs(want), 1))
