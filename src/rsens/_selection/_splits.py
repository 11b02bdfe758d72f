"""Rows that models are fitted to, and rows that are held out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._arguments import child, whole_number
from rsens._errors import InputError
from rsens._table import is_pandas

Rows = NDArray[np.intp]
Splits = list[tuple[Rows, Rows]]


def splits(cv: Any, repeats: Any, X: Any, y: NDArray[Any], classes: bool, seed: np.random.SeedSequence) -> Splits:
    """Positions of (training rows, held-out rows), one pair per split."""
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        found = _folds(int(cv), whole_number(repeats, "repeats", 1), y, classes, seed)
    elif callable(getattr(cv, "split", None)) and not isinstance(cv, str):
        found = [_checked(pair, len(y)) for pair in cv.split(X, y)]
    elif isinstance(cv, Iterable) and not isinstance(cv, str | bytes):
        found = [_checked(pair, len(y)) for pair in cv]
    else:
        raise InputError(
            f"cv must be a number of folds, a splitter of scikit-learn, or a list of (train, test); got {cv!r}."
        )
    if not found:
        raise InputError("cv gives no splits; at least one is needed.")
    if classes:
        _check_classes(found, y)
    return found


def _folds(n_folds: int, repeats: int, y: NDArray[Any], classes: bool, seed: np.random.SeedSequence) -> Splits:
    """Folds of equal size, drawn anew in every repetition; with equal shares of the classes where there are any."""
    n = len(y)
    if not 2 <= n_folds <= n:
        raise InputError(f"cv must be a number of folds from 2 to the {n} rows of X; got {n_folds}.")
    codes = np.unique(y, return_inverse=True)[1] if classes else np.zeros(n, dtype=np.intp)
    found: Splits = []
    for repeat in range(repeats):
        order = np.random.default_rng(child(seed, repeat)).permutation(n)
        order = order[np.argsort(codes[order], kind="stable")]  # class by class, at random within each
        fold = np.empty(n, dtype=np.intp)
        fold[order] = np.arange(n) % n_folds
        found += [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]
    return found


def _checked(pair: Any, n: int) -> tuple[Rows, Rows]:
    parts = []
    try:
        train, test = pair
    except (TypeError, ValueError):
        raise InputError(f"cv must give pairs (train, test) of row positions; got {pair!r:.80}.") from None
    for name, rows in (("training", np.asarray(train)), ("held-out", np.asarray(test))):
        if rows.dtype == bool and rows.shape == (n,):
            rows = np.flatnonzero(rows)
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or not len(rows) or rows.min() < 0 or rows.max() >= n:
            raise InputError(f"cv: {name} rows must be positions from 0 to {n - 1}, one at least; got {rows!r:.80}.")
        parts.append(rows.astype(np.intp))
    both = np.intersect1d(parts[0], parts[1])
    if len(both):
        raise InputError(f"cv: row {both[0]} is both trained on and held out. A score there would say nothing.")
    return parts[0], parts[1]


def _check_classes(found: Splits, y: NDArray[Any]) -> None:
    """Every training set needs every class: a model gives no probability to others."""
    classes = np.unique(y)
    for train, _ in found:
        missing = np.setdiff1d(classes, y[train])
        if len(missing):
            raise InputError(
                f"cv: the class {missing.tolist()[0]!r} is rare, and missing in the training rows of a split. Leave it "
                "out, merge it with another, or give splits that hold some of its rows for training."
            )


def taken(values: Any, rows: Rows) -> Any:
    """Some rows, in the type that was given."""
    return values.iloc[rows].reset_index(drop=True) if is_pandas(values) else values[rows]
