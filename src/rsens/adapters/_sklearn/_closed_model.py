"""The model that an estimator with a prediction in closed form becomes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsens._errors import RsensWarning
from rsens._table import is_frame
from rsens._typing import Array
from rsens.adapters._described import Described
from rsens.adapters._sklearn._closed import Closed
from rsens.adapters._sklearn._foreign_errors import foreign_errors
from rsens.adapters._sklearn._richardson import RoughStepError
from rsens.derivatives import (
    AsGiven,
    Derivatives,
    Description,
    Finding,
    Model,
    PredictionModel,
    check_order,
    rows_for,
    rows_of,
    without_columns,
)
from rsens.distributions import Distribution

#: Rows at which the steps of a pipeline are tried before all are explained.
TRIED = 32


@dataclass(frozen=True, eq=False)
class ClosedModel(Described, AsGiven):
    """A fitted estimator with derivatives in closed form, in the columns of X as given."""

    closed: Closed
    label: str
    about: Description
    #: The rows X in the type that the estimator was fitted to.
    as_fitted: Callable[[Any], Any]
    #: The same prediction by differences, for a pipeline with a step that has no derivatives.
    rough: PredictionModel
    findings: tuple[Finding, ...] = ()
    #: The kernel of a Gaussian process, or one per class, in the columns of X: for measures that read length-scales.
    kernel_: Any = None

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        model = self.coded(X)
        table = rows_of(model, X)
        try:
            with foreign_errors(self.label):
                record = self.closed.derivatives(self.as_fitted(model.rows(table)), order)
        except RoughStepError:
            return model._by_differences().derivatives(X, order)
        return without_columns(record, () if table.coding is None else list(table.coding.categorical))

    def predict_distribution(self, X: Any) -> Distribution:
        model = self.coded(X)
        table = rows_of(model, X)
        with foreign_errors(self.label):
            return self.closed.predict(self.as_fitted(model.rows(table))).checked(len(table))

    def predict_point(self, X: Any) -> Array:
        model = self.coded(X)
        with foreign_errors(self.label):
            return self.closed.predict_point(self.as_fitted(model.rows(rows_of(model, X))))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return rows_for(self.closed.bytes_per_row(n_columns, order))

    def prepared(self, X: Any) -> Model:
        """This model; or, if a step of the pipeline jumps, the same prediction by differences."""
        model = self.coded(X)
        rows = model.rows(rows_of(model, X))
        some = np.unique(np.linspace(0, len(rows) - 1, TRIED).astype(np.intp))
        try:
            with foreign_errors(self.label):
                self.closed.check_steps(self.as_fitted(rows.iloc[some] if is_frame(rows) else rows[some]))
        except RoughStepError:
            return model._by_differences().prepared(X)
        for finding in self.findings:
            if finding.verdict != "ok":
                warnings.warn(RsensWarning(f"{self.label}: {finding.text}"), stacklevel=2)
        return model

    def _by_differences(self) -> PredictionModel:
        return replace(self.rough, coding=self.coding, like=self.like)
