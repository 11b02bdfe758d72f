"""Subgroups of rows as sums, so that those of other rows can be added: how many, their weight, mean and spread.

A subgroup keeps, with weights w_i that add up to 1 over all rows and r_i the local values (their squares under "rms"),
    n, Σ w_i, c = Σ w_i r_i / Σ w_i, Σ w_i², Σ w_i² (r_i − c), Σ w_i² (r_i − c)².

Sums around the mean lose no digits where rows hardly differ; `_pooled` moves them to a common mean, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rsens._errors import Argument, InputError
from rsens._explain._intervals import ROWS
from rsens._explain._spread import Spread
from rsens._explain._subgroups import Division, Label, Subgroups
from rsens._results import Part, stored
from rsens._typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class SubgroupSums(Part):
    """One cell for each subgroup, those without rows included; the last, without a label, is for rows in none."""

    cell_labels: tuple[Label | None, ...] = stored("The subgroups; null for rows in none of them.", default=None)
    cell_rows: NDArray[np.int64] = stored("Number of rows.", "cell_labels")
    cell_counted: NDArray[np.int64] = stored("Number of rows with a weight above 0.", "cell_labels")
    cell_weight: Array = stored("Their share of all weight.", "cell_labels")
    cell_mean: Array = stored("Weighted mean of the values.", "cell_labels", "terms")
    cell_squares: Array = stored("Sum of squared weights.", "cell_labels")
    cell_first: Array = stored(
        "Sum of squared weights times the distance from the mean.", "cell_labels", "terms",
    )  # fmt: skip
    cell_second: Array = stored("Sum of squared weights times the squared distance.", "cell_labels", "terms")

    @classmethod
    def of(cls, local: Array, division: Division, weights: Array, squared: bool) -> SubgroupSums:
        """From local values (n, T) under weights that add up to 1."""
        values = local**2 if squared else local
        code = {name: g for g, name in enumerate(division.labels)} | {None: -1}
        labels = (*(division.labels if division.categories is None else division.categories), None)
        rows = [division.codes == code.get(name, len(code)) for name in labels]
        return cls._of(labels, [_Cell.of(values[some], weights[some]) for some in rows])

    def plus(self, other: SubgroupSums, share: float, other_share: float) -> SubgroupSums:
        """The subgroups of both, which have these shares of the weight of all rows."""
        mine, theirs = self._cells(share), other._cells(other_share)
        labels = _in_both_orders(self.cell_labels[:-1], other.cell_labels[:-1])
        cells = [_pooled([side[name] for side in (mine, theirs) if name in side]) for name in (*labels, None)]
        return self._of((*labels, None), cells)

    def subgroups(self, squared: bool, level: float | None) -> Subgroups:
        """Averages within each subgroup and over all other rows, with intervals over rows of this level."""
        cells = {name: cell for name, cell in self._cells(1.0).items() if cell.rows or name is None}
        labels = [name for name in cells if name is not None]
        for name in labels:
            if cells[name].weight == 0.0:
                raise InputError(
                    Argument("by"), f": all rows of the subgroup {name!r} have the weight 0. Leave them out of X."
                )
        inside = [cells[name] for name in labels]
        outside = [_pooled([cell for other, cell in cells.items() if other != name]) for name in labels]
        values, rest = (np.array([cell.average(squared) for cell in side]) for side in (inside, outside))
        part = Subgroups(
            subgroups=tuple(labels),
            subgroup_counts=np.array([cell.rows for cell in inside]),
            subgroup_values=values,
            subgroup_rest=rest,
        )
        if level is None:
            return part
        of_values = [cell.spread(squared) for cell in inside]
        apart = [a.plus(b.spread(squared)) for a, b in zip(of_values, outside, strict=True)]
        return replace(
            part,
            subgroup_intervals=np.maximum(_stacked(of_values).around(values, level), 0.0),
            subgroup_differences=_stacked(apart).around(values - rest, level),
            subgroup_interval_kind=ROWS,
        )

    @classmethod
    def _of(cls, labels: tuple[Label | None, ...], cells: Sequence[_Cell]) -> SubgroupSums:
        return cls(
            cell_labels=labels,
            cell_rows=np.array([cell.rows for cell in cells]),
            cell_counted=np.array([cell.counted for cell in cells]),
            cell_weight=np.array([cell.weight for cell in cells]),
            cell_mean=np.array([cell.mean for cell in cells]),
            cell_squares=np.array([cell.squares for cell in cells]),
            cell_first=np.array([cell.first for cell in cells]),
            cell_second=np.array([cell.second for cell in cells]),
        )

    def _cells(self, share: float) -> dict[Label | None, _Cell]:
        """The cells by label, with weights that add up to `share`."""
        return {
            name: _Cell(
                int(self.cell_rows[k]),
                int(self.cell_counted[k]),
                share * float(self.cell_weight[k]),
                self.cell_mean[k],
                share**2 * float(self.cell_squares[k]),
                share**2 * self.cell_first[k],
                share**2 * self.cell_second[k],
            )
            for k, name in enumerate(self.cell_labels)
        }


@dataclass(frozen=True, eq=False)
class _Cell:
    """The sums of some rows: see the top of this file."""

    rows: int
    counted: int
    weight: float
    mean: Array
    squares: float
    first: Array
    second: Array

    @classmethod
    def of(cls, values: Array, weights: Array) -> _Cell:
        total = float(weights.sum())
        mean = weights @ values / total if total > 0.0 else np.zeros(values.shape[1])
        away, w2 = values - mean, weights**2
        return cls(
            len(values), int(np.count_nonzero(weights)), total, mean, float(w2.sum()), w2 @ away, w2 @ away**2
        )  # fmt: skip

    def average(self, squared: bool) -> Array:
        """The mean, or root mean square; NaN where no row counts."""
        if self.weight == 0.0:
            return np.full(len(self.mean), np.nan)
        return np.sqrt(self.mean) if squared else self.mean

    def spread(self, squared: bool) -> Spread:
        """se² = n/(n − 1) Σ w_i² h_i² / (Σ w_i)², with h_i the influence of a row on the average of some rows."""
        n = self.counted
        if n < 2:
            return Spread.of(np.full(len(self.mean), np.nan), 1.0)
        error = np.sqrt(n / (n - 1) * self.second) / self.weight
        if squared:
            error = error / (2.0 * np.where(self.mean > 0.0, np.sqrt(self.mean), 1.0))
        return Spread.of(error, n - 1.0)


def _pooled(cells: Sequence[_Cell]) -> _Cell:
    """All rows of some cells as one: sums move from the mean of each to the mean of all."""
    weight = sum(cell.weight for cell in cells)
    mean = np.sum([cell.weight * cell.mean for cell in cells], axis=0) / (weight if weight > 0.0 else 1.0)
    moves = [cell.mean - mean for cell in cells]
    return _Cell(
        sum(cell.rows for cell in cells),
        sum(cell.counted for cell in cells),
        weight,
        mean,
        sum(cell.squares for cell in cells),
        np.sum([cell.first + by * cell.squares for cell, by in zip(cells, moves, strict=True)], axis=0),
        np.sum(
            [cell.second + 2.0 * by * cell.first + by**2 * cell.squares for cell, by in zip(cells, moves, strict=True)],
            axis=0,
        ),
    )


def _stacked(spreads: Sequence[Spread]) -> Spread:
    return Spread(np.array([each.error for each in spreads]), np.array([each.degrees for each in spreads]))


def _in_both_orders(first: Sequence[Label | None], second: Sequence[Label | None]) -> list[Label | None]:
    """All labels: sorted if both are, else in the order of the first, with others behind the one they follow."""
    if list(first) == list(second):
        return list(first)
    try:
        if sorted(first) == list(first) and sorted(second) == list(second):  # type: ignore[type-var]
            return sorted({*first, *second})  # type: ignore[type-var]
    except TypeError:  # text and numbers
        pass
    labels, place = list(first), 0
    for name in second:
        if name in labels:
            place = labels.index(name) + 1
        else:
            labels.insert(place, name)
            place += 1
    return labels
