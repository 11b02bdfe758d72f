"""Rows and columns in an order of their own, so that what a method draws does not depend on how a table is sorted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rsens._coding import Coding
from rsens._contents import OwnOrder, inverse
from rsens._typing import Array, Positions
from rsens.black_box._predictor import OfColumns, OfRows, Predictor
from rsens.measures import Terms


def reordered(predictor: Predictor, order: OwnOrder) -> Predictor:
    """The same rows and columns in this order."""
    densities, averages = predictor.log_densities, predictor.averages
    rows, columns, ranks, places = order.rows, order.columns, order.row_ranks, order.column_ranks
    return Predictor(
        values=predictor.values[rows][:, columns],
        predictions=lambda blocks: predictor.predictions(blocks[..., places]),
        log_densities=None if densities is None else _densities(densities, rows, ranks, places),
        coding=None if predictor.coding is None else _coding(predictor.coding, columns, places),
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


def _coding(coding: Coding, columns: Positions, places: Positions) -> Coding:
    moved = [replace(column, position=int(places[column.position])) for column in coding.columns]
    moved.sort(key=lambda column: column.position)
    return Coding(tuple(coding.names[d] for d in columns), tuple(moved))
