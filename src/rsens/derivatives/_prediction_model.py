"""Models known by their predictions only: rows go in with the type they were given in, a family comes out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from rsens._coding import Coding
from rsens._errors import Argument, RsensWarning, warn
from rsens._table import Table, is_frame
from rsens._typing import Array
from rsens.derivatives._derivatives import Derivatives
from rsens.derivatives._difference_checks import NoSecondDerivativesError, WideStep, wide_step
from rsens.derivatives._function import DifferenceModel
from rsens.derivatives._model import Counter, Description, Finding, Model, Verdict, check_order, rows_of
from rsens.derivatives._output import categorical_values
from rsens.distributions import Distribution


@dataclass(frozen=True, eq=False, kw_only=True)
class AsGiven(Model):
    """Base of models that take rows in the type they were given, such as a data frame with its labels."""

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

    def rows(self, table: Table) -> Any:
        """The rows of a table in the type that was given."""
        return self._rows(table.values) if table.source is None else table.source

    def rows_from(self, numbers: Array) -> Any:
        """Rows of the type that was given, from numbers as `numbers` gives them."""
        values = numbers.copy()
        for column in () if self.coding is None else self.coding.columns:  # the inverse of `Coding.numbers`
            order = np.argsort(column.numbers)
            values[:, column.position] = order[np.searchsorted(column.numbers[order], numbers[:, column.position])]
        return self._rows(values)

    def _rows(self, values: Array) -> Any:
        """The same from values with level codes in categorical columns."""
        return values if self.like is None else self.like.like(values)


@dataclass(frozen=True, eq=False)
class PredictionModel(AsGiven):
    """A model from `predict`, which takes rows in the type they were given, with differences as derivatives."""

    predict: Callable[[Any], Distribution]
    #: The name of the model in errors: the class of the object.
    label: str
    about: Description | None = None
    #: Findings to read before the numbers; warnings are raised for all but "ok".
    findings: tuple[Finding, ...] = ()
    #: Set by `prepared`.
    differences: DifferenceModel | None = None
    wide: WideStep | None = None

    by_differences: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return self.label

    @property
    def description(self) -> Description | None:
        if self.about is None or self.differences is None:
            return self.about
        step = "a small step" if self.wide is None else f"±{self.wide.step:g} of the spread of a column"
        return replace(self.about, derivatives=f"differences over {step}")

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from self.findings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RsensWarning)  # the finding has the same text
            model = self.prepared(X)
        if model.wide is None:
            yield Finding("steps", "ok", "predictions change smoothly: differences over a small step.")
        else:
            summary = model.wide.summary(rows_of(model, X).names)
            verdict: Verdict = "ok" if model.wide.settled else "warning"
            yield Finding("steps", verdict, f"predictions are piecewise constant: {summary}.")

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        if self.differences is None:
            return self.prepared(X).derivatives(X, order)
        if order == 2 and self.wide is not None:
            raise NoSecondDerivativesError(
                f"predictions of {self.label} are piecewise constant, like a tree's: second differences of jumps "
                "are not second derivatives, and R-sens₂ would be a number without meaning. Leave out pairs (",
                Argument("pairs", False),
                "), or explain a smooth model.",
            )
        return self.differences.derivatives(rows_of(self, X), order)

    def predict_distribution(self, X: Any) -> Distribution:
        model = self.coded(X)
        table = rows_of(model, X)
        return self.predict(model.rows(table)).checked(len(table))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        model = self.differences or DifferenceModel(self._of_numbers, None, None)
        return model.rows_per_chunk(n_columns, order)

    def contrasted(self, coding: Coding) -> PredictionModel:
        return replace(super().contrasted(coding), differences=None, wide=None)

    def counted(self, counter: Counter) -> PredictionModel:
        return replace(self, predict=counter.calls(self.predict))

    def prepared(self, X: Any) -> PredictionModel:
        model = self.coded(X)
        table = rows_of(model, X)
        numbers = model.numbers(table)
        levels = categorical_values(model.coding, numbers)
        wide = wide_step(model._of_numbers, numbers, model.continuous(numbers.shape[1]), levels)
        if wide is not None:
            advice = " Read them as rough averages, or choose a step yourself: from_function(fn, step=…)."
            warn(
                f"predictions of {self.label} are piecewise constant, like a tree's: "
                f"{wide.summary(table.names)}.{'' if wide.settled else advice}"
            )
        for finding in self.findings:
            if finding.verdict != "ok":
                warn(f"{self.label}: {finding.text}")
        source = DifferenceModel(model._of_numbers, None if wide is None else wide.by_column, None, coding=model.coding)
        return replace(model, wide=wide, differences=source.prepared(table))

    def _of_numbers(self, numbers: Array) -> Distribution:
        """The prediction for rows of numbers, as differences move them."""
        return self.predict(self.rows_from(numbers))
