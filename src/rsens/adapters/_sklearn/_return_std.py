"""Estimators whose `predict(X, return_std=True)` gives a mean and a standard deviation: a Normal, as it is given."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens.adapters._sklearn._understood import Understood
from rsens.distributions import Distribution, Normal


def gives_std(estimator: Any) -> bool:
    """Whether `predict` takes `return_std`."""
    try:
        return "return_std" in inspect.signature(estimator.predict).parameters
    except (TypeError, ValueError, AttributeError):  # no predict, or one written in C
        return False


def read_std(estimator: Any, noise: float = 0.0) -> Understood:
    """Normal(mean, sd² + noise): nothing says whether the noise of an observation is in the sd."""
    name = type(estimator).__name__

    def predict(X: Any) -> Distribution:
        given = estimator.predict(X, return_std=True)
        if not (isinstance(given, tuple) and len(given) == 2):
            raise InputError(f"{name}.predict(X, return_std=True) must return a mean and a standard deviation per row.")
        mean, deviation = (np.asarray(each, dtype=np.float64) for each in given)
        if mean.ndim != 1 or deviation.shape != mean.shape:
            raise InputError(
                f"{name}.predict(X, return_std=True) must return one mean and one standard deviation per row; got "
                f"shapes {mean.shape} and {deviation.shape}. Fit one model per target."
            )
        variance = deviation**2 + noise
        if not (variance > 0.0).all():
            raise InputError(
                f"{name}.predict(X, return_std=True) gives a standard deviation of {deviation.min():g} at row "
                f"{int(variance.argmin())}: R-sens compares distributions, and needs some spread. Leave such rows out, "
                "or fit with noise, such as a WhiteKernel."
            )
        return Normal(mean, variance)

    words = "not known: the standard deviation of predict is taken as given"
    return Understood(predict, "Normal", words)
