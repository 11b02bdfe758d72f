"""Objects with a method `derivatives(X, order)`, such as the fitted estimators of rsens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rsens._errors import Argument, InputError
from rsens._table import shape_of
from rsens._typing import Array
from rsens.adapters._adapter import Adapter
from rsens.derivatives import Derivatives, Finding, Model, check_order, result_bytes, rows_for
from rsens.distributions import Distribution


class WithDerivatives(Model):
    """An object with a method `derivatives(X, order)`, such as a fitted estimator of ours."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator
        self.coding = getattr(estimator, "coding_", None) or None
        self.takes_codes = self.takes_many_levels = bool(getattr(estimator, "_takes_codes", False))
        for name in ("input_scale_", "training_inputs_", "classes_"):
            setattr(self, name, getattr(estimator, name, None))

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        record = self._estimator.derivatives(X, order)
        if not isinstance(record, Derivatives):
            raise InputError(f"{self.name}.derivatives must return Derivatives; got {type(record).__name__}.")
        shape = shape_of(X)
        if record.first.shape[::2] != shape:
            raise InputError(
                f"{self.name}.derivatives: ",
                Argument("X"),
                f" has shape {shape}; got first of shape {record.first.shape}.",
            )
        if order == 2 and record.second is None:
            raise InputError(f"{self.name}.derivatives(X, 2) must give second derivatives; got None.")
        return record

    def predict_distribution(self, X: Any) -> Distribution:
        predict = getattr(self._estimator, "predict_distribution", None)
        distribution = predict(X) if callable(predict) else self.derivatives(X, 1).distribution
        if not isinstance(distribution, Distribution):
            got = type(distribution).__name__
            raise InputError(f"{self.name}.predict_distribution must return an rsens family; got {got}.")
        return distribution

    def predict_point(self, X: Any) -> Array:
        predict = getattr(self._estimator, "predict_point", None)  # a mean can be much cheaper than a variance
        return predict(X) if callable(predict) else super().predict_point(X)

    def checks(self, X: Any) -> Iterator[Finding]:
        findings = getattr(self._estimator, "_findings", None)
        if callable(findings):
            yield from findings(X)

    def partial_dependence(self, columns: tuple[int, ...], at: Array, X: Any) -> Array | None:
        average = getattr(self._estimator, "partial_dependence", None)
        return average(columns, at, X) if callable(average) else None

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        rows = getattr(self._estimator, "rows_per_chunk", None)
        return int(rows(n_columns, order)) if callable(rows) else rows_for(result_bytes(n_columns, order))

    @property
    def name(self) -> str:
        return type(self._estimator).__name__


def _accepts(obj: Any) -> bool:
    return callable(getattr(obj, "derivatives", None))


def _adapt(obj: Any) -> Model:
    _check_fitted(obj)
    return WithDerivatives(obj)


def _check_fitted(obj: Any) -> None:
    if not (callable(getattr(obj, "fit", None)) and callable(getattr(obj, "get_params", None))):
        return
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(obj)
    except NotFittedError:
        raise InputError(f"{type(obj).__name__} is not fitted. Call fit(X, y) first.") from None


WITH_DERIVATIVES = Adapter("objects with derivatives(X, order)", _accepts, _adapt)
