"""A warning where rows come in tight clusters and no `clusters` were given: checks and marks then promise too much."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from rsens._contents import own_order
from rsens._errors import Argument, Sentence, warn
from rsens._table import is_frame
from rsens._typing import Array, Positions

#: The most rows that are looked at, the first ones: rows of a cluster often follow one another, and a random part of
#: all rows would tear clusters apart. Neighbours are counted around this many of them.
MOST_ROWS, MOST_LOOKED_AT = 5_000, 200
#: The fewest rows that can show clusters. The most neighbours that are counted; clusters have at most half as many.
LEAST_ROWS, MOST_NEIGHBOURS = 20, 100
#: How much faster distances grow at the edge of clusters than further out. None of 8,000 tables without clusters reach
#: it, with 40 to 2,000 rows of 2 to 20 columns: independent, correlated, heavy tails, whole numbers, curves, walks.
TIMES = 4.0
#: Columns with fewer different values than this, times √rows, are more like categories (the hour, a school mark).
FEW_VALUES = 1.5
MOST_SETS = 25


def tight_clusters(X: Any, categorical: Collection[int] = (), argument: str = "clusters") -> Sentence | None:
    """A warning if rows lie in small clusters with space around them; None if that cannot be seen.

    With d_k the distance to the k-th neighbour of a point of a Poisson process in q dimensions, (d_k/d_{k+1})^q is
    Beta(k, 1), so k log(d_{k+1}/d_k) has the mean 1/q ≤ 1; in clusters of m rows the step from d_{m−1} to d_m is large.
    Ranks keep heavy tails and rounded numbers from looking like clusters; some columns hide them, so sets are tried.
    """
    numbers = X.select_dtypes(["number"]).to_numpy(np.float64, na_value=np.nan) if is_frame(X) else np.asarray(X)
    if numbers.ndim != 2 or numbers.dtype.kind not in "iuf":
        return None
    values = numbers[:MOST_ROWS].astype(np.float64)
    values = values[own_order(values).rows]  # the random numbers below go with rows, not with places
    n, D = values.shape
    n_values = [len(np.unique(column)) for column in values.T]
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
            return Sentence(
                f"Rows come in tight clusters of about {k + 2}, as if measured on the same person, batch or place. "
                "Rows that belong together make held-out checks, marks and intervals look better than they are. Name "
                "them with ",
                Argument(argument),
                ".",
            )
    return None


def warn_of_tight_clusters(X: Any, categorical: Collection[int] = ()) -> None:
    """Warn if rows come in tight clusters: for calls that refit and were given no `clusters`."""
    if (found := tight_clusters(X, categorical)) is not None:
        warn(found)


def _sets_of_columns(numeric: list[int], n_values: list[int], n: int) -> Iterator[list[int]]:
    """All; those with repeated values, from the two with most values on; and all but one. Not too many of them."""
    repeated = sorted((d for d in numeric if 2 * n_values[d] <= n), key=lambda d: -n_values[d])
    sets = [numeric, *(repeated[:k] for k in range(2, len(repeated) + 1))]
    if len(numeric) > 2:
        sets += [[other for other in numeric if other != d] for d in numeric]
    yield from sets[:MOST_SETS]


def _steps(points: Array, looked_at: Positions) -> Array:
    """The mean over rows of k log(d_{k+1}/d_k), for k = 1, 2, …"""
    most = min(MOST_NEIGHBOURS, len(points) // 4)
    squares = sum((column[looked_at, None] - column) ** 2 for column in points.T)
    nearest = np.sort(np.partition(squares, most + 1, axis=1)[:, : most + 2], axis=1)[:, 1:]  # without the row itself
    logs = 0.5 * np.log(np.maximum(nearest, np.finfo(float).tiny))
    return np.asarray(np.diff(logs, axis=1).mean(axis=0) * np.arange(1, most + 1))
