"""Columns that belong together as one column, whose numbers identify joint values of the group.

A method that shuffles, replaces or holds that column does the same to all columns of the group at once. Methods that
need distances or a distribution ask for the values themselves (`Grouping.coordinates`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from rsens._coding import Coding
from rsens._contents import OwnOrder, inverse
from rsens._typing import Array
from rsens.black_box._predictor import Grouping, Predictor
from rsens.measures import Terms


def grouped(predictor: Predictor, terms: Terms, units: Array) -> Predictor:
    """The predictor with one column for each term. A step of length 1 within a group is measured in `units` (D,)."""
    if not terms.grouped:
        return predictor
    numbers, joint = np.empty((len(predictor.values), len(terms))), {}
    for t, members in enumerate(terms.members):
        rows = predictor.values[:, list(members)]
        if t in terms.grouped:
            joint[t], found = np.unique(rows, axis=0, return_inverse=True)
            numbers[:, t] = found.reshape(-1)
        else:
            numbers[:, t] = rows[:, 0]

    def spread(numbers: Array, of: Sequence[int]) -> Array:
        """The columns of the terms `of`, one after the other, from their numbers."""
        parts = (
            joint[t][numbers[..., k].astype(np.intp)] if t in joint else numbers[..., [k]] for k, t in enumerate(of)
        )
        return np.concatenate(list(parts), axis=-1)

    def columns(numbers: Array) -> Array:
        """All columns in the order of X."""
        return spread(numbers, range(len(terms)))[..., np.argsort(np.concatenate(terms.members))]

    steps = np.where(units > 0.0, units, 1.0)  # a column that does not vary makes no difference
    averages, densities, coding = predictor.averages, predictor.log_densities, predictor.coding
    if coding is not None:  # none of the categorical columns is in a group
        moved = (replace(column, position=terms.of_column(column.position)) for column in coding.columns)
        coding = Coding(terms.names, tuple(moved))
    return Predictor(
        values=numbers,
        predictions=lambda blocks: predictor.predictions(columns(blocks)),
        log_densities=None if densities is None else lambda blocks: densities(columns(blocks)),
        coding=coding,
        names=terms.names,
        averages=None
        if averages is None
        else lambda of, at, rows: averages(
            tuple(d for t in of for d in terms.members[t]), spread(at, of), columns(rows)
        ),
        grouping=Grouping(terms, predictor, {t: values / steps[list(terms.members[t])] for t, values in joint.items()}),
    )


def reordered(predictor: Predictor, order: OwnOrder) -> Predictor:
    """The same rows and columns in this order, so that what a method draws does not depend on how a table is sorted."""
    densities, averages, coding = predictor.log_densities, predictor.averages, predictor.coding
    rows, columns, ranks, places = order.rows, order.columns, order.row_ranks, order.column_ranks
    names = tuple(predictor.names[d] for d in columns)
    if coding is not None:
        moved = [replace(column, position=int(places[column.position])) for column in coding.columns]
        coding = Coding(names, tuple(sorted(moved, key=lambda column: column.position)))
    return Predictor(
        values=predictor.values[rows][:, columns],
        predictions=lambda blocks: predictor.predictions(blocks[..., places]),
        # Targets stay in the order in which they came, so rows go back to theirs.
        log_densities=None
        if densities is None
        else lambda blocks: densities(blocks[..., ranks, :][..., places])[..., rows],
        coding=coding,
        names=names,
        averages=None
        if averages is None
        else lambda of, at, rows: averages(tuple(int(columns[d]) for d in of), at, rows[:, places]),
    )


def reordered_terms(terms: Terms, order: OwnOrder) -> tuple[Terms, Callable[[Array], Array]]:
    """The terms of the columns in this order, sorted by their columns; and a function that brings their values, (T,) or
    (T, T), back to the order of the terms.
    """
    of_terms = order.of_terms(terms.members)
    back = inverse(of_terms)
    members = tuple(tuple(sorted(order.column_ranks[list(terms.members[t])].tolist())) for t in of_terms)
    return (
        Terms(tuple(terms.names[t] for t in of_terms), members),
        lambda values: values[back] if values.ndim == 1 else values[back][:, back],
    )
