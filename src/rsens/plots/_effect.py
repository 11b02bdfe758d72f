"""Accumulated local effects of one column on the prediction (Apley and Zhu, 2020), and how sure they are.

With knots z_0 < … < z_G and S_k the rows of step k (see `_path`), the curve at z_g is

    A(z_g) = Σ_{k ≤ g} mean_{i ∈ S_k} [f(z_k, x_i) − f(z_{k−1}, x_i)],

where f(z, x_i) is the prediction at row i with the column set to z; across a gap and between levels, the mean of the
means on the two sides. A constant is added so that its mean over the rows
is the mean prediction: the axis is in units of y.

Why differences, where derivatives ∂f/∂x at the rows are exact too? A mean of slopes times the width of a step is a sum
with random nodes, and misses what happens between few rows of a steep function. Differences telescope: of a function
that adds up, f = Σ_d f_d(x_d), they give f_d exactly, however few rows and however wide the steps. They exist where
derivatives do not (levels, trees). And A is a weighted sum of predictions, so what the model knows of its covariance
gives the variance of A.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._table import Table
from rsens._typing import Array, Positions
from rsens.derivatives import Model
from rsens.plots._bands import central_intervals
from rsens.plots._path import Path


@dataclass(frozen=True, eq=False)
class Effect:
    """The curve at the g knots of a path, for P outputs."""

    values: Array  # (g, P)
    sd: Array  # (g, P), of the curve minus its mean over the rows
    from_fit: bool  # whether `sd` includes what the fit does not know, or only that other rows could have been drawn


def accumulated_effect(
    model: Any, prepared: Model, table: Table, column: int, path: Path, weights: Array, here: Array, *, median: bool
) -> Effect:
    """Add up local effects along a path.

    Args:
        model: The model as it was given; it may know the covariance of its predictions (`prediction_variances`).
        prepared: The same as the measures see it.
        table: The rows.
        column: Its position in the table.
        path: The path along it.
        weights: How much the rows count, adding up to 1.
        here: The prediction at the rows, (n, P).
        median: Whether predictions are medians, for families without a mean.
    """
    g = len(path.knots)
    of = _Entries.of(path, weights)
    # Every row is asked for once at each knot, even if two steps need it.
    left, right = of.row * g + of.step, of.row * g + of.step + 1
    asked, which = np.unique(np.concatenate([left, right]), return_inverse=True)
    left, right = which[: len(of.row)], which[len(of.row) :]
    moved = table.values[asked // g]
    moved[:, column] = path.knots[asked % g]
    there = predictions(prepared, table, moved, median=median)

    change = there[right] - there[left]
    steps = _sums(of.step, of.share[:, None] * change, g - 1)
    added = np.tri(g, g - 1, -1)  # the curve is a sum of steps …
    added -= (weights @ path.place) @ added  # … minus its mean over the rows
    curve = added @ steps
    on_mean = weights[:, None] * (path.place @ curve)
    variance = _variance_over_rows(added, of.influences(change, steps, len(weights)), on_mean)

    known = getattr(model, "prediction_variances", None)  # as adapters ask objects for what they can do
    from_fit = callable(known) and not median
    if callable(known) and from_fit:
        combination = np.zeros((g - 1, len(asked)))
        np.add.at(combination, (of.step, right), of.share)
        np.add.at(combination, (of.step, left), -of.share)
        variance = variance + known(table.like(moved), added @ combination)
    return Effect(weights @ here + curve, np.sqrt(variance), from_fit)


@dataclass(frozen=True, eq=False)
class _Entries:
    """All rows of all steps of a path, one after another: e entries."""

    row: Positions  # (e,)
    step: Positions  # (e,)
    group: Positions  # (e,), the rows of a step, or those on one side of it
    share: Array  # (e,), of the mean of its step: those of a step add up to 1

    @classmethod
    def of(cls, path: Path, weights: Array) -> _Entries:
        groups = [(k, len(step), rows) for k, step in enumerate(path.steps) for rows in step]
        row = np.concatenate([rows for _, _, rows in groups])
        sizes = [len(rows) for _, _, rows in groups]
        step, parts = (np.repeat([each[k] for each in groups], sizes) for k in (0, 1))
        group = np.repeat(np.arange(len(groups)), sizes)
        return cls(row, step, group, weights[row] / np.bincount(group, weights[row])[group] / parts)

    def influences(self, change: Array, steps: Array, n: int) -> Array:
        """How much each of n rows moves each step, (n, steps, P), away from what the other rows of its group say.

        A row alone is compared with the mean of both sides of its step.
        """
        size = np.bincount(self.group)[self.group, None]
        means = _sums(self.group, self.share[:, None] * change, int(self.group[-1]) + 1)
        means /= np.bincount(self.group, self.share)[:, None]
        apart = change - np.where(size > 1, means[self.group], steps[self.step])
        apart *= np.sqrt(np.where(size > 1, size / np.maximum(size - 1.0, 1.0), 2.0))  # few rows know little
        result = np.zeros((n, *steps.shape))
        np.add.at(result, (self.row, self.step), self.share[:, None] * apart)
        return result


def _sums(where: Positions, values: Array, size: int) -> Array:
    """Values (e, P) added up at their positions, (size, P)."""
    result = np.zeros((size, values.shape[1]))
    np.add.at(result, where, values)
    return result


def _variance_over_rows(added: Array, on_steps: Array, on_mean: Array) -> Array:
    """The variance of the curve if other rows had been drawn: the sum of squared influences of the rows, (g, P).

    This is the infinitesimal jackknife, and needs no random numbers. Rows move the steps, and the mean over the rows.
    """
    on_curve = np.einsum("gs,isp->igp", added, on_steps, optimize=True) - on_mean[:, None]
    return np.asarray(np.sum(on_curve**2, axis=0))


def predictions(prepared: Model, table: Table, rows: Array, *, median: bool) -> Array:
    """The point prediction at rows given as values, (m, P), chunk by chunk."""

    def middle(X: Any) -> Array:
        return central_intervals(prepared.predict_distribution(X).checked(), np.zeros(1))[:, 0, :1]

    ask: Callable[[Any], Array] = middle if median else prepared.predict_point
    most = prepared.rows_per_chunk(rows.shape[1], 1)
    found = [ask(table.like(rows[start : start + most])) for start in range(0, len(rows), most)]
    result = np.concatenate([np.asarray(each, dtype=np.float64).reshape(len(each), -1) for each in found])
    if not np.isfinite(result).all():
        raise InputError("The prediction is not finite near some rows, so its effects do not add up.")
    return result
