"""Our own estimators at the end of a pipeline: any object with `derivatives(X, order)`."""

from __future__ import annotations

from typing import Any

from rsens._table import is_frame
from rsens.adapters._sklearn._closed import Closed, numbers_in, record_of
from rsens.adapters._sklearn._understood import Understood
from rsens.adapters._with_derivatives import WITH_DERIVATIVES
from rsens.derivatives import Derivatives, Inner, Model
from rsens.distributions import Distribution

#: The family is known when the object predicts.
OWN_FAMILY = "its own"


class Own(Closed):
    """The derivatives that the object gives, and the chain rule."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def predict(self, X: Any) -> Distribution:
        return self._model.predict_distribution(X if is_frame(X) else numbers_in(X))

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        record = self._model.derivatives(X if is_frame(X) else numbers_in(X), order)
        return record_of(record.distribution, record.first, record.second, order, inner)


def read_own(estimator: Any) -> Understood:
    """An object with derivatives."""
    model = WITH_DERIVATIVES.adapt(estimator)
    return Understood.of(Own(model), OWN_FAMILY, "included", classes=model.classes_)
