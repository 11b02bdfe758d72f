"""Central differences: how far rows are moved, and difference quotients from a function at moved copies of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rsens._table import column_scale, positive_per_column
from rsens._typing import Array, Positions
from rsens.derivatives._output import Evaluation, evaluate_moved
from rsens.distributions import Distribution

EPS = float(np.finfo(np.float64).eps)
#: Steps, by order of the derivative, that balance truncation (step²) against rounding (eps/step, eps/step²).
DEFAULT_STEP = {1: EPS ** (1 / 3), 2: EPS ** (1 / 4)}
#: The same balance for values in single precision; below it, rounding decides the result.
SINGLE_STEP = {order: float(np.finfo(np.float32).eps) ** (1 / (order + 2)) for order in (1, 2)}
#: A row far out moves by the step times this share of its distance from the middle, if that is more than a unit:
#: there a function is often large and changes slowly, and differences over a unit would be mostly rounding.
FAR = 0.1
#: Rows in one call of the function. Within the memory bound, that leaves the function 32 KB per row.
ROWS_PER_CALL = 8192


def spaced(n: int, count: int) -> Positions:
    """At most `count` of the positions 0, …, n − 1, evenly spaced, the first and the last among them."""
    return np.unique(np.linspace(0, n - 1, count).astype(np.intp))


@dataclass(frozen=True, eq=False)
class Steps:
    """How far to step in each column: `step` (D,), None for the default, times `unit` (D,), wider far from `centre`."""

    step: Array | None
    unit: Array
    centre: Array | None = None

    @classmethod
    def of(cls, X: Array, step: Array | None, scale: Array | None) -> Self:
        """The steps for the rows X, from the user's step and scale; a given scale is the unit of all rows."""
        columns = X.shape[1]
        step = None if step is None else positive_per_column(step, columns, "step")
        if scale is not None:
            return cls(step, positive_per_column(scale, columns, "scale"))
        return cls(step, step_unit(X), np.array([np.median(np.unique(column)) for column in X.T]))

    def units(self, X: Array) -> Array:
        """The unit of every entry of X, (n, D)."""
        if self.centre is None:
            return np.broadcast_to(self.unit, X.shape)
        return np.maximum(self.unit, np.abs(FAR * X - FAR * self.centre))

    def of_order(self, order: int) -> Array:
        """The step for derivatives of this order, one number or (D,): the user's, or the default."""
        return np.array(DEFAULT_STEP[order]) if self.step is None else self.step

    def widths(self, X: Array, order: int) -> Array:
        """How far to move every entry of X, h (n, D)."""
        return np.maximum(self.of_order(order) * self.units(X), 4.0 * np.spacing(np.abs(X)))


def step_unit(values: Array) -> Array:
    """The unit of each column, (D,): its standard deviation, unless a few values far out dominate it.

    Then it is estimated from the middle half of the distinct values: a column may be 0, or 999, in most rows. A column
    that does not vary gets its magnitude, at least 1.
    """
    spread = column_scale(values)
    magnitude = np.abs(values).max(axis=0)
    size = np.where(magnitude > 0.0, magnitude, 1.0)  # differences of huge values stay within float64
    quartiles = np.array([np.quantile(np.unique(column), [0.25, 0.75]) for column in (values / size).T])
    middle = size * (quartiles[:, 1] - quartiles[:, 0]) / 1.349  # as of a normal distribution
    return np.where((middle > 0.0) & (2.0 * middle < spread), middle, spread)


@dataclass(frozen=True, eq=False)
class Quotients:
    """Central differences, in some columns, of a function z(x) that is `z` (n, M) at n rows X, with widths h (n, D)."""

    moved: Callable[[Array], Array]  # gives z (P, n, M) at moved copies of the rows (P, n, D)
    X: Array
    z: Array
    columns: list[int]

    def changes(self, h: Array) -> Array:
        """z(x + h e_d) − z(x − h e_d), shape (columns, n, M)."""
        eye = self._directions
        z = self._at_ends(h, [eye, -eye])
        return z[: len(eye)] - z[len(eye) :]

    def first(self, h: Array, changes: Array | None = None) -> Array:
        """(z(x + h e_d) − z(x − h e_d))/2h, shape (n, M, columns); from `changes(h)`, if already known."""
        return np.moveaxis((self.changes(h) if changes is None else changes) / self._width(h), 0, -1)

    def second(self, h: Array, mixed: bool = True) -> Array:
        """Second differences, (n, M, columns, columns): three points for d = e, the four corners for d ≠ e, or 0."""
        eye, columns = self._directions, len(self.columns)
        d, e = np.triu_indices(columns, 1 if mixed else columns)
        corners = [eye[d] + eye[e], eye[d] - eye[e], -eye[d] + eye[e], -eye[d] - eye[e]]
        z = self._at_ends(h, [eye, -eye, *corners])
        pp, pm, mp, mm = z[2 * columns :].reshape(4, len(d), *self.z.shape)
        width, below, above = self._width(h), self.X - h, self.X + h
        up, down = (above - self.X).T[self.columns][:, :, None], (self.X - below).T[self.columns][:, :, None]
        with np.errstate(over="ignore", invalid="ignore"):  # numbers that do not fit are refused later, by name
            cross = ((pp - pm) - (mp - mm)) / width[d] / width[e]
            rise, fall = (z[:columns] - self.z) / up, (self.z - z[columns : 2 * columns]) / down
            bend = 2.0 * (rise - fall) / (up + down)
        second = np.zeros((*self.z.shape, columns, columns))
        second[:, :, range(columns), range(columns)] = np.moveaxis(bend, 0, -1)
        second[:, :, d, e] = second[:, :, e, d] = np.moveaxis(cross, 0, -1)
        return second

    def _width(self, h: Array) -> Array:
        """The actual distance of the ends x ± h, which are rounded."""
        return ((self.X + h) - (self.X - h)).T[self.columns][:, :, None]

    @property
    def _directions(self) -> Any:
        return np.eye(self.X.shape[1], dtype=np.int8)[self.columns]

    def _at_ends(self, h: Array, blocks: list[Any]) -> Array:
        """z at the rows moved to the ends that the signs in all blocks (…, D) name, (points, n, M), in a few calls."""
        signs, per_call = np.concatenate(blocks), max(1, ROWS_PER_CALL // len(self.X))
        parts = [self.moved(ends(self.X, h, signs[k : k + per_call])) for k in range(0, len(signs), per_call)]
        return parts[0] if len(parts) == 1 else np.concatenate([np.empty((0, *self.z.shape)), *parts])


def ends(X: Array, h: Array, signs: Any) -> Array:
    """Copies of the rows with x + h, x − h or x in each column, by the sign (copies, D): (copies, n, D)."""
    sign = signs[:, None, :]
    return np.where(sign > 0, X + h, np.where(sign < 0, X - h, X))


def extrapolated(quotient: Callable[[Array], Array], h: Array) -> Array:
    """A difference quotient without its error in h² (Richardson), from the widths h and h/2."""
    return (4.0 * quotient(0.5 * h) - quotient(h)) / 3.0


@dataclass(frozen=True, eq=False)
class Differences(Quotients):
    """Quotients of a function that gives predictive distributions, `here` at the rows X, with its steps."""

    fn: Callable[[Array], Distribution]
    here: Evaluation
    steps: Steps

    @classmethod
    def of(
        cls, fn: Callable[[Array], Distribution], X: Array, here: Evaluation, columns: list[int], steps: Steps
    ) -> Self:
        return cls(lambda points: evaluate_moved(fn, points, here), X, here.z, columns, fn, here, steps)

    def at(self, rows: Any) -> Differences:
        """The same at some of the rows."""
        return Differences.of(self.fn, self.X[rows], self.here.at(rows), self.columns, self.steps)

    def widths(self, order: int) -> Array:
        """How far to move every entry of X, h (n, D)."""
        return self.steps.widths(self.X, order)

    @property
    def units(self) -> Array:
        """The unit of every entry of the columns, (n, columns)."""
        return self.steps.units(self.X)[:, self.columns]

    def sizes(self, z: Array) -> Array:
        """Fisher norms (n, columns) of first derivatives (n, M, columns), per unit of each column."""
        with np.errstate(over="ignore"):
            norms = self.units * self.here.norms(z)
        return np.where(np.isfinite(norms), norms, 0.0)
