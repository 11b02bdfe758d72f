"""Objects of libraries that the tests do not install, built like the real ones in the parts that adapters touch."""

from __future__ import annotations

import pandas as pd


def class_of(module: str, name: str, *bases: type, **members) -> type:
    """A class whose module is one of another library."""
    return type(name, bases or (object,), {"__module__": module, "__qualname__": name, **members})


def skpro_regressor(distribution_of):
    """A regressor of skpro 2: `predict_proba` takes a data frame and gives a distribution over its rows."""

    def predict_proba(self, X):
        assert isinstance(X, pd.DataFrame)
        return distribution_of(X.to_numpy())

    base = class_of("skpro.regression.base._base", "BaseProbaRegressor", predict_proba=predict_proba, is_fitted=True)
    return class_of("skpro.regression.residual", "ResidualDouble", base)()
