"""Models with derivatives by hand, for which the answers are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from rsens.derivatives import Derivatives
from rsens.distributions import Bernoulli, Categorical, Normal, StudentT


@dataclass
class Linear:
    """Normal(xβ + γ x_0 x_1, σ²): R-sens of x_d is |β_d + …|/σ, R-sens₂ of the first pair |γ|/σ, 0 for others."""

    beta: Any
    sigma: float = 0.5
    gamma: float = 0.0

    def derivatives(self, X: Any, order: int) -> Derivatives:
        X, beta = np.asarray(X, dtype=float), np.asarray(self.beta, dtype=float)
        n, d = X.shape
        first, second = np.zeros((n, 2, d)), np.zeros((n, 2, d, d))
        first[:, 0] = beta
        mean = X @ beta
        if self.gamma:
            mean = mean + self.gamma * X[:, 0] * X[:, 1]
            first[:, 0, 0] += self.gamma * X[:, 1]
            first[:, 0, 1] += self.gamma * X[:, 0]
            second[:, 0, 0, 1] = second[:, 0, 1, 0] = self.gamma
        return Derivatives(Normal(mean, self.sigma**2), first, second if order == 2 else None)


@dataclass
class Heteroscedastic:
    """Normal(sin(x_0) + x_1 x_2, exp(x_2)): x_0 moves the mean only, x_2 both."""

    calls: int = 0

    def derivatives(self, X: Any, order: int) -> Derivatives:
        self.calls += 1
        x0, x1, x2 = np.asarray(X, dtype=float).T
        n = len(x0)
        variance = np.exp(x2)
        first, second = np.zeros((n, 2, 3)), np.zeros((n, 2, 3, 3))
        first[:, 0] = np.stack([np.cos(x0), x2, x1], axis=1)
        first[:, 1, 2] = variance
        second[:, 0, 0, 0] = -np.sin(x0)
        second[:, 0, 1, 2] = second[:, 0, 2, 1] = 1.0
        second[:, 1, 2, 2] = variance
        return Derivatives(Normal(np.sin(x0) + x1 * x2, variance), first, second if order == 2 else None)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        """Small, so that the memory bound decides between one row and hundreds."""
        return 1000


@dataclass
class FirstOrderOnly:
    """Fails when asked for second derivatives."""

    beta: Any

    def derivatives(self, X: Any, order: int) -> Derivatives:
        if order != 1:
            raise AssertionError("second derivatives were computed")
        return Linear(self.beta).derivatives(X, 1)


@dataclass
class Logistic:
    """Bernoulli with logit xβ: R-sens is |β| sqrt(π(1 − π)) (supplement, the limit of infinite data)."""

    beta: Any

    def derivatives(self, X: Any, order: int) -> Derivatives:
        X, beta = np.asarray(X, dtype=float), np.asarray(self.beta, dtype=float)
        p = 1.0 / (1.0 + np.exp(-X @ beta))
        first = (p * (1.0 - p))[:, None, None] * beta
        curvature = p * (1.0 - p) * (1.0 - 2.0 * p)
        second = curvature[:, None, None, None] * np.outer(beta, beta) if order == 2 else None
        return Derivatives(Bernoulli(p), first, second)


@dataclass
class Softmax:
    """Categorical with logits X B, B (D, K)."""

    weights: Any
    classes_: Any = None

    def derivatives(self, X: Any, order: int) -> Derivatives:
        X, B = np.asarray(X, dtype=float), np.asarray(self.weights, dtype=float)
        logits = X @ B
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        centred = B[None] - (p @ B.T)[:, :, None]  # (n, D, K)
        first = np.einsum("nk,ndk->nkd", p, centred)
        second = None
        if order == 2:
            spread = np.einsum("ndk,ek->nde", p[:, None, :] * centred, B)
            second = np.einsum("nk,ndk,nek->nkde", p, centred, centred) - np.einsum("nk,nde->nkde", p, spread)
        return Derivatives(Categorical(p), first, second)


class BayesianLinear(BaseEstimator):
    """The linear model of the paper's section 2.2: Student-t predictive, with or without an intercept."""

    def __init__(self, fit_intercept: bool = False) -> None:
        self.fit_intercept = fit_intercept

    def _design(self, X: Any) -> Any:
        X = np.asarray(X, dtype=float)
        return np.column_stack([np.ones(len(X)), X]) if self.fit_intercept else X

    def fit(self, X: Any, y: Any) -> BayesianLinear:
        Z, y = self._design(X), np.asarray(y, dtype=float)
        self.precision_ = np.linalg.inv(Z.T @ Z)
        self.beta_ = self.precision_ @ Z.T @ y
        self.df_ = len(Z) - Z.shape[1]
        self.s2_ = float(((y - Z @ self.beta_) ** 2).sum() / self.df_)
        return self

    def derivatives(self, X: Any, order: int) -> Derivatives:
        Z = self._design(X)
        start = int(self.fit_intercept)
        n, d = len(Z), Z.shape[1] - start
        projected = Z @ self.precision_  # x (XᵀX)⁻¹
        scale2 = self.s2_ * (1.0 + (projected * Z).sum(axis=1))
        first, second = np.zeros((n, 2, d)), np.zeros((n, 2, d, d))
        first[:, 0] = self.beta_[start:]
        first[:, 1] = 2.0 * self.s2_ * projected[:, start:]
        second[:, 1] = 2.0 * self.s2_ * self.precision_[start:, start:]
        return Derivatives(StudentT(Z @ self.beta_, scale2, float(self.df_)), first, second if order == 2 else None)
