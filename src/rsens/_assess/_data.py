"""The rows that are split into folds, and the folds themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._coding import Coding
from rsens._errors import InputError
from rsens._refits import Splits, folds, given_splits, sliceable
from rsens._table import is_frame, is_pandas
from rsens.models import PredictiveClassifier, PredictiveRegressor


def read_inputs(estimator: Any, X: Any) -> Any:
    """The rows X, of a type that rows can be taken from.

    For an estimator of ours they are checked, and its categorical columns know the levels of all rows: a training fold
    may lack some of them. Other estimators get the rows as they are.
    """
    if not isinstance(estimator, PredictiveRegressor | PredictiveClassifier):
        return sliceable(X)
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


def read_splits(cv: Any, X: Any, y: NDArray[Any], stratify: bool, seed: np.random.SeedSequence) -> Splits:
    """The folds; those that are given hold out every row at most once."""
    splits = given_splits(cv, X, y)
    if splits is None:
        return folds(int(cv), y, stratify, np.random.default_rng(seed))
    times = np.bincount(np.concatenate([test for _, test in splits]), minlength=len(y))
    if times.max() > 1:
        raise InputError(
            f"cv holds row {int(times.argmax())} out {int(times.max())} times. Use folds that hold out every row at "
            "most once, without repetitions."
        )
    return splits
