"""What all models here share: scikit-learn estimators that predict a distribution and differentiate it.

A model fills in `fit`, `_predict_distribution` and `_derivatives` (a regressor also `_log_predictive_density` and
`_predictive_cdf`). The last four get checked inputs: `rows` (n, D), float64 and finite, with the columns that the model
was fitted on.
`fit` starts with `_read_training`, which reads the data and sets what scikit-learn and `explain` look for:
`n_features_in_`, `feature_names_in_`, `training_inputs_`, `input_scale_`, `coding_` and, for a classifier, `classes_`.

Columns of type category, text or bool are categorical, and so are those that the parameter `categorical` names. `fit`
keeps their levels in `coding_` (None if there are no such columns). Inside, rows hold level codes in these columns, and
derivatives in them are 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted, validate_data

from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._frames import as_pandas
from rsens._table import Table, column_deviations
from rsens._typing import Array
from rsens.derivatives import Derivatives, check_order
from rsens.distributions import Distribution
from rsens.models._reading import (
    check_column_sizes,
    check_size,
    read_classes,
    read_labels,
    read_per_row,
    read_rows,
    read_truth,
    read_y,
    translated,
)

Codes = NDArray[np.intp]


class _Predictive(BaseEstimator, ABC):  # type: ignore[misc]
    """Reads and checks inputs."""

    categorical: Any
    coding_: Coding | None
    #: What to call the model at the beginning of a sentence.
    _description: ClassVar[str]
    #: Parameters that are True or False.
    _truths: ClassVar[tuple[str, ...]] = ()
    #: Rows may be a `Table` of its own level codes, as contrasts make them.
    _takes_codes: ClassVar[bool] = True

    @property
    def description(self) -> str:
        """What to call the model at the beginning of a sentence, such as "Gaussian process"."""
        return self._description

    def _rows(self, X: Any) -> Array:
        """The rows X (n, D) for a prediction; the model must have been fitted on the same columns."""
        check_is_fitted(self)
        if isinstance(X, Table) and X.coding is self.coding_:
            return X.values
        return self._checked_rows(as_pandas(X), self.coding_, reset=False)

    def _checked_rows(self, X: Any, coding: Coding | None, *, reset: bool) -> Array:
        rows = None if coding else read_rows(X, type(self).__name__)
        with translated():
            validate_data(self, X, reset=reset, skip_check_array=True)
        if rows is None:  # labels are read by position, so scikit-learn checks the names first
            assert coding is not None
            rows = coding.read(X).values
        return rows

    def _read_training_rows(self, X: Any, sample_weight: Any, keep_unused: bool) -> tuple[Array, Array | None]:
        """(rows, weights). `keep_unused` keeps levels that a column of type category has but no row uses."""
        for name in self._truths:
            read_truth(getattr(self, name), name)
        X = as_pandas(X)
        coding = Coding.of(X, self.categorical, keep_unused=keep_unused)
        rows = self._checked_rows(X, coding or None, reset=True)
        weights = _weights(sample_weight, len(rows))
        if coding and weights is not None:
            coding = Coding.of(X, self.categorical, weights=weights, keep_unused=keep_unused)
        self.coding_ = coding or None
        check_column_sizes(rows, self._column_names)
        return rows, weights

    def _keep_training(self, rows: Array, weights: Array | None) -> None:
        self.training_inputs_: Array = rows.copy()  # the caller may change X
        self.input_scale_: Array = column_deviations(rows, None if weights is None else weights / weights.sum())
        self.input_scale_[self._categorical] = 1.0  # a switch

    @property
    def _categorical(self) -> list[int]:
        """Positions of the categorical columns."""
        return [] if self.coding_ is None else list(self.coding_.categorical)

    @property
    def _column_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", [f"x{d}" for d in range(self.n_features_in_)])
        return [str(name) for name in names] if self.coding_ is None else list(self.coding_.names)

    def _without_levels(self, record: Derivatives) -> Derivatives:
        """The record with derivatives set to 0 in categorical columns, where a kernel may have looked at the codes."""
        columns = self._categorical
        if not columns:
            return record
        first, second = record.first.copy(), None if record.second is None else record.second.copy()
        first[..., columns] = 0.0
        if second is not None:
            second[..., columns] = 0.0
            second[:, :, columns] = 0.0
        return replace(record, first=first, second=second)


class PredictiveRegressor(RegressorMixin, _Predictive):  # type: ignore[misc]
    """A model of one number y per row. `offset` is a known part of the linear predictor, one number per row."""

    def predict(self, X: Any, *, offset: Any = None) -> Array:
        """The mean of y at the rows X (for a Student-t the location, which exists even if the mean does not)."""
        return self.predict_point(X, offset=offset)[:, 0]

    def predict_point(self, X: Any, *, offset: Any = None) -> Array:
        """`predict` with an axis for outputs, shape (n, 1)."""
        rows = self._rows(X)
        return self._predict_point(rows, _offset(offset, len(rows)))

    def predict_distribution(self, X: Any, *, offset: Any = None) -> Distribution:
        """The predictive distribution of y at the rows X, noise included."""
        rows = self._rows(X)
        return self._predict_distribution(rows, _offset(offset, len(rows))).checked(len(rows))

    def derivatives(self, X: Any, order: int = 1, *, offset: Any = None) -> Derivatives:
        """The parameters λ of the predictive distribution with first, or first and second (order 2) derivatives."""
        check_order(order)
        rows = self._rows(X)
        return self._without_levels(self._derivatives(rows, order, _offset(offset, len(rows))))

    def log_predictive_density(self, X: Any, y: Any, *, offset: Any = None) -> Array:
        """log p(y_i | x_i, training data), one number per row."""
        rows = self._rows(X)
        targets = read_y(y, len(rows), type(self).__name__)
        return self._log_predictive_density(rows, targets, _offset(offset, len(rows)))

    def predictive_cdf(self, X: Any, y: Any, *, offset: Any = None) -> Array:
        """P(Y_i ≤ y_i | x_i, training data), one number per row; y may be any real number, for counts also −1."""
        rows = self._rows(X)
        targets = read_y(y, len(rows), type(self).__name__)
        return self._predictive_cdf(rows, targets, _offset(offset, len(rows)))

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None) -> float:
        """The coefficient of determination R² of `predict`."""
        targets, weights = as_pandas(y, "y"), as_pandas(sample_weight, "sample_weight")
        return float(r2_score(targets, self.predict(X, offset=offset), sample_weight=weights))

    def _read_training(
        self, X: Any, y: Any, *, offset: Any = None, sample_weight: Any = None, keep_unused: bool = True
    ) -> tuple[Array, Array, Array, Array | None]:
        """(rows, y, offset, weights); without an offset, zeros; without weights, None."""
        rows, weights = self._read_training_rows(X, sample_weight, keep_unused)
        targets, shift = read_y(y, len(rows), type(self).__name__), _offset(offset, len(rows))
        check_size(targets, "y")
        check_size(shift, Argument("offset"))
        self._keep_training(rows, weights)
        return rows, targets, shift, weights

    @abstractmethod
    def _predict_distribution(self, rows: Array, offset: Array) -> Distribution: ...

    def _predict_point(self, rows: Array, offset: Array) -> Array:
        """A model can override this if its mean is cheaper than its distribution."""
        return self._predict_distribution(rows, offset).checked(len(rows)).prediction()

    @abstractmethod
    def _derivatives(self, rows: Array, order: int, offset: Array) -> Derivatives: ...

    @abstractmethod
    def _log_predictive_density(self, rows: Array, y: Array, offset: Array) -> Array: ...

    @abstractmethod
    def _predictive_cdf(self, rows: Array, y: Array, offset: Array) -> Array: ...


class PredictiveClassifier(ClassifierMixin, _Predictive):  # type: ignore[misc]
    """A model of one label y per row: Bernoulli for two classes (1 is the second class), Categorical for more."""

    classes_: NDArray[Any]

    def predict(self, X: Any) -> Any:
        """The most probable class at the rows X."""
        most_probable = self.predict_log_proba(X).argmax(axis=1)
        return self.classes_[most_probable]

    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the classes (n, K), in the order of `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> Array:
        """The log probabilities of the classes (n, K), in the order of `classes_`."""
        distribution = self.predict_distribution(X)
        return np.stack([distribution.log_prob(k) for k in range(len(self.classes_))], axis=1)

    def predict_distribution(self, X: Any) -> Distribution:
        """The predictive distribution of the class at the rows X."""
        rows = self._rows(X)
        return self._predict_distribution(rows).checked(len(rows))

    def derivatives(self, X: Any, order: int = 1) -> Derivatives:
        """The class probabilities with their first, or first and second (order 2) derivatives."""
        check_order(order)
        return self._without_levels(self._derivatives(self._rows(X), order))

    def log_predictive_density(self, X: Any, y: Any) -> Array:
        """log p(y_i | x_i, training data), one number per row."""
        distribution = self.predict_distribution(X)
        return distribution.log_prob(read_labels(y, self.classes_, len(distribution.parameters)))

    def _read_training(self, X: Any, y: Any, *, sample_weight: Any = None) -> tuple[Array, Codes, Array | None]:
        """(rows, class numbers 0 … K − 1, weights); without weights, None. Sets `classes_`."""
        rows, weights = self._read_training_rows(X, sample_weight, keep_unused=True)
        self.classes_, codes = read_classes(y, weights, len(rows), type(self).__name__)
        self._keep_training(rows, weights)
        return rows, codes, weights

    @abstractmethod
    def _predict_distribution(self, rows: Array) -> Distribution: ...

    @abstractmethod
    def _derivatives(self, rows: Array, order: int) -> Derivatives: ...


def _offset(offset: Any, n: int) -> Array:
    return np.zeros(n) if offset is None else read_per_row(offset, n, Argument("offset"))


def _weights(sample_weight: Any, n: int) -> Array | None:
    """A weight of 2 counts a row twice; a weight of 0 leaves it out."""
    if sample_weight is None:
        return None
    argument = Argument("sample_weight")
    weights = read_per_row(sample_weight, n, argument)
    if (weights < 0.0).any():
        raise InputError(argument, f" must be at least 0; got {weights.min():g}.")
    if not weights.any():
        raise InputError(argument, " is zero for all rows; give at least one row a weight above zero.")
    return weights
