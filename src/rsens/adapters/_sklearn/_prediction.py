"""The prediction of a fitted estimator as a family, with derivatives where we know the formula, and its model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._conversions import is_a
from rsens._errors import InputError, warn
from rsens._table import is_frame
from rsens._typing import Array
from rsens.adapters import _adapter
from rsens.adapters._adapter import Described
from rsens.adapters._sklearn._steps import RoughStepError, through, transformed
from rsens.derivatives import (
    AsGiven,
    Derivatives,
    Description,
    Finding,
    Inner,
    Model,
    PredictionModel,
    check_order,
    result_bytes,
    rows_for,
    rows_of,
    without_columns,
)
from rsens.distributions import Distribution, Normal
from rsens.kernels import Kernel

#: Rows at which the steps of a pipeline are tried before all are explained.
TRIED = 32


@dataclass(frozen=True, eq=False)
class Prediction:
    """A prediction of an observation as functions of the rows Z that the estimator takes, a data frame or an array."""

    predict: Callable[[Any], Distribution]
    #: Words for `Description`.
    family: str
    noise: str
    #: derivatives(Z, order, inner), in Z or, with `inner`, in the columns that Z is made of; None: by differences.
    derivatives: Callable[[Any, int, Inner | None], Derivatives] | None = None
    #: The mean (n, outputs), where it costs less than the distribution.
    point: Callable[[Any], Array] | None = None
    #: Working memory of `derivatives` for one row with this many columns, by order.
    bytes_per_row: Callable[[int, int], int] = result_bytes
    #: The steps of a pipeline in front of the estimator.
    steps: tuple[Any, ...] = ()
    #: The class labels, for a classifier.
    classes: Any = None
    #: The training inputs, in the columns of X, where the estimator keeps them.
    training: Array | None = None
    #: The kernel, or one per class, in the columns of X, of a Gaussian process with one of ours.
    kernel: Kernel | tuple[Kernel, ...] | None = None
    #: Facts to know before reading numbers; "warning"s among them are also warnings.
    findings: tuple[Finding, ...] = ()


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


def gives_std(estimator: Any) -> bool:
    """Whether `predict` takes `return_std`."""
    try:
        return "return_std" in inspect.signature(estimator.predict).parameters
    except (TypeError, ValueError, AttributeError):  # no predict, or one written in C
        return False


def read_std(estimator: Any, more_variance: float = 0.0, **words: Any) -> Prediction:
    """Normal(mean, sd² + more_variance) of `predict(X, return_std=True)`; whether the noise is in the sd is unknown."""
    call = f"{type(estimator).__name__}.predict(X, return_std=True)"

    def predict(X: Any) -> Distribution:
        given = estimator.predict(X, return_std=True)
        shapes = [np.shape(each) for each in given] if isinstance(given, tuple) else [np.shape(given)]
        if len(shapes) != 2 or len(shapes[0]) != 1 or shapes[0] != shapes[1]:
            text = f"must return one mean and one standard deviation per row; got shapes {shapes}"
            raise InputError(f"{call} {text}. Fit one model per target.")
        mean, deviation = (np.asarray(each, dtype=np.float64) for each in given)
        variance = deviation**2 + more_variance
        if not (variance > 0.0).all():
            text = (
                f"gives a standard deviation of {deviation.min():g} at row {int(variance.argmin())}: R-sens needs some"
            )
            raise InputError(f"{call} {text} spread. Leave such rows out, or fit with noise (WhiteKernel).")
        return Normal(mean, variance)

    words.setdefault("noise", "not known: the standard deviation of predict is taken as given")
    return Prediction(predict, "Normal", **words)


def as_fitted(estimator: Any, X: Any) -> Any:
    """The rows X in the type that the estimator was fitted to, or an `InputError` if the columns are others."""
    check_columns(estimator, X)
    names = list(getattr(estimator, "feature_names_in_", ()))
    if not names:  # fitted to an array: scikit-learn warns about names, and looks at positions only
        return X.to_numpy() if is_frame(X) and n_columns_of(estimator) is not None else X
    if is_frame(X):
        return X
    import pandas as pd

    return pd.DataFrame(X, columns=names)


def check_columns(estimator: Any, X: Any) -> None:
    """An `InputError` if the columns of a data frame or array are not the columns that the estimator was fitted to."""
    whose = f"that {type(estimator).__name__} was fitted to"
    _adapter.check_columns(X, whose, n_columns_of(estimator), list(getattr(estimator, "feature_names_in_", ())))


def n_columns_of(estimator: Any) -> int | None:
    """How many columns the estimator was fitted to; None if it does not keep that."""
    try:
        return int(estimator.n_features if is_a(estimator, "ngboost.NGBoost") else estimator.n_features_in_)
    except (AttributeError, TypeError):
        return None


@dataclass(frozen=True, eq=False)
class EstimatorModel(Described, AsGiven):
    """A fitted estimator with derivatives in closed form, in the columns of X as given."""

    prediction: Prediction
    estimator: Any
    label: str
    about: Description
    findings: tuple[Finding, ...] = ()

    @property
    def kernel_(self) -> Any:
        """The kernel of a Gaussian process, or one per class, in the columns of X: for measures of length-scales."""
        return self.prediction.kernel

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        model = self.coded(X)
        table = rows_of(model, X)
        try:
            with _foreign_errors(self.label):
                Z, inner = model._behind_steps(model.rows(table), order)
                assert self.prediction.derivatives is not None
                record = self.prediction.derivatives(Z, order, inner)
        except RoughStepError:
            return model.by_differences_of_predictions().derivatives(X, order)
        return without_columns(record, () if table.coding is None else list(table.coding.categorical))

    def predict_distribution(self, X: Any) -> Distribution:
        model = self.coded(X)
        table = rows_of(model, X)
        return self._predict(model.rows(table)).checked(len(table))

    def predict_point(self, X: Any) -> Array:
        if self.prediction.point is None:
            return super().predict_point(X)
        model = self.coded(X)
        with _foreign_errors(self.label):
            rows = as_fitted(self.estimator, model.rows(rows_of(model, X)))
            return self.prediction.point(transformed(self.prediction.steps, rows))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        inputs, within = n_columns, 0
        if self.prediction.steps:
            with suppress(AttributeError, ValueError):  # the last step may not know
                inputs = max(n_columns, len(self.prediction.steps[-1].get_feature_names_out()))
            within = 3 * 8 * inputs * (n_columns + (n_columns**2 if order == 2 else 0))
        return rows_for(within + self.prediction.bytes_per_row(inputs, order))

    def prepared(self, X: Any) -> Model:
        """This model; or, if a step of the pipeline jumps, the same prediction by differences."""
        model = self.coded(X)
        rows = model.rows(rows_of(model, X))
        some = np.unique(np.linspace(0, len(rows) - 1, TRIED).astype(np.intp))
        try:
            with _foreign_errors(self.label):
                model._behind_steps(rows.iloc[some] if is_frame(rows) else rows[some], 1)
        except RoughStepError:
            return model.by_differences_of_predictions().prepared(X)
        for finding in self.findings:
            if finding.verdict != "ok":
                warn(f"{self.label}: {finding.text}")
        return model

    def by_differences_of_predictions(self) -> PredictionModel:
        """The same prediction by differences: for estimators without a formula, and steps without derivatives."""
        shared = ("categorical", "training_inputs_", "classes_", "coding", "check_columns", "like")
        given = {name: getattr(self, name) for name in shared}
        return PredictionModel(self._predict, self.label, self.about, self.findings, **given)

    def _behind_steps(self, rows: Any, order: int) -> tuple[Any, Inner | None]:
        """The rows that reach the estimator, and their derivatives in the columns of X."""
        rows = as_fitted(self.estimator, rows)
        return through(self.prediction.steps, rows, order) if self.prediction.steps else (rows, None)

    def _predict(self, X: Any) -> Distribution:
        with _foreign_errors(self.label):
            return self.prediction.predict(transformed(self.prediction.steps, as_fitted(self.estimator, X)))


@contextmanager
def _foreign_errors(name: str) -> Iterator[None]:
    """Errors of other libraries about rows that they do not take, as an `InputError`."""
    try:
        yield
    except InputError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{name} does not take these rows: {reason}") from error
