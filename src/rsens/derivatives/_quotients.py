"""Difference quotients at rows, from evaluations of a function at moved copies of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.derivatives._evaluation import Evaluation, evaluate_moved
from rsens.distributions import Distribution

#: Rows in one call of the function. Within the memory bound, that leaves the function 32 KB per row.
ROWS_PER_CALL = 8192


@dataclass(frozen=True, eq=False)
class Quotients:
    """Central differences of z in some of the columns at n rows X, where the function gave `here`.

    Widths h are (n, D). The ends x ± h are rounded, so quotients are divided by their actual distance, not by 2h.
    """

    fn: Callable[[Array], Distribution]
    X: Array
    here: Evaluation
    columns: list[int]

    def at(self, rows: Any) -> Quotients:
        """The same at some of the rows."""
        return Quotients(self.fn, self.X[rows], self.here.at(rows), self.columns)

    def changes(self, h: Array) -> Array:
        """z(x + h e_d) − z(x − h e_d), shape (columns, n, M)."""
        eye = self._directions
        z = self._moved(h, np.concatenate([eye, -eye]))
        return z[: len(eye)] - z[len(eye) :]

    def first(self, h: Array) -> Array:
        """(z(x + h e_d) − z(x − h e_d))/2h, shape (n, M, columns)."""
        return self.first_from(self.changes(h), h)

    def first_from(self, changes: Array, h: Array) -> Array:
        return np.moveaxis(changes / self._width(h), 0, -1)

    def diagonal(self, h: Array) -> Array:
        """Second differences in every column with itself, shape (n, M, columns)."""
        eye = self._directions
        return np.moveaxis(self._diagonal(self._moved(h, np.concatenate([eye, -eye])), h), 0, -1)

    def second(self, h: Array) -> Array:
        """Second differences, shape (n, M, columns, columns).

        Three points for d = e, the four corners for d ≠ e: they cancel where x_d and x_e do not interact.
        """
        eye, columns = self._directions, len(self.columns)
        d, e = np.triu_indices(columns, 1)
        corners = [eye[d] + eye[e], eye[d] - eye[e], -eye[d] + eye[e], -eye[d] - eye[e]]
        z = self._moved(h, np.concatenate([eye, -eye, *corners]))
        pp, pm, mp, mm = z[2 * columns :].reshape(4, len(d), *self.here.z.shape)
        width = self._width(h)
        with np.errstate(over="ignore", invalid="ignore"):
            cross = ((pp - pm) - (mp - mm)) / width[d] / width[e]
        second = np.empty((*self.here.z.shape, columns, columns))
        second[:, :, range(columns), range(columns)] = np.moveaxis(self._diagonal(z, h), 0, -1)
        second[:, :, d, e] = second[:, :, e, d] = np.moveaxis(cross, 0, -1)
        return second

    def _diagonal(self, z: Array, h: Array) -> Array:
        """From z at x + h e_d and then at x − h e_d, for every column."""
        columns, below, above = len(self.columns), self.X - h, self.X + h
        up, down = (above - self.X).T[self.columns][:, :, None], (self.X - below).T[self.columns][:, :, None]
        with np.errstate(over="ignore", invalid="ignore"):  # what does not fit is refused where it is used, by name
            rise, fall = (z[:columns] - self.here.z) / up, (self.here.z - z[columns : 2 * columns]) / down
            return 2.0 * (rise - fall) / (up + down)

    def _width(self, h: Array) -> Array:
        return ((self.X + h) - (self.X - h)).T[self.columns][:, :, None]

    @property
    def _directions(self) -> Any:
        return np.eye(self.X.shape[1], dtype=np.int8)[self.columns]

    def _moved(self, h: Array, signs: Any) -> Array:
        """z at the rows moved to the ends that `signs` (points, D) names, (points, n, M), in a few large calls."""
        below, above = self.X - h, self.X + h
        per_call = max(1, ROWS_PER_CALL // len(self.X))
        z = np.empty((len(signs), *self.here.z.shape))
        for k in range(0, len(signs), per_call):
            sign = signs[k : k + per_call, None, :]
            points = np.where(sign > 0, above, np.where(sign < 0, below, self.X))
            z[k : k + per_call] = evaluate_moved(self.fn, points, self.here)
        return z
