"""The rows that a GP is fitted to."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rsens._typing import Array
from rsens.models._row_draw import Keys, draw_rows, row_keys


@dataclass(frozen=True, eq=False)
class Data:
    """Rows X and targets y, where y depends on mean + f + offset.

    `keys` tell rows apart (see `row_keys`): made from the numbers as they were given, since rounding in the units of X
    and y depends on the order of the rows. None means that they follow from X, y and offset.
    """

    X: Array
    y: Array
    offset: Array
    mean: float = 0.0
    keys: Keys | None = None

    def rows(self, rows: NDArray[np.intp]) -> Data:
        keys = None if self.keys is None else self.keys[rows]
        return replace(self, X=self.X[rows], y=self.y[rows], offset=self.offset[rows], keys=keys)

    @property
    def residual(self) -> Array:
        """What f and Gaussian noise have to explain."""
        return self.y - self.mean - self.offset

    @property
    def ordered(self) -> Data:
        """The same rows in an order of their own, by X, then y, then offset: a choice by place is a choice of rows.

        Rows that agree in all of it can be exchanged for each other, so ties do not matter.
        """
        return self.rows(np.lexsort((self.offset, self.y, *self.X.T[::-1])))

    def drawn(self, n: int, rng: np.random.Generator) -> Data:
        """n of the rows, the same ones whatever the order of the rows, with those of rare levels among them."""
        keys = row_keys(self.X, self.y, self.offset) if self.keys is None else self.keys
        return self.rows(draw_rows(self.X, keys, n, rng))
