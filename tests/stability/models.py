"""Estimators whose rankings are known, and that can be told to fail or to count."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from rsens.derivatives import Derivatives
from rsens.distributions import Normal


class LeastSquares(BaseEstimator):
    """y = xβ + ε by least squares, with fixed variance 1: R-sens of x_d is |β_d|.

    `fails` is a threshold: a fit fails if the first y of its sample is above it. `log` is a folder that gets a file for
    every fit.
    """

    def __init__(self, fails: float = np.inf, log: str | None = None, random_state: Any = None) -> None:
        self.fails = fails
        self.log = log
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> LeastSquares:
        values, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
        if self.log is not None:
            (Path(self.log) / uuid.uuid4().hex).touch()
        if y[0] > self.fails:
            raise RuntimeError(f"{y[0]} is too much")
        self.coef_ = np.linalg.lstsq(np.column_stack([values, np.ones(len(y))]), y)[0]
        return self

    def derivatives(self, X: Any, order: int) -> Derivatives:
        values = np.asarray(X, dtype=float)
        n, d = values.shape
        first, second = np.zeros((n, 2, d)), np.zeros((n, 2, d, d))
        first[:, 0] = self.coef_[:-1]
        mean = values @ self.coef_[:-1] + self.coef_[-1]
        return Derivatives(Normal(mean, np.ones(n)), first, second if order == 2 else None)


def linear_data(
    n: int = 60, slopes: tuple[float, ...] = (0.0, 4.0, 1.0, 2.0), noise: float = 0.3, seed: int = 0
) -> Any:
    """(X, y) with y = xβ + ε."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, len(slopes)))
    return X, X @ np.array(slopes) + noise * rng.normal(size=n)
