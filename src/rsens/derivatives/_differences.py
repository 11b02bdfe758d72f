"""Derivatives of any function by central differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rsens._coding import Coding
from rsens._errors import InputError
from rsens._table import column_scale, positive_per_column
from rsens.derivatives._evaluated import Evaluated, evaluate, evaluate_moved, parameters_at
from rsens.derivatives._model import Function, Model, check_order, rows_for
from rsens.derivatives._output import SAME, check_rows_independent, spread_out, within_levels
from rsens.derivatives._record import Derivatives
from rsens.distributions._base import Array, Distribution

EPS = float(np.finfo(np.float64).eps)
#: Steps, by order of the derivative, that balance truncation (step²) with rounding (eps/step, eps/step²).
DEFAULT_STEP = {1: EPS ** (1 / 3), 2: EPS ** (1 / 4)}
#: The same balance for values with the digits of single precision; below it their rounding decides the result.
SINGLE_STEP = {order: float(np.finfo(np.float32).eps) ** (1 / (order + 2)) for order in (1, 2)}
#: Rows in one call of the function. It leaves 32 KB per row for what the function makes, under the memory bound.
ROWS_PER_CALL = 8192


def from_function(
    fn: Callable[[Array], Distribution],
    step: ArrayLike | None = None,
    *,
    scale: ArrayLike | None = None,
    categorical: Any = None,
) -> Model:
    """A model from any function of rows, differentiated by central differences.

    The function takes rows X, a float64 array of shape (n, D), and returns a family computed in float64; each row of it
    depends on the same row of X only. It is called with many moved copies of the rows at once: 2D of them per row for
    first derivatives, 2D² + 2D for second ones.

    Args:
        fn: The function.
        step: How far to move each column, in units of its scale: one number, or one per column. The default, about 6e-6
            for first and 1.2e-4 for second derivatives, is right for smooth functions: first derivatives come out right
            to about 1e-10 of the values, second ones to 1e-7. Predictions of trees and other piecewise-constant models
            change in jumps: take a step over several of them, 0.1 to 0.5, and read the result as an average slope.
        scale: The unit of each column: one number, or one per column. The default is its standard deviation over all
            rows that are explained; where that is zero, its largest magnitude, at least 1.
        categorical: Columns that are categorical, by name or position, besides those that a data frame has as category,
            text or bool: R-sens compares their levels instead of differentiating. The function gets numbers there as
            they are, and otherwise level codes 0, 1, … in the order of pandas' categories or sorted. Codes come from
            the rows that are explained, so name all levels where some may be missing: {"city": ["Bergen", "Oslo"]}.

    Give a Bernoulli or Binomial by its logit where you can: the differences are then taken of the logit, and keep their
    digits where the probability is close to 0 or 1.
    """
    if not callable(fn):
        raise InputError(f"from_function: expected a function of rows X; got {type(fn).__name__}.")
    return DifferenceModel(
        fn,
        None if step is None else positive_per_column(step, None, "step"),
        None if scale is None else positive_per_column(scale, None, "scale"),
        categorical,
    )


@dataclass(frozen=True, eq=False)
class DifferenceModel(Function):
    """The model that `from_function` makes."""

    fn: Callable[[Array], Distribution]
    step: Array | None
    scale: Array | None
    categorical: Any = None
    coding: Coding | None = None
    #: M, which `prepared` finds out; it decides how many rows fit in memory.
    parameters: int = 4

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        return self.coded(X)._derivatives(X, order)

    def _derivatives(self, X: Any, order: int) -> Derivatives:
        X = self.numbers(X)
        here = evaluate(self.fn, X)
        check_rows_independent(lambda Z: parameters_at(self.fn, Z), X, here.distribution.parameters, self.coding)
        z_first = self._first(X, here, resolved=self.step is not None and bool(self.step.min() >= SINGLE_STEP[order]))
        z_second = self._second(X, here) if order == 2 else None
        return Derivatives(here.distribution, *here.chained(z_first, z_second))

    def predict_distribution(self, X: Any) -> Distribution:
        return evaluate(self.fn, self.coded(X).numbers(X)).distribution

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        points = 2 * n_columns + (2 * n_columns**2 if order == 2 else 0)
        return min(ROWS_PER_CALL, rows_for(8 * self.parameters * 3 * points))

    def prepared(self, X: Any) -> DifferenceModel:
        model = self.coded(X)
        numbers = model.numbers(X)
        parameters = parameters_at(self.fn, numbers[:1]).shape[-1]
        return replace(model, scale=self._scale(numbers), parameters=parameters)

    # ---- differences --------------------------------------------------------------------------------

    def _first(self, X: Array, here: Evaluated, resolved: bool) -> Array:
        """(z(x + h e_d) − z(x − h e_d))/2h, shape (n, M, D)."""
        below, above = self._ends(X, 1)
        columns = self.continuous(X.shape[1])
        eye = np.eye(X.shape[1], dtype=np.int8)[columns]
        z = self._moved(X, below, above, np.concatenate([eye, -eye]), here)
        change = z[: len(eye)] - z[len(eye) :]
        if columns and not resolved:
            self._check_resolution(X, above - X, change, here)
        self._warn_if_flat(X, change, here)
        width = (above - below).T[columns][:, :, None]
        return spread_out(np.moveaxis(change / width, 0, -1), self.coding, 1)

    def _second(self, X: Array, here: Evaluated) -> Array:
        """Three points for d = e, the four corners for d ≠ e: they cancel where x_d and x_e do not interact."""
        n, moving = len(X), self.continuous(X.shape[1])
        columns = len(moving)
        below, above = self._ends(X, 2)
        eye = np.eye(X.shape[1], dtype=np.int8)[moving]
        d, e = np.triu_indices(columns, 1)
        corners = [eye[d] + eye[e], eye[d] - eye[e], -eye[d] + eye[e], -eye[d] - eye[e]]
        z = self._moved(X, below, above, np.concatenate([eye, -eye, *corners]), here)
        up, down = (above - X).T[moving][:, :, None], (X - below).T[moving][:, :, None]
        diagonal = 2.0 * ((z[:columns] - here.z) / up - (here.z - z[columns : 2 * columns]) / down) / (up + down)
        pp, pm, mp, mm = z[2 * columns :].reshape(4, len(d), *here.z.shape)
        width = (above - below).T[moving][:, :, None]
        cross = ((pp - pm) - (mp - mm)) / width[d] / width[e]
        second = np.empty((n, here.z.shape[1], columns, columns))
        second[:, :, range(columns), range(columns)] = np.moveaxis(diagonal, 0, -1)
        second[:, :, d, e] = second[:, :, e, d] = np.moveaxis(cross, 0, -1)
        return spread_out(second, self.coding, 2)

    def _moved(self, X: Array, below: Array, above: Array, signs: Array, here: Evaluated) -> Array:
        """The z of the rows X moved to the ends that `signs` (points, D) names, (points, n, M), in few large calls."""
        per_call = max(1, ROWS_PER_CALL // len(X))
        z = np.empty((len(signs), *here.z.shape))
        for k in range(0, len(signs), per_call):
            sign = signs[k : k + per_call, None, :]
            points = np.where(sign > 0, above, np.where(sign < 0, below, X))
            z[k : k + per_call] = evaluate_moved(self.fn, points, here)
        return z

    def _check_resolution(self, X: Array, h: Array, change: Array, here: Evaluated) -> None:
        """A function in float64 that changes over a step changes over a tiny part of it too.

        One that does not has fewer digits than float64 somewhere inside, whatever type its result has, and differences
        over a small step are then made of its rounding. Each column moves by its own part, so that nothing cancels.
        """
        part = 1e-4 * (0.5 + 0.5 * np.modf(np.arange(X.shape[1]) * 0.618)[0])
        nudge = part * np.minimum(h, DEFAULT_STEP[1] * self._scale(X))
        columns = self.continuous(X.shape[1])
        nudged = X.copy()
        nudged[:, columns] += nudge[:, columns]
        stays = evaluate_moved(self.fn, nudged[None], here)[0] == here.z
        expected = np.abs(change) * ((nudged - X) / (2.0 * h)).T[columns][:, :, None]
        moves = (expected > 10.0 * np.spacing(np.abs(here.z))).any(axis=0)
        if here.single or ((moves & stays).sum(axis=0) > 0.5 * moves.sum(axis=0)).any():
            raise InputError(
                f"{type(here.distribution).__name__}: the function computes in single precision (float32) or rounds, "
                "but differences over a small step need float64. Compute in float64 throughout (converting the result "
                f"brings no digits back), or give a step of at least {SINGLE_STEP[2]:.2g}; trees and other "
                "piecewise-constant models need one of about 0.3."
            )

    def _ends(self, X: Array, order: int) -> tuple[Array, Array]:
        """The ends x − h and x + h. The differences are divided by what these really are after rounding, not by 2h."""
        step = DEFAULT_STEP[order] if self.step is None else positive_per_column(self.step, X.shape[1], "step")
        h = np.maximum(step * self._scale(X), 4.0 * np.spacing(np.abs(X)))
        return X - h, X + h

    def _scale(self, X: Array) -> Array:
        return column_scale(X) if self.scale is None else positive_per_column(self.scale, X.shape[1], "scale")

    def _warn_if_flat(self, X: Array, change: Array, here: Evaluated) -> None:
        """A model whose rows hardly ever change, change (D, n, M), was differenced between its jumps."""
        if self.coding is not None:
            z = within_levels(here.z, X[:, list(self.coding.categorical)])
            if not len(change) or (np.ptp(z, axis=0) <= SAME * np.abs(z).max(axis=0)).all():
                return  # it depends on the levels only
        share = (change != 0.0).any(axis=2).mean(axis=1)
        if (share < 0.1).all():
            warnings.warn(
                f"the function did not change in {100 * (1 - share.mean()):.0f} % of the differences. If its "
                "predictions are piecewise constant (trees, rounding), give a step over several jumps: "
                "from_function(fn, step=0.3).",
                stacklevel=2,
            )
