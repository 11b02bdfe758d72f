"""Estimators that can be fitted to further columns, each made like one that they know.

The null level refits a model with probes beside the real columns. A ColumnTransformer names its columns, and would drop
the others; a kernel with one length-scale per column would refuse them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._table import is_frame
from rsens.adapters._adapter import is_a
from rsens.adapters._sklearn._steps import is_identity, positions_of

GAUSSIAN_PROCESSES = ("sklearn.GaussianProcessRegressor", "sklearn.GaussianProcessClassifier")


def widened(estimator: Any, X: Any, y: Any, origin: Sequence[int]) -> Any:
    """A copy of the estimator for the rows X, whose column k is made like column `origin[k]` of the rows it knows.

    Only what names columns or counts them changes; other estimators stay as they are.
    """
    if not is_a(estimator, "sklearn.BaseEstimator"):
        return estimator
    from sklearn.base import clone

    copy = clone(estimator)
    head, last = _head(copy), _last(copy)
    if not (is_a(head, "sklearn.ColumnTransformer") or is_a(last, *GAUSSIAN_PROCESSES)):
        return estimator
    if is_a(head, "sklearn.ColumnTransformer"):
        _widen_columns(head, X, origin)
    if is_a(last, *GAUSSIAN_PROCESSES) and last.kernel is not None:
        _widen_kernel(copy, last, X, y, origin)
    return copy


def _inside(estimator: Any) -> Any:
    """The estimator that a search or a TransformedTargetRegressor fits."""
    if is_a(estimator, "sklearn.BaseSearchCV"):
        return _inside(estimator.estimator)
    if is_a(estimator, "sklearn.TransformedTargetRegressor"):
        return _inside(estimator.regressor)
    return estimator


def _head(estimator: Any) -> Any:
    """What sees the columns first."""
    estimator = _inside(estimator)
    if not is_a(estimator, "sklearn.Pipeline"):
        return estimator
    return _head(next(step for _, step in estimator.steps if not is_identity(step)))


def _last(estimator: Any) -> Any:
    estimator = _inside(estimator)
    return _last(estimator.steps[-1][1]) if is_a(estimator, "sklearn.Pipeline") else estimator


# ---- columns ---------------------------------------------------------------------------------------------------------


def _widen_columns(head: Any, X: Any, origin: Sequence[int]) -> None:
    """Every part of a ColumnTransformer also takes the columns that are made like its own."""
    names = list(X.columns) if is_frame(X) else None
    known = max(origin) + 1
    parts = []
    for name, part, columns in head.transformers:
        if callable(columns) or isinstance(columns, str):  # chosen by type; or one column of text, not a table
            parts.append((name, part, columns))
            continue
        old = positions_of(columns, names, known)
        new = [k for k in range(known, len(origin)) if origin[k] in old]
        if not isinstance(part, str):
            _widen_categories(part, len(old), [old.index(origin[k]) for k in new])
        wide = [*old, *new]
        parts.append((name, part, wide if names is None else [names[k] for k in wide]))
    head.transformers = parts


def _widen_categories(part: Any, columns: int, like: list[int]) -> None:
    """Levels that were given per column, for the further columns too."""
    for name, given in part.get_params(deep=True).items():
        if name.split("__")[-1] == "categories" and isinstance(given, list) and len(given) == columns:
            part.set_params(**{name: [*given, *(given[k] for k in like)]})


# ---- length-scales ---------------------------------------------------------------------------------------------------


def _widen_kernel(estimator: Any, gp: Any, X: Any, y: Any, origin: Sequence[int]) -> None:
    """One length-scale for every further column of the inputs of a Gaussian process."""
    scales = {
        name: np.asarray(value, dtype=np.float64)
        for name, value in gp.kernel.get_params(deep=True).items()
        if name.split("__")[-1] == "length_scale" and np.size(value) > 1
    }
    if not scales:
        return
    inputs = _width_of_inputs(estimator, X, y)
    changes: dict[str, Any] = {}
    for name, old in scales.items():
        bounds = gp.kernel.get_params()[f"{name}_bounds"]
        direct = estimator is gp or (len(old) == max(origin) + 1 and inputs == len(origin))
        if direct and not is_a(_head(estimator), "sklearn.ColumnTransformer"):
            changes[name] = old[list(origin)]
        elif (old == old[0]).all() or (gp.optimizer is not None and not isinstance(bounds, str)):
            changes[name] = np.full(inputs, np.exp(np.log(old).mean()))  # where the search starts
        else:
            raise InputError(
                f"the kernel of {type(gp).__name__} has fixed length-scales, one per column behind the pipeline, and "
                "further columns have none"
            )
        if np.ndim(bounds) == 2 and len(bounds) == len(old):
            changes[f"{name}_bounds"] = np.repeat([[np.min(bounds), np.max(bounds)]], len(changes[name]), axis=0)
    gp.kernel = gp.kernel.set_params(**changes)


def _width_of_inputs(estimator: Any, X: Any, y: Any) -> int:
    """How many columns the last step of a pipeline gets: as many as the others make of X."""
    from sklearn.base import clone

    pipeline = _inside(estimator)
    if not is_a(pipeline, "sklearn.Pipeline"):
        return int(X.shape[1])
    Z = clone(pipeline[:-1]).fit(X, y).transform(X) if len(pipeline.steps) > 1 else X
    return _width_of_inputs(pipeline.steps[-1][1], Z, y)
