"""An order of rows and columns by their contents, so that random choices do not depend on how a table is sorted.

`own_order` compares ranks within columns, which units do not change; `column_order` and `row_keys` compare numbers,
which needs no sorting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._typing import Positions

Keys = NDArray[np.uint64]

#: The steps of splitmix64 (Steele, Lea, Flood 2014): every bit of a number moves every bit of its hash.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True, eq=False)
class OwnOrder:
    """Positions of rows and columns in their own order, and the cluster of each row, numbered in its own, or None."""

    rows: Positions
    columns: Positions
    clusters: Positions | None = None

    @cached_property
    def row_ranks(self) -> Positions:
        return inverse(self.rows)

    @cached_property
    def column_ranks(self) -> Positions:
        return inverse(self.columns)

    def taken(self, rows: Positions) -> OwnOrder:
        """The order of some of the rows; the columns keep theirs."""
        clusters = None if self.clusters is None else np.unique(self.clusters[rows], return_inverse=True)[1].reshape(-1)
        return OwnOrder(np.argsort(self.row_ranks[rows]), self.columns, clusters)

    def of_terms(self, members: Sequence[Sequence[int]]) -> Positions:
        """The positions of terms, which are columns or groups of columns, by the ranks of their columns."""
        ranks = [sorted(self.column_ranks[list(columns)].tolist()) for columns in members]
        return np.array(sorted(range(len(members)), key=ranks.__getitem__), dtype=np.intp)

    def of_pairs(self, members: Sequence[Sequence[int]]) -> Positions:
        """The positions of pairs of terms, as numbered by np.triu_indices(T, 1), by the ranks of their terms."""
        ranks = inverse(self.of_terms(members))
        first, second = (ranks[axis] for axis in np.triu_indices(len(members), 1))
        return np.lexsort((np.maximum(first, second), np.minimum(first, second)))


def own_order(X: Any, *others: Any, clusters: Positions | None = None, names: Sequence[str] | None = None) -> OwnOrder:
    """The order of the rows and columns of X: an array or a data frame of pandas, of numbers, text or anything.

    X decides only about rows that agree in the others (targets): two models of the same targets have the same folds.
    """
    columns = [_ranks(column) for column in _columns(X)]
    given = [_ranks(column) for other in others if other is not None for column in _columns(other)]
    rest = _hashed(given, np.zeros(len(X), dtype=np.uint64))
    if not given:  # then a sum, in which all columns count alike
        rest = sum(map(mixed, columns), rest)
    if names is None:
        names = list(map(str, X.columns)) if hasattr(X, "columns") else [""] * len(columns)
    order = _ordered(columns, rest, names)
    ties: list[NDArray[Any]] = [_hashed((columns[d] for d in order), rest), rest]
    numbers = None
    if clusters is not None:  # sums of whole numbers are the same in any order
        sums = np.zeros((2, int(clusters.max()) + 1), dtype=np.uint64)
        for each, key in zip(sums, ties, strict=True):
            np.add.at(each, clusters, mixed(key))
        numbers = inverse(np.lexsort(sums))[clusters]
        ties = [numbers, *ties]
    return OwnOrder(np.lexsort(ties), order, numbers)


def column_order(X: Any, *others: Any) -> Positions:
    """An order of the columns of X by their numbers, and the numbers of the others in the same rows."""
    columns = [_bits(column) for column in _columns(X)]
    return _ordered(columns, row_keys(*others), [""] * len(columns))


def row_keys(*columns: Any) -> Keys:
    """One number per row, equal for rows that agree in all columns; arrays of columns (N, D) or single ones (N,)."""
    values = (_bits(column) for array in columns for column in _columns(array))
    return _hashed(values, np.zeros(len(columns[0]), dtype=np.uint64))


def mixed(keys: Keys) -> Keys:
    """A hash of each of the keys."""
    keys = keys + GOLDEN
    keys = (keys ^ (keys >> np.uint64(30))) * FIRST
    keys = (keys ^ (keys >> np.uint64(27))) * SECOND
    return keys ^ (keys >> np.uint64(31))


def inverse(order: Positions) -> Positions:
    """The place of 0, 1, … in the order."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return places


def _ordered(columns: Sequence[Keys], rest: Keys, names: Sequence[str]) -> Positions:
    """Sort columns by their contents and the rest of each row; by name, then by place, if these are equal."""
    keys = [int(mixed(column * FIRST + rest).sum(dtype=np.uint64)) for column in columns]
    return np.array(sorted(range(len(keys)), key=lambda d: (keys[d], names[d])), dtype=np.intp)


def _hashed(columns: Iterable[Keys], keys: Keys) -> Keys:
    """Hash the rows of the columns, starting from keys."""
    for column in columns:
        keys = mixed(keys * FIRST + column)
    return keys


def _columns(array: Any) -> list[Any]:
    if np.ndim(array) == 1:
        return [array]
    return [array.iloc[:, d] for d in range(array.shape[1])] if hasattr(array, "iloc") else list(np.asarray(array).T)


def _bits(column: Any) -> Keys:
    """Numbers by their value, not their type."""
    return (np.asarray(column).astype(np.float64) + 0.0).view(np.uint64)  # + 0.0: minus zero is zero


def _ranks(column: Any) -> Keys:
    """The place of each value among the different values: the same in other units, and for labels instead of codes."""
    values = np.asarray(column)
    if values.dtype.kind not in "biufUSMm":
        values = values.astype(object)
    try:
        return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.uint64)
    except TypeError:  # values of several types have no order
        return _ranks(np.array(list(map(repr, values))))
