"""Numeric columns of two values, such as 0/1 flags: they become contrasts.

A slope at the rows says nothing about the way from one value to the other: a Gaussian process whose length-scale is
short against the gap has no slope at either end, however far apart its two predictions are. So the two values are
compared, as the levels of a categorical column are. The fit stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from rsens._coding import Coding, Levels
from rsens._errors import Argument, InputError
from rsens._table import Table, column_of, column_positions, columns_of_labels, numbers_of
from rsens._typing import Array
from rsens.derivatives import Model

#: Two rows have at most two values in every column.
LEAST_ROWS = 3


def two_valued(
    table: Table, training: Array | None = None, *, numeric: Iterable[str | int] = (), grouped: Iterable[int] = ()
) -> tuple[int, ...]:
    """Positions of the numeric columns with exactly two values in the training inputs, and no others in the table.

    Args:
        table: The rows to explain, as a model reads them.
        training: The inputs the model was fitted to, (N, D); None where they are not known: the table in their place.
        numeric: Names or positions of columns that stay numbers, however many values they have.
        grouped: Positions of columns that move together with others, along a direction: they stay numbers.
    """
    categorical = () if table.coding is None else table.coding.categorical
    kept = {*read_numeric(numeric, table.names, categorical), *grouped, *categorical}
    inputs = table.values if training is None else training
    return tuple(
        d
        for d in range(len(table.names))
        if d not in kept and _has_two(inputs[:, d]) and np.isin(table.values[:, d], inputs[:, d]).all()
    )


def two_valued_columns(X: Any, numeric: Iterable[str | int], names: tuple[str, ...]) -> tuple[int, ...]:
    """The same for data that no model has read yet: what every model fitted to parts of X shall compare."""
    kept = read_numeric(numeric, names, columns_of_labels(X))
    return tuple(d for d in range(len(names)) if d not in kept and _has_two(numbers_of(column_of(X, d))))


def as_contrasts(
    source: Model,
    table: Table,
    positions: Iterable[int],
    *,
    training: Array | None = None,
    weights: Array | None = None,
) -> tuple[Model, Table]:
    """The model and its rows with contrasts between the values of these columns.

    The values are those of the training inputs, (N, D), and of the table; how often each occurs is counted in the
    training inputs, or where they are not known in the table under `weights`, which add up to 1. A column with one
    value in the training inputs has nothing to compare: its R-sens is 0. Columns that are categorical already stay as
    they are.
    """
    known = () if table.coding is None else table.coding.columns
    further = sorted({*positions} - {column.position for column in known})
    if not further:
        return source, table
    counted, shares = (table.values, weights) if training is None else (training, None)
    values, columns = table.values.copy(), list(known)
    for d in further:
        levels = np.union1d(counted[:, d], table.values[:, d])
        codes = np.searchsorted(levels, counted[:, d])
        counts = np.bincount(codes, weights=shares, minlength=len(levels))
        frequencies = counts / counts.sum()
        columns.append(Levels(d, table.names[d], tuple(map(_label, levels.tolist())), frequencies, numeric=True))
        values[:, d] = np.searchsorted(levels, table.values[:, d])
    coding = Coding(table.names, tuple(sorted(columns, key=lambda column: column.position)))
    return source.contrasted(coding), replace(table, values=values, coding=coding)


def read_numeric(numeric: Any, names: tuple[str, ...], categorical: Iterable[int]) -> list[int]:
    """Positions of the columns that `numeric` names; categorical ones cannot be numbers."""
    positions = column_positions(() if numeric is None else numeric, names, "numeric")
    labels = [d for d in positions if d in categorical]
    if labels:
        raise InputError(
            Argument("numeric"),
            f" names the column {names[labels[0]]!r}, which is categorical: its levels are no numbers. Leave it out, "
            "or fit the model to numbers there.",
        )
    return positions


def _label(value: float) -> float:
    """The number as people write it: 1, not 1.0."""
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _has_two(values: Array | None) -> bool:
    """Whether there are exactly two different values, none of them missing, in enough rows to tell."""
    if values is None or len(values) < LEAST_ROWS:
        return False
    low, high = values.min(), values.max()
    return bool(low < high and ((values == low) | (values == high)).all())
