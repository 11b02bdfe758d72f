"""Predictions with derivatives in closed form, as functions of rows, and of rows behind the steps of a pipeline."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.derivatives import Derivatives, Inner, result_bytes
from rsens.distributions import Distribution


class Closed(ABC):
    """A fitted estimator whose prediction is a formula that we know. Rows X are as the estimator itself takes them."""

    @abstractmethod
    def predict(self, X: Any) -> Distribution:
        """The predictive distribution of an observation at the rows X."""

    def predict_point(self, X: Any) -> Array:
        """The mean of the prediction, (n, outputs), for whom that is enough."""
        return self.predict(X).checked(X.shape[0]).prediction()

    @abstractmethod
    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        """The prediction with its derivatives in X, or, with `inner`, in the columns that X is made of."""

    def check_steps(self, X: Any) -> None:
        """A `RoughStepError` if something that happens to the rows X on their way has no derivatives."""
        return

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        """Working memory of `derivatives` for one row."""
        return result_bytes(n_columns, order)


def numbers_in(X: Any) -> Array:
    """Rows that hold numbers only, as a dense array."""
    return np.ascontiguousarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)


def record_of(
    distribution: Distribution, first: Array, second: Array | None, order: int, inner: Inner | None = None
) -> Derivatives:
    """The record of derivatives in X, or in the columns of `inner`; a second derivative that is None is 0."""
    if inner is not None:
        first, second = inner.chain(first, second)
    if order == 1:
        return Derivatives(distribution, first)
    n, m, columns = first.shape
    return Derivatives(distribution, first, np.zeros((n, m, columns, columns)) if second is None else second)
