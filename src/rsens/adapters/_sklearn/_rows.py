"""Rows as an estimator was fitted to them: a data frame with the same names, or an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._table import is_frame
from rsens._text import first_few


def as_fitted(estimator: Any, X: Any) -> Any:
    """The rows X in the type that the estimator was fitted to, or an `InputError` if the columns are others."""
    fitted = n_columns_of(estimator)
    got = len(X.columns) if is_frame(X) else np.shape(X)[1]
    if fitted is not None and got != fitted:
        raise InputError(
            Argument("X"), f" must have the {fitted} columns that {type(estimator).__name__} was fitted to; got {got}."
        )
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:  # fitted to an array: scikit-learn warns about names, and looks at positions only
        return X.to_numpy() if is_frame(X) and fitted is not None else X
    if not is_frame(X):
        import pandas as pd

        return pd.DataFrame(X, columns=names)
    if list(X.columns) != list(names):
        raise InputError(
            Argument("X"),
            f" must have the columns that {type(estimator).__name__} was fitted to, in their order: "
            f"{first_few([repr(name) for name in names])}; got {first_few([repr(name) for name in X.columns])}.",
        )
    return X


def n_columns_of(estimator: Any) -> int | None:
    """How many columns the estimator was fitted to; None if it does not say."""
    try:
        return int(estimator.n_features_in_)
    except (AttributeError, TypeError):
        return None
