"""The surroundings of an estimator: a pipeline, a search, a transformed target; and copies with more columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rsens._conversions import is_a
from rsens._errors import InputError
from rsens._table import is_frame
from rsens._typing import Array
from rsens.adapters._adapter import not_fitted
from rsens.adapters._sklearn._prediction import Prediction
from rsens.adapters._sklearn._steps import encodes, is_identity, positions_of
from rsens.derivatives import Derivatives, Inner
from rsens.distributions import Distribution, LogNormal, Normal

#: How closely the inverse of a target's transformer must be affine, or the exponential of something affine.
SAME = 1e-10
#: The reader of any estimator, for the one inside.
Reader = Callable[[Any], Prediction]


def read_pipeline(pipeline: Any, read: Reader) -> Prediction:
    """The prediction of the last step; training inputs and kernel are not known in the columns of X."""
    last, steps = read(pipeline.steps[-1][1]), tuple(step for _, step in pipeline.steps[:-1])
    return replace(last, steps=(*steps, *last.steps), training=None, kernel=None) if steps else last


def encoded_columns(estimator: Any) -> list[int]:
    """Positions of the columns that the first step of a pipeline encodes, also where they hold numbers: months."""
    if not is_a(estimator, "sklearn.Pipeline"):
        return []
    first = next((step for _, step in estimator.steps[:-1] if not is_identity(step)), None)
    return [] if first is None else _encoded_by(first)


def _encoded_by(step: Any) -> list[int]:
    if is_a(step, "sklearn.ColumnTransformer"):
        names = list(step.feature_names_in_) if hasattr(step, "feature_names_in_") else None
        parts = [columns for _, part, columns in step.transformers_ if not isinstance(part, str) and encodes(part)]
        return sorted({d for columns in parts for d in positions_of(columns, names, step.n_features_in_)})
    if is_a(step, "sklearn.Pipeline") and is_a(step.steps[0][1], "sklearn.ColumnTransformer"):
        return _encoded_by(step.steps[0][1])
    return list(range(step.n_features_in_)) if encodes(step) else []


def best_of(search: Any) -> Any:
    """The estimator that GridSearchCV and its kin have chosen and refitted."""
    if not hasattr(search, "best_estimator_"):
        raise InputError(f"{type(search).__name__} has no best_estimator_. Call fit(X, y) first, with refit=True.")
    return search.best_estimator_


def pipeline_of(estimator: Any, fitted: bool = True) -> Any:
    """The pipeline inside a search or a TransformedTargetRegressor; the estimator itself if it is neither."""
    if is_a(estimator, "sklearn.BaseSearchCV"):
        return pipeline_of(best_of(estimator) if fitted else estimator.estimator, fitted)
    if is_a(estimator, "sklearn.TransformedTargetRegressor"):
        return pipeline_of(estimator.regressor_ if fitted else estimator.regressor, fitted)
    return estimator


def read_target(model: Any, read: Reader) -> Prediction:
    """TransformedTargetRegressor, t ~ Normal(m, v): y = a + bt is Normal, log y = a + bt is LogNormal."""
    if not hasattr(model, "regressor_"):
        raise not_fitted(model)
    inside = read(model.regressor_)
    t = np.linspace(-2.0, 2.0, 9)
    kind: type[Normal] | type[LogNormal] = Normal
    with np.errstate(all="ignore"):
        y = np.asarray(model.transformer_.inverse_transform(t[:, None]), dtype=np.float64).ravel()
        line = _line(t, y)
        if line is None and (y > 0.0).all():
            line, kind = _line(t, np.log(y)), LogNormal
    if line is None:
        raise InputError(
            f"{type(model).__name__}: y follows no family of rsens, because the inverse of its transformer is neither "
            "affine nor an exponential. Explain model.regressor_ instead: R-sens does not depend on the scale of y."
        )
    a, b = line
    units = np.array([b, b**2])

    def of_y(t: Distribution) -> Distribution:
        if not isinstance(t, Normal):
            got = type(t).__name__
            raise InputError(f"{type(model).__name__}: the regressor inside must predict a Normal; got {got}.")
        return kind(a + b * t.mean, b**2 * t.variance)

    def derivatives(X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        assert inside.derivatives is not None
        record = inside.derivatives(X, order, inner)
        second = None if record.second is None else units[:, None, None] * record.second
        return Derivatives(of_y(record.distribution), units[:, None] * record.first, second)

    return replace(
        inside,
        predict=lambda X: of_y(inside.predict(X)),
        family=kind.__name__,
        noise=f"{inside.noise}, before the target is transformed back",
        derivatives=derivatives if inside.derivatives else None,
        point=None,
    )


def _line(t: Array, y: Array) -> tuple[float, float] | None:
    """(a, b) with y = a + bt to the last digits, or None."""
    b = float((y[-1] - y[0]) / (t[-1] - t[0]))
    a = float(y[len(y) // 2] - b * t[len(t) // 2])
    straight = np.isfinite(y).all() and np.allclose(a + b * t, y, 0.0, SAME * np.abs(y).max())
    return (a, b) if b != 0.0 and straight else None


GAUSSIAN_PROCESSES = ("sklearn.GaussianProcessRegressor", "sklearn.GaussianProcessClassifier")


def widened(estimator: Any, X: Any, y: Any, origin: Sequence[int]) -> Any:
    """A copy of the estimator for the rows X, whose column k is made like column `origin[k]` of the rows it knows.

    The null level refits a model with probes as further columns. A ColumnTransformer names its columns, and would drop
    the others; a kernel with one length-scale per column would refuse them. Other estimators need no copy.
    """
    if not is_a(estimator, "sklearn.BaseEstimator"):
        return estimator
    from sklearn.base import clone

    copy = clone(estimator)
    head, last = _head(copy), _last(copy)
    columns, kernel = is_a(head, "sklearn.ColumnTransformer"), is_a(last, *GAUSSIAN_PROCESSES)
    if columns:
        _widen_columns(head, X, origin)
    if kernel and last.kernel is not None:
        _widen_kernel(copy, last, X, y, origin)
    return copy if columns or kernel else estimator


def _head(estimator: Any) -> Any:
    """The part that sees the columns first."""
    estimator = pipeline_of(estimator, fitted=False)
    if not is_a(estimator, "sklearn.Pipeline"):
        return estimator
    return _head(next(step for _, step in estimator.steps if not is_identity(step)))


def _last(estimator: Any) -> Any:
    estimator = pipeline_of(estimator, fitted=False)
    return _last(estimator.steps[-1][1]) if is_a(estimator, "sklearn.Pipeline") else estimator


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
        for key, given in () if isinstance(part, str) else part.get_params(deep=True).items():
            if key.split("__")[-1] == "categories" and isinstance(given, list) and len(given) == len(old):
                part.set_params(**{key: [*given, *(given[old.index(origin[k])] for k in new)]})  # levels per column
        wide = [*old, *new]
        parts.append((name, part, wide if names is None else [names[k] for k in wide]))
    head.transformers = parts


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
            raise InputError(f"further columns of the pipeline have no fixed length-scales of {type(gp).__name__}")
        if np.ndim(bounds) == 2 and len(bounds) == len(old):
            changes[f"{name}_bounds"] = np.repeat([[np.min(bounds), np.max(bounds)]], len(changes[name]), axis=0)
    gp.kernel = gp.kernel.set_params(**changes)


def _width_of_inputs(estimator: Any, X: Any, y: Any) -> int:
    """How many columns the last step of a pipeline gets: as many as the others make of X."""
    from sklearn.base import clone

    pipeline = pipeline_of(estimator, fitted=False)
    if not is_a(pipeline, "sklearn.Pipeline"):
        return int(X.shape[1])
    Z = clone(pipeline[:-1]).fit(X, y).transform(X) if len(pipeline.steps) > 1 else X
    return _width_of_inputs(pipeline.steps[-1][1], Z, y)
