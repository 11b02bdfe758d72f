"""The prediction of a fitted estimator as a family, with derivatives where we know the formula; and its rows."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._table import is_frame
from rsens._typing import Array
from rsens.adapters import _adapter
from rsens.adapters._adapter import is_a
from rsens.derivatives import Derivatives, Finding, Inner, result_bytes
from rsens.distributions import Distribution, Normal
from rsens.kernels import Kernel


@dataclass(frozen=True, eq=False, kw_only=True)
class Prediction(ABC):
    """A prediction of an observation. Rows X come as the estimator takes them: a data frame or an array."""

    #: Words for `Description`.
    family: str
    noise: str
    #: The class labels, for a classifier.
    classes: Any = None
    #: The training inputs, in the columns of X, where the estimator keeps them.
    training: Array | None = None
    #: The kernel, or one per class, in the columns of X, of a Gaussian process with one of ours.
    kernel: Kernel | tuple[Kernel, ...] | None = None
    #: Facts to know before reading numbers; "warning"s among them are also warnings.
    findings: tuple[Finding, ...] = ()

    @property
    def closed(self) -> bool:
        """Whether `derivatives` knows a formula; else differences are left."""
        return True

    @abstractmethod
    def predict(self, X: Any) -> Distribution:
        """The predictive distribution of an observation at the rows X."""

    def predict_point(self, X: Any) -> Array:
        """The mean of the prediction, (n, outputs), for whom that is enough."""
        return self.predict(X).checked(X.shape[0]).prediction()

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        """The prediction with its derivatives in X, or, with `inner`, in the columns that X is made of."""
        raise NotImplementedError("derivatives are differences of `predict`")

    def check_steps(self, X: Any) -> None:
        """A `RoughStepError` if something that happens to the rows X on their way has no derivatives."""
        return

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        """Working memory of `derivatives` for one row."""
        return result_bytes(n_columns, order)

    @property
    def words(self) -> dict[str, Any]:
        """The fields that all predictions have, for one that is made of this one."""
        return {field.name: getattr(self, field.name) for field in fields(Prediction)}


@dataclass(frozen=True, eq=False)
class Asked(Prediction):
    """An estimator that is only asked what it predicts."""

    ask: Callable[[Any], Distribution]

    @property
    def closed(self) -> bool:
        return False

    def predict(self, X: Any) -> Distribution:
        return self.ask(X)


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
    name = type(estimator).__name__

    def predict(X: Any) -> Distribution:
        given = estimator.predict(X, return_std=True)
        if not (isinstance(given, tuple) and len(given) == 2):
            raise InputError(f"{name}.predict(X, return_std=True) must return a mean and a standard deviation per row.")
        mean, deviation = (np.asarray(each, dtype=np.float64) for each in given)
        if mean.ndim != 1 or deviation.shape != mean.shape:
            raise InputError(
                f"{name}.predict(X, return_std=True) must return one mean and one standard deviation per row; got "
                f"shapes {mean.shape} and {deviation.shape}. Fit one model per target."
            )
        variance = deviation**2 + more_variance
        if not (variance > 0.0).all():
            raise InputError(
                f"{name}.predict(X, return_std=True) gives a standard deviation of {deviation.min():g} at row "
                f"{int(variance.argmin())}: R-sens compares distributions, and needs some spread. Leave such rows out, "
                "or fit with noise, such as a WhiteKernel."
            )
        return Normal(mean, variance)

    words.setdefault("noise", "not known: the standard deviation of predict is taken as given")
    return Asked(predict, family="Normal", **words)


def as_fitted(estimator: Any, X: Any) -> Any:
    """The rows X in the type that the estimator was fitted to, or an `InputError` if the columns are others."""
    check_columns(estimator, X)
    names = _names_of(estimator)
    if not names:  # fitted to an array: scikit-learn warns about names, and looks at positions only
        return X.to_numpy() if is_frame(X) and n_columns_of(estimator) is not None else X
    if is_frame(X):
        return X
    import pandas as pd

    return pd.DataFrame(X, columns=names)


def check_columns(estimator: Any, X: Any) -> None:
    """An `InputError` if the columns of a data frame or array are not the columns that the estimator was fitted to."""
    whose = f"that {type(estimator).__name__} was fitted to"
    _adapter.check_columns(X, whose, n_columns_of(estimator), _names_of(estimator))


def _names_of(estimator: Any) -> list[Any]:
    names = getattr(estimator, "feature_names_in_", None)
    return [] if names is None else list(names)


def n_columns_of(estimator: Any) -> int | None:
    """How many columns the estimator was fitted to; None if it does not say."""
    try:
        return int(estimator.n_features if is_a(estimator, "ngboost.NGBoost") else estimator.n_features_in_)
    except (AttributeError, TypeError):
        return None
