"""A model as the black-box methods see it: a function from rows of numbers to predictions, whose calls are counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from rsens._coding import Coding
from rsens._errors import InputError
from rsens._table import Table
from rsens.derivatives import Model
from rsens.distributions._base import Array

#: Rows (…, D) with level codes in categorical columns, in; numbers per row, out.
OfRows = Callable[[Array], Array]


@dataclass(eq=False)
class Asked:
    """Rows to explain, and the model to ask about these rows or about rows made from them.

    A method makes blocks of rows (…, m, D) and asks for all of them at once; every leading index is one question, so
    that a model with random errors can draw them anew for each. `evaluations` counts the rows.

    Args:
        values: The rows explained (n, D), with level codes in categorical columns.
        predictions: Blocks (…, D) to point predictions (…, P), multiplied by the family's `output_weight`: a method
            sums its values over the P outputs.
        log_densities: Blocks (…, n, D), whose n rows belong to the n targets, to log p(y_i | x_i) (…, n); None
            without targets.
        coding: The categorical columns, or None.
        names: What the columns are called in errors.
    """

    values: Array
    predictions: OfRows
    log_densities: OfRows | None = None
    coding: Coding | None = None
    names: tuple[str, ...] = ()
    evaluations: int = field(default=0, init=False)

    def predict(self, blocks: Array) -> Array:
        """The point predictions (…, P) at the rows (…, D)."""
        self.evaluations += prod(blocks.shape[:-1])
        return self.predictions(blocks)

    def log_density(self, blocks: Array) -> Array:
        """log p(y_i | x_i) at blocks of n rows (…, n, D), shape (…, n)."""
        if self.log_densities is None:
            raise InputError("this method compares predictions with the targets, and y is None. Give y.")
        self.evaluations += prod(blocks.shape[:-1])
        return self.log_densities(blocks)

    @property
    def categorical(self) -> tuple[int, ...]:
        """Positions of the categorical columns."""
        return () if self.coding is None else self.coding.categorical

    @property
    def continuous(self) -> tuple[int, ...]:
        """Positions of the other columns."""
        return tuple(range(self.values.shape[1])) if self.coding is None else self.coding.continuous


def asked(model: Model, table: Table, log_densities: Callable[[Any], Array] | None = None) -> Asked:
    """The model at the rows of a table. `log_densities` takes rows of the table's type, as many as it has."""
    model = model.prepared(table.source)
    n, columns = table.values.shape
    weight = model.predict_distribution(table.rows(0, 1)).output_weight
    most = max(1, model.rows_per_chunk(columns, 1))

    def predictions(blocks: Array) -> Array:
        rows = blocks.reshape(-1, columns)
        parts = [model.predict_point(table.like(rows[k : k + most])) for k in range(0, len(rows), most)]
        points = weight * np.concatenate(parts)
        if not np.isfinite(points).all():
            raise InputError("the model predicts a number that is not finite at rows made from those of X.")
        return points.reshape(*blocks.shape[:-1], points.shape[1])

    def densities(blocks: Array) -> Array:
        assert log_densities is not None
        each = blocks.reshape(-1, n, columns)
        return np.stack([log_densities(table.like(rows)) for rows in each]).reshape(blocks.shape[:-1])

    return Asked(table.values, predictions, None if log_densities is None else densities, table.coding, table.names)
