"""Small data sets whose interactions are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def two_interactions(n: int = 90) -> tuple[pd.DataFrame, pd.Series]:
    """a:d and b:c interact, and nothing else."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    y = X["a"] + X["b"] * X["c"] + np.sin(X["d"]) + 0.8 * X["a"] * X["d"] + 0.3 * rng.normal(size=n)
    return X, y.rename("y")


def no_interactions(n: int = 70) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    return X, X["a"] + np.sin(2.0 * X["b"]) + 0.3 * rng.normal(size=n)


def counts(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """x0:x1 interact."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    return X, rng.poisson(np.exp(2.0 + 0.8 * X[:, 0] * X[:, 1] + 0.3 * X[:, 2]))


def classes(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """The sign of x0·x1 is the class."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=n) > 0.0, "yes", "no")


def with_levels(n: int = 90) -> tuple[pd.DataFrame, Any]:
    """The slope of `dose` depends on `site`; `flag` and `kind` do nothing."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame(
        {"dose": rng.normal(size=n), "site": rng.choice(["north", "south", "west"], n), "flag": rng.random(n) < 0.5}
    )
    slope = X["site"].map({"north": 2.0, "south": -2.0, "west": 0.0})
    return X, (slope * X["dose"] + 0.3 * rng.normal(size=n)).to_numpy()
