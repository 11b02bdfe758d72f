"""The surroundings of an estimator: the steps of a pipeline, a transformed target, a search; and our own estimators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._table import is_frame
from rsens._typing import Array
from rsens.adapters._adapter import WITH_DERIVATIVES, is_a
from rsens.adapters._sklearn._prediction import Prediction, numbers_in, record_of
from rsens.adapters._sklearn._steps import encodes, is_identity, positions_of, through
from rsens.derivatives import Derivatives, Inner, Model
from rsens.distributions import Distribution, LogNormal, Normal

#: How closely the inverse of a target's transformer must be affine, or the exponential of something affine.
SAME = 1e-10


@dataclass(frozen=True, eq=False)
class Behind(Prediction):
    """A prediction behind the steps of a pipeline, in the columns that go into the first, by the chain rule."""

    steps: Sequence[Any]
    last: Prediction

    @classmethod
    def of(cls, steps: Sequence[Any], last: Prediction) -> Prediction:
        """The last step behind the others; it does not know the columns of X."""
        return cls(steps, last, **{**last.words, "training": None, "kernel": None}) if steps else last

    @property
    def closed(self) -> bool:
        return self.last.closed

    def predict(self, X: Any) -> Distribution:
        return self.last.predict(self._transformed(X))

    def predict_point(self, X: Any) -> Array:
        return self.last.predict_point(self._transformed(X))

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        Z, own = through(self.steps, X, order)
        return self.last.derivatives(Z, order, own if inner is None else inner.into(own))

    def check_steps(self, X: Any) -> None:
        self.last.check_steps(through(self.steps, X, 1)[0])

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        try:
            inputs = max(n_columns, len(self.steps[-1].get_feature_names_out()))
        except (AttributeError, ValueError):  # the last step does not know
            inputs = n_columns
        within = 3 * 8 * inputs * (n_columns + (n_columns**2 if order == 2 else 0))
        return within + self.last.bytes_per_row(inputs, order)

    def _transformed(self, X: Any) -> Any:
        for step in self.steps:
            X = X if is_identity(step) else step.transform(X)
        return X


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


@dataclass(frozen=True, eq=False)
class Own(Prediction):
    """Our own estimators: the derivatives that the object gives, and the chain rule."""

    model: Model

    def predict(self, X: Any) -> Distribution:
        return self.model.predict_distribution(X if is_frame(X) else numbers_in(X))

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        record = self.model.derivatives(X if is_frame(X) else numbers_in(X), order)
        return record_of(record.distribution, record.first, record.second, order, inner)


def read_own(estimator: Any) -> Prediction:
    """An object with derivatives; its family is known when it predicts."""
    model = WITH_DERIVATIVES.adapt(estimator)
    return Own(model, family="its own", noise="included", classes=model.classes_)


@dataclass(frozen=True, eq=False)
class OfTarget(Prediction):
    """TransformedTargetRegressor, t ~ Normal(m, v): y = a + bt is Normal, log y = a + bt is LogNormal."""

    inside: Prediction
    kind: type[Normal] | type[LogNormal]
    a: float
    b: float

    @property
    def closed(self) -> bool:
        return self.inside.closed

    def predict(self, X: Any) -> Distribution:
        return self._of(self.inside.predict(X))

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        record = self.inside.derivatives(X, order, inner)
        units = np.array([self.b, self.b**2])
        second = None if record.second is None else units[:, None, None] * record.second
        return Derivatives(self._of(record.distribution), units[:, None] * record.first, second)

    def check_steps(self, X: Any) -> None:
        self.inside.check_steps(X)

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        return self.inside.bytes_per_row(n_columns, order)

    def _of(self, target: Distribution) -> Distribution:
        """The distribution of y, from the Normal of the transformed target."""
        if not isinstance(target, Normal):
            raise InputError(
                f"TransformedTargetRegressor: the regressor inside must predict a Normal; got {type(target).__name__}."
            )
        return self.kind(self.a + self.b * target.mean, self.b**2 * target.variance)


def read_target(model: Any, inside: Prediction) -> Prediction:
    """The prediction of y, from the prediction of the regressor inside."""
    t = np.linspace(-2.0, 2.0, 9)
    with np.errstate(all="ignore"):
        y = np.asarray(model.transformer_.inverse_transform(t[:, None]), dtype=np.float64).ravel()
        kinds: tuple[type[Normal] | type[LogNormal], ...] = (Normal, LogNormal)
        lines = (_line(t, y), _line(t, np.log(y)) if (y > 0.0).all() else None)
    for kind, line in zip(kinds, lines, strict=True):
        if line is not None:
            noise = f"{inside.noise}, before the target is transformed back"
            return OfTarget(inside, kind, *line, **{**inside.words, "family": kind.__name__, "noise": noise})
    raise InputError(
        f"{type(model).__name__}: y follows no family of rsens, because the inverse of its transformer is neither "
        "affine nor an exponential. Explain model.regressor_ instead: R-sens does not depend on how y is transformed, "
        "as long as the transformation can be inverted."
    )


def _line(t: Array, y: Array) -> tuple[float, float] | None:
    """(a, b) with y = a + bt to the last digits, or None."""
    if not np.isfinite(y).all():
        return None
    b = float((y[-1] - y[0]) / (t[-1] - t[0]))
    a = float(y[len(y) // 2] - b * t[len(t) // 2])
    size = np.abs(y).max()
    return (a, b) if b != 0.0 and (np.abs(a + b * t - y) <= SAME * size).all() else None


GAUSSIAN_PROCESSES = ("sklearn.GaussianProcessRegressor", "sklearn.GaussianProcessClassifier")


def widened(estimator: Any, X: Any, y: Any, origin: Sequence[int]) -> Any:
    """A copy of the estimator for the rows X, whose column k is made like column `origin[k]` of the rows it knows.

    The null level refits a model with probes beside the real columns. A ColumnTransformer names its columns, and would
    drop the others; a kernel with one length-scale per column would refuse them. Other estimators stay as they are.
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

    pipeline = pipeline_of(estimator, fitted=False)
    if not is_a(pipeline, "sklearn.Pipeline"):
        return int(X.shape[1])
    Z = clone(pipeline[:-1]).fit(X, y).transform(X) if len(pipeline.steps) > 1 else X
    return _width_of_inputs(pipeline.steps[-1][1], Z, y)
