"""How often do the intervals of effects hold? Data sets with a known truth, each explained as a user would.

    python -m experiments.effects

Every data set has 150 rows: three normal numbers, of which x2 does nothing, a column z of mostly zeros, and in one
design a category. The truth of an effect is the mean slope of the true mean E[y | x] times the stated step, its mean
difference between the two stated values, or a level minus the mean of the others by their true shares. A Gaussian
process shrinks what it fits, so its expected effect is not quite the truth, and an interval for new data can only hold
what is expected. Both are counted. A run can be interrupted and goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from scipy.special import expit

import rsens
from experiments._command import parallel, parser
from experiments._journal import Journal, run
from experiments._tables import write_csv, write_text
from rsens._typing import Array

ROWS = 150
NUMBERS = ("x0", "x1", "x2")
CORRELATIONS = {"independent": 0.0, "correlation 0.9": 0.9}
LEVELS, SHARES, OF_LEVEL = ("a", "b", "c"), np.array([0.5, 0.3, 0.2]), np.array([0.0, 0.5, 1.5])
ZEROS = 0.6
#: Rows over which the truth is averaged: its error is a few thousandths, intervals are a hundred times as wide.
MANY = 100_000

#: The part of each column in the latent function.
Parts = dict[str, Callable[[Array], Array]]
LINEAR: Parts = {"x0": lambda x: x, "x1": lambda x: 0.4 * x, "x2": np.zeros_like, "z": lambda z: 0.6 * z}
CURVED: Parts = {
    "x0": lambda x: x + np.sin(1.5 * x) / 1.5,
    "x1": lambda x: 0.6 * x**2 + 0.4 * x,
    "x2": np.zeros_like,
    "z": lambda z: 1.5 * np.log1p(z),
}
#: From the latent function to the mean of y, and how y is drawn from it.
LINKS: dict[str, Callable[[Array], Array]] = {"identity": np.asarray, "logit": expit, "log": np.exp}
DRAWS: dict[str, Callable[[np.random.Generator, Array], Array]] = {
    "identity": lambda rng, mean: mean + rng.standard_normal(len(mean)),
    "logit": lambda rng, mean: np.where(rng.random(len(mean)) < mean, 1.0, 0.0),
    "log": lambda rng, mean: rng.poisson(mean).astype(float),
}


@dataclass(frozen=True)
class Design:
    """A model and the truth that it is fitted to: the latent function is `times` the sum of its parts."""

    model: Callable[[int], Any]
    parts: Parts
    link: str = "identity"
    times: float = 1.0
    category: bool = False
    data_sets: int = 100

    def mean(self, X: pd.DataFrame) -> Array:
        """E[y | x]."""
        f = sum((part(X[name].to_numpy()) for name, part in self.parts.items()), np.zeros(len(X)))
        if self.category:
            f = f + OF_LEVEL[X["level"].map(LEVELS.index).to_numpy()]
        return LINKS[self.link](self.times * f)


#: Only one design has a category: R-sens between levels of a Student-t prediction is a quadrature, and would take most
#: of the time of the linear model.
DESIGNS = {
    "linear model": Design(lambda seed: rsens.BayesianLinearRegression(), LINEAR),
    "logistic model": Design(lambda seed: rsens.BayesianLogisticRegression(), LINEAR, "logit"),
    "Poisson regression": Design(lambda seed: rsens.BayesianPoissonRegression(), LINEAR, "log", times=0.5),
    "GP": Design(lambda seed: rsens.GPRegressor(random_state=seed), CURVED, category=True, data_sets=60),
    "logit GP": Design(lambda seed: rsens.GPClassifier(link="logit", random_state=seed), CURVED, "logit", data_sets=60),
    "Poisson GP": Design(
        lambda seed: rsens.GPRegressor(likelihood="poisson", random_state=seed), CURVED, "log", times=0.4, data_sets=60
    ),
}


def inputs(rng: np.random.Generator, n: int, correlation: float, *, category: bool) -> pd.DataFrame:
    """Correlated standard normal numbers, a column of mostly zeros, and a category."""
    shared = rng.standard_normal((n, 1))
    x = np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * rng.standard_normal((n, len(NUMBERS)))
    X = pd.DataFrame(x, columns=list(NUMBERS))
    X["z"] = np.where(rng.random(n) < ZEROS, 0.0, rng.exponential(1.0, n))
    if category:
        X["level"] = np.array(LEVELS)[rng.choice(len(LEVELS), n, p=SHARES)]
    return X


# ---- the truth -------------------------------------------------------------------------------------------------------


@cache
def _many(correlation: float, category: bool) -> pd.DataFrame:
    return inputs(np.random.default_rng(0), MANY, correlation, category=category)


@cache
def mean_slope(name: str, correlation: float, column: str) -> float:
    """E[∂E[y | x]/∂x_d]."""
    design, X = DESIGNS[name], _many(correlation, DESIGNS[name].category)
    up, down = (design.mean(X.assign(**{column: X[column] + side})) for side in (1e-4, -1e-4))
    return float(np.mean(up - down) / 2e-4)


def mean_with(name: str, correlation: float, column: str, value: Any) -> float:
    """E[E[y | x, x_d = value]]; for z and the category, which are independent of the other columns."""
    design = DESIGNS[name]
    return float(design.mean(_many(correlation, design.category).assign(**{column: value})).mean())


def true_effect(name: str, correlation: float, line: Any, effects: Any) -> float:
    """The true effect of a line of `Explanation.effects`, whose step is stated by `effects`."""
    if line.kind == "level":
        means = np.array([mean_with(name, correlation, line.term, level) for level in LEVELS])
        rest = np.array([level != line.level for level in LEVELS])
        return float(means[~rest][0] - np.average(means[rest], weights=SHARES[rest]))
    at = next(k for k, key in enumerate(effects.effect_keys) if key[0] == line.term)
    if line.kind == "slope":
        return mean_slope(name, correlation, line.term) * float(effects.effect_step[at])
    _, _, start, stop = effects.effect_keys[at]
    return mean_with(name, correlation, line.term, stop) - mean_with(name, correlation, line.term, start)


# ---- data sets and counts --------------------------------------------------------------------------------------------


def repetition(name: str, of_inputs: str, number: int, *, seed: int) -> list[dict[str, Any]]:
    """One data set: every effect with its interval and the truth."""
    design, correlation = DESIGNS[name], CORRELATIONS[of_inputs]
    rng = np.random.default_rng([seed, number, crc32(f"{name}, {of_inputs}".encode())])
    X = inputs(rng, ROWS, correlation, category=design.category)
    y = DRAWS[design.link](rng, design.mean(X))
    fitted = design.model(number).fit(X, y)
    found = rsens.explain(fitted, X, y, pairs=False, null=False, random_state=number)
    return [
        {
            "effect of": line.term if line.kind != "level" else f"{line.term} = {line.level}",
            "effect": float(line.effect),
            "lower": float(line.lower),
            "upper": float(line.upper),
            "truth": true_effect(name, correlation, line, found._effects),
        }
        for line in found.effects.sort_values(["kind", "term", "level"]).itertuples()  # not by size: that varies
    ]


def summarize(lines: pd.DataFrame) -> pd.DataFrame:
    """How often intervals hold the truth, and the truth plus the mean error of all data sets, by effect in percent."""
    keys = ["model", "inputs", "effect of"]
    error = (lines["effect"] - lines["truth"]).groupby([lines[key] for key in keys]).transform("mean")
    held = lines.assign(
        holds_truth=100.0 * lines["truth"].between(lines["lower"], lines["upper"]),
        holds_expected=100.0 * (lines["truth"] + error).between(lines["lower"], lines["upper"]),
    )
    by_effect = held.groupby(keys, sort=False)
    table = by_effect[["truth", "effect", "holds_truth", "holds_expected"]].mean()
    table["data_sets"] = by_effect.size()
    return table.reset_index()


def markdown(table: pd.DataFrame) -> str:
    """The summary as a table for the page about effects, with a line for all effects of a design."""
    text = [
        "| model | inputs | effect of | truth | mean effect | holds the expected one | holds the truth | data sets |",
        "|" + "---|" * 8,
    ]
    for (model, of_inputs), part in table.groupby(["model", "inputs"], sort=False):
        for row in part.to_dict("records"):
            text.append(
                f"| {model} | {of_inputs} | {row['effect of']} | {_number(row['truth'])} | {_number(row['effect'])} | "
                f"{row['holds_expected']:.0f} | {row['holds_truth']:.0f} | {row['data_sets']} |"
            )
        means = part[["holds_expected", "holds_truth"]].mean()
        text.append(
            f"| {model} | {of_inputs} | **all** | | | **{means['holds_expected']:.1f}** | "
            f"**{means['holds_truth']:.1f}** | {part['data_sets'].iloc[0]} |"
        )
    return "\n".join(text) + "\n"


def _number(value: float) -> str:
    """Two decimals, without a minus at 0."""
    return f"{round(value, 2) + 0.0:.2f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write effects.csv, how often intervals hold by effect, and effects.md, the same for the page."""
    options = parser(str(__doc__).partition("\n")[0], 200, published=False)
    options.set_defaults(repetitions=None)
    options.add_argument("--models", nargs="+", choices=list(DESIGNS), default=list(DESIGNS), metavar="NAME")
    given = options.parse_args(arguments)
    journal = Journal(given.out / "effects.jsonl", {"experiment": "effects", "seed": given.seed}, version=2)
    counts = {name: given.repetitions or DESIGNS[name].data_sets for name in given.models}
    keys = [(name, of, k) for name in given.models for of in CORRELATIONS for k in range(counts[name])]
    with parallel(given):
        work = partial(repetition, seed=given.seed)
        found = run(journal, keys, work, n_jobs=given.n_jobs, label="effects", timed=False)
    order = sorted(found, key=lambda key: (list(DESIGNS).index(key[0]), list(CORRELATIONS).index(key[1]), key[2]))
    lines = [{"model": key[0], "inputs": key[1], **line} for key in order for line in found[key]]
    table = summarize(pd.DataFrame(lines))
    write_csv(table, given.out / "effects.csv")
    write_text(given.out / "effects.md", markdown(table))


if __name__ == "__main__":
    main()
