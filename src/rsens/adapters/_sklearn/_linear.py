"""BayesianRidge and ARDRegression: Normal(xᵀw + b, (x − x̄)ᵀΣ(x − x̄) + 1/α), with derivatives in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._sklearn._closed import Closed, numbers_in, record_of
from rsens.adapters._sklearn._return_std import read_std
from rsens.adapters._sklearn._rows import as_fitted
from rsens.adapters._sklearn._understood import Understood, not_fitted, overrides
from rsens.derivatives import Derivatives, Finding, Inner
from rsens.distributions import Distribution, Normal


class BayesianLinear(Closed):
    """The weights w (D,), their covariance Σ (D, D), the intercept, the centre x̄ and the noise variance."""

    def __init__(self, weights: Array, covariance: Array, intercept: float, centre: Array, noise: float) -> None:
        self._w, self._covariance, self._intercept = weights, covariance, intercept
        self._centre, self._noise = centre, noise

    def predict(self, X: Any) -> Distribution:
        X = numbers_in(X)
        c = X - self._centre
        return Normal(X @ self._w + self._intercept, np.einsum("nd,de,ne->n", c, self._covariance, c) + self._noise)

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        """∂m = w, ∂v = 2Σ(x − x̄), ∂²m = 0, ∂²v = 2Σ."""
        X = numbers_in(X)
        slope = 2.0 * (X - self._centre) @ self._covariance
        first = np.stack([np.broadcast_to(self._w, X.shape), slope], axis=1)
        second = None
        if order == 2:
            second = np.zeros((len(X), 2, *self._covariance.shape))
            second[:, 1] = 2.0 * self._covariance
        return record_of(self.predict(X), first, second, order, inner)


def read_bayesian_linear(model: Any) -> Understood:
    """The prediction of a fitted BayesianRidge or ARDRegression."""
    if not hasattr(model, "coef_"):
        raise not_fitted(model)
    if overrides(model, "predict"):
        return read_std(model)
    if not float(model.alpha_) > 0.0:
        raise InputError(
            f"the noise of this {type(model).__name__} is not finite: its precision alpha_ is {float(model.alpha_):g}. "
            "The scale of y is beyond what its fit can hold: divide y by its standard deviation, and refit."
        )
    closed = _as_its_own(model)
    if closed is None:
        return read_std(model)
    noise = 1.0 / float(model.alpha_)
    words = f"included: {noise:.3g} (1/alpha_)"
    return Understood.of(
        closed, "Normal", words, findings=(Finding("noise", "ok", f"noise of an observation is {words}."),)
    )


def _as_its_own(model: Any) -> BayesianLinear | None:
    """The closed form whose standard deviation is the one of `predict`: whether x is centred depends on the release."""
    w = np.asarray(model.coef_, dtype=np.float64)
    covariance = _full_covariance(model, len(w))
    offset = np.broadcast_to(np.asarray(model.X_offset_, dtype=np.float64), w.shape)
    rows = offset + np.vstack([np.ones_like(w), np.linspace(-2.0, 1.0, len(w))])
    mean, deviation = model.predict(as_fitted(model, rows), return_std=True)
    for centre in (offset, np.zeros_like(w)):
        closed = BayesianLinear(w, covariance, float(model.intercept_), centre, 1.0 / float(model.alpha_))
        found = closed.predict(rows)
        if np.allclose(found.variance, deviation**2, 1e-9, 0.0) and np.allclose(found.mean, mean, 1e-9, 1e-12):
            return closed
    return None


def _full_covariance(model: Any, n_columns: int) -> Array:
    """Σ of all weights: `sigma_` of ARDRegression covers the columns that it kept."""
    given = np.asarray(model.sigma_, dtype=np.float64)
    if given.shape == (n_columns, n_columns):
        return given
    kept = np.flatnonzero(model.lambda_ < model.threshold_lambda)
    covariance = np.zeros((n_columns, n_columns))
    covariance[np.ix_(kept, kept)] = given
    return covariance
