"""The rows that a GP is fitted to, and draws of them for a sparse GP of many rows.

Some thousand rows determine the hyperparameters as well as anyone needs, and a search takes a hundred passes; the
posterior needs all rows, but only a few passes. Rows are sorted before a draw, so that the order in which they come
changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rsens._contents import column_order
from rsens._typing import Array, Positions

#: The most rows for a search of hyperparameters with inducing inputs.
SEARCH_ROWS = 5000
#: If M is ours to choose, inducing inputs are enough when they leave no row more than this share of the prior variance.
ENOUGH = 1e-6
#: The share of the rows that is drawn by level, so that rare levels are among them; the others are drawn evenly.
BY_LEVEL = 0.2
#: A column has levels if about this many rows show at most that many values of it.
SEEN_ROWS, MOST_LEVELS = 1000, 200


@dataclass(frozen=True, eq=False)
class Data:
    """Rows X and targets y, where y depends on mean + f + offset.

    `columns` is their `column_order`, from the numbers before standardising.
    """

    X: Array
    y: Array
    offset: Array
    mean: float = 0.0
    columns: Positions | None = None

    def rows(self, rows: NDArray[np.intp]) -> Data:
        """Some of the rows, by position."""
        return replace(self, X=self.X[rows], y=self.y[rows], offset=self.offset[rows])

    @property
    def residual(self) -> Array:
        """The part of y that f and Gaussian noise have to explain."""
        return self.y - self.mean - self.offset

    @property
    def column_ranks(self) -> Positions:
        """The place of each column in the order of the columns."""
        columns = column_order(self.X, self.y, self.offset) if self.columns is None else self.columns
        return np.argsort(columns)

    @property
    def ordered(self) -> Data:
        """The same rows sorted by y, offset, then X: a choice by place is then a choice by values."""
        columns = self.X.T[np.argsort(self.column_ranks)]
        return self.rows(np.lexsort((*columns[::-1], self.offset, self.y)))

    def drawn(self, n: int, rng: np.random.Generator) -> Data:
        """n of the rows, with rare levels among them; the choice does not depend on the order of the rows."""
        data = self.ordered
        return data.rows(draw_rows(data.X, n, rng))


def draw_rows(X: Array, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """n rows without replacement, in the order of their places; rows of rare levels are more likely than others.

    A choice by x changes nothing about y given x, so a fit to these rows needs no correction.
    """
    some, weights, by_level = X[:: 1 + len(X) // SEEN_ROWS], np.ones(len(X)), []
    for d, column in enumerate(X.T):
        if 1 < len(np.unique(some[:, d])) <= MOST_LEVELS:
            _, level, counts = np.unique(column, return_inverse=True, return_counts=True)
            by_level.append((len(X) / (len(counts) * counts))[level])
    if by_level:
        weights = (1.0 - BY_LEVEL) * weights + BY_LEVEL * np.mean(by_level, axis=0)
    return np.sort(rng.choice(len(X), n, replace=False, p=weights / weights.sum()))
