"""Random rows, drawn by what is in them: the same rows, however the data are sorted.

Each row has a key, a hash of its numbers, and copies of a row, which can be exchanged for each other, are told apart by
counting them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rsens._contents import Keys, mixed, told_apart
from rsens._typing import Array

#: The share of the rows that is drawn by level, so that rare levels are among them; the others are drawn evenly.
BY_LEVEL = 0.2
#: A column has levels if this many rows show at most that many values of it.
SEEN_ROWS, MOST_LEVELS = 1000, 200


def draw_rows(X: Array, keys: Keys, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """n rows without replacement, in the order of their places; rows of rare levels are more likely than others.

    Each row waits for an exponential time with its weight as rate, and the first n come (Efraimidis, Spirakis 2006).
    """
    salt = np.uint64(rng.integers(2**63))
    uniform = (mixed(told_apart(keys) ^ salt) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    seen = np.argsort(uniform)[:SEEN_ROWS]
    waits = -np.log1p(-uniform) / _weights(X, seen)
    return np.sort(np.argpartition(waits, n - 1)[:n])


def _weights(X: Array, some: NDArray[np.intp]) -> Array:
    """How likely each row is to be drawn: evenly, mixed with an even draw of the levels of each column that has them.

    A choice by x changes nothing about y given x, so a fit to these rows needs no correction.
    """
    weights, by_level = np.ones(len(X)), []
    for column in X.T:
        if 1 < len(np.unique(column[some])) <= MOST_LEVELS:
            _, level, counts = np.unique(column, return_inverse=True, return_counts=True)
            by_level.append((len(X) / (len(counts) * counts))[level])
    if by_level:
        weights = (1.0 - BY_LEVEL) * weights + BY_LEVEL * np.mean(by_level, axis=0)
    return weights
