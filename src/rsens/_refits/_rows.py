"""Rows, targets and clusters that parts can be taken from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._table import Table, as_array, as_pandas, is_frame, is_pandas
from rsens._typing import Positions


def as_rows(X: Any) -> Any:
    """X as something that rows can be taken from: itself, or an array made of lists."""
    X = as_pandas(X)
    if is_frame(X):
        if len(X) == 0 or len(X.columns) == 0:
            raise InputError(f"X has no {'columns' if len(X) else 'rows'}; give at least one.")
        return X
    if hasattr(X, "dtype"):
        as_array(X, "X")
        return X
    numbers = as_array(X, "X")
    return numbers if numbers.dtype.kind in "biuf" else as_array(X, "X", labels=True)


def take_rows(values: Any, rows: NDArray[Any]) -> Any:
    """Some rows, in the type that was given. They are labelled 0, 1, …: a repeated label would be ambiguous."""
    return values.iloc[rows].reset_index(drop=True) if is_pandas(values) else values[rows]


def check_one_per_row(y: Any, n: int) -> None:
    """An `InputError` unless y has n entries."""
    sized = hasattr(y, "__len__") and not isinstance(y, str)
    if not sized or len(y) != n:
        got = len(y) if sized else type(y).__name__
        raise InputError(Argument("y"), f" must have one entry for each of the {n} rows of X; got {got}.")


def read_clusters(clusters: Any, n: int) -> Positions | None:
    """The cluster of each row, numbered from 0; None where no clusters are given. Labels may be of any type."""
    if clusters is None:
        return None
    clusters, wrong = as_pandas(clusters, "clusters"), partial(InputError, Argument("clusters"))
    sized = hasattr(clusters, "__len__") and not isinstance(clusters, str | bytes | dict)
    if not sized or len(clusters) != n:
        got = len(clusters) if sized else repr(clusters)[:40]
        raise wrong(f" must have one label for each of the {n} rows of X; got {got}.")
    labels = pd.Series(list(np.asarray(clusters, dtype=object)))
    if missing := int(labels.isna().sum()):
        raise wrong(f" has no label for {missing} of {n} rows. Drop these rows, or give them labels.")
    try:
        codes, found = pd.factorize(labels)
    except TypeError:  # lists or dicts
        raise wrong(f": labels must be text, numbers or dates; got {type(labels.iloc[0]).__name__}.") from None
    if len(found) < 2:
        raise wrong(f" puts all {n} rows into one cluster; at least two clusters are needed.")
    return np.asarray(codes, dtype=np.intp)


def one_target(y: Any) -> Any:
    """The column of targets that are given as a table of one column; any others unchanged."""
    y = as_pandas(y, "y")
    if is_frame(y):
        return y.iloc[:, 0] if len(y.columns) == 1 else y
    if isinstance(y, list | tuple) and y and all(isinstance(row, list | tuple) and len(row) == 1 for row in y):
        return np.array([row[0] for row in y])
    return y[:, 0] if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1 else y


def read_targets(y: Any, n: int, *, several: bool = False) -> NDArray[Any]:
    """One number or label per row, or with `several` also more than one; none of them missing."""
    y = one_target(y)
    check_one_per_row(y, n)
    values = np.asarray(y)
    if values.ndim != 1 and not several:
        raise InputError(Argument("y"), f" must have one number or label per row; got shape {values.shape}.")
    missing = np.asarray(pd.isna(values)) | (np.isinf(values) if values.dtype.kind == "f" else False)
    if missing.any():
        row = int(missing.reshape(n, -1).any(axis=1).argmax())
        raise InputError(
            Argument("y"),
            f" has {int(missing.sum())} missing or infinite values, the first at row {row}. Drop these rows.",
        )
    if values.dtype == object and all(isinstance(value, Real) and not isinstance(value, bool) for value in values.flat):
        return np.array(values.tolist())  # numbers are numbers, however they are stored
    return values


def are_labels(y: NDArray[Any]) -> bool:
    """Whether targets are text, categories or truth values rather than numbers."""
    if y.dtype != object:
        return y.dtype.kind not in "iufc"
    return any(isinstance(value, str | bool | np.bool_) for value in y.flat)


def read_for_estimator(estimator: Any, X: Any) -> tuple[Coding, Table] | None:
    """The categorical columns of X with all their levels, and its rows; None for others, which take no levels."""
    from rsens.models import PredictiveClassifier, PredictiveRegressor

    if not isinstance(estimator, PredictiveRegressor | PredictiveClassifier):
        return None
    X = as_pandas(X)
    coding = Coding.of(X, estimator.categorical, keep_unused=True)
    return coding, coding.read(X)


def with_levels(estimator: Any, coding: Coding, *, only_given: bool = False) -> Any:
    """A copy of an estimator of rsens that knows the categorical columns and all (or `only_given`) levels of them."""
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
    """The rows X, in a type that parts can be taken from; for an estimator of rsens, with the levels of all rows."""
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
