"""Columns that give a wrong answer if taken as they are: the target in other words, and codes for missing values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from rsens._typing import Array

#: Above these correlations with the target, a column holds the same numbers: exactly, or up to rounding.
EXACT, NEAR = 1.0 - 1e-12, 0.9999
#: With fewer rows, two columns may agree, or match the target one to one, by chance.
LEAST_ROWS, LEAST_LABELLED = 10, 20
#: -9, 999, 99.99, -999.25: numbers that stand for missing values in many files.
NINES = re.compile(r"-?9+(\.0|\.9+|\.25)?")
#: A number that stands for a missing value occurs at least this often; at most this many of them lie on one side.
LEAST_COUNT, MOST_CODES = 3, 3
#: In interquartile ranges: from the outermost to the middle half of the other values, and from all to all others.
FAR, GAP = 5.0, 1.0


def copies(table: pd.DataFrame, numbers: Sequence[str], target: str) -> dict[str, str]:
    """Columns that repeat the target, and how they do it: linear in it, or one to one with its values."""
    found, known = {}, set(numbers)
    different = table[target].nunique()
    repeats = len(table) >= LEAST_LABELLED and 2 * different <= len(table)
    for name in [name for name in table.columns if name != target]:
        both = name in known and target in known
        r = _correlation(table[name], table[target]) if both else 0.0
        if r > EXACT:
            found[name] = "the target itself, up to scale"
        elif r > NEAR and len(table) >= LEAST_ROWS:
            found[name] = f"almost the target itself, up to scale (correlation above {NEAR})"
        elif repeats and _one_to_one(table[name], table[target], different):
            found[name] = "the target in other words: each value goes with one value of the target"
    return found


def _correlation(x: Any, y: Any) -> float:
    """The size of the correlation; NaN if numbers are too large to be squared."""
    with np.errstate(all="ignore"):
        dx, dy = (values - values.mean() for values in (x.to_numpy(dtype=float), y.to_numpy(dtype=float)))
        return float(np.abs(dx @ dy / (np.linalg.norm(dx) * np.linalg.norm(dy))))


def _one_to_one(x: Any, y: Any, n: int) -> bool:
    """Whether each value of x belongs to one of the n values of y and vice versa."""
    return x.nunique() == n == len(pd.DataFrame({"x": x.to_numpy(), "y": y.to_numpy()}).drop_duplicates())


def missing_codes(values: Array) -> dict[float, int]:
    """Numbers that may stand for a missing value, and how often they occur.

    They are the smallest or the largest, far from all others, repeated, and all nines, or negative where no other is.
    """
    different, counts = np.unique(values, return_counts=True)
    found: dict[float, int] = {}
    for outermost in (slice(None), slice(None, None, -1)):
        ends, often = different[outermost], counts[outermost]
        for k in range(1, min(MOST_CODES, len(ends) - 2) + 1):
            rest = values[~np.isin(values, ends[:k])]
            if often[:k].min() < LEAST_COUNT:
                break
            if all(_is_code(value, rest) for value in ends[:k].tolist()) and _are_far(ends[:k], rest):
                found |= dict(zip(ends[:k].tolist(), often[:k].tolist(), strict=True))
                break
    return found


def _is_code(value: float, rest: Array) -> bool:
    return bool(NINES.fullmatch(repr(value))) or bool(value < 0.0 <= rest.min())


def _are_far(ends: Array, rest: Array) -> bool:
    """Whether values are far from all others, in units of their interquartile range, or of their range if that is 0."""
    outer, inner = ends[0], ends[-1]
    low, high = np.quantile(rest, [0.25, 0.75])
    unit = high - low or np.ptp(rest)
    from_half, from_all = max(low - outer, outer - high), max(rest.min() - inner, inner - rest.max())
    return bool(from_half > FAR * unit and from_all > GAP * unit)
