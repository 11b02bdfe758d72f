"""Estimators of other libraries that predict a distribution for every row, most of them by boosted trees."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from rsens._conversions import as_family
from rsens._errors import Argument, InputError
from rsens._table import is_frame
from rsens.adapters._origin import is_a
from rsens.adapters._sklearn._understood import Understood, not_fitted
from rsens.distributions import Distribution, Normal

NOISE = "included: in the distribution that it predicts"


def read_ngboost(estimator: Any) -> Understood:
    """NGBRegressor, NGBClassifier and NGBSurvival: `pred_dist(X)`."""
    if not getattr(estimator, "base_models", None):
        raise not_fitted(estimator)
    columns = int(estimator.n_features)

    def predict(X: Any) -> Distribution:
        got = np.shape(X)[1]
        if got != columns:  # NGBoost itself looks for columns that are not there, or leaves some out without a word
            raise InputError(
                Argument("X"),
                f" must have the {columns} columns that {type(estimator).__name__} was fitted to; got {got}.",
            )
        return as_family(estimator.pred_dist(X))

    any_row = estimator.Dist(np.zeros((estimator.Dist.n_params, 1)))
    return Understood(predict, type(as_family(any_row)).__name__, NOISE)


def read_skpro(estimator: Any) -> Understood:
    """skpro's regressors: `predict_proba(X)`, a distribution over the rows of a data frame."""
    if not getattr(estimator, "is_fitted", True):
        raise not_fitted(estimator)

    def predict(X: Any) -> Distribution:
        return as_family(estimator.predict_proba(_framed(X)))

    return Understood(predict, "as predict_proba gives it", NOISE)


def read_boosted_parameters(estimator: Any) -> Understood:
    """XGBoostLSS and LightGBMLSS: `predict(rows, pred_type="parameters")`, one column per parameter."""
    distribution = estimator.dist
    if getattr(estimator, "booster", None) is None:
        raise InputError(f"{type(estimator).__name__} is not trained. Call train(params, data) first.")
    if not isinstance(getattr(distribution, "distribution", None), type):
        raise InputError(
            f"{type(estimator).__name__} with {type(distribution).__name__} has no distribution with parameters of its "
            "own. Use a parametric one, such as Gaussian, or write what it predicts: from_function(fn, step=0.3)."
        )

    def predict(X: Any) -> Distribution:
        import torch

        table = estimator.predict(_matrix(estimator, X), pred_type="parameters")
        values = {str(name): torch.tensor(np.asarray(table[name], dtype=np.float64)) for name in table.columns}
        return as_family(distribution.distribution(**values))

    return Understood(predict, distribution.distribution.__name__, NOISE)


def read_catboost(estimator: Any) -> Understood:
    """CatBoost with the loss RMSEWithUncertainty: a mean and a variance."""
    loss = _loss_of(estimator)
    if loss != "RMSEWithUncertainty":
        raise InputError(
            f"{type(estimator).__name__} with the loss {loss or 'of a point'} predicts points. Fit with "
            "loss_function='RMSEWithUncertainty', which predicts a mean and a variance."
        )

    def predict(X: Any) -> Normal:
        values = np.asarray(estimator.predict(X, prediction_type="RMSEWithUncertainty"), dtype=np.float64)
        return Normal(values[:, 0], values[:, 1])

    return Understood(predict, "Normal", "included: the variance that RMSEWithUncertainty predicts")


#: By ancestor: how to read it.
DISTRIBUTIONAL: dict[str, Callable[[Any], Understood]] = {
    "ngboost.NGBoost": read_ngboost,
    "skpro.BaseProbaRegressor": read_skpro,
    "xgboostlss.XGBoostLSS": read_boosted_parameters,
    "lightgbmlss.LightGBMLSS": read_boosted_parameters,
    "catboost.CatBoostRegressor": read_catboost,
}


def distributional(estimator: Any) -> Callable[[Any], Understood] | None:
    """How to read an estimator that predicts distributions; None for others."""
    return next((reader for name, reader in DISTRIBUTIONAL.items() if is_a(estimator, name)), None)


def _framed(X: Any) -> Any:
    if is_frame(X):
        return X
    import pandas as pd

    return pd.DataFrame(X)


def _matrix(estimator: Any, X: Any) -> Any:
    """XGBoostLSS takes a DMatrix, LightGBMLSS the rows themselves."""
    if not is_a(estimator, "xgboostlss.XGBoostLSS"):
        return X
    return import_module("xgboost").DMatrix(X, feature_names=estimator.booster.feature_names)


def _loss_of(estimator: Any) -> str:
    loss = (estimator.get_params() or {}).get("loss_function")
    return str(loss or "").partition(":")[0]
