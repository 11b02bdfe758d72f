"""How well a model predicts the targets, row by row: what permutation importance looks at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._refits import check_one_per_row
from rsens._typing import Array
from rsens.adapters import classes_of
from rsens.derivatives import Model
from rsens.models import read_labels

#: Rows of the type of X, one for each target, in; one number for each, out. More is better.
RowScores = Callable[[Any], Array]


def row_scores(model: Any, source: Model, y: Any, n: int, scoring: Any) -> RowScores | None:
    """log p(y_i | x_i) of the n targets, or what `scoring` says instead; None without targets.

    `source` is the model as rsens reads it, `model` the object the user gave, which is what a scorer expects.
    """
    scorer = _scorer(scoring)
    if y is None:
        return None
    check_one_per_row(y, n)
    if np.ndim(y) == 2 and np.shape(y)[1] == 1:  # a data frame of one column
        y = np.asarray(y)[:, 0]
    if scorer is not None:
        predicts = not isinstance(scoring, str) or callable(getattr(model, "predict", None))
        estimator = model if predicts else _regressor(source)
        return lambda rows: _per_row(scorer(estimator, rows, y), n)
    if callable(getattr(model, "log_predictive_density", None)):
        return lambda rows: _per_row(model.log_predictive_density(rows, y), n)
    return lambda rows: source.predict_distribution(rows).log_prob(_numbers(model, y, n))


def _scorer(scoring: Any) -> Callable[[Any, Any, Any], Any] | None:
    """A function (model, X, y) -> score; a name is one of scikit-learn's."""
    if scoring is None or callable(scoring):
        return scoring
    from sklearn.metrics import get_scorer, get_scorer_names

    if not isinstance(scoring, str) or scoring not in get_scorer_names():
        raise InputError(
            Argument("scoring"),
            " must be None for the log predictive density, the name of a scikit-learn scorer such as "
            f"'neg_mean_squared_error', or a function (model, X, y) where more is better; got {scoring!r}.",
        )
    return get_scorer(scoring)


def _regressor(source: Model) -> Any:
    """A model without `predict`, such as a wrapped function, in the form that scikit-learn's scorers expect."""
    from sklearn.base import BaseEstimator, RegressorMixin

    class PointPrediction(RegressorMixin, BaseEstimator):  # type: ignore[misc]
        def predict(self, X: Any) -> Array:
            points = source.predict_point(X)
            return points[:, 0] if points.shape[1] == 1 else points

    return PointPrediction()


def _per_row(score: Any, n: int) -> Array:
    """One number per row; a single number for all rows counts for each."""
    values = np.asarray(score, dtype=np.float64)
    if values.shape not in ((), (n,)):
        raise InputError(f"a score must be one number, or one for each of the {n} rows; got shape {values.shape}.")
    return np.broadcast_to(values, (n,))


def _numbers(model: Any, y: Any, n: int) -> Array:
    """The targets as families take them: class labels as codes, in the order of `classes_`."""
    classes = classes_of(model)
    if classes is not None:
        return read_labels(y, np.asarray(classes), n)
    try:
        return np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            Argument("y"),
            " must be numbers (class codes 0, 1, … for a model without classes_); it holds something else.",
        ) from None
