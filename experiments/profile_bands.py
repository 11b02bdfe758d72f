"""How often the bands of a profile hold the truth.

    python -m experiments.profile_bands

y = sin(1.5 x₀) + x₁²/2 + x₁x₂/2 + noise of standard deviation 0.4; x₃ has no effect. The four inputs are standard
normal, independent or with correlation r = 0.9 between any two. A Gaussian process is fitted to 150 rows. The true
accumulated local effects follow from E[x₂ | x₁] = r x₁:

    sin(1.5 x₀)        (½ + r/4) x₁²        (r/4) x₂²        0,

each minus its mean over the rows. The 90 % band of an effect holds if the truth is in it: the share of rows at whose
value it is, averaged over data sets. The bands of observations hold 50 and 90 % of 150 new observations.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import rsens
from experiments._command import RESULTS, parallel, parser, whole_number
from experiments._tables import write_csv, write_text
from rsens._typing import Array
from rsens.plots import profile_values

NOISE = 0.4
CORRELATIONS = (0.0, 0.9)
COLUMNS = ("x0", "x1", "x2", "x3")


def inputs(n: int, r: float, rng: np.random.Generator) -> Array:
    """Standard normal columns, any two with correlation r."""
    return np.sqrt(r) * rng.standard_normal((n, 1)) + np.sqrt(1.0 - r) * rng.standard_normal((n, 4))


def mean(X: Array) -> Array:
    """f."""
    return np.sin(1.5 * X[:, 0]) + 0.5 * X[:, 1] ** 2 + 0.5 * X[:, 1] * X[:, 2]


def true_effect(column: int, x: Array, r: float) -> Array:
    """The accumulated local effect of f, up to a constant."""
    return [np.sin(1.5 * x), (0.5 + 0.25 * r) * x**2, 0.25 * r * x**2, np.zeros_like(x)][column]


def one_data_set(r: float, seed: int, n: int) -> list[dict[str, float | str]]:
    """How much of the rows each band holds, for every column."""
    rng = np.random.default_rng([seed, round(100 * r)])
    X, new = inputs(n, r, rng), inputs(n, r, rng)
    y, new_y = (mean(rows) + NOISE * rng.standard_normal(n) for rows in (X, new))
    model = rsens.GPRegressor(n_restarts=0, random_state=0).fit(X, y)
    lines: list[dict[str, float | str]] = []
    for d, name in enumerate(COLUMNS):
        found = profile_values(model, X, d)
        x, knots, curve = X[:, d], found.values, found.curve
        assert curve is not None
        truth = true_effect(d, x, r)
        truth = truth - truth.mean() + model.predict(X).mean()
        low, high = (np.interp(x, knots, curve[:, side, 0]) for side in (0, 1))
        line: dict[str, float | str] = {"correlation": r, "seed": seed, "column": name}
        line["effect_90"] = float(np.mean((low < truth) & (truth < high)))
        line["half_width"] = float(np.mean(0.5 * (high - low)))
        known = np.isfinite(found.bands[:, 0, 0, 0])
        at = knots[known]
        seen = (new[:, d] > at[0]) & (new[:, d] < at[-1])
        for k, level in enumerate((50, 90)):
            low, high = (np.interp(new[seen, d], at, found.bands[known, k, side, 0]) for side in (0, 1))
            line[f"observations_{level}"] = float(np.mean((low < new_y[seen]) & (new_y[seen] < high)))
        lines.append(line)
    return lines


def summary(lines: pd.DataFrame) -> pd.DataFrame:
    """Means over data sets, with the standard error of the coverage of effects."""
    groups = lines.drop(columns="seed").groupby(["correlation", "column"])
    result = groups.mean()
    result.insert(1, "error", groups["effect_90"].sem())
    return result.reset_index()


def markdown(table: pd.DataFrame) -> str:
    """The table for the page about profiles, in percent."""
    lines = [
        "| correlation | column | 90 % band of the effect | its half-width | 50 % of observations | 90 % |",
        "|---|---|---|---|---|---|",
    ]
    for row in table.itertuples():
        effect = f"{100.0 * row.effect_90:.0f} ± {100.0 * row.error:.0f}"
        observed = f"{100.0 * row.observations_50:.0f} | {100.0 * row.observations_90:.0f}"
        lines.append(f"| {row.correlation:g} | {row.column} | {effect} | {row.half_width:.2f} | {observed} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Run the script."""
    options = parser((__doc__ or "").partition("\n")[0], 100, published=False)
    options.add_argument("--rows", type=whole_number(20), default=150, help="of each data set; default: %(default)s")
    options.set_defaults(out=RESULTS / "calibration")
    given = options.parse_args(arguments)
    keys = [(r, given.seed + k) for r in CORRELATIONS for k in range(given.repetitions)]
    with parallel(given):
        found = Parallel(n_jobs=given.n_jobs)(delayed(one_data_set)(r, seed, given.rows) for r, seed in keys)
    table = summary(pd.DataFrame([line for lines in found for line in lines]))
    write_csv(table, given.out / "profile_bands.csv")
    write_text(given.out / "profile_bands.md", markdown(table))


if __name__ == "__main__":
    main()
