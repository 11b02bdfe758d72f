"""Models that take rows in the type they were given, such as a data frame with its labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from rsens._coding import Coding
from rsens._table import Table, is_frame
from rsens._typing import Array
from rsens.derivatives._model import Model, rows_of


@dataclass(frozen=True, eq=False, kw_only=True)
class AsGiven(Model):
    """What such models share: rows that were moved or switched as numbers become rows of the type that was given."""

    #: Columns that are categorical in addition to a data frame's own, as in `from_function`.
    categorical: Any = None
    training_inputs_: Any = None
    classes_: Any = None
    coding: Coding | None = None
    #: Raises an `InputError` if a data frame or array has other columns than the model was fitted to.
    check_columns: Callable[[Any], None] | None = None
    #: A table like the rows; set by `coded`.
    like: Table | None = None

    takes_tables = True
    takes_codes = True

    def coded(self, X: Any, weights: Any = None) -> Self:
        if self.like is not None:
            return self
        coding: Coding | None = self.coding
        if coding is None and isinstance(X, Table) and weights is None:
            coding = X.coding
        elif coding is None:
            if self.check_columns is not None and (is_frame(X) or getattr(X, "ndim", 0) == 2):
                self.check_columns(X)
            coding = Coding.of(X, self.categorical, weights=weights, keep_unused=True) or None
        model = replace(self, coding=coding)
        table = rows_of(model, X)
        if table.source is None:  # only its numbers are left
            return model
        return replace(model, like=Table(table.names, table.values[:1], table.rows(0, 1), coding))

    def contrasted(self, coding: Coding) -> Self:
        return replace(self, coding=coding, like=None if self.like is None else replace(self.like, coding=coding))

    def continuous(self, n_columns: int) -> list[int]:
        """Positions of the columns to differentiate in."""
        return list(range(n_columns) if self.coding is None else self.coding.continuous)

    def numbers(self, table: Table) -> Array:
        """The rows of a table as numbers (n, D), with the numbers that stand for levels in categorical columns."""
        return table.values if self.coding is None else self.coding.numbers(table.values)

    def rows(self, table: Table) -> Any:
        """The rows of a table in the type that was given."""
        return self._rows(table.values) if table.source is None else table.source

    def rows_from(self, numbers: Array) -> Any:
        """Rows of the type that was given, from numbers as `numbers` gives them."""
        return self._rows(numbers if self.coding is None else _codes_of(self.coding, numbers))

    def _rows(self, values: Array) -> Any:
        """The same from values with level codes in categorical columns."""
        return values if self.like is None else self.like.like(values)


def _codes_of(coding: Coding, numbers: Array) -> Array:
    """Level codes in place of the numbers that stand for levels: the inverse of `Coding.numbers`."""
    codes = numbers.copy()
    for column in coding.columns:
        order = np.argsort(column.numbers)
        codes[:, column.position] = order[np.searchsorted(column.numbers[order], numbers[:, column.position])]
    return codes
