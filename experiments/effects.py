"""How often do the intervals of effects hold? Data sets with a known truth, each explained as a user would.

    python -m experiments.effects

The truth of an effect is the mean slope of the true function times the stated step, its difference between the two
stated values, or a level minus the mean of the others with their true frequencies. A Gaussian process shrinks what it
fits, so its expected effect is not quite the truth, and an interval for new data can only hold that. Both are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import rsens
from experiments._command import REPETITIONS, parallel, parser
from experiments._tables import write_csv, write_text
from rsens._typing import Array

ROWS = 150
#: A column of mostly zeros comes on top, and for the Gaussian process a category.
NUMBERS = ("x0", "x1", "x2")
CORRELATIONS = {"independent": 0.0, "correlation 0.9": 0.9}
LEVELS, SHARES, OF_LEVEL = ("a", "b", "c"), np.array([0.5, 0.3, 0.2]), np.array([0.0, 0.5, 1.5])
ZEROS = 0.6


@dataclass(frozen=True)
class Truth:
    """An additive function of the numbers, and of z, which is mostly 0: its parts, and their mean slopes."""

    parts: dict[str, Callable[[Array], Array]]
    slopes: dict[str, float]


#: x ~ N(0, 1) has E[cos 1.5x] = exp(−1.5²/2), the mean slope of sin(1.5x)/1.5.
TRUTHS = {
    "linear": Truth(
        {"x0": lambda x: x, "x1": lambda x: 0.4 * x, "x2": np.zeros_like, "z": lambda z: 0.6 * z},
        {"x0": 1.0, "x1": 0.4, "x2": 0.0},
    ),
    "curved": Truth(
        {
            "x0": lambda x: x + np.sin(1.5 * x) / 1.5,
            "x1": lambda x: 0.6 * x**2 + 0.4 * x,
            "x2": np.zeros_like,
            "z": lambda z: 1.5 * np.log1p(z),
        },
        {"x0": 1.0 + float(np.exp(-(1.5**2) / 2.0)), "x1": 0.4, "x2": 0.0},
    ),
}
#: The model, and the truth that it is fitted to. Only the Gaussian process has the category: R-sens between levels of a
#: Student-t prediction is a quadrature, and would take most of the time.
MODELS: dict[str, tuple[Callable[[int], Any], str]] = {
    "linear model": (lambda seed: rsens.BayesianLinearRegression(), "linear"),
    "Gaussian process": (lambda seed: rsens.GPRegressor(random_state=seed), "curved"),
}


def draw(
    rng: np.random.Generator, truth: Truth, correlation: float, n: int = ROWS, *, category: bool = True
) -> tuple[pd.DataFrame, Array]:
    """A data set: correlated normal numbers, a column of mostly zeros, a category; noise with standard deviation 1."""
    shared = rng.standard_normal((n, 1))
    x = np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * rng.standard_normal((n, len(NUMBERS)))
    X = pd.DataFrame(x, columns=list(NUMBERS))
    X["z"] = np.where(rng.random(n) < ZEROS, 0.0, rng.exponential(1.0, n))
    f = sum((part(X[name].to_numpy()) for name, part in truth.parts.items()), np.zeros(n))
    if category:
        codes = rng.choice(len(LEVELS), n, p=SHARES)
        X["level"] = np.array(LEVELS)[codes]
        f = f + OF_LEVEL[codes]
    return X, np.asarray(f + rng.standard_normal(n))


def true_effect(truth: Truth, line: Any, effects: Any) -> float:
    """The true effect of a line of `Explanation.effects`, whose step is stated by `effects`."""
    if line.kind == "level":
        rest = np.array([level != line.level for level in LEVELS])
        return float(OF_LEVEL[~rest][0] - np.average(OF_LEVEL[rest], weights=SHARES[rest]))
    if line.kind == "slope":
        return truth.slopes[line.term] * float(effects.effect_step[effects.effect_terms.index(line.term)])
    at = effects.effect_terms.index(line.term)
    low, high = truth.parts[line.term](np.array([effects.effect_start[at], effects.effect_stop[at]]))
    return float(high - low)


def repetition(model: str, inputs: str, number: int, seed: int) -> list[dict[str, Any]]:
    """One data set: every effect with its interval and the truth."""
    make, name = MODELS[model]
    rng = np.random.default_rng([seed, number, *model.encode(), *inputs.encode()])
    X, y = draw(rng, TRUTHS[name], CORRELATIONS[inputs], category=model == "Gaussian process")
    fitted = make(number).fit(X, y)
    found = rsens.explain(fitted, X, y, pairs=False, null=False, random_state=number, progress=False)
    return [
        {
            "model": model,
            "inputs": inputs,
            "number": number,
            "term": line.term,
            "level": line.level,
            "kind": line.kind,
            "effect": line.effect,
            "lower": line.lower,
            "upper": line.upper,
            "truth": true_effect(TRUTHS[name], line, found._effects),
        }
        for line in found.effects.itertuples()
    ]


def summarize(lines: pd.DataFrame) -> pd.DataFrame:
    """How often intervals hold the truth, and the truth plus the mean error of all data sets, by effect."""
    lines = lines.assign(
        name=lines["term"] + lines["level"].map(lambda level: f" = {level}" if pd.notna(level) else "")
    )
    lines["error"] = lines["effect"] - lines["truth"]
    keys = ["model", "inputs", "name"]
    expected = lines["truth"] + lines.groupby(keys)["error"].transform("mean")
    lines["holds truth"] = lines["truth"].between(lines["lower"], lines["upper"])
    lines["holds expected"] = expected.between(lines["lower"], lines["upper"])
    lines["width"] = lines["upper"] - lines["lower"]
    by_effect = lines.groupby(keys, sort=False)
    table = by_effect[["truth", "effect", "width", "holds truth", "holds expected"]].mean()
    table["data sets"] = by_effect.size()
    return table.reset_index()


def as_markdown(table: pd.DataFrame) -> str:
    """The summary as a table for the documentation, with all effects of a design together in a line of its own."""
    lines = [
        "| model | inputs | effect | truth | mean effect | holds the truth | holds the expected effect | data sets |"
    ]
    lines.append("|" + "---|" * 8)
    for (model, inputs), part in table.groupby(["model", "inputs"], sort=False):
        for row in part.to_dict("records"):
            lines.append(
                f"| {model} | {inputs} | {row['name']} | {row['truth']:.2f} | {row['effect']:.2f} | "
                f"{100 * row['holds truth']:.0f} % | {100 * row['holds expected']:.0f} % | {row['data sets']} |"
            )
        means = part[["holds truth", "holds expected"]].mean()
        lines.append(
            f"| {model} | {inputs} | **all** | | | **{100 * means['holds truth']:.1f} %** | "
            f"**{100 * means['holds expected']:.1f} %** | {part['data sets'].iloc[0]} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write effects.csv, one line per data set and effect, and effects.md, how often intervals hold."""
    options = parser(str(__doc__).partition("\n")[0], 200, published=False)
    options.add_argument("--gp-repetitions", type=REPETITIONS, default=60, help="for the Gaussian process; %(default)s")
    given = options.parse_args(arguments)
    counts = {"linear model": given.repetitions, "Gaussian process": given.gp_repetitions}
    tasks = [(model, inputs, k) for model in MODELS for inputs in CORRELATIONS for k in range(counts[model])]
    with parallel(given):
        found = Parallel(n_jobs=given.n_jobs)(delayed(repetition)(*task, given.seed) for task in tasks)
    lines = pd.DataFrame([line for part in found for line in part])
    write_csv(lines, given.out / "effects.csv")
    write_text(given.out / "effects.md", as_markdown(summarize(lines)))


if __name__ == "__main__":
    main()
