"""Objects of libraries that the tests do not install, built like the real ones in the parts that adapters touch."""

from __future__ import annotations

import sys
import types

import numpy as np
import pandas as pd
import torch


def class_of(module: str, name: str, *bases: type, **members) -> type:
    """A class that says it comes from a module of another library."""
    return type(name, bases or (object,), {"__module__": module, "__qualname__": name, **members})


# ---- XGBoostLSS, LightGBMLSS 0.6 -------------------------------------------------------------------------------------


class Gaussian:
    """A distribution of XGBoostLSS: its torch class, and the order of its parameters."""

    distribution = torch.distributions.Normal
    distribution_arg_names = ("loc", "scale")


class SplineFlow:
    """One without parameters of its own."""

    distribution = None


class _Booster:
    feature_names = None


def _predict_parameters(self, data, pred_type="parameters", n_samples=1000, quantiles=(0.1, 0.5, 0.9), seed=123):
    assert pred_type == "parameters"
    rows = data.rows if self.takes_matrix else np.asarray(data)
    assert self.takes_matrix == isinstance(data, DMatrix)
    loc, scale = np.floor(10.0 * rows[:, 0]) / 10.0, np.exp(0.5 * np.floor(4.0 * rows[:, 1]) / 4.0)
    return pd.DataFrame({"loc": loc, "scale": scale}, dtype=np.float32)


def _lss(self, dist, trained=True):
    self.dist = dist
    self.booster = _Booster() if trained else None


class DMatrix:
    def __init__(self, data, feature_names=None):
        self.rows = np.asarray(data)


def xgboostlss():
    """XGBoostLSS, with a module xgboost that has a DMatrix, as the real one imports it."""
    members = {"__init__": _lss, "predict": _predict_parameters, "takes_matrix": True}
    return class_of("xgboostlss.model", "XGBoostLSS", **members)


def lightgbmlss():
    members = {"__init__": _lss, "predict": _predict_parameters, "takes_matrix": False}
    return class_of("lightgbmlss.model", "LightGBMLSS", **members)


def with_xgboost(monkeypatch):
    module = types.ModuleType("xgboost")
    module.DMatrix = DMatrix
    monkeypatch.setitem(sys.modules, "xgboost", module)


# ---- CatBoost 1.2 ----------------------------------------------------------------------------------------------------


def catboost_regressor(loss):
    """CatBoostRegressor: for RMSEWithUncertainty, `prediction_type` of that name gives the mean and the variance."""

    def get_params(self, deep=True):
        return {"loss_function": loss, "iterations": 20}

    def predict(self, data, prediction_type="RawFormulaVal"):
        rows = np.asarray(data)
        mean, variance = np.floor(10.0 * rows[:, 0]) / 10.0, np.exp(np.floor(4.0 * rows[:, 1]) / 4.0)
        other = variance if prediction_type == "RMSEWithUncertainty" else 0.5 * np.log(variance)
        return np.column_stack([mean, other])

    base = class_of("catboost.core", "CatBoost", get_params=get_params, predict=predict)
    return class_of("catboost.core", "CatBoostRegressor", base)()


# ---- skpro 2 ---------------------------------------------------------------------------------------------------------


def skpro_regressor(distribution_of):
    """A regressor of skpro: `predict_proba` takes a data frame and gives a distribution over its rows."""

    def predict_proba(self, X):
        assert isinstance(X, pd.DataFrame)
        return distribution_of(X.to_numpy())

    base = class_of("skpro.regression.base._base", "BaseProbaRegressor", predict_proba=predict_proba, is_fitted=True)
    return class_of("skpro.regression.residual", "ResidualDouble", base)()
