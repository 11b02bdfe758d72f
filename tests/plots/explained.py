"""Explanations to draw: a stand-in with categorical columns, and real ones of models with closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, softmax

from rsens._explain import Explanation, explain
from rsens.derivatives import from_function
from rsens.distributions import Bernoulli, Categorical, Normal
from tests.plots.pictured import NAMES, Pictured, pictured


def with_categories() -> Pictured:
    """`sex` has two levels, `s1` ten, and R-sens of `s2` is the same in all rows."""
    rng, known = np.random.default_rng(0), pictured(NAMES)
    data = known.data.assign(sex=rng.choice(["female", "male"], 200), s1=rng.choice(list("abcdefghij"), 200))
    local = known.local_main.assign(
        sex=np.where(data["sex"] == "male", 1.0, 1.6) + 0.05 * rng.random(200),
        s1=np.where(data["s1"] == "a", 1.0, 1.2),
        s2=2.0,
    )
    return known.but(data=data, local_main=local, categorical=("sex", "s1"))


def rows(n: int = 150) -> pd.DataFrame:
    """Numbers, of which the first two are correlated, text and truth values; nobody in Kiel has sold."""
    rng = np.random.default_rng(4)
    x = rng.standard_normal((n, 3))
    x[:, 1] = 0.7 * x[:, 0] + 0.7 * x[:, 1]
    city = rng.choice(["Aalto", "Bergen", "Kiel"], n, p=[0.6, 0.3, 0.1])
    return pd.DataFrame(x, columns=["age", "body mass", "c"]).assign(
        city=city, sold=(rng.random(n) < 0.3) & (city != "Kiel")
    )


def numbers(**options: Any) -> Explanation:
    """Mean sin(1.3 a) b + 0.3 c, variance 0.2 + 0.1 a²; a and c do not interact."""
    model = from_function(lambda Z: Normal(np.sin(1.3 * Z[:, 0]) * Z[:, 1] + 0.3 * Z[:, 2], 0.2 + 0.1 * Z[:, 0] ** 2))
    return explain(model, rows().iloc[:, :3], intervals=False, **options)


def levels(family: str = "Normal") -> Explanation:
    """The level of the city multiplies the slope of age, and sold counts only in Kiel."""

    def latent(Z: Any) -> Any:
        return np.sin(1.3 * Z[:, 0]) * (1.0 + Z[:, 3]) + 0.5 * Z[:, 4] * (Z[:, 3] == 2.0)

    def predict(Z: Any) -> Any:
        return Normal(latent(Z), 0.3 + 0.1 * Z[:, 3]) if family == "Normal" else Bernoulli(expit(latent(Z)))

    return explain(from_function(predict), rows(), intervals=False)


def classes() -> Explanation:
    weights = np.random.default_rng(9).standard_normal((3, 3))
    model = from_function(lambda Z: Categorical(softmax(Z @ weights, axis=1)))
    return explain(model, rows().iloc[:, :3], intervals=False)
