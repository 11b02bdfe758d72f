"""A model that counts the rows it is asked about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rsens._typing import Array
from rsens.derivatives._derivatives import Derivatives
from rsens.derivatives._model import Model
from rsens.distributions import Distribution


@dataclass
class Counter:
    """How many rows were asked about so far."""

    rows: int = 0

    def add(self, rows: int) -> None:
        """So many more."""
        self.rows += rows

    def calls(self, fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The function, with the rows of each call counted."""

        def counted(X: Any) -> Any:
            self.add(len(X))
            return fn(X)

        return counted


class CountedModel(Model):
    """The same model. A row with its derivatives counts once, as closed forms and forward mode look at it once.

    The value of an average in closed form counts once too.
    """

    def __init__(self, model: Model, counter: Counter) -> None:
        self._model, self._counter = model, counter
        self.coding = model.coding
        self.takes_tables, self.takes_codes = model.takes_tables, model.takes_codes
        self.takes_many_levels = model.takes_many_levels

    @property
    def name(self) -> str:
        return self._model.name

    def derivatives(self, X: Any, order: int) -> Derivatives:
        self._counter.add(len(X))
        return self._model.derivatives(X, order)

    def predict_distribution(self, X: Any) -> Distribution:
        self._counter.add(len(X))
        return self._model.predict_distribution(X)

    def predict_point(self, X: Any) -> Array:
        self._counter.add(len(X))
        return self._model.predict_point(X)

    def partial_dependence(self, columns: tuple[int, ...], at: Array, X: Any) -> Array | None:
        values = self._model.partial_dependence(columns, at, X)
        self._counter.add(0 if values is None else len(at))
        return values

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return self._model.rows_per_chunk(n_columns, order)

    def coded(self, X: Any, weights: Any = None) -> CountedModel:
        return CountedModel(self._model.coded(X, weights), self._counter)

    def prepared(self, X: Any) -> CountedModel:
        return CountedModel(self._model.prepared(X), self._counter)
