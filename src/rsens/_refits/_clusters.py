"""Clusters, rows that belong together; and a warning where rows come in tight clusters and none were given."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rsens._contents import own_order
from rsens._errors import Argument, InputError, RsensWarning, Sentence, warn
from rsens._table import as_pandas
from rsens._typing import Array, Positions

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
