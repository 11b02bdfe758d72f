"""Scikit-learn estimators that predict a distribution and differentiate it: the base of all models here.

A model fills in `fit`, which starts with `_read_training`, `_latents` and `_predictive_likelihood`. Rows hold level
codes in categorical columns, and derivatives in them are 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._table import Table, as_pandas, column_deviations, is_missing, is_pandas, numbers_of, read_table
from rsens._typing import Array
from rsens.derivatives import Derivatives, check_order, normalized, normalized_derivatives, without_columns, zero_in
from rsens.distributions import Distribution
from rsens.likelihoods import through_likelihood
from rsens.posteriors import Latent, Mean

if TYPE_CHECKING:
    from rsens.models._gp import ScaledPosterior
    from rsens.models._linear import WeightPosterior

Codes = NDArray[np.intp]

#: Products of larger or smaller numbers may leave float64: a squared slope is y²/x².
SMALLEST, LARGEST = 1e-75, 1e75


class Predictive(BaseEstimator, ABC):  # type: ignore[misc]
    """A model with one or more latent f.

    The link scale is the mean η of f, on which effects add up; a probability, or a rate exp(m + v/2), bends even then.
    """

    categorical: Any
    coding_: Coding | None
    #: Parameters that are True or False.
    _truths: ClassVar[tuple[str, ...]] = ()
    #: Rows may be a `Table` with the model's level codes, as contrasts make them.
    _takes_codes: ClassVar[bool] = True

    @property
    @abstractmethod
    def _latents(self) -> Sequence[ScaledPosterior | WeightPosterior]:
        """The Gaussian posterior of f at rows (n, D), in the units of the data; one for each of 3 or more classes."""

    @property
    def _predictive_likelihood(self) -> Any:
        """p(y | f) in the units of the data: a `Likelihood`, or as much of one as predictions need."""
        raise NotImplementedError

    @property
    @abstractmethod
    def description(self) -> str:
        """The name of the model at the beginning of a sentence, such as "Gaussian process"."""

    @abstractmethod
    def predict_distribution(self, X: Any) -> Distribution: ...

    def prediction_variances(self, X: Any, weights: Array) -> Array:
        """The variances (g, P) of Σ_i w_gi E[y | x_i] at the rows X for weights (g, n) and P outputs, given the fit.

        Predictions follow f through their slope ∂E[y]/∂η (the delta method), which is exact where E[y] is f itself.
        """
        distribution, jacobian = self.link_jacobian(X)
        slopes = np.einsum("npm,nmk->kpn", distribution.prediction_gradient(), jacobian)
        rows, size, (_, outputs, n) = self._rows(X), len(weights), slopes.shape
        of_each = ((slope * weights[:, None]).reshape(size * outputs, n) for slope in slopes)
        each = [f.combination_variances(rows, w) for f, w in zip(self._latents, of_each, strict=True)]
        return np.sum(each, axis=0).reshape(size, outputs)

    def link_derivatives(self, X: Any, order: int) -> Mean:
        """η (n, K) at the rows X, with its first (n, K, D) and second (n, K, D, D) derivatives up to this order."""
        rows = self._rows(X)
        etas, firsts, seconds = zip(*(f.mean_derivatives(rows, order) for f in self._latents), strict=True)
        first, second = (None if each[0] is None else np.stack(each, axis=1) for each in (firsts, seconds))
        return np.stack(etas, axis=1), *zero_in(self._categorical, first, second)

    def link_jacobian(self, X: Any) -> tuple[Distribution, Array]:
        """The predictive distribution at the rows X, and ∂λ/∂η (n, M, K) with the variance of f held."""
        distribution, rows = self.predict_distribution(X), self._rows(X)
        latents = [f.moments(rows) for f in self._latents]
        likelihood = self._predictive_likelihood
        by_mean = [likelihood.predictive_derivatives(f.mean, f.variance, 1)[0][:, :, 0] for f in latents]
        if len(latents) == 1:
            return distribution, by_mean[0][:, :, None]
        # p_k = π_k/Σ_j π_j, so ∂p_k/∂m_j = p_k (δ_kj − p_j) ∂ log π_j/∂m_j, which is 0 where π_j underflows
        slopes = np.concatenate(by_mean, axis=1)
        pi = np.concatenate([likelihood.predictive(f.mean, f.variance).parameters for f in latents], axis=1)
        slopes = np.divide(slopes, pi, out=np.zeros_like(slopes), where=pi > 0.0)
        p = distribution.parameters
        return distribution, (p[:, :, None] * (np.eye(p.shape[1]) - p[:, None, :])) * slopes[:, None, :]

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
        # labels are read by position, so scikit-learn checks the names first
        return coding.read(X).values if coding else rows  # type: ignore[return-value]

    def _read_training_rows(self, X: Any, sample_weight: Any, keep_unused: bool) -> tuple[Array, Array | None]:
        """(rows, weights). `keep_unused` keeps levels that a column of type category has but no row uses."""
        for name in self._truths:
            if not isinstance(getattr(self, name), bool | np.bool_):  # text such as 'no' is neither
                raise InputError(Argument(name), f" must be True or False; got {getattr(self, name)!r}.")
        X = as_pandas(X)
        coding = Coding.of(X, self.categorical, keep_unused=keep_unused)
        rows = self._checked_rows(X, coding or None, reset=True)
        weights = _weights(sample_weight, len(rows))
        if coding and weights is not None:
            coding = Coding.of(X, self.categorical, weights=weights, keep_unused=keep_unused)
        self.coding_ = coding or None
        for name, column in zip(self._column_names, rows.T, strict=True):
            check_size(column, f"column {name!r} of X")
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


class PredictiveRegressor(RegressorMixin, Predictive):  # type: ignore[misc]
    """A model of one number y per row. `offset` is a known part of the linear predictor, one number per row."""

    def predict(self, X: Any, *, offset: Any = None) -> Array:
        """The mean of y at the rows X (for a Student-t the location, which exists even if the mean does not)."""
        return self.predict_point(X, offset=offset)[:, 0]

    def predict_point(self, X: Any, *, offset: Any = None) -> Array:
        """`predict` with an axis for outputs, shape (n, 1)."""
        return self.predict_distribution(X, offset=offset).prediction()

    def predict_distribution(self, X: Any, *, offset: Any = None) -> Distribution:
        """The predictive distribution of y at the rows X, noise included."""
        f = self._latent_at(X, offset)
        return self._predictive_likelihood.predictive(f.mean, f.variance).checked(len(f.mean))

    def derivatives(self, X: Any, order: int = 1, *, offset: Any = None) -> Derivatives:
        """The parameters λ of the predictive distribution with first, or first and second (order 2) derivatives."""
        check_order(order)
        f = self._latent_at(X, offset, order)
        return without_columns(_prediction(self._predictive_likelihood, f), self._categorical)

    def log_predictive_density(self, X: Any, y: Any, *, offset: Any = None) -> Array:
        """log p(y_i | x_i, training data), one number per row."""
        f, likelihood = self._latent_at(X, offset), self._predictive_likelihood
        targets = likelihood.checked_target(read_y(y, len(f.mean), type(self).__name__))
        return likelihood.log_predictive_density(targets, f.mean, f.variance)

    def predictive_cdf(self, X: Any, y: Any, *, offset: Any = None) -> Array:
        """P(Y_i ≤ y_i | x_i, training data), one number per row; y may be any real number, for counts also −1."""
        f = self._latent_at(X, offset)
        targets = read_y(y, len(f.mean), type(self).__name__)
        return self._predictive_likelihood.predictive_cdf(targets, f.mean, f.variance)

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None) -> float:
        """The coefficient of determination R² of `predict`."""
        targets, weights = as_pandas(y, "y"), as_pandas(sample_weight, "sample_weight")
        return float(r2_score(targets, self.predict(X, offset=offset), sample_weight=weights))

    def _read_training(
        self, X: Any, y: Any, *, offset: Any = None, sample_weight: Any = None, keep_unused: bool = True
    ) -> tuple[Array, Array, Array, Array | None]:
        """(rows, y, offset, weights); without an offset, zeros; without weights, None."""
        rows, weights = self._read_training_rows(X, sample_weight, keep_unused)
        targets, shift = read_y(y, len(rows), type(self).__name__), read_offset(offset, len(rows))
        check_size(targets, "y")
        check_size(shift, Argument("offset"))
        self._keep_training(rows, weights)
        return rows, targets, shift, weights

    def _latent_at(self, X: Any, offset: Any, order: int = 0) -> Latent:
        """f plus the offset at the rows X, with derivatives up to this order."""
        rows = self._rows(X)
        shift, (posterior,) = read_offset(offset, len(rows)), self._latents
        f = posterior.derivatives(rows, order) if order else posterior.moments(rows)
        return replace(f, mean=f.mean + shift)


class PredictiveClassifier(ClassifierMixin, Predictive):  # type: ignore[misc]
    """A model of one label y per row: Bernoulli for two classes, Categorical for more, with one f for each class."""

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
        latents = [f.moments(rows) for f in self._latents]
        members = [self._predictive_likelihood.predictive(f.mean, f.variance) for f in latents]
        return (normalized(members) if len(members) > 1 else members[0]).checked(len(rows))

    def derivatives(self, X: Any, order: int = 1) -> Derivatives:
        """The class probabilities with their first, or first and second (order 2) derivatives."""
        check_order(order)
        rows = self._rows(X)
        members = [_prediction(self._predictive_likelihood, f.derivatives(rows, order)) for f in self._latents]
        record = normalized_derivatives(members) if len(members) > 1 else members[0]
        return without_columns(record, self._categorical)  # where a kernel may have seen the codes

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

    def _targets(self, codes: Codes) -> list[Array]:
        """The 0/1 target of each f, 1 in the rows of its class; two classes have one f, of the second class."""
        classes = range(1, 2) if len(self.classes_) == 2 else range(len(self.classes_))
        return [(codes == k).astype(np.float64) for k in classes]


def _prediction(likelihood: Any, f: Latent) -> Derivatives:
    """The prediction with its derivatives in x, from a latent with derivatives."""
    assert f.first is not None
    return through_likelihood(likelihood, f.mean, f.variance, f.first, f.second)


def read_offset(offset: Any, n: int) -> Array:
    """One number per row; zeros without an offset."""
    return np.zeros(n) if offset is None else read_per_row(offset, n, Argument("offset"))


def _weights(sample_weight: Any, n: int) -> Array | None:
    """A weight of 2 counts a row twice; a weight of 0 leaves it out."""
    if sample_weight is None:
        return None
    weights = read_per_row(sample_weight, n, Argument("sample_weight"))
    if (weights < 0.0).any() or not weights.any():
        raise InputError(
            Argument("sample_weight"), f" must be at least 0, and not zero in all rows; got {weights.min():g}."
        )
    return weights


class _InputTypeError(InputError, TypeError):
    """Wrong input for which scikit-learn expects a TypeError."""


@contextmanager
def translated(what: str = "") -> Iterator[None]:
    """Turns errors of scikit-learn's checks, which prescribe what an estimator accepts, into ours."""
    try:
        yield
    except InputError:
        raise
    except OverflowError:  # Python's own integers have no limit
        raise InputError(f"{what}a whole number is beyond float64 (1.8e308). Rescale its column, or y.") from None
    except (ValueError, TypeError) as error:
        kind = InputError if isinstance(error, ValueError) else _InputTypeError
        raise kind(f"{what}{error}") from None


def read_rows(X: Any, name: str) -> Array:
    """The rows X (n, D) as finite float64, as everywhere in rsens, after the checks that scikit-learn prescribes."""
    if not (hasattr(X, "columns") or isinstance(X, np.ma.MaskedArray)):
        with translated("X: "):
            check_array(X, dtype=np.float64, ensure_all_finite=False, estimator=name, input_name="X")
    return read_table(X).values


def read_y(y: Any, n: int, name: str) -> Array:
    """One finite number per row."""
    return read_per_row(_column(y, n, name), n, "y")


def read_per_row(values: Any, n: int, what: str | Argument) -> Array:
    """One finite number per row; a single number counts for all rows."""
    with translated():
        array = np.asarray(as_pandas(values, what if isinstance(what, str) else what.name))
    numbers = numbers_of(array)
    if numbers is None:
        odd = next((str(value) for value in array.ravel() if not isinstance(value, Real)), "a number beyond float64")
        raise InputError(what, f" must be numbers; got {odd!r}. Convert text and dates to numbers.")
    if numbers.shape not in ((), (n,)):
        raise InputError(what, f" must have one number for each of the {n} rows; got shape {numbers.shape}.")
    return _finite(np.broadcast_to(numbers, (n,)), what)


def read_classes(y: Any, weights: Array | None, n: int, name: str) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The sorted classes that occur, and the number of the class of each row (0 in rows with weight 0)."""
    y = as_pandas(y, "y")
    column = _column(_plain_labels(y), n, name)
    if column.dtype.kind == "f":
        _finite(column, "y")
    labels = y if isinstance(y, list | tuple) else column.tolist()
    missing = [row for row, label in enumerate(column.tolist()) if is_missing(label) or label != label]
    if missing:
        raise InputError(
            Argument("y"), f" has {len(missing)} missing labels, the first at row {missing[0]}. Drop these rows."
        )
    texts = [label for label in labels if isinstance(label, str)]
    if texts and len(texts) < len(labels):  # NumPy would turn all into text
        raise InputError(
            f"y mixes text, such as {texts[0]!r}, with other labels. Use one type for all classes, for example text: "
            "[str(label) for label in y]."
        )
    if column.dtype.kind in "mM":
        raise InputError("y holds dates or times, which cannot be classes. Make them text, as with .astype(str).")
    with translated():
        check_classification_targets(column)
        classes = np.unique(column if weights is None else column[weights > 0.0])
        codes = np.searchsorted(classes, column)
    if len(classes) < 2:
        raise InputError(
            f"{name} needs at least two classes; y has 1 class, {classes.tolist()[0]!r}. Give rows of another one."
        )
    return classes, np.where(codes < len(classes), codes, 0)


def read_labels(y: Any, classes: NDArray[Any], n: int) -> Array:
    """The number of the class of each row; every label must have been in the training data."""
    column = _column(_plain_labels(as_pandas(y, "y")), n, "log_predictive_density")
    known = {label: code for code, label in enumerate(classes.tolist())}
    for row, label in enumerate(column.tolist()):
        if label not in known:
            raise InputError(
                Argument("y"), f" has the label {label!r} at row {row}; the model was fitted with {list(known)}."
            )
    return np.array([known[label] for label in column.tolist()], dtype=np.float64)


def check_size(values: Array, what: str | Argument) -> None:
    """An error if float64 cannot hold powers of the largest number."""
    largest = float(np.abs(values).max())
    if largest > LARGEST or 0.0 < largest < SMALLEST:
        raise InputError(
            what,
            f" is too {'large' if largest > 1.0 else 'small'} to compute with: its largest magnitude is {largest:.3g}, "
            f"and must lie between {SMALLEST:g} and {LARGEST:g}. Divide it by {largest:.1g}, for example.",
        )


def read_precision(value: Any, name: str, *, zero: bool = False) -> float:
    """A finite number greater than 0, or with `zero` at least 0."""
    number = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))
    if not number or value < 0.0 or (value == 0.0 and not zero):
        least = "of at least" if zero else "greater than"
        raise InputError(Argument(name), f" must be a number {least} 0; got {value!r}.")
    return float(value)


def _plain_labels(y: Any) -> Any:
    """Labels of pandas' nullable types as NumPy's own; scikit-learn would turn 1 into 1.0."""
    dtype = getattr(y.dtype, "numpy_dtype", None) if is_pandas(y) and hasattr(y, "dtype") else None
    if dtype is None or dtype.kind not in "biu" or y.isna().any():
        return y
    return y.to_numpy(dtype=dtype)


def _column(y: Any, n: int, name: str) -> NDArray[Any]:
    if y is None:
        raise InputError(f"{name} needs y; got None. y should be a 1d array of one value for each of the {n} rows.")
    y = as_pandas(y, "y")
    with translated():
        column = np.asarray(column_or_1d(y, warn=True))
        check_consistent_length(np.empty(n), column)
    return column


def _finite(values: Array, what: str | Argument) -> Array:
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(bad.argmax())
        raise InputError(
            what,
            f" must be finite; it has {int(bad.sum())} missing or infinite (NaN, inf) values, the first at "
            f"row {row} ({values[row]}). Drop these rows.",
        )
    return values
