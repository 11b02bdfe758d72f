"""Classifiers with logits that are linear in x, such as LogisticRegression: derivatives in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, softmax

from rsens._typing import Array
from rsens.adapters._sklearn._closed import Closed, numbers_in, record_of
from rsens.adapters._sklearn._rows import as_fitted
from rsens.derivatives import Derivatives, Inner, result_bytes
from rsens.distributions import Bernoulli, Categorical, Distribution

#: Classes with `coef_` and `intercept_`; whether probabilities follow from them as we think is checked for each object.
LINEAR = (
    "sklearn.LogisticRegression",
    "sklearn.LogisticRegressionCV",
    "sklearn.LinearDiscriminantAnalysis",
    "sklearn.SGDClassifier",
)


class Logistic(Closed):
    """Two classes: π = σ(z), z = xᵀw + b, ∂π = π(1 − π)w, ∂²π = π(1 − π)(1 − 2π)wwᵀ."""

    def __init__(self, weights: Array, intercept: float) -> None:
        self._w, self._intercept = weights, intercept

    def predict(self, X: Any) -> Distribution:
        return Bernoulli(logit=numbers_in(X) @ self._w + self._intercept)

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        distribution = self.predict(X)
        z = distribution.fields()["logit"]
        slope = expit(z) * expit(-z)
        first = (slope[:, None] * self._w)[:, None]
        bend = -slope * np.tanh(0.5 * z)  # 1 − 2π, without cancellation
        second = None if order == 1 else (bend[:, None, None] * np.outer(self._w, self._w))[:, None]
        return record_of(distribution, first, second, order, inner)


class Softmax(Closed):
    """More classes: p = softmax(Wx + b). With the deviations c_k = w_k − Σ_j p_j w_j,

    ∂p_k = p_k c_k,  ∂²p_k = p_k (c_k c_kᵀ − Σ_j p_j c_j c_jᵀ).
    """

    def __init__(self, weights: Array, intercepts: Array) -> None:
        self._W, self._intercepts = weights, intercepts

    def predict(self, X: Any) -> Distribution:
        return Categorical(softmax(numbers_in(X) @ self._W.T + self._intercepts, axis=1))

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        distribution = self.predict(X)
        p = distribution.parameters
        c = self._W - (p @ self._W)[:, None]  # (n, K, D)
        first = p[..., None] * c
        second = None
        if order == 2:
            squares = c[..., :, None] * c[..., None, :]
            second = p[..., None, None] * (squares - np.einsum("nk,nkde->nde", p, squares)[:, None])
        return record_of(distribution, first, second, order, inner)

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        return result_bytes(max(n_columns, self._W.shape[1]), order, 2 * len(self._W))


def logistic_of(classifier: Any) -> Closed | None:
    """The closed form of a linear classifier, if its `predict_proba` is that closed form; else None."""
    if not (hasattr(classifier, "coef_") and hasattr(classifier, "intercept_") and hasattr(classifier, "classes_")):
        return None
    W = np.atleast_2d(np.asarray(classifier.coef_, dtype=np.float64))
    b = np.broadcast_to(np.asarray(classifier.intercept_, dtype=np.float64), (len(W),))
    closed = Logistic(W[0], float(b[0])) if len(W) == 1 else Softmax(W, b)
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
