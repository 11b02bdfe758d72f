"""A model with contrasts in columns that it takes for numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rsens._coding import Coding
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives._derivatives import Derivatives, without_columns
from rsens.derivatives._description import Description, Finding
from rsens.derivatives._model import Model
from rsens.distributions import Distribution


class Contrasted(Model):
    """The same model; derivatives are 0 in all columns of `coding`, also in those that hold numbers.

    Rows come as they were given, with the numbers themselves: a table would have level codes in their place.
    """

    takes_tables = False

    def __init__(self, model: Model, coding: Coding) -> None:
        self._model = model
        self.coding = coding
        self.takes_codes, self.takes_many_levels = model.takes_codes, model.takes_many_levels

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def description(self) -> Description | None:
        return self._model.description

    def checks(self, X: Any) -> Iterator[Finding]:
        return self._model.checks(X)

    def derivatives(self, X: Any, order: int) -> Derivatives:
        assert self.coding is not None
        return without_columns(self._model.derivatives(self._as_given(X), order), list(self.coding.categorical))

    def predict_distribution(self, X: Any) -> Distribution:
        return self._model.predict_distribution(self._as_given(X))

    def _as_given(self, X: Any) -> Any:
        """Level codes of numbers as these numbers, which the model knows."""
        if not isinstance(X, Table) or self.coding is None or X.coding is not self.coding:
            return X
        values = X.values.copy()
        for column in self.coding.columns:
            if column.numeric:
                values[:, column.position] = column.numbers[values[:, column.position].astype(np.intp)]
        return Table(X.names, values, None, self._model.coding)

    def predict_point(self, X: Any) -> Array:
        return self._model.predict_point(X)

    def partial_dependence(self, columns: tuple[int, ...], at: Array, X: Any) -> Array | None:
        assert self.coding is not None
        at = at.copy()
        for k, column in enumerate(columns):
            if column in self.coding.categorical and self.coding[column].numeric:
                at[:, k] = self.coding[column].numbers[at[:, k].astype(np.intp)]
        return self._model.partial_dependence(columns, at, X)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return self._model.rows_per_chunk(n_columns, order)

    def contrasted(self, coding: Coding) -> Contrasted:
        return Contrasted(self._model, coding)

    def prepared(self, X: Any) -> Contrasted:
        assert self.coding is not None
        return Contrasted(self._model.prepared(X), self.coding)
