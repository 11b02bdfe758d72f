"""Which values the arguments of a family may take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsens._typing import Array, Flags


@dataclass(frozen=True)
class Domain:
    """Which values a constructor argument may take, and how many trailing axes belong to one row."""

    lower: float = -np.inf
    upper: float = np.inf
    closed: bool = False
    event_ndim: int = 0

    def holds(self, values: Array) -> Flags:
        """Which of the values are allowed."""
        inside = (
            (values >= self.lower) & (values <= self.upper)
            if self.closed
            else (values > self.lower) & (values < self.upper)
        )
        return inside & np.isfinite(values)

    def __str__(self) -> str:
        if not np.isfinite(self.lower) and not np.isfinite(self.upper):
            return "finite"
        if np.isfinite(self.upper):
            return f"between {self.lower:g} and {self.upper:g}"
        return f"finite and {'at least' if self.closed else 'greater than'} {self.lower:g}"


REAL = Domain()
POSITIVE = Domain(lower=0.0)
UNIT = Domain(lower=0.0, upper=1.0, closed=True)
