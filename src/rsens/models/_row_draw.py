"""Random rows, drawn by what is in them: the same rows, however the data are sorted.

A sort of all columns would do too, but it takes as long as a fit at a million rows. So each row gets a key, a hash of
its numbers, and copies of a row, which can be exchanged for each other, are told apart by counting them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rsens._typing import Array

Keys = NDArray[np.uint64]

#: The steps of splitmix64 (Steele, Lea, Flood 2014): every bit of a number moves every bit of its hash.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
#: The share of the rows that is drawn by level, so that rare levels are among them; the others are drawn evenly.
BY_LEVEL = 0.2
#: A column has levels if this many rows show at most that many values of it.
SEEN_ROWS, MOST_LEVELS = 1000, 200


def row_keys(*columns: Array) -> Keys:
    """One number per row, equal for rows that agree in all columns; arrays of columns (N, D) or single ones (N,)."""
    keys = np.zeros(len(columns[0]), dtype=np.uint64)
    for array in columns:
        for column in array.T if array.ndim == 2 else [array]:
            keys = _mixed(keys * FIRST + (column + 0.0).view(np.uint64))  # + 0.0: minus zero is zero
    return keys


def draw_rows(X: Array, keys: Keys, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """n rows without replacement, in the order of their places; rows of rare levels are more likely than others.

    Each row waits for an exponential time with its weight as rate, and the first n come (Efraimidis, Spirakis 2006).
    """
    salt = np.uint64(rng.integers(2**63))
    uniform = (_mixed(_told_apart(keys) ^ salt) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    seen = np.argsort(uniform)[:SEEN_ROWS]
    waits = -np.log1p(-uniform) / _weights(X, seen)
    return np.sort(np.argpartition(waits, n - 1)[:n])


def _mixed(keys: Keys) -> Keys:
    keys = keys + GOLDEN
    keys = (keys ^ (keys >> np.uint64(30))) * FIRST
    keys = (keys ^ (keys >> np.uint64(27))) * SECOND
    return keys ^ (keys >> np.uint64(31))


def _told_apart(keys: Keys) -> Keys:
    """The keys, of which copies get different ones: the j-th copy has a key that depends on j."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    copy = np.arange(len(keys)) - np.repeat(first, np.diff(np.append(first, len(keys))))
    apart = np.empty_like(keys)
    apart[order] = ordered + GOLDEN * copy.astype(np.uint64)
    return apart


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
