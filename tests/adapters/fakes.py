"""Objects of libraries that the tests do not install, built like the real ones in the parts that adapters touch."""

from __future__ import annotations

import sys
import types

import numpy as np
import pandas as pd
import torch


def class_of(module: str, name: str, *bases: type, **members) -> type:
    """A class whose module is one of another library."""
    return type(name, bases or (object,), {"__module__": module, "__qualname__": name, **members})


def moments(rows):
    """A mean and a variance that jump, as those of trees."""
    return np.floor(10.0 * rows[:, 0]) / 10.0, np.exp(np.floor(4.0 * rows[:, 1]) / 4.0)


class Gaussian:
    """A distribution of XGBoostLSS and LightGBMLSS 0.6: its torch class."""

    distribution = torch.distributions.Normal


class SplineFlow:
    """A distribution without parameters."""

    distribution = None


class DMatrix:
    def __init__(self, data, feature_names=None):
        self.rows = np.asarray(data)


def boosted(name):
    """XGBoostLSS, which takes a DMatrix, or LightGBMLSS, which takes rows."""

    def init(self, dist, trained=True):
        self.dist, self.booster = dist, types.SimpleNamespace(feature_names=None) if trained else None

    def predict(self, data, pred_type="parameters"):
        assert pred_type == "parameters"
        assert (name == "XGBoostLSS") == isinstance(data, DMatrix)
        mean, variance = moments(data.rows if isinstance(data, DMatrix) else np.asarray(data))
        return pd.DataFrame({"loc": mean, "scale": np.sqrt(variance)}, dtype=np.float32)

    return class_of(f"{name.lower()}.model", name, __init__=init, predict=predict)


def with_xgboost(monkeypatch):
    """A module xgboost with a DMatrix."""
    module = types.ModuleType("xgboost")
    module.DMatrix = DMatrix
    monkeypatch.setitem(sys.modules, "xgboost", module)


def catboost_regressor(loss):
    """CatBoostRegressor 1.2: for RMSEWithUncertainty, `prediction_type` of that name gives mean and variance."""

    def predict(self, data, prediction_type="RawFormulaVal"):
        mean, variance = moments(np.asarray(data))
        return np.column_stack([mean, variance if prediction_type == "RMSEWithUncertainty" else 0.5 * np.log(variance)])

    members = {"get_params": lambda self, deep=True: {"loss_function": loss}, "predict": predict}
    return class_of("catboost.core", "CatBoostRegressor", class_of("catboost.core", "CatBoost", **members))()


def skpro_regressor(distribution_of):
    """A regressor of skpro 2: `predict_proba` takes a data frame and gives a distribution over its rows."""

    def predict_proba(self, X):
        assert isinstance(X, pd.DataFrame)
        return distribution_of(X.to_numpy())

    base = class_of("skpro.regression.base._base", "BaseProbaRegressor", predict_proba=predict_proba, is_fitted=True)
    return class_of("skpro.regression.residual", "ResidualDouble", base)()
