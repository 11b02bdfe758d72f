"""Categorical columns of parts of the rows: a part may lack levels, and must still count the same ones.

Only estimators of rsens can be told their levels. Others get the rows as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rsens._coding import Coding
from rsens._frames import as_pandas
from rsens._refits._rows import as_rows
from rsens._table import Table, is_frame, is_pandas


def read_for_estimator(estimator: Any, X: Any) -> tuple[Coding, Table] | None:
    """The categorical columns of X with all their levels, and its rows; None unless the estimator is one of rsens.

    X is checked here, so that an error names a row of X and not of a part.
    """
    from rsens.models import PredictiveClassifier, PredictiveRegressor

    if not isinstance(estimator, PredictiveRegressor | PredictiveClassifier):
        return None
    X = as_pandas(X)
    coding = Coding.of(X, estimator.categorical, keep_unused=True)
    return coding, coding.read(X)


def with_levels(estimator: Any, coding: Coding, *, only_given: bool = False) -> Any:
    """A copy of an estimator of rsens that knows which columns are categorical, even if a part alone does not tell.

    It also knows all their levels; with `only_given`, just the levels that the user gave.
    """
    from sklearn.base import clone

    if not coding:
        return clone(estimator)
    given = estimator.categorical if isinstance(estimator.categorical, Mapping) else {}
    levels: dict[int, list[Any] | None] = {}
    for column in coding.columns:
        keys = (column.name, column.position, column.position - len(coding.names))
        known = not only_given or any(given.get(key) is not None for key in keys)
        levels[column.position] = list(column.labels) if known else None
    return clone(estimator).set_params(categorical=levels)


def rows_with_levels(estimator: Any, X: Any) -> Any:
    """The rows X, in a type that parts can be taken from; for an estimator of rsens, with the levels of all rows.

    Here the columns know the levels, and not the estimator: it may still refuse levels that a part lacks.
    """
    found = read_for_estimator(estimator, X)
    if found is None:
        return as_rows(X)
    coding, table = found
    if not coding:
        return table.source
    columns = {}
    for d, name in enumerate(table.source.columns if is_frame(table.source) else table.names):
        values = table.values[:, d]
        if d in coding.categorical:
            columns[name] = pd.Categorical.from_codes(values.astype(np.intp), categories=list(coding[d].labels))  # type: ignore[call-overload]
        else:
            columns[name] = values
    return pd.DataFrame(columns, index=table.source.index if is_pandas(table.source) else None)
