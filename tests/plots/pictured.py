"""Things to draw: stand-ins for an explanation, whose every number is chosen, and models with closed forms."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from rsens.derivatives import Model, from_function
from rsens.distributions import Normal, StudentT


class Pictured(SimpleNamespace):
    """The attributes of `Explanation` that plots read; those of its `inference` are here too."""

    def but(self, **changes: Any) -> Any:
        return type(self)(**vars(self) | changes)

    @property
    def inference(self) -> Any:
        return self

    def by_frame(self) -> Any:
        """The table of subgroups, if there are any."""
        return self.subgroups

    def untested(self) -> Any:
        """Without the marks of pairs."""
        return self.but(**dict.fromkeys(("pair_p_values", "pair_above", "pair_unclear", "pair_additive", "test_scale")))


def pictured(names: list[str], *, n: int = 200, seed: int = 0) -> Pictured:
    """Everything known; the values fall slowly from name to name, in a shuffled order.

    Local values grow with the variable, for every second name the other way round, and have its `main` as their mean.
    """
    rng = np.random.default_rng(seed)
    index = pd.Index(names, dtype=object)
    main = pd.Series(rng.permutation(2.0 * 0.93 ** np.arange(len(names))), index=index, name="rsens")
    share = rng.uniform(0.3, 0.9, len(names))
    first, second = np.triu_indices(len(names), 1)
    rows = np.random.default_rng(seed + 1).standard_normal((n, len(names)))
    data = pd.DataFrame(rows, columns=index)
    local = np.exp(0.4 * data * np.where(np.arange(len(names)) % 2, -1.0, 1.0))
    local = local * main / local.mean()
    pairs = pd.MultiIndex.from_arrays([index[first], index[second]], names=["first", "second"])
    values = pd.Series(rng.gamma(0.7, 0.3, len(first)), index=pairs, name="rsens2")
    above = (values > 0.2).rename("above_null")
    return Pictured(
        main=main,
        pairs=values,
        pair_parts=pd.DataFrame({"mean": 0.75 * values, "variance": 0.25 * values}),
        pair_intervals=pd.DataFrame({"lower": 0.5 * values, "upper": 1.5 * values}),
        pair_p_values=pd.Series(np.where(above, 0.01, 0.4), index=pairs, name="p_value"),
        pair_above=above,
        pair_unclear=pd.Series(False, index=pairs, name="unclear"),
        pair_additive=pd.Series(False, index=pairs, name="additive"),
        names=tuple(names),
        parts=pd.DataFrame({"mean": main * share, "variance": main * (1.0 - share)}),
        intervals=pd.DataFrame({"lower": 0.85 * main, "upper": 1.2 * main}),
        null=pd.Series(0.4, index=index, name="null"),
        p_value=pd.Series(np.where(main > 0.4, 0.001, 0.3), index=index, name="p_value"),
        above_null=(main > 0.4).rename("above_null"),
        direction=pd.Series(np.where(np.arange(len(names)) % 2, -1.0, 1.0), index=index, name="direction"),
        consistency=pd.Series(np.where(np.arange(len(names)) % 4 == 2, 0.3, 0.9), index=index, name="consistency"),
        local_main=local,
        data=data,
        n=n,
        groups={},
        scale_kind="sd",
        test_scale="identity",
        level=0.95,
        interval_kind="refits",
        interval_refits=10,
        intervals_hold=True,
        categorical=(),
        _two_valued=(),
    )


def in_doubt(known: Pictured) -> Pictured:
    """The first variable is collinear, and the strongest pair moves only the uncertainty."""
    collinear = known.pairs.index.get_level_values("first") == known.names[0]
    top = known.pairs.idxmax()
    parts = known.pair_parts.copy()
    parts.loc[top] = np.array([0.01, 0.99]) * known.pairs[top]
    unclear = (~known.inference.pair_above & collinear).rename("unclear")
    return known.but(pair_unclear=unclear, pair_parts=parts)


def divided(names: list[str], groups: list[Any], *, marked: bool = True, rest: bool = True) -> Any:
    """With subgroups, which differ from the other rows by up to a third; the larger differences are marked."""
    known = pictured(names)
    ranked = known.main.sort_values(ascending=False)
    main = np.tile(ranked.to_numpy(), len(groups))
    apart = main * np.random.default_rng(2).uniform(-0.33, 0.33, len(main))
    frame = pd.DataFrame(
        {
            "subgroup": np.repeat(np.array(groups, dtype=object), len(names)),
            "rows": known.n // len(groups),
            "term": np.tile(ranked.index.to_numpy(), len(groups)),
            "value": main + apart if rest else main,
            "rest": main if rest else np.nan,
            "difference": apart if rest else np.nan,
            "p_value": np.where(np.abs(apart) > 0.2 * main, 0.01, 0.5) if marked and rest else np.nan,
        }
    )
    frame["differs"] = (frame["p_value"] <= 0.05).astype("boolean").mask(frame["p_value"].isna())
    return known.but(subgroups=frame)


#: The shares within one, two and three standard deviations of a normal distribution.
THREE_SD = (0.6826894921370859, 0.9544997361036416, 0.9973002039367398)
NAMES = ["age", "sex", "bmi", "blood pressure", "s1", "s2", "s3", "s4"]
ODD_NAMES = [
    "a_long_name_that_begins_like_another_" * 5 + "first",
    "a_long_name_that_begins_like_another_" * 5 + "second",
    "cost in $ per $_unit^2",
    "🚲 rides 👩🏽‍🔬",
    r"\frac{a}{b} & <b>",
    "two\nlines\tand a tab",
    "   ",
    "%s {0} {x!r}",
]


def gp_like() -> tuple[Model, pd.DataFrame, pd.Series]:
    """A Gaussian process with a gap in its data, as in the paper's Figure 1, with its training data."""
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.uniform(-3.0, 0.0, 20), rng.uniform(2.0, 4.0, 8)])
    y = np.sin(1.5 * x) + 0.3 * rng.standard_normal(len(x))

    def covariance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return 1.5 * np.exp(-0.5 * ((a[:, None] - b) / 0.8) ** 2)

    inverse = np.linalg.inv(covariance(x, x) + 0.1 * np.eye(len(x)))

    def predict(X: np.ndarray) -> Normal:
        k = covariance(X[:, 0], x)
        return Normal(k @ inverse @ y, 1.6 - np.einsum("ij,jk,ik->i", k, inverse, k))

    return from_function(predict), pd.DataFrame({"x": x}), pd.Series(y, name="y")


@dataclass(frozen=True)
class LinearModel:
    """Section 4.4 of the paper: linear regression under a flat prior; the predictive is a Student-t."""

    X: np.ndarray
    beta: np.ndarray
    s2: float
    inverse: np.ndarray
    df: float

    @classmethod
    def simulated(cls) -> LinearModel:
        rng = np.random.default_rng(5)
        X = rng.standard_normal((10, 2))
        y = X[:, 0] + 0.5 * rng.standard_normal(10)
        inverse = np.linalg.inv(X.T @ X)
        beta = inverse @ X.T @ y
        return cls(X, beta, float(((y - X @ beta) ** 2).sum() / 8.0), inverse, 8.0)

    def variance(self, X: np.ndarray) -> np.ndarray:
        return self.s2 * (1.0 + np.einsum("ij,jk,ik->i", X, self.inverse, X))

    def model(self) -> Model:
        return from_function(lambda X: StudentT(X @ self.beta, self.variance(X), self.df))

    def summands(self, X: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
        """The two summands under the root in the paper's equation (5)."""
        nu, variance = self.df, self.variance(X)
        v_d = X @ self.inverse[:, d]
        first = (nu + 1.0) * self.beta[d] ** 2 / ((nu + 3.0) * variance)
        return first, 2.0 * nu * self.s2**2 * v_d**2 / ((nu + 3.0) * variance**2)
