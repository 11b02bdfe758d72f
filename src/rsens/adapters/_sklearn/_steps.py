"""The steps of a pipeline: z(x) with its derivatives in the columns of x.

Affine steps (scalers, PCA, selections) are found by trying: if base + (X − c)A reproduces what the step makes of all
rows, A is its derivative. That needs no list of classes, and a quadratic step cannot pass for affine, as it would if
differences at two steps were compared. Polynomials and splines have formulas; anything else is differentiated by
itself, with Richardson extrapolation, so the model behind it stays exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rsens._labels import columns_of_labels
from rsens._table import is_frame
from rsens._typing import Array
from rsens.adapters._origin import is_a
from rsens.adapters._sklearn._affine import affine_slopes
from rsens.adapters._sklearn._columns import column_parts, is_identity, width_of
from rsens.adapters._sklearn._features import polynomial_derivatives, spline_derivatives
from rsens.adapters._sklearn._richardson import RoughStepError, step_derivatives
from rsens.derivatives import Inner


def through(steps: Sequence[Any], X: Any, order: int) -> tuple[Any, Inner]:
    """What the steps make of the rows X, one after the other, and its derivatives in the columns of X."""
    inner = _identity(width_of(X))
    for step in steps:
        if is_identity(step):
            continue
        inner = inner.into(derivatives_of(step, X, order))
        X = step.transform(X)
        X = X.toarray() if hasattr(X, "toarray") else X
    return X, inner


def derivatives_of(step: Any, X: Any, order: int) -> Inner:
    """The derivatives of one step in its columns X; 0 in columns of labels, and in all columns of an encoder."""
    if is_identity(step):
        return _identity(width_of(X))
    if is_a(step, "sklearn.Pipeline"):
        return through([inner for _, inner in step.steps], X, order)[1]
    if is_a(step, "sklearn.ColumnTransformer"):
        return _of_column_transformer(step, X, order)
    if is_a(step, "sklearn.FeatureUnion"):
        parts = [derivatives_of(part, X, order) for _, part in step.transformer_list if part != "drop"]
        weights = step.transformer_weights or {}
        names = [name for name, part in step.transformer_list if part != "drop"]
        return _stacked([_times(part, weights.get(name, 1.0)) for name, part in zip(names, parts, strict=True)])
    labels = columns_of_labels(X) if is_frame(X) else []
    if encodes(step) or len(labels) == width_of(X):
        return Inner(np.zeros((1, _outputs(step.transform(X)).shape[1], width_of(X))))
    if is_a(step, "sklearn.PolynomialFeatures") and not labels:
        return polynomial_derivatives(step, np.asarray(X, dtype=np.float64), order)
    return _of_function(step, X, labels, order)


def encodes(step: Any) -> bool:
    """Whether the step turns levels into numbers, as OneHotEncoder, OrdinalEncoder and TargetEncoder do."""
    if is_a(step, "sklearn.Pipeline"):
        return any(encodes(inner) for _, inner in step.steps)
    return hasattr(step, "categories_")


def _of_function(step: Any, X: Any, labels: list[int], order: int) -> Inner:
    """Any step: affine, a spline, or by differences."""
    D = width_of(X)
    moved = [d for d in range(D) if d not in labels]
    values = np.column_stack([np.asarray(X.iloc[:, d] if is_frame(X) else X[:, d], np.float64) for d in moved])

    def transform(rows: Array, which: Any) -> Array:
        """What the step makes of rows like the rows `which` of X, with other numbers."""
        if not is_frame(X):
            given: Any = np.array(X[which], dtype=np.float64 if X.dtype.kind in "biuf" else object)
            given[:, moved] = rows
        else:
            import pandas as pd

            old = X.iloc[which].reset_index(drop=True)
            new = {X.columns[d]: rows[:, k] for k, d in enumerate(moved)}
            given = pd.DataFrame({name: new.get(name, old[name]) for name in X.columns}, columns=X.columns)
        with np.errstate(all="ignore"):  # moved rows may leave the domain of a logarithm
            return _outputs(step.transform(given))

    slopes = affine_slopes(transform, values, bool(labels))
    if slopes is not None:
        return _spread(Inner(slopes[None]), moved, D)
    if is_a(step, "sklearn.SplineTransformer") and not labels:
        found = spline_derivatives(step, values, order)
        if found is not None:
            return found
    return _spread(Inner(*step_derivatives(type(step).__name__, transform, values, order)), moved, D)


def _spread(inner: Inner, columns: list[int], D: int) -> Inner:
    """Derivatives in some columns as derivatives in all D: 0 in the others."""
    if len(columns) == D:
        return inner
    first = np.zeros((*inner.first.shape[:2], D))
    first[..., columns] = inner.first
    if inner.second is None:
        return Inner(first)
    second = np.zeros((*inner.first.shape[:2], D, D))
    second[..., np.array(columns)[:, None], columns] = inner.second
    return Inner(first, second)


def _of_column_transformer(step: Any, X: Any, order: int) -> Inner:
    """Every part has its own columns, and its place among the outputs."""
    D = width_of(X)
    parts = [
        (place, columns, derivatives_of(part, rows, order)) for part, rows, columns, place in column_parts(step, X)
    ]
    outputs = max((place.stop for place, _, _ in parts), default=0)
    n = max((len(inner.first) for _, _, inner in parts), default=1)
    first, second = np.zeros((n, outputs, D)), None
    for place, columns, inner in parts:
        first[:, np.arange(place.start, place.stop)[:, None], columns] = inner.first
        if inner.second is not None:
            second = np.zeros((n, outputs, D, D)) if second is None else second
            rows = np.arange(place.start, place.stop)[:, None, None]
            second[:, rows, np.array(columns)[:, None], columns] = inner.second
    return Inner(first, second)


def _identity(columns: int) -> Inner:
    return Inner(np.eye(columns)[None])


def _times(inner: Inner, factor: float) -> Inner:
    return Inner(factor * inner.first, None if inner.second is None else factor * inner.second)


def _stacked(parts: Sequence[Inner]) -> Inner:
    """The outputs of several steps side by side."""
    n = max(len(part.first) for part in parts)
    D = parts[0].n_columns
    first = np.concatenate([np.broadcast_to(part.first, (n, *part.first.shape[1:])) for part in parts], axis=1)
    if all(part.second is None for part in parts):
        return Inner(first)
    bends = [np.zeros((1, part.first.shape[1], D, D)) if part.second is None else part.second for part in parts]
    return Inner(first, np.concatenate([np.broadcast_to(bend, (n, *bend.shape[1:])) for bend in bends], axis=1))


def _outputs(Z: Any) -> Array:
    """What a step returned as a dense array in double precision."""
    array = np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z)
    if array.dtype.kind == "f" and array.dtype.itemsize < 8:
        raise RoughStepError("a step that computes in single precision")
    return array.astype(np.float64)
