"""Small tables, models and objects that the calls share."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import rsens

LEVELS = np.array(["east", "north", "south"])


@cache
def numeric(n: int = 60, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    """Three columns of numbers, and y that has an interaction and noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)) * [1.0, 2.0, 0.5], columns=["a", "b", "c"])
    y = np.sin(X["a"]) + 0.4 * X["a"] * X["b"] + 0.2 * X["c"] + 0.3 * rng.normal(size=n)
    return X, pd.Series(y, name="y")


@cache
def mixed(n: int = 80, seed: int = 1) -> tuple[pd.DataFrame, pd.Series]:
    """Two columns of numbers, one of text and one with two values."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.gamma(2.0, 1.0, size=n)})
    X["site"] = LEVELS[rng.integers(0, 3, size=n)]
    X["old"] = rng.integers(0, 2, size=n)
    y = np.sin(X["a"]) + 0.3 * X["b"] * (X["site"] == "north") + 0.5 * X["old"] + 0.3 * rng.normal(size=n)
    return X, pd.Series(y, name="y")


def array(n: int = 60, seed: int = 0) -> tuple[Any, Any]:
    X, y = numeric(n, seed)
    return X.to_numpy(copy=True), y.to_numpy(copy=True)


def counts(n: int = 60, seed: int = 0) -> Any:
    X, _ = numeric(n, seed)
    rng = np.random.default_rng(seed + 100)
    return rng.poisson(np.exp(0.6 * X["a"].to_numpy() - 0.2 * X["b"].to_numpy() + 0.5)).astype(float)


def classes(n: int = 60, seed: int = 0, k: int = 2) -> Any:
    _, y = numeric(n, seed)
    noisy = (y + 0.3 * np.random.default_rng(seed + 200).normal(size=n)).to_numpy()
    return np.searchsorted(np.quantile(noisy, np.arange(1, k) / k), noisy)


@cache
def gp(n: int = 60) -> Any:
    X, y = numeric(n)
    return rsens.GPRegressor(n_restarts=0, random_state=0).fit(X, y)


@cache
def mixed_gp() -> Any:
    X, y = mixed()
    return rsens.GPRegressor(n_restarts=0, random_state=0).fit(X, y)


def curved(xp: Any) -> Any:
    """A function of rows for NumPy or JAX: mean and variance both depend on x, and interact."""
    return lambda X: rsens.Normal(xp.sin(X[:, 0]) + 0.3 * X[:, 0] * X[:, 1], xp.exp(0.4 * X[:, 2] - 1.0))


def draws(seed: int = 2, size: int = 25) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "slope": rng.normal([1.0, -0.5, 0.3], 0.2, size=(size, 3)),
        "both": rng.normal(0.4, 0.1, size=size),
        "sigma": np.exp(rng.normal(-1.0, 0.2, size=size)),
    }


def of_draw(p: Any, X: Any) -> Any:
    return rsens.Normal(X @ p["slope"] + p["both"] * X[:, 0] * X[:, 1], p["sigma"] ** 2 + 0.0 * X[:, 0])


class BaseDistribution:
    """The attributes of skpro's distributions that are read; they are known by this name."""

    __module__ = "skpro.distributions.base._base"

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)
        self.given = given

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {**self.given, "index": None, "columns": None}

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(*map(np.shape, self.given.values()))


def of_skpro(name: str, **given: Any) -> Any:
    return type(name, (BaseDistribution,), {"__module__": f"skpro.distributions.{name.lower()}"})(**given)


class Distribution:
    """The attributes of TensorFlow Probability's distributions that are read; they are known by this name."""

    def __init__(self, **given: Any) -> None:
        self.parameters = dict.fromkeys(("logits", "probs", "rate", "log_rate")) | given
        for name, value in self.parameters.items():
            setattr(self, name, value)

    def log_prob(self, value: Any) -> Any:
        raise NotImplementedError


def of_tfp(name: str, **given: Any) -> Any:
    return type(name, (Distribution,), {})(**given)
