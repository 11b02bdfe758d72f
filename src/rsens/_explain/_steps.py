"""What a change of a column is, for effects: a standard deviation, or from one value in the data to another.

A standard deviation is no change that people make where a column is mostly 0, or has a long tail: from most rows it
leads to values that hardly occur. There the step is from the 25 % to the 75 % quantile, of the other values where more
than half of the rows share one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rsens._table import Table
from rsens._typing import Array
from rsens.measures import Terms

#: A column has a long tail if its standard deviation is longer than this many times the middle half of its values:
#: 0.74 times for a Gaussian, 0.9 for an exponential and 1.5 for a lognormal column with σ = 1.
LONG_TAIL = 1.25
#: One unit of a column is a readable change if it is between these shares of a standard deviation.
READABLE = (1.0 / 30.0, 2.0)
#: The smallest power of ten that float64 holds.
SMALLEST_POWER = -323
#: A step between two values is made of at most this many parts, with at least so many rows in each.
MOST_PARTS, ROWS_PER_PART = 10, 20


@dataclass(frozen=True)
class Step:
    """From `edges[0]` to `edges[-1]`, in parts between neighbouring edges that hold rows."""

    edges: tuple[float, ...]

    @property
    def start(self) -> float:
        return self.edges[0]

    @property
    def stop(self) -> float:
        return self.edges[-1]


def steps_of(values: Array, columns: Iterable[int], weights: Array | None = None) -> dict[int, Step]:
    """The steps, by position, of those columns of the inputs (n, D) whose standard deviation is no sensible change."""
    shares = np.full(len(values), 1.0 / len(values)) if weights is None else weights
    counted = shares > 0.0
    found = {d: _step(values[counted, d], shares[counted]) for d in columns}
    return {d: step for d, step in found.items() if step is not None}


def numeric_columns(terms: Terms, table: Table) -> list[int]:
    """Positions of the columns that have slopes: numbers, and terms of their own."""
    levels = () if table.coding is None else table.coding.categorical
    return [members[0] for members in terms.members if len(members) == 1 and members[0] not in levels]


def readable_unit(deviation: float) -> float:
    """1, or the power of ten next below a standard deviation that one unit of the column is far from."""
    if not (np.isfinite(deviation) and deviation > 0.0) or READABLE[0] * deviation <= 1.0 <= READABLE[1] * deviation:
        return 1.0
    power = math.floor(math.log10(deviation))
    return float(f"1e{max(power, SMALLEST_POWER)}")  # 0.01 as it is read, not 10⁻² with its rounding


def _step(values: Array, shares: Array) -> Step | None:
    levels, of = np.unique(values, return_inverse=True)
    if len(levels) < 2:
        return None
    masses = np.bincount(of, weights=shares)
    common = int(masses.argmax())
    if masses[common] > 0.5 * masses.sum():
        others = of != common
        start, stop = _quartiles(values[others], shares[others])
        if start == stop:  # the others share one value too: the step leads there
            start, stop = sorted((float(levels[common]), start))
    else:
        start, stop = _quartiles(values, shares)
        if _deviation(values, shares) <= LONG_TAIL * (stop - start):
            return None
    return Step(_edges(values[(values >= start) & (values <= stop)], start, stop)) if start < stop else None


def _quartiles(values: Array, shares: Array) -> tuple[float, float]:
    """Values that occur: the first below or at which a quarter, and three quarters, of all weight lies.

    So a row of weight 2 is the same as the row twice; rounding in the sums of weights must not tell them apart.
    """
    order = np.argsort(values, kind="stable")
    below = np.cumsum(shares[order]) / shares.sum()
    low, high = values[order][np.searchsorted(below, np.array([0.25, 0.75]) - 1e-9)]
    return float(low), float(high)


def _deviation(values: Array, shares: Array) -> float:
    scale = float(np.abs(values).max()) or 1.0  # so that squares do not overflow
    centred = values / scale
    centred = centred - shares @ centred / shares.sum()
    return scale * float(np.sqrt(shares @ centred**2 / shares.sum()))


def _edges(between: Array, start: float, stop: float) -> tuple[float, ...]:
    """`start` and `stop`, and values between them that divide the rows evenly."""
    parts = int(np.clip(len(between) // ROWS_PER_PART, 1, MOST_PARTS))
    inner = np.quantile(between, np.arange(1, parts) / parts, method="inverted_cdf") if parts > 1 else np.empty(0)
    inner = np.unique(inner[(inner > start) & (inner < stop)])
    return (start, *(float(edge) for edge in inner), stop)
