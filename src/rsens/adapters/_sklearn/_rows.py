"""Rows as an estimator was fitted to them: a data frame with the same names, or an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._table import is_frame
from rsens._text import quoted


def as_fitted(estimator: Any, X: Any) -> Any:
    """The rows X in the type that the estimator was fitted to, or an `InputError` if the columns are others."""
    check_columns(estimator, X)
    names = _names_of(estimator)
    if names is None:  # fitted to an array: scikit-learn warns about names, and looks at positions only
        return X.to_numpy() if is_frame(X) and n_columns_of(estimator) is not None else X
    if is_frame(X):
        return X
    import pandas as pd

    return pd.DataFrame(X, columns=names)


def check_columns(estimator: Any, X: Any) -> None:
    """An `InputError` if the columns of a data frame or array are not the columns that the estimator was fitted to."""
    fitted, names, label = n_columns_of(estimator), _names_of(estimator), type(estimator).__name__
    given = list(X.columns) if is_frame(X) else None
    got = np.shape(X)[1] if given is None else len(given)
    if fitted is not None and got != fitted:
        wrong = "" if names is None or given is None else _difference(names, given)
        raise InputError(
            Argument("X"), f" must have the {fitted} columns that {label} was fitted to; got {got}{wrong}."
        )
    if names is not None and given is not None and given != names:
        raise InputError(
            Argument("X"),
            f" must have the columns that {label} was fitted to, in their order: {quoted(names)}; got {quoted(given)}.",
        )


def _difference(names: list[Any], given: list[Any]) -> str:
    missing, more = [name for name in names if name not in given], [name for name in given if name not in names]
    return (f", without {quoted(missing)}" if missing else "") + (f", with {quoted(more)}" if more else "")


def _names_of(estimator: Any) -> list[Any] | None:
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else list(names)


def n_columns_of(estimator: Any) -> int | None:
    """How many columns the estimator was fitted to; None if it does not say."""
    try:
        return int(estimator.n_features_in_)
    except (AttributeError, TypeError):
        return None
