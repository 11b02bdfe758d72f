"""Section 3.3: why R-sens₂ and EAH rank the pairs of Concrete alike in one setting and not in the other.

    python -m experiments.concrete_fits --splits 50

We fit the model with all interactions to the training rows of Figure 4 and to the bootstrap samples of Table 2, by
maximum likelihood and with weak priors. Then we change one thing at a time and keep the rest: the kernel, the noise,
the rows that R-sens₂ is averaged over, and whether the others determine one of the columns. That column is Coarse
Aggr.: the ingredients fill the same volume in every recipe, so each except SP is nearly a linear function of others.

Where the rows hardly vary in a direction w, the data say little about the slope of f along w: given the data,
Cov(∂_d f, ∂_e f) ≈ s² w_d w_e, with s² = σ_f² / Σ w_d² l_d² if the data determine the slopes in all other directions
and say nothing about w. At a training row the mixed second derivative of the predictive variance is about twice this
covariance. If the variance part of R-sens₂ outweighs the mean part, R-sens₂ then ranks pairs by |w_d w_e|, whatever y
is. One long length-scale among the columns of w is enough to make this vanish. `dependence` and `longest` test it.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from experiments._benchmarks import SETTINGS
from experiments._command import REPETITIONS, parallel, parser, whole_number
from experiments._journal import Journal, run
from experiments._style import BLUE, VERMILLION, grid, new_figure, save, styled
from experiments._tables import write_csv, write_text
from rsens import GPRegressor, InputError, RsensWarning
from rsens._arguments import child
from rsens._stability import Sampling
from rsens._stability._stability import ROWS
from rsens._typing import Array, Positions
from rsens.measures import importance, parts

ML, WEAK = "maximum likelihood", "weak priors"
#: The column that the others determine best, and whose length-scale differs most between the settings.
COLUMN = "Coarse Aggr."
#: The others determine a column if they explain more than this share of its variance: true for all except SP.
DETERMINED = 0.9
#: How many times the noise's own standard deviation to try.
TIMES = 10.0
#: A column is out of the model if its length-scale exceeds this many of its standard deviations: f is flat along it.
OUT = 100.0
LEADING = 3
#: With fewer rows than this, a column may be constant.
FEWEST = 20
#: The changes, in the order of the tables: whose kernel, whose noise, which columns.
CHANGES = [
    *((kernel, noise, "all") for kernel in (ML, WEAK) for noise in (ML, WEAK, f"own × {TIMES:.0f}")),
    *((name, name, columns) for columns in (f"{COLUMN} shuffled", f"without {COLUMN}") for name in (ML, WEAK)),
]


def repetition(sample: str, number: int, *, rows: int | None, seed: int) -> dict[str, Any]:
    """One "split" of Figure 4 or one "bootstrap" sample of Table 2: the fits and, for a split, what changes do."""
    X, y = SETTINGS["concrete", ML].load()
    size = rows or SETTINGS["concrete", ML].rows
    train, test = draw_rows(sample, number, len(y), size, seed)
    X_train, y_train = X.iloc[train], y.iloc[train]
    with threadpool_limits(limits=1):  # so sums are rounded the same way on a busy machine
        models = {name: _fit(name, X_train, y_train) for name in (ML, WEAK)}
        fits = {name: hyperparameters(model, y_train) | pair_ranking(model, X_train) for name, model in models.items()}
        if sample == "bootstrap":
            return {"fits": fits}
        changed: list[list[Any]] = []
        for change in CHANGES:
            inputs = _columns(X, change[2], np.random.default_rng([seed, number, 1]))
            model = _change(models, *change, inputs.iloc[train], y_train)
            for at, where in (("training", train), ("held-out", test)):
                changed.append([*change, at, pair_ranking(model, inputs.iloc[where])])
    return {"fits": fits, "changed": changed}


def draw_rows(sample: str, number: int, n: int, size: int, seed: int) -> tuple[Positions, Positions]:
    """The rows to fit a model to, and the other rows, as in `real_data` and `stability`."""
    if sample == "split":
        order = np.random.default_rng([seed, number]).permutation(n)
        return np.sort(order[:size]), np.sort(order[size:])
    drawn = Sampling(n, size, replace=True).draw(child(np.random.SeedSequence([seed, number]), ROWS))
    return drawn, np.setdiff1d(np.arange(n), drawn)


def _fit(name: str, X: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RsensWarning)  # samples repeat rows: this script shows what that does
        return clone(SETTINGS["concrete", name].estimator).fit(X, y)


def _columns(X: pd.DataFrame, which: str, rng: np.random.Generator) -> pd.DataFrame:
    if which.startswith("without"):
        return X.drop(columns=COLUMN)
    return X.assign(**{COLUMN: rng.permutation(X[COLUMN])}) if which.endswith("shuffled") else X


def _change(models: dict[str, Any], kernel: str, noise: str, columns: str, X: Any, y: Any) -> Any:
    """A model with the hyperparameters of one or two others; fitted again if a column is left out."""
    if columns.startswith("without"):
        return _fit(kernel, X, y)
    v = models[noise].noise_variance_ if noise in models else TIMES**2 * models[kernel].noise_variance_
    return with_hyperparameters(models[kernel].kernel_, v, X, y)


def with_hyperparameters(kernel: Any, noise_variance: float, X: Any, y: Any) -> Any:
    """The GP with this kernel and noise, in the units of the data, conditioned on these rows without any search."""
    gp = GPRegressor(kernel=kernel, noise_variance=noise_variance, optimize=False, standardize=False)
    return gp.fit(X, y - y.mean())


def hyperparameters(model: Any, y: Any) -> dict[str, Any]:
    """The noise in standard deviations of y, and each length-scale in standard deviations of its column."""
    lengthscales = np.asarray(model.kernel_.lengthscale) / model.input_scale_
    noise = np.sqrt(model.noise_variance_) / np.std(y)
    return {"noise": _short(noise), "lengthscales": [_short(value) for value in lengthscales]}


def pair_ranking(model: Any, X: Any) -> dict[str, Any]:
    """How R-sens₂ ranks the pairs at the rows X.

    `rho`: its rank correlation with EAH. `dependence`: its rank correlation with |w_d w_e|, where w is the direction
    that the training rows lack most. `variance`: the share of R-sens₂, summed over pairs, that comes from the
    predictive variance. `first` and `eah`: the first pairs by R-sens₂ and by EAH.
    """
    units = model.input_scale_
    pairs = np.triu_indices(len(units), 1)
    rsens2, eah = (importance(name, model, X, scale=units)[pairs] for name in ("rsens2", "eah"))
    derivatives = model.derivatives(X, 2)
    of_variance = parts(derivatives.distribution, derivatives.second)["variance"].mean(axis=0) * np.outer(units, units)
    w = missing_direction(model.training_inputs_)
    names = list(combinations(model.feature_names_in_, 2))
    return {
        "rho": _short(spearmanr(rsens2, eah)[0]),
        "dependence": _short(spearmanr(rsens2, np.abs(np.outer(w, w))[pairs])[0]),
        "variance": _short(of_variance[pairs].sum() / rsens2.sum()),
        "first": [":".join(names[k]) for k in np.argsort(-rsens2, kind="stable")[:LEADING]],
        "eah": [":".join(names[k]) for k in np.argsort(-eah, kind="stable")[:LEADING]],
    }


def missing_direction(X: Array) -> Array:
    """The direction in which the standardised rows vary least: an eigenvector of their correlation matrix (D,)."""
    return np.asarray(np.linalg.eigh(np.corrcoef(X, rowvar=False))[1][:, 0])


def _short(value: float) -> float:
    return float(f"{value:.6g}")


# ---- tables ----------------------------------------------------------------------------------------------------------


def summarize(results: dict[tuple[Any, ...], Any]) -> pd.DataFrame:
    """One row per change and kind of rows: medians over splits, quartiles of `rho`, and the most frequent pairs."""
    splits = [result["changed"] for (sample, _), result in results.items() if sample == "split"]
    rows = []
    for entries in zip(*splits, strict=True):
        of_splits = [entry[-1] for entry in entries]
        rho, dependence, variance = (
            np.array([one[name] for one in of_splits]) for name in ("rho", "dependence", "variance")
        )
        counts = Counter(pair for one in of_splits for pair in one["first"])
        leading = ", ".join(pair for pair, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:LEADING])
        values = (np.median(rho), *np.quantile(rho, [0.25, 0.75]), np.median(dependence), np.median(variance))
        rows.append((*entries[0][:-1], *values, *_means(of_splits), leading, len(splits)))
    names = ["kernel", "noise", "columns", "rows", "rho", "rho_low", "rho_high", "dependence", "variance"]
    return pd.DataFrame(rows, columns=[*names, "shared", "of_column", "first", "splits"])


def _means(of_splits: list[dict[str, Any]]) -> tuple[float, float]:
    """On average, how many of R-sens₂'s first pairs are also first by EAH, and how many contain the column."""
    shared = [len(set(one["first"]) & set(one["eah"])) for one in of_splits]
    return float(np.mean(shared)), float(np.mean([_with_column(one["first"]) for one in of_splits]))


def _with_column(pairs: list[str]) -> int:
    return sum(COLUMN in pair.split(":") for pair in pairs)


def table_of_fits(results: dict[tuple[Any, ...], Any]) -> pd.DataFrame:
    """One row per fit: its noise, its length-scales, and how R-sens₂ of its training rows ranks the pairs.

    `longest` is the longest length-scale among the columns that the others determine.
    """
    rows = []
    table = table_of_columns()
    columns, determined = list(table["column"]), table["r2"] > DETERMINED
    for (sample, number), result in results.items():
        for name, fit in result["fits"].items():
            longest = np.asarray(fit["lengthscales"])[determined].max()
            rest = (longest, fit["rho"], fit["dependence"], fit["variance"], _with_column(fit["first"]))
            rows.append((sample, number, name, fit["noise"], *fit["lengthscales"], *rest))
    names = ["sample", "number", "setting", "noise", *columns]
    return pd.DataFrame(rows, columns=[*names, "longest", "rho", "dependence", "variance", "of_column"])


def table_of_columns() -> pd.DataFrame:
    """How nearly each column is a linear function of the others, R² = 1 − 1/(C⁻¹)_dd, and the missing direction."""
    X = SETTINGS["concrete", ML].load()[0]
    determined = 1.0 - 1.0 / np.diag(np.linalg.inv(np.corrcoef(X, rowvar=False)))
    return pd.DataFrame({"column": X.columns, "r2": determined, "weight": np.abs(missing_direction(X.to_numpy(float)))})


def markdown(table: pd.DataFrame) -> str:
    """Medians over splits; quartiles in brackets."""
    head = ["kernel of", "noise of", "columns", "rows", "ρ(R-sens₂, EAH)", "ρ(R-sens₂, w)", "variance part", "first"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in table.itertuples():
        rho = f"{row.rho:.2f} ({row.rho_low:.2f} … {row.rho_high:.2f})"
        cells = [row.kernel, row.noise, row.columns, row.rows, rho, f"{row.dependence:.2f}", f"{row.variance:.2f}"]
        lines.append(f"| {' | '.join([*cells, row.first])} |")
    return "\n".join(lines) + "\n"


@styled
def draw(fits: pd.DataFrame, folder: Path) -> None:
    """How similarly R-sens₂ and EAH rank the pairs, against the longest length-scale: one point per fit."""
    figure = new_figure(7.4, 3.2)
    axes = grid(figure, 1, 2, sharex=True, sharey=True)[0]
    titles = {"split": "training sets of Figure 4", "bootstrap": "bootstrap samples of Table 2"}
    for ax, (sample, title) in zip(axes, titles.items(), strict=True):
        for name, colour, marker in ((ML, BLUE, "o"), (WEAK, VERMILLION, "^")):
            part = fits[(fits["sample"] == sample) & (fits["setting"] == name)]
            ax.scatter(part["longest"], part["rho"], s=18.0, color=colour, marker=marker, alpha=0.7, lw=0.0, label=name)
        ax.set(xscale="log", title=title, xlabel="longest length-scale but that of SP / sd of column")
        ax.axhline(0.0, color="0.25", linewidth=0.8, linestyle=":")
    axes[0].set_ylabel("rank correlation\nof R-sens₂ with EAH")
    axes[0].legend(frameon=False, loc="center right")
    save(figure, folder, "concrete_fits")


def write(results: dict[tuple[Any, ...], Any], folder: Path) -> None:
    """Write all tables and the figure."""
    table, fits = summarize(results), table_of_fits(results)
    for ending, frame in {"": table, "-fits": fits, "-columns": table_of_columns()}.items():
        write_csv(frame, folder / f"concrete_fits{ending}.csv")
    write_text(folder / "concrete_fits.md", markdown(table))
    draw(fits, folder)


def _without_rows(given: argparse.Namespace) -> str | None:
    """The mistake if the data are missing or no row is left to hold out."""
    try:
        there = len(SETTINGS["concrete", ML].load()[1])
    except InputError as error:
        return str(error)
    if given.rows is None or given.rows < there:
        return None
    return f"argument --rows: fewer than the {there} rows of concrete; got {given.rows}"


def main(arguments: list[str] | None = None) -> None:
    """Run the script."""
    options = parser(__doc__.splitlines()[0], repetitions=50, published=False)
    also = {"dest": "repetitions", "default": argparse.SUPPRESS, "help": "--repetitions"}
    options.add_argument("--splits", type=REPETITIONS, **also)
    about = "rows to fit a model to; default: 80, as published"
    options.add_argument("--rows", type=whole_number(FEWEST, ", for columns that vary"), help=about)
    options.checks.append(_without_rows)
    given = options.parse_args(arguments)
    how = {"rows": given.rows, "seed": given.seed}
    journal = Journal(given.out / "concrete_fits.jsonl", {"experiment": "concrete_fits", **how})
    keys = [(sample, number) for sample in ("split", "bootstrap") for number in range(given.repetitions)]
    with parallel(given):
        results = run(journal, keys, partial(repetition, **how), n_jobs=given.n_jobs, label="concrete fits")
    write(results, given.out)


if __name__ == "__main__":
    main()
