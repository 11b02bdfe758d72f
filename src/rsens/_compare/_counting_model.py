"""A model that counts the rows it was evaluated at."""

from __future__ import annotations

from typing import Any

from rsens._typing import Array
from rsens.derivatives import Derivatives, Model
from rsens.distributions import Distribution


class CountingModel(Model):
    """The same model; `evaluations` counts the rows it was asked about. A row with its derivatives counts once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.coding = model.coding
        self.evaluations = 0

    def derivatives(self, X: Any, order: int) -> Derivatives:
        self.evaluations += len(X)
        return self._model.derivatives(X, order)

    def predict_distribution(self, X: Any) -> Distribution:
        self.evaluations += len(X)
        return self._model.predict_distribution(X)

    def predict_point(self, X: Any) -> Array:
        self.evaluations += len(X)
        return self._model.predict_point(X)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return self._model.rows_per_chunk(n_columns, order)

    def coded(self, X: Any, weights: Any = None) -> CountingModel:
        """The model inside comes from `read_for` and is coded already. A new object would start to count from 0."""
        return self

    def prepared(self, X: Any) -> CountingModel:
        self._model = self._model.prepared(X)
        return self
