"""The rows that a GP is fitted to."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rsens._contents import Keys, contents
from rsens._typing import Array, Positions
from rsens.models._row_draw import draw_rows


@dataclass(frozen=True, eq=False)
class Data:
    """Rows X and targets y, where y depends on mean + f + offset.

    `keys` tell rows apart, and `columns` are the columns in an order of their own (see `contents`): made from the
    numbers as they were given, since rounding in the units of X and y depends on the order of the rows. None means that
    they follow from X, y and offset.
    `thinned` is the most common y and the chance of its rows to be here, relative to the other rows.
    """

    X: Array
    y: Array
    offset: Array
    mean: float = 0.0
    keys: Keys | None = None
    columns: Positions | None = None
    thinned: tuple[float, float] | None = None

    def rows(self, rows: NDArray[np.intp]) -> Data:
        keys = None if self.keys is None else self.keys[rows]
        return replace(self, X=self.X[rows], y=self.y[rows], offset=self.offset[rows], keys=keys)

    @property
    def residual(self) -> Array:
        """What f and Gaussian noise have to explain."""
        return self.y - self.mean - self.offset

    @property
    def ordered(self) -> Data:
        """The same rows in an order of their own, by y, offset, then X: a choice by place is a choice of rows.

        Rows that agree in all of it can be exchanged for each other, so ties do not matter.
        """
        columns = self.X.T[np.argsort(self.column_ranks)]
        return self.rows(np.lexsort((*columns[::-1], self.offset, self.y)))

    def drawn(self, n: int, rng: np.random.Generator) -> Data:
        """n of the rows, the same ones whatever the order of the rows, with those of rare levels among them."""
        return self.rows(draw_rows(self.X, self._keys, n, rng))

    def thinned_to(self, n: int, least_rare: int, rng: np.random.Generator) -> Data:
        """n of the rows; at least this many (or all) of those whose y is not the most common one."""
        values, counts = np.unique(self.y, return_counts=True)
        common = float(values[np.argmax(counts)])
        rare, others = np.flatnonzero(self.y != common), np.flatnonzero(self.y == common)
        n_rare = min(least_rare, len(rare))
        if n_rare <= n * len(rare) / len(self.y):  # an even draw has as many
            return self.drawn(n, rng)
        parts = ((rare, n_rare), (others, n - n_rare))
        drawn = [rows[draw_rows(self.X[rows], self._keys[rows], m, rng)] for rows, m in parts]
        rate = (n - n_rare) / len(others) * len(rare) / n_rare
        return replace(self.rows(np.concatenate(drawn)), thinned=(common, rate))

    @property
    def _keys(self) -> Keys:
        return contents(self.X, self.y, self.offset)[0] if self.keys is None else self.keys

    @property
    def column_ranks(self) -> Positions:
        """The place of each column in the order of the columns."""
        columns = contents(self.X, self.y, self.offset)[1] if self.columns is None else self.columns
        return np.argsort(columns)
