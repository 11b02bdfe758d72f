"""Pipelines: the prediction of the last step, in the columns that go into the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rsens._typing import Array
from rsens.adapters._origin import is_a
from rsens.adapters._sklearn._closed import Closed
from rsens.adapters._sklearn._columns import is_identity, positions_of
from rsens.adapters._sklearn._steps import encodes, through
from rsens.adapters._sklearn._understood import Understood
from rsens.derivatives import Derivatives, Inner
from rsens.distributions import Distribution


class Behind(Closed):
    """A prediction in closed form behind the steps of a pipeline, by the chain rule."""

    def __init__(self, steps: Sequence[Any], last: Closed) -> None:
        self._steps, self._last = steps, last

    def predict(self, X: Any) -> Distribution:
        return self._last.predict(transformed(self._steps, X))

    def predict_point(self, X: Any) -> Array:
        return self._last.predict_point(transformed(self._steps, X))

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        Z, own = through(self._steps, X, order)
        return self._last.derivatives(Z, order, own if inner is None else inner.into(own))

    def check_steps(self, X: Any) -> None:
        self._last.check_steps(through(self._steps, X, 1)[0])

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        inputs = max(n_columns, _width_behind(self._steps))
        within = 3 * 8 * inputs * (n_columns + (n_columns**2 if order == 2 else 0))
        return within + self._last.bytes_per_row(inputs, order)


def transformed(steps: Sequence[Any], X: Any) -> Any:
    """The rows X behind the steps."""
    for step in steps:
        X = X if is_identity(step) else step.transform(X)
    return X


def behind(steps: Sequence[Any], last: Understood) -> Understood:
    """A pipeline: its last step behind the others, which does not know the columns of X."""
    if not steps:
        return last
    return replace(
        last,
        predict=lambda X: last.predict(transformed(steps, X)),
        closed=None if last.closed is None else Behind(steps, last.closed),
        training=None,
        kernel=None,
    )


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


def step_names(estimator: Any) -> list[str]:
    """The classes of the steps before the last, for the description."""
    if not is_a(estimator, "sklearn.Pipeline"):
        return []
    return [type(step).__name__ for _, step in estimator.steps[:-1] if not is_identity(step)]


def _width_behind(steps: Sequence[Any]) -> int:
    """How many columns the steps make, where the last of them says."""
    try:
        return len(steps[-1].get_feature_names_out())
    except (AttributeError, ValueError, IndexError):
        return 0
