"""A question: one quantity of one family or likelihood, over many points, in float64 and in 60 digits."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.distributions.precision import mp, relative_error

#: A point of a grid, as JSON holds it.
Point = dict[str, Any]
DENSITY, NORM, SECOND, FISHER, DIVERGENCE = (
    "log density",
    "R-sens",
    "R-sens₂",
    "Fisher information",
    "divergence",
)


@dataclass(frozen=True)
class Question:
    """`got` and `want` give one number or a list of numbers at a point."""

    subject: str
    quantity: str
    points: Sequence[Point]
    got: Callable[[Point], Any]
    want: Callable[[Point], Any]
    error: Callable[[float, Any], float] = relative_error

    def error_at(self, point: Point) -> float:
        """The largest error of the numbers at a point."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            got = np.atleast_1d(np.asarray(self.got(point), dtype=np.float64)).ravel()
        want = self.want(point)
        want = want if isinstance(want, list) else [want]
        return max(self.error(float(g), w) for g, w in zip(got, want, strict=True))

    def worst(self) -> Point:
        """The largest error over all points, and where it is."""
        errors = [self.error_at(point) for point in self.points]
        place = int(np.argmax(errors))
        return {"points": len(errors), "worst": float(f"{errors[place]:.2e}"), "at": self.points[place]}


def density_error(got: float, want: Any) -> float:
    """Of a log density: relative where it is large, and else absolute, which is the relative error of the density."""
    if mp.isinf(want) or not np.isfinite(got):
        return 0.0 if float(want) == got else np.inf
    return float(abs(mp.mpf(got) - want) / max(abs(want), 1))
