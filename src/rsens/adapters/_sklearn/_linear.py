"""Linear models with derivatives in closed form: BayesianRidge and ARDRegression, LogisticRegression and its kin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._adapter import not_fitted, overrides
from rsens.adapters._linear_predictor import LinearPredictor, MultinomialPredictor
from rsens.adapters._sklearn._prediction import Prediction, as_fitted, numbers_in, read_std, record_of
from rsens.derivatives import Derivatives, Finding, Inner
from rsens.distributions import Bernoulli, Distribution
from rsens.likelihoods import GaussianLikelihood

#: Classes with `coef_` and `intercept_`; whether probabilities follow from them as we think is checked for each object.
LINEAR_CLASSIFIERS = (
    "sklearn.LogisticRegression",
    "sklearn.LogisticRegressionCV",
    "sklearn.LinearDiscriminantAnalysis",
    "sklearn.SGDClassifier",
)


@dataclass(frozen=True, eq=False)
class LinearPrediction(Prediction):
    """A prediction at the design (1, x − centre)."""

    predictor: LinearPredictor | MultinomialPredictor
    centre: Array

    def predict(self, X: Any) -> Distribution:
        return self.predictor.predict(self._design(X))

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        record = self.predictor.derivatives(self._design(X), order)
        second = None if record.second is None else record.second[..., 1:, 1:]
        return record_of(record.distribution, record.first[..., 1:], second, order, inner)

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        return self.predictor.bytes_per_row(max(n_columns, len(self.centre)) + 1, order)

    def _design(self, X: Any) -> Array:
        centred = numbers_in(X) - self.centre
        return np.column_stack([np.ones(len(centred)), centred])


def read_bayesian_linear(model: Any) -> Prediction:
    """Normal(xᵀw + b, (x − x̄)ᵀΣ(x − x̄) + 1/α) of a fitted BayesianRidge or ARDRegression."""
    if not hasattr(model, "coef_"):
        raise not_fitted(model)
    if overrides(model, "sklearn", "predict"):
        return read_std(model)
    if not float(model.alpha_) > 0.0:
        raise InputError(
            f"the noise of this {type(model).__name__} is not finite: its precision alpha_ is {float(model.alpha_):g}. "
            "The scale of y is beyond what its fit can hold: divide y by its standard deviation, and refit."
        )
    w = np.asarray(model.coef_, dtype=np.float64)
    covariance = np.zeros((1 + len(w), 1 + len(w)))
    # `sigma_` of ARDRegression covers the columns that it kept.
    kept = np.flatnonzero(model.lambda_ < model.threshold_lambda) if len(model.sigma_) < len(w) else np.arange(len(w))
    covariance[np.ix_(1 + kept, 1 + kept)] = model.sigma_
    noise = 1.0 / float(model.alpha_)
    words = f"included: {noise:.3g} (1/alpha_)"
    finding = Finding("noise", "ok", f"noise of an observation is {words}.")
    offset = np.broadcast_to(np.asarray(model.X_offset_, dtype=np.float64), w.shape)
    rows = offset + np.vstack([np.ones_like(w), np.linspace(-2.0, 1.0, len(w))])
    mean, deviation = model.predict(as_fitted(model, rows), return_std=True)
    for centre in (offset, np.zeros_like(w)):  # whether x is centred depends on the release
        coefficients = np.array([float(model.intercept_) + centre @ w, *w])
        predictor = LinearPredictor(coefficients, covariance, GaussianLikelihood(noise))
        closed = LinearPrediction(predictor, centre, family="Normal", noise=words, findings=(finding,))
        found = closed.predict(rows)
        if np.allclose(found.variance, deviation**2, 1e-9, 0.0) and np.allclose(found.mean, mean, 1e-9, 1e-12):
            return closed
    return read_std(model)


@dataclass(frozen=True, eq=False)
class Logistic(Prediction):
    """Two classes: π = σ(z), z = xᵀw + b, ∂π = π(1 − π)w, ∂²π = π(1 − π)(1 − 2π)wwᵀ."""

    weights: Array
    intercept: float

    def predict(self, X: Any) -> Distribution:
        return Bernoulli(logit=numbers_in(X) @ self.weights + self.intercept)

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        distribution = self.predict(X)
        z = distribution.fields()["logit"]
        slope = expit(z) * expit(-z)
        first = (slope[:, None] * self.weights)[:, None]
        bend = -slope * np.tanh(0.5 * z)  # 1 − 2π, without cancellation
        second = None if order == 1 else (bend[:, None, None] * np.outer(self.weights, self.weights))[:, None]
        return record_of(distribution, first, second, order, inner)


def logistic_of(classifier: Any, **words: Any) -> Prediction | None:
    """The closed form of a linear classifier, if its `predict_proba` is that closed form; else None."""
    if not (hasattr(classifier, "coef_") and hasattr(classifier, "intercept_")):
        return None
    W = np.atleast_2d(np.asarray(classifier.coef_, dtype=np.float64))
    b = np.broadcast_to(np.asarray(classifier.intercept_, dtype=np.float64), (len(W),))
    closed: Prediction = Logistic(W[0], float(b[0]), **words)
    if len(W) > 1:
        coefficients = np.vstack([b, W.T])  # against the first class
        predictor = MultinomialPredictor((coefficients[:, 1:] - coefficients[:, :1])[None])
        closed = LinearPrediction(predictor, np.zeros(W.shape[1]), **words)
    sizes = np.linalg.norm(W, axis=1, keepdims=True) ** 2
    steps = W / np.where(sizes > 0.0, sizes, 1.0)  # each moves a logit by 1
    rows = np.vstack([np.zeros((1, W.shape[1])), steps, -2.0 * steps])
    try:
        given = np.asarray(classifier.predict_proba(as_fitted(classifier, rows)))
    except AttributeError:  # SGDClassifier with a loss that has no probabilities
        return None
    found = closed.predict(rows).mean
    found = np.stack([1.0 - found, found], axis=1) if found.ndim == 1 else found
    return closed if given.shape == found.shape and np.allclose(given, found, 0.0, 1e-10) else None
