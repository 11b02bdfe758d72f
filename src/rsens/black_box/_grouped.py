"""Columns that belong together as one column: its numbers say which joint value the group has.

Black-box methods exchange values between rows. If the joint values that a group takes in the rows are numbered, and the
numbers stand in one column, a method that shuffles, replaces or holds that column does the same to all columns of the
group at once: a group is one column to permute and one player of a game. Methods that need distances or a distribution
ask for the values themselves (`Grouping.coordinates`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rsens._coding import Coding
from rsens._contents import OwnOrder, inverse
from rsens._typing import Array, Positions
from rsens.black_box._predictor import Grouping, OfColumns, OfRows, Predictor
from rsens.measures import Terms


def grouped(predictor: Predictor, terms: Terms, units: Array) -> Predictor:
    """The predictor with one column for each term. `units` (D,) say what a step of length 1 within a group is."""
    if not terms.grouped:
        return predictor
    joint = _JointValues.of(predictor.values, terms)
    steps = np.where(units > 0.0, units, 1.0)  # a column that does not vary makes no difference
    in_units = {t: values / steps[list(terms.members[t])] for t, values in joint.values.items()}
    averages, log_densities = predictor.averages, predictor.log_densities

    def averaged(of: tuple[int, ...], at: Array, rows: Array) -> Array | None:
        assert averages is not None
        columns = tuple(d for t in of for d in terms.members[t])
        return averages(columns, joint.spread(at, of), joint.spread(rows))

    return Predictor(
        values=joint.numbers,
        predictions=_of_columns(predictor.predictions, joint),
        log_densities=None if log_densities is None else _of_columns(log_densities, joint),
        coding=None if predictor.coding is None else _coding(predictor.coding, terms),
        names=terms.names,
        averages=None if averages is None else averaged,
        grouping=Grouping(terms, predictor, in_units),
    )


@dataclass(frozen=True, eq=False)
class _JointValues:
    """The joint values (m, columns) that each group takes in the rows, and the rows (n, T) in numbers of them."""

    terms: Terms
    values: dict[int, Array]
    numbers: Array

    @classmethod
    def of(cls, rows: Array, terms: Terms) -> _JointValues:
        numbers = np.empty((len(rows), len(terms)))
        values = {}
        for t, members in enumerate(terms.members):
            if t in terms.grouped:
                values[t], found = np.unique(rows[:, list(members)], axis=0, return_inverse=True)
                numbers[:, t] = found.reshape(-1)
            else:
                numbers[:, t] = rows[:, members[0]]
        return cls(terms, values, numbers)

    def spread(self, numbers: Array, of: tuple[int, ...] | None = None) -> Array:
        """The columns of the terms `of`, one after the other, from their numbers; of all terms, in the order of X."""
        parts = [
            self.values[t][numbers[..., k].astype(np.intp)] if t in self.values else numbers[..., [k]]
            for k, t in enumerate(range(len(self.terms)) if of is None else of)
        ]
        columns = np.concatenate(parts, axis=-1)
        return columns if of is not None else columns[..., np.argsort(np.concatenate(self.terms.members))]


def _of_columns(function: Callable[[Array], Array], joint: _JointValues) -> Callable[[Array], Array]:
    return lambda blocks: function(joint.spread(blocks))


def _coding(coding: Coding, terms: Terms) -> Coding:
    """The categorical columns, none of which is in a group, at the positions of their terms."""
    columns = tuple(replace(column, position=terms.of_column(column.position)) for column in coding.columns)
    return Coding(terms.names, columns)


# Rows and columns in an order of their own, so that what a method draws does not depend on how a table is sorted.


def reordered(predictor: Predictor, order: OwnOrder) -> Predictor:
    """The same rows and columns in this order."""
    densities, averages = predictor.log_densities, predictor.averages
    rows, columns, ranks, places = order.rows, order.columns, order.row_ranks, order.column_ranks
    return Predictor(
        values=predictor.values[rows][:, columns],
        predictions=lambda blocks: predictor.predictions(blocks[..., places]),
        log_densities=None if densities is None else _densities(densities, rows, ranks, places),
        coding=None if predictor.coding is None else _reordered_coding(predictor.coding, columns, places),
        names=tuple(predictor.names[d] for d in columns),
        averages=None if averages is None else _averages(averages, columns, places),
    )


def reordered_terms(terms: Terms, order: OwnOrder) -> tuple[Terms, Callable[[Array], Array]]:
    """The terms of the columns in this order, themselves in an order of their own; and what brings values (T,) or
    (T, T) of these back to the order of the terms.
    """
    of_terms = order.of_terms(terms.members)
    back = inverse(of_terms)
    members = tuple(tuple(sorted(order.column_ranks[list(terms.members[t])].tolist())) for t in of_terms)
    return (
        Terms(tuple(terms.names[t] for t in of_terms), members),
        lambda values: values[back] if values.ndim == 1 else values[back][:, back],
    )


def _densities(densities: OfRows, rows: Positions, ranks: Positions, places: Positions) -> OfRows:
    """Targets stay in the order in which they came, so rows go back to theirs."""
    return lambda blocks: densities(blocks[..., ranks, :][..., places])[..., rows]


def _averages(averages: OfColumns, columns: Positions, places: Positions) -> OfColumns:
    return lambda of, at, rows: averages(tuple(int(columns[d]) for d in of), at, rows[:, places])


def _reordered_coding(coding: Coding, columns: Positions, places: Positions) -> Coding:
    moved = [replace(column, position=int(places[column.position])) for column in coding.columns]
    moved.sort(key=lambda column: column.position)
    return Coding(tuple(coding.names[d] for d in columns), tuple(moved))
