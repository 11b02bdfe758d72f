"""Section 3.3, Figure 4: how well Gaussian processes predict with 0 to 5 interactions, chosen by six methods.

    python -m experiments.real_data --data concrete|bike|all --splits 50

For every split of the rows, we fit the model with all interactions to the training rows and let six methods rank the
pairs. Then we fit models with main effects and the first pairs of each ranking, and score them by the mean log
predictive density (MLPD) of the test rows. The published figure has no numbers, so we test what the paper says about it
instead: see `claims`.

The intervals are the paper's: 1.96 standard errors over splits, as if splits were independent. But splits share rows,
so these intervals are too short for statements about new data. The table of claims has corrected ones too. Differences
are taken within splits.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments._benchmarks import BUDGET, METHODS, SETTINGS, TITLES, add_options, settings_for
from experiments._claims import NOT_ABOVE, POSITIVE, ZERO, mark, verdicts
from experiments._command import parallel, parser, whole_number
from experiments._journal import Journal, run
from experiments._real_data_figure import draw
from experiments._style import METHODS as STYLES
from experiments._tables import mean_and_half, write_csv, write_text
from rsens._arguments import child
from rsens._compare import ComparisonSettings
from rsens._select_interactions import KernelTerms, SplitAnalysis
from rsens._typing import Array

#: Without priors the noise of a fit can vanish, and then the model is certain of wrong numbers. A mean over splits
#: would only show that this happened. So we count such splits, and leave them out of tables that use that model.
VANISHED = -50.0
#: We call mean log densities per row equal if they differ by less: the density of a test row is then higher by a tenth
#: at most, as e^0.1 = 1.1.
MARGIN = 0.1
#: How many pairs at the top of a ranking count as leading.
LEADING = 3


def repetition(data: str, name: str, number: int, *, rows: int | None, pairs: int, seed: int) -> dict[str, Any]:
    """One split: the pairs, and the MLPD of the full model and of the models with 0, 1, … pairs by every method."""
    setting = SETTINGS[data, name]
    X, y = setting.load()
    size = rows or setting.rows
    order = np.random.default_rng([seed, number]).permutation(len(y))  # the same for all settings of a data set
    settings = ComparisonSettings.read(METHODS, 2, BUDGET)
    analysis = SplitAnalysis(
        setting.estimator,
        KernelTerms(X.shape[1]),
        X,
        y.to_numpy(),
        pairs,
        settings,
        pair_ranks=np.arange(comb(X.shape[1], 2)),
    )
    fits = child(np.random.SeedSequence([seed, number]), 1, number)
    done = analysis.run(np.sort(order[:size]), np.sort(order[size:]), fits)
    return {
        "full": _short(done["full"]),
        "scores": {method: [_short(score) for score in scores] for method, scores in done["scores"].items()},
        "ranked": done["ranked"],
        "fits": done["fits"],
        "warned": len(done["warned"]),
    }


def _short(value: float) -> float:
    return float(f"{value:.6g}")


def by_setting(results: dict[tuple[Any, ...], Any]) -> dict[tuple[str, str], tuple[Array, Array]]:
    """For every setting, the MLPD of the full model (splits,) and of reduced ones (methods, pairs + 1, splits)."""
    values = {}
    for key in SETTINGS:
        of_setting = [result for of, result in results.items() if of[:2] == key]
        if of_setting:
            scores = np.array([[result["scores"][method] for method in METHODS] for result in of_setting])
            values[key] = np.array([result["full"] for result in of_setting]), np.moveaxis(scores, 0, -1)
    return values


def summarize(values: dict[tuple[str, str], tuple[Array, Array]]) -> pd.DataFrame:
    """Content of Figure 4: the mean MLPD over splits, and its difference from the full model, with half-widths.

    Both leave out the `vanished` splits.
    """
    rows = []
    for key, (full, scores) in values.items():
        cells = [("all", None, full), ("none", 0, scores[0, 0])]
        cells += [(name, k, scores[m, k]) for m, name in enumerate(METHODS) for k in range(1, scores.shape[1])]
        for name, k, of_splits in cells:
            kept = of_splits > VANISHED
            differences = mean_and_half((of_splits - full)[kept])
            rows.append((*key, name, k, *mean_and_half(of_splits[kept]), *differences, len(kept), int((~kept).sum())))
    columns = ["data", "setting", "method", "pairs", "ours", "ours_half", "difference", "difference_half"]
    table = pd.DataFrame(rows, columns=[*columns, "splits", "vanished"])
    return table.astype({"pairs": "Int64"})


def corrected_half(differences: Array, test_to_training: float) -> float:
    """Half the width of a 95 % interval for splits that share rows: Nadeau and Bengio (2003), Machine Learning 52.

    The variance of the mean over n splits is taken as s² (1/n + test rows / training rows) instead of s²/n.
    """
    n = len(differences)
    return float(1.96 * differences.std(ddof=1) * np.sqrt(1.0 / n + test_to_training))


def claims(values: dict[tuple[str, str], tuple[Array, Array]], test_to_training: dict[str, float]) -> pd.DataFrame:
    """The paper's statements about Figure 4, as differences of MLPD within splits.

    "In the Bike data, only the three strongest pairwise interactions increase the performance to the level of the model
    with all. R-sens₂ does equally well compared to EAH; both identify more important interactions than the competing
    methods. In the Concrete data, even 5 do not reach the model with all. There are no significant differences between
    the methods, except for HS which is clearly worse." We compare methods by their mean over 1 … 5 pairs. `holds` is
    the verdict based on the paper's intervals, `holds_corrected` the one based on the corrected ones.
    `test_to_training` is the number of test rows per training row, by data set.
    """
    rows: list[tuple[Any, ...]] = []

    def add(key: tuple[str, str], claim: str, expected: str, difference: Array) -> None:
        kept = difference[np.isfinite(difference)]
        corrected = corrected_half(kept, test_to_training[key[0]])
        rows.append((*key, claim, expected, *mean_and_half(kept), corrected))

    for key, (full, scores) in values.items():
        of = dict(zip(METHODS, np.where(scores > VANISHED, scores, np.nan), strict=True))
        overall = {name: values[1:].mean(axis=0) for name, values in of.items()}
        most = scores.shape[1] - 1
        label = {name: STYLES[name][0] for name in METHODS}
        if key[0] == "concrete":
            for name in METHODS:
                add(key, f"all interactions less {most} by {label[name]}", POSITIVE, full - of[name][most])
            for name in METHODS[:-1]:
                add(key, f"{label[name]} less H", POSITIVE, overall[name] - overall["h"])
            for name in ("eah", "aeh", "shap", "pd"):
                add(key, f"R-sens₂ less {label[name]}", ZERO, overall["rsens2"] - overall[name])
        else:
            for name in ("rsens2", "eah"):
                three = min(3, most)
                add(key, f"all interactions less {three} by {label[name]}", NOT_ABOVE, full - of[name][three])
            add(key, "R-sens₂ less EAH", ZERO, overall["rsens2"] - overall["eah"])
            for first in ("rsens2", "eah"):
                for name in ("aeh", "shap", "pd", "h"):
                    add(key, f"{label[first]} less {label[name]}", POSITIVE, overall[first] - overall[name])
    columns = ["data", "setting", "claim", "published", "ours", "ours_half", "corrected_half"]
    table = pd.DataFrame(rows, columns=columns)
    table["holds"] = verdicts(table, MARGIN)
    table["holds_corrected"] = verdicts(table, MARGIN, "corrected_half")
    return table


def leading_pairs(results: dict[tuple[Any, ...], Any]) -> pd.DataFrame:
    """How often each pair is among the first three of a ranking, in percent of splits, the most frequent first."""
    tables = []
    for key in (key for key in SETTINGS if any(of[:2] == key for of in results)):
        names = [":".join(pair) for pair in combinations(SETTINGS[key].load()[0].columns, 2)]
        for method in METHODS:
            ranked = np.array([result["ranked"][method][:LEADING] for of, result in results.items() if of[:2] == key])
            shares = 100.0 * np.bincount(ranked.ravel(), minlength=len(names)) / len(ranked)
            table = pd.DataFrame({"data": key[0], "setting": key[1], "method": method, "pair": names, "share": shares})
            tables.append(table[shares > 0.0].sort_values("share", ascending=False, kind="stable"))
    return pd.concat(tables, ignore_index=True)


def markdown(table: pd.DataFrame, tested: pd.DataFrame) -> str:
    """For each setting, the MLPD by number of pairs, methods side by side; then the paper's statements."""
    lines = []
    for key, group in table.groupby(["data", "setting"], sort=False):
        means = {(row.method, row.pairs): f"{row.ours:.2f} ± {row.ours_half:.2f}" for row in group.itertuples()}
        splits, vanished = group["splits"].iloc[0], group.loc[group["vanished"] > 0, ["method", "pairs", "vanished"]]
        lines += [f"### {TITLES[key]}", "", f"Mean log predictive density of test rows, {splits} splits.", ""]
        lines += [f"| pairs | {' | '.join(STYLES[name][0] for name in METHODS)} |", "|---" * (len(METHODS) + 1) + "|"]
        for k in range(1, int(group["pairs"].max()) + 1):
            lines.append(f"| {k} | {' | '.join(means[name, k] for name in METHODS)} |")
        none, full = group[group["method"] == "none"].iloc[0], group[group["method"] == "all"].iloc[0]
        lines += ["", f"No interactions: {none.ours:.2f} ± {none.ours_half:.2f}. "]
        lines[-1] += f"All interactions: {full.ours:.2f} ± {full.ours_half:.2f}."
        for row in vanished.itertuples():
            lines.append(
                f"Left out: {row.vanished} of {splits} splits of {row.method}, {row.pairs} pairs: noise vanished."
            )
        lines.append("")
    lines += ["### What the paper says, as differences of MLPD within splits", ""]
    lines += ["| data | claim | published | ours | holds | corrected | holds |", "|---|---|---|---|---|---|---|"]
    for row in tested.itertuples():
        ours = f"{row.ours:.3f} ± {row.ours_half:.3f}"
        both = f"{mark(row.holds)} | ± {row.corrected_half:.3f} | {mark(row.holds_corrected)}"
        lines.append(f"| {TITLES[row.data, row.setting]} | {row.claim} | {row.published} | {ours} | {both} |")
    return "\n".join(lines) + "\n"


def write(results: dict[tuple[Any, ...], Any], folder: Path, rows: int | None) -> None:
    """Write all tables and figures for models fitted to this many rows."""
    values = by_setting(results)
    test_to_training = {}
    for key in values:
        setting = SETTINGS[key]
        training = rows or setting.rows
        test_to_training[setting.data] = (len(setting.load()[1]) - training) / training
    table, tested = summarize(values), claims(values, test_to_training)
    frames = {"": table, "-claims": tested, "-pairs": leading_pairs(results)}
    for ending, frame in frames.items():
        write_csv(frame, folder / f"real_data{ending}.csv")
    write_text(folder / "real_data.md", markdown(table, tested))
    for data in table["data"].unique():
        draw(table[table["data"] == data], folder, f"real_data-{data}")


def main(arguments: list[str] | None = None) -> None:
    """Run the script."""
    options = parser(__doc__.splitlines()[0], repetitions=50)
    add_options(options, "splits")
    options.add_argument("--pairs", type=whole_number(1), default=5, help="most pairs in a model; default: %(default)s")
    given = options.parse_args(arguments)
    how = {"rows": given.rows, "pairs": given.pairs, "seed": given.seed}
    journal = Journal(given.out / "real_data.jsonl", {"experiment": "real_data", **how})
    keys = [(*key, number) for key in settings_for(given.data) for number in range(given.repetitions)]
    with parallel(given):
        results = run(journal, keys, partial(repetition, **how), n_jobs=given.n_jobs, label="real data")
    write(results, given.out, given.rows)


if __name__ == "__main__":
    main()
