"""How far differences move the rows: a step times a unit of each column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from rsens._table import column_scale, positive_per_column
from rsens._typing import Array

EPS = float(np.finfo(np.float64).eps)
#: Steps, by order of the derivative, that balance truncation (step²) against rounding (eps/step, eps/step²).
DEFAULT_STEP = {1: EPS ** (1 / 3), 2: EPS ** (1 / 4)}
#: The same balance for values in single precision; below it, rounding decides the result.
SINGLE_STEP = {order: float(np.finfo(np.float32).eps) ** (1 / (order + 2)) for order in (1, 2)}
#: A row far out moves by the step times this share of its distance from the middle, if that is more than a unit.
FAR = 0.1
#: The interquartile range of a normal distribution, in standard deviations.
_NORMAL_RANGE = 1.349


@dataclass(frozen=True, eq=False)
class Steps:
    """How far to step in every column: `step` (D,), None for the default, times `unit` (D,).

    With `centre` (D,), the middle of each column, the unit of an entry x is at least a tenth of |x − centre|. Far out
    a function is often large and changes slowly: differences over the unit of the other rows would be mostly rounding.
    """

    step: Array | None
    unit: Array
    centre: Array | None = None
    #: How much a random function scatters, relative to its spread over the rows; default steps are then wider.
    noise: float = 0.0

    @classmethod
    def of(cls, X: Array, step: Array | None, scale: Array | None, noise: float = 0.0) -> Self:
        """The steps for the rows X, from the user's step and scale; a given scale is the unit of all rows."""
        columns = X.shape[1]
        step = None if step is None else positive_per_column(step, columns, "step")
        if scale is not None:
            return cls(step, positive_per_column(scale, columns, "scale"), noise=noise)
        return cls(step, step_unit(X), np.array([np.median(np.unique(column)) for column in X.T]), noise)

    def units(self, X: Array) -> Array:
        """The unit of every entry of X, (n, D)."""
        if self.centre is None:
            return np.broadcast_to(self.unit, X.shape)
        return np.maximum(self.unit, np.abs(FAR * X - FAR * self.centre))

    def of_order(self, order: int) -> Array:
        """The step for derivatives of this order, one number or (D,): the user's, or the one that suits the noise."""
        if self.step is not None:
            return self.step
        return np.array(max(DEFAULT_STEP[order], min(1.0, self.noise) ** (1.0 / (order + 2))))

    def widths(self, X: Array, order: int) -> Array:
        """How far to move every entry of X, h (n, D)."""
        return np.maximum(self.of_order(order) * self.units(X), 4.0 * np.spacing(np.abs(X)))

    def halve(self, order: int) -> Self:
        """Half of these steps, for derivatives of this order."""
        return replace(self, step=np.broadcast_to(0.5 * self.of_order(order), self.unit.shape))


def step_unit(values: Array) -> Array:
    """The unit of each column, (D,): its standard deviation, unless a few values far out dominate it.

    They do if it is more than twice the estimate from the middle half of the distinct values, range/1.349; then that
    estimate is the unit. Distinct values, because a column may be 0, or 999, in most rows. A column that does not vary
    has no unit of its own: it gets its magnitude, at least 1.
    """
    spread = column_scale(values)
    magnitude = np.abs(values).max(axis=0)
    size = np.where(magnitude > 0.0, magnitude, 1.0)  # differences of huge values stay within float64
    quartiles = np.array([np.quantile(np.unique(column), [0.25, 0.75]) for column in (values / size).T])
    middle = size * (quartiles[:, 1] - quartiles[:, 0]) / _NORMAL_RANGE
    return np.where((middle > 0.0) & (2.0 * middle < spread), middle, spread)
