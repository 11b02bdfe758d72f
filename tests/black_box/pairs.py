"""Models and rows for the methods for pairs."""

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from rsens import distributions as ds
from rsens._typing import Array
from rsens.adapters import read_for
from rsens.black_box import Predictor
from rsens.black_box._budget import BUDGETS
from rsens.derivatives import from_function
from rsens.kernels import Matern52
from rsens.models import GPClassifier, GPRegressor

PAPER, STANDARD = BUDGETS["paper"], BUDGETS["standard"]

#: All combinations of −1, 0 and 1 in four columns: centred, and exactly independent.
GRID = np.array(list(product([-1.0, 0.0, 1.0], repeat=4)))


def question(model: Any, X: Any) -> Predictor:
    return Predictor.of(*read_for(model, X))


def of_function(f: Callable[[Array], Array], X: Any, **arguments: Any) -> Predictor:
    return question(from_function(lambda x: ds.Normal(f(x), 1.0), **arguments), X)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def smooth(x: Array) -> Array:
    """An interaction of each two of the first three columns; the fourth adds to the rest."""
    return np.sin(x[:, 0]) * x[:, 1] + np.exp(0.3 * x[:, 1] * x[:, 2]) + x[:, 0] * x[:, 2] ** 2 + x[:, 3] ** 3


def flats(n: int = 40) -> pd.DataFrame:
    random = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "size, in m²": random.normal(100.0, 30.0, n),
            "🏠": random.gamma(2.0, 10.0, n),
            "town": random.choice(["Bergen", "Oslo", "Tromsø"], n),
            "new": random.random(n) < 0.4,
        }
    )


def rents(X: pd.DataFrame) -> Array:
    """The size matters twice as much in Oslo; what is new costs 50 more, wherever it is."""
    return (X.iloc[:, 0] * (1.0 + (X["town"] == "Oslo")) - 0.5 * X["🏠"] + 50.0 * X["new"]).to_numpy(dtype=float)


@cache
def fitted_to_flats(n: int = 40) -> tuple[Any, pd.DataFrame]:
    X = flats(n)
    y = rents(X) + 5.0 * np.random.default_rng(4).normal(size=n)  # without noise, weights of 1e9 cancel in the mean
    return GPRegressor(n_restarts=0).fit(X, y), X


#: Models by which methods for pairs can be asked, in closed form and otherwise.
KINDS = ["function", "GP in closed form", "GP by asking", "labels"]


def predictor_of_kind(kind: str, X: Array, n_flats: int) -> Predictor:
    if kind == "function":
        return of_function(smooth, X)
    if kind == "labels":
        return question(*fitted_to_flats(n_flats))
    return question(GPRegressor(None if "closed" in kind else Matern52(), n_restarts=0).fit(X, smooth(X)), X)


@cache
def three_classes(n: int = 20) -> tuple[Any, pd.DataFrame]:
    X = flats(n)
    y = np.array(["low", "mid", "top"])[np.digitize(rents(X), np.quantile(rents(X), [0.3, 0.7]))]
    return GPClassifier(n_restarts=0).fit(X, y), X
