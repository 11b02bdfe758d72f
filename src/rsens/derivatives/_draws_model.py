"""Models whose predictive is a mixture of draws: first derivatives of each, second ones of what stands for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rsens._coding import Coding
from rsens._typing import Array
from rsens.derivatives._counted import Counter
from rsens.derivatives._derivatives import Derivatives
from rsens.derivatives._description import Description, Finding
from rsens.derivatives._model import Model
from rsens.distributions import Distribution


class DrawsModel(Model):
    """A model of a mixture, and one of the distribution that stands for it where pairs are looked at.

    `predictive` gives the mixture of the draws, with first derivatives of every draw's λ. `matched` gives
    `Mixture.matched`, with second derivatives; None takes them of the draws themselves, the stacked form.
    """

    def __init__(
        self,
        predictive: Model,
        matched: Model | None,
        n_parameters: int,
        description: Description | None = None,
        findings: tuple[Finding, ...] = (),
    ) -> None:
        self._predictive, self._matched = predictive, matched
        self._description, self._findings = description, findings
        self._rows: Any = None  # that `matched` is still to be prepared for
        self.coding: Coding | None = predictive.coding
        self.n_parameters: int = n_parameters
        self.takes_tables: bool = predictive.takes_tables
        self.takes_codes: bool = predictive.takes_codes
        self.by_differences: bool = predictive.by_differences  # type: ignore[misc]
        self.input_scale_: Any = predictive.input_scale_
        self.training_inputs_: Any = predictive.training_inputs_
        self.classes_: Any = predictive.classes_

    def _from(self, predictive: Model, matched: Model | None) -> DrawsModel:
        return DrawsModel(predictive, matched, self.n_parameters, self._description, self._findings)

    def described(self, description: Description, *findings: Finding) -> DrawsModel:
        """This model, with what was understood of the object it was made from."""
        return DrawsModel(self._predictive, self._matched, self.n_parameters, description, findings)

    @property
    def for_pairs(self) -> Model:
        if self._matched is None:
            return self
        if self._rows is not None:  # prepared when it is needed: that takes as long as explaining a few rows
            self._matched, self._rows = self._matched.prepared(self._rows), None
        return self._matched

    def derivatives(self, X: Any, order: int) -> Derivatives:
        if order == 1 or self._matched is None:
            return self._predictive.derivatives(X, order)
        record = self._predictive.derivatives(X, 1)
        return replace(record, matched=self.for_pairs.derivatives(X, 2))

    def predict_distribution(self, X: Any) -> Distribution:
        return self._predictive.predict_distribution(X)

    def predict_point(self, X: Any) -> Array:
        return self._predictive.predict_point(X)

    @property
    def description(self) -> Description | None:
        return self._description

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from self._findings
        yield from self._predictive.checks(X)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        if self._matched is None or order == 1:
            return self._predictive.rows_per_chunk(n_columns, order)
        return min(self._predictive.rows_per_chunk(n_columns, 1), self.for_pairs.rows_per_chunk(n_columns, 2))

    def coded(self, X: Any, weights: Any = None) -> DrawsModel:
        return self._each(lambda model: model.coded(X, weights))

    def contrasted(self, coding: Coding) -> DrawsModel:
        return self._each(lambda model: model.contrasted(coding))

    def counted(self, counter: Counter) -> DrawsModel:
        return self._each(lambda model: model.counted(counter))

    def prepared(self, X: Any) -> DrawsModel:
        model = self._from(self._predictive.prepared(X), self._matched)
        model._rows = X
        return model

    def _each(self, change: Callable[[Model], Model]) -> DrawsModel:
        matched = None if self._matched is None else change(self._matched)
        model = self._from(change(self._predictive), matched)
        model._rows = self._rows
        return model
