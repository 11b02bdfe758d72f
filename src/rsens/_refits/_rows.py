"""Rows, targets and clusters that parts can be taken from; and a warning where rows come in tight clusters."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._coding import Coding
from rsens._contents import own_order
from rsens._errors import Argument, InputError, RsensWarning, Sentence, warn
from rsens._table import Table, as_array, as_pandas, is_frame, is_pandas
from rsens._typing import Array, Positions


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


def numbers_of(X: Any) -> Array:
    """The columns of X that are numbers, as an array; in a table whose types differ, its number columns."""
    if is_frame(X):
        X = X.select_dtypes(["number"]).to_numpy(dtype=np.float64, na_value=np.nan)
    values = np.asarray(X)
    return values.astype(np.float64) if values.ndim == 2 and values.dtype.kind in "iuf" else np.empty((len(values), 0))


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


CLUSTERS = Argument("clusters")


def read_clusters(clusters: Any, n: int) -> Positions | None:
    """The cluster of each row, numbered from 0; None where no clusters are given. Labels may be of any type."""
    if clusters is None:
        return None
    clusters = as_pandas(clusters, "clusters")
    if isinstance(clusters, str | bytes | dict) or not hasattr(clusters, "__len__") or len(clusters) != n:
        sized = hasattr(clusters, "__len__") and not isinstance(clusters, str | bytes)
        got = len(clusters) if sized else repr(clusters)[:40]
        raise InputError(CLUSTERS, f" must have one label for each of the {n} rows of X; got {got}.")
    labels = pd.Series(list(np.asarray(clusters, dtype=object)))
    missing = int(labels.isna().sum())
    if missing:
        raise InputError(CLUSTERS, f" has no label for {missing} of {n} rows. Drop these rows, or give them labels.")
    try:
        codes, found = pd.factorize(labels)
    except TypeError:  # lists or dicts
        raise InputError(
            CLUSTERS, f": labels must be text, numbers or dates; got {type(labels.iloc[0]).__name__}."
        ) from None
    if len(found) < 2:
        raise InputError(CLUSTERS, f" puts all {n} rows into one cluster; at least two clusters are needed.")
    return np.asarray(codes, dtype=np.intp)


#: The most rows that are looked at, the first ones: rows of a cluster often follow one another, and a random part of
#: all rows would tear clusters apart. Neighbours are counted around this many of them.
MOST_ROWS, MOST_LOOKED_AT = 5_000, 200
#: With fewer rows there is nothing to tell. The most neighbours that are counted; clusters have at most half as many.
LEAST_ROWS, MOST_NEIGHBOURS = 20, 100
#: How much faster distances grow at the edge of clusters than further out. None of 8,000 tables without clusters reach
#: it, with 40 to 2,000 rows of 2 to 20 columns: independent, correlated, heavy tails, whole numbers, curves, walks.
TIMES = 4.0
#: Columns with fewer different values than this, times √rows, are more like categories (the hour, a school mark).
FEW_VALUES = 1.5
MOST_SETS = 25


class TightClustersWarning(RsensWarning):
    """Rows come in tight clusters, and no `clusters` were given."""


@dataclass(frozen=True)
class TightClusters:
    """size: The rows of a typical cluster. columns: The columns where clusters show."""

    size: int
    columns: tuple[int, ...]


def tight_clusters(values: Array, categorical: Collection[int] = ()) -> TightClusters | None:
    """Whether rows lie in small clusters with space around them; None if that cannot be seen.

    With d_k the distance to the k-th neighbour of a point of a Poisson process in q dimensions, (d_k/d_{k+1})^q is
    Beta(k, 1), so k log(d_{k+1}/d_k) has the mean 1/q ≤ 1; in clusters of m rows the step from d_{m−1} to d_m is large.
    Ranks keep heavy tails and rounded numbers from looking like clusters; some columns hide them, so sets are tried.
    """
    values = values[:MOST_ROWS]
    values = values[own_order(values).rows]  # the random numbers below go with rows, not with places
    n, D = values.shape
    n_values = [len(np.unique(values[:, d])) for d in range(D)]
    numeric = [d for d in range(D) if d not in categorical and n_values[d] > FEW_VALUES * np.sqrt(n)]
    if n < LEAST_ROWS or len(numeric) < 2:
        return None
    rng = np.random.default_rng(0)  # the same rows get the same answer
    ranks = [np.argsort(np.lexsort((rng.random(n), column))) for column in values.T]
    # Ranks as points at random, the same for all columns: equal steps would be a grid, and no Poisson process.
    points = np.sort(rng.random(n))[np.column_stack(ranks)]
    looked_at = rng.permutation(n)[:MOST_LOOKED_AT]
    for columns in _sets_of_columns(numeric, n_values, n):
        steps = _steps(points[:, columns], looked_at)
        near, further_out = np.split(steps, [len(steps) // 2])
        k = int(near.argmax())
        if near[k] > 1.0 + 3.0 / np.sqrt(len(looked_at)) and near[k] > TIMES * np.median(further_out):
            return TightClusters(k + 2, tuple(columns))
    return None


def warn_of_tight_clusters(values: Array, categorical: Collection[int] = ()) -> None:
    """Warn if rows come in tight clusters: for calls that refit and were given no `clusters`."""
    found = tight_clusters(values, categorical)
    if found is not None:
        warn(tight_clusters_text(found, Argument("clusters")), category=TightClustersWarning)


def tight_clusters_text(found: TightClusters, argument: Argument) -> Sentence:
    """A warning: the clusters, their consequences, and the argument to give."""
    return Sentence(
        f"Rows come in tight clusters of about {found.size}, as if measured on the same person, batch or place. Rows "
        "that belong together make held-out checks, marks and intervals look better than they are. Say which ones do "
        "with ",
        argument,
        ".",
    )


def _sets_of_columns(numeric: list[int], n_values: list[int], n: int) -> Iterator[list[int]]:
    """All; those with repeated values, from the two with most values on; and all but one. Not too many of them."""
    repeated = sorted((d for d in numeric if 2 * n_values[d] <= n), key=lambda d: -n_values[d])
    sets = [numeric, *(repeated[:k] for k in range(2, len(repeated) + 1))]
    if len(numeric) > 2:
        sets += [[other for other in numeric if other != d] for d in numeric]
    yield from sets[:MOST_SETS]


def _steps(points: Array, looked_at: Positions) -> Array:
    """The mean over rows of k log(d_{k+1}/d_k), for k = 1, 2, …"""
    n = len(points)
    most = min(MOST_NEIGHBOURS, n // 4)
    squares = np.zeros((len(looked_at), n))
    for column in points.T:
        squares += (column[looked_at, None] - column) ** 2
    nearest = np.sort(np.partition(squares, most + 1, axis=1)[:, : most + 2], axis=1)[:, 1:]  # without the row itself
    logs = 0.5 * np.log(np.maximum(nearest, np.finfo(float).tiny))
    return np.asarray(np.diff(logs, axis=1).mean(axis=0) * np.arange(1, most + 1))
