"""What the methods for pairs of columns share."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from rsens._typing import Array


def over_pairs(n_columns: int, value: Callable[[int, int], float]) -> Array:
    """The value of every pair of columns d < e, as a symmetric (D, D) with a zero diagonal."""
    values = np.zeros((n_columns, n_columns))
    for d, e in combinations(range(n_columns), 2):
        values[d, e] = values[e, d] = value(d, e)
    return values
