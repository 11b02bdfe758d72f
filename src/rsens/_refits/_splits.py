"""Rows that models are fitted to, and rows that are held out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._errors import Argument, InputError
from rsens._typing import Positions

#: Positions of (training rows, held-out rows).
Splits = list[tuple[Positions, Positions]]
CV = Argument("cv")


def given_splits(cv: Any, X: Any, y: NDArray[Any], clusters: Positions | None = None) -> Splits | None:
    """The splits that `cv` gives, a splitter of scikit-learn or a list; None where it is a number of folds.

    With `clusters`, the cluster of each row, a splitter is told about them (as its groups), and a split that has rows
    of one cluster on both sides is an `InputError`.
    """
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        return None
    if callable(getattr(cv, "split", None)) and not isinstance(cv, str):
        pairs = _from_splitter(cv, X, y, clusters)
    elif isinstance(cv, Iterable) and not isinstance(cv, str | bytes):
        pairs = list(cv)
    else:
        raise InputError(
            CV, f" must be a number of folds, a splitter of scikit-learn, or a list of (train, test); got {cv!r}."
        )
    if not pairs:
        raise InputError(CV, " gives no folds; at least one is needed.")
    splits = [_read_split(pair, len(y), number) for number, pair in enumerate(pairs, start=1)]
    if clusters is not None:
        _check_whole_clusters(splits, clusters)
    return splits


def folds(
    count: int,
    y: NDArray[Any],
    stratify: bool,
    rng: np.random.Generator,
    clusters: Positions | None = None,
    rows: Positions | None = None,
) -> Splits:
    """Random folds. With `stratify` the rows are dealt out class by class, so that all folds have the same shares.

    With `clusters`, the cluster of each row, whole clusters are dealt out, the largest first: each goes to the fold
    that has the fewest rows so far. They are not stratified.
    `rows` are the rows in an order of their own, and clusters are numbered in such an order (`OwnOrder`): then the
    folds do not depend on how the rows come.
    """
    n = len(y)
    if clusters is not None:
        return _folds_of_clusters(count, clusters, rng)
    if not 2 <= count <= n:
        raise InputError(CV, f" must be a number of folds from 2 to the {n} rows of X; got {count}.")
    rows = np.arange(n) if rows is None else rows
    dealt = rng.permutation(n)
    if stratify:
        classes = pd.factorize(y[rows])[0]
        dealt = dealt[np.argsort(classes[dealt], kind="stable")]
    fold = np.empty(n, dtype=np.intp)
    fold[rows[dealt]] = np.arange(n) % count
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(count)]


def _folds_of_clusters(count: int, clusters: Positions, rng: np.random.Generator) -> Splits:
    sizes = np.bincount(clusters)
    if not 2 <= count <= len(sizes):
        raise InputError(CV, f" must be a number of folds from 2 to the {len(sizes)} clusters; got {count}.")
    order = rng.permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    rows, fold_of = np.zeros(count, dtype=np.intp), np.empty(len(sizes), dtype=np.intp)
    for cluster in order:
        fold_of[cluster] = rows.argmin()
        rows[fold_of[cluster]] += sizes[cluster]
    fold = fold_of[clusters]
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(count)]


def _from_splitter(splitter: Any, X: Any, y: NDArray[Any], clusters: Positions | None) -> list[Any]:
    with warnings.catch_warnings():
        # KFold and the like warn that they take no notice of groups. If they divide a cluster, that is our error.
        warnings.filterwarnings("ignore", "The groups parameter is ignored")
        try:
            return list(splitter.split(X, y) if clusters is None else splitter.split(X, y, clusters))
        except ValueError as error:
            without = " It may need clusters." if clusters is None else ""
            raise InputError(CV, f": {type(splitter).__name__} cannot split these rows ({error}).{without}") from error


def _check_whole_clusters(splits: Splits, clusters: Positions) -> None:
    for number, (train, test) in enumerate(splits, start=1):
        divided = np.isin(clusters[test], clusters[train])
        if divided.any():
            raise InputError(
                CV,
                f": fold {number} holds row {test[divided.argmax()]} out and trains on other rows of its cluster. Give "
                "a number of folds, or folds of whole clusters, like those of GroupKFold.",
            )


def _read_split(pair: Any, n: int, number: int) -> tuple[Positions, Positions]:
    try:
        train, test = (np.asarray(part) for part in pair)
    except (TypeError, ValueError):
        raise InputError(
            CV, f": fold {number} must be a pair (train, test) of row positions; got {pair!r:.80}."
        ) from None
    parts = []
    for name, part in (("training", train), ("held-out", test)):
        if part.dtype == bool and part.shape == (n,):
            part = np.flatnonzero(part)
        if part.ndim != 1 or part.dtype.kind not in "iu" or not len(part) or part.min() < 0 or part.max() >= n:
            raise InputError(CV, f": fold {number} needs {name} rows, positions from 0 to {n - 1}; got {part!r:.80}.")
        parts.append(part.astype(np.intp))
    both = np.intersect1d(parts[0], parts[1])
    if len(both):
        raise InputError(CV, f": fold {number} both trains on row {both[0]} and holds it out. Do one of the two.")
    return parts[0], parts[1]
