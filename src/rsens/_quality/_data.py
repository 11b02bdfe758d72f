"""The rows and targets that are split into folds, and the folds themselves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._coding import Coding
from rsens._errors import InputError
from rsens._table import as_array, is_frame, is_pandas
from rsens.models._estimator import PredictiveClassifier, PredictiveRegressor

Indices = NDArray[np.intp]
Splits = list[tuple[Indices, Indices]]


def read_inputs(estimator: Any, X: Any) -> Any:
    """The rows X, of a type that rows can be taken from.

    For an estimator of ours they are checked, and its categorical columns know the levels of all rows: a training fold
    may lack some of them. Other estimators get the rows as they are.
    """
    if not isinstance(estimator, PredictiveRegressor | PredictiveClassifier):
        return X if is_frame(X) else _array(X)
    coding = Coding.of(X, estimator.categorical, keep_unused=True)
    table = coding.read(X)
    if not coding:
        return table.source
    columns = {}
    for d, name in enumerate(table.source.columns if is_frame(table.source) else table.names):
        values = table.values[:, d]
        if d in coding.categorical:
            columns[name] = pd.Categorical.from_codes(values.astype(np.intp), categories=list(coding[d].labels))  # type: ignore[call-overload]
        else:
            columns[name] = values
    index = table.source.index if is_pandas(table.source) else None
    return pd.DataFrame(columns, index=index)


def taken(rows: Any, which: NDArray[Any]) -> Any:
    """Some rows, by position."""
    return rows.iloc[which] if is_pandas(rows) else rows[which]


def read_targets(y: Any, n: int) -> NDArray[Any]:
    """One number or label per row, none of them missing."""
    if not hasattr(y, "__len__") or isinstance(y, str) or len(y) != n:
        got = len(y) if hasattr(y, "__len__") and not isinstance(y, str) else type(y).__name__
        raise InputError(f"y must have one entry for each of the {n} rows of X; got {got}.")
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:  # a data frame of one column
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(f"y must have one number or label per row; got shape {values.shape}.")
    missing = np.asarray(pd.isna(values)) | (np.isinf(values) if values.dtype.kind == "f" else False)
    if missing.any():
        raise InputError(
            f"y has {int(missing.sum())} missing or infinite values, the first at row {int(missing.argmax())}. "
            "Drop these rows."
        )
    return values


def read_splits(cv: Any, X: Any, y: NDArray[Any], stratify: bool, seed: np.random.SeedSequence) -> Splits:
    """The folds, as positions of (training rows, held-out rows)."""
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        return _shuffled(int(cv), y, stratify, seed)
    if callable(getattr(cv, "split", None)) and not isinstance(cv, str):
        pairs = list(cv.split(X, y))
    elif isinstance(cv, Iterable) and not isinstance(cv, str | bytes):
        pairs = list(cv)
    else:
        raise InputError(
            f"cv must be a number of folds, a splitter of scikit-learn, or a list of (train, test); got {cv!r}."
        )
    if not pairs:
        raise InputError("cv gives no folds; at least one is needed.")
    splits = [_checked(pair, len(y), number) for number, pair in enumerate(pairs, start=1)]
    times = np.bincount(np.concatenate([test for _, test in splits]), minlength=len(y))
    if times.max() > 1:
        raise InputError(
            f"cv holds row {int(times.argmax())} out {int(times.max())} times. Use folds that hold out every row at "
            "most once, without repetitions."
        )
    return splits


def _shuffled(folds: int, y: NDArray[Any], stratify: bool, seed: np.random.SeedSequence) -> Splits:
    """Rows dealt out at random; within every class in turn, so that the folds have the same share of it."""
    n = len(y)
    if not 2 <= folds <= n:
        raise InputError(f"cv must be a number of folds from 2 to the {n} rows of X; got {folds}.")
    order = np.random.default_rng(seed).permutation(n)
    if stratify:
        classes = pd.factorize(y)[0]
        order = order[np.argsort(classes[order], kind="stable")]
    fold = np.empty(n, dtype=np.intp)
    fold[order] = np.arange(n) % folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds)]


def _checked(pair: Any, n: int, number: int) -> tuple[Indices, Indices]:
    try:
        train, test = (np.asarray(part) for part in pair)
    except (TypeError, ValueError):
        raise InputError(f"cv: fold {number} must be a pair (train, test) of row positions; got {pair!r}.") from None
    parts = []
    for name, part in (("training", train), ("held-out", test)):
        if part.dtype == bool and part.shape == (n,):
            part = np.flatnonzero(part)
        if part.ndim != 1 or part.dtype.kind not in "iu" or not len(part) or part.min() < 0 or part.max() >= n:
            raise InputError(f"cv: fold {number} needs {name} rows, positions from 0 to {n - 1}; got {part!r}.")
        parts.append(part.astype(np.intp))
    both = np.intersect1d(parts[0], parts[1])
    if len(both):
        raise InputError(f"cv: fold {number} both trains on row {both[0]} and holds it out. Do one of the two.")
    return parts[0], parts[1]


def _array(X: Any) -> NDArray[Any]:
    """A 2-D array; lists that mix text and numbers keep both."""
    array = as_array(X, "X")
    return array if array.dtype.kind in "biuf" or hasattr(X, "dtype") else as_array(X, "X", labels=True)
