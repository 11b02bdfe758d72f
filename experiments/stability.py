"""Section 3.3, Table 2: how much the rankings of pairs vary across bootstrap samples of the data.

    python -m experiments.stability --data concrete|bike|all --samples 100

Every sample has as many rows as a training set of Figure 4 (80 and 500), drawn with replacement. We fit the model with
all interactions to it, and six methods rank the pairs. The entropy of a method's rankings is −Σ p log p, averaged over
ranks, where p is the share of samples in which a pair has that rank. It is 0 if all rankings are the same, and at most
log 21 = 3.04 (Concrete) or log 15 = 2.71 (Bike).

The intervals of our entropies are 1.96 standard deviations over bootstrap samples of the rankings. The published
entropies come from as many samples, so we take them to be as uncertain.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments._benchmarks import BUDGET, METHODS, SETTINGS, TITLES, add_options, settings_for
from experiments._command import parallel, parser
from experiments._journal import Journal, run
from experiments._stability_figure import draw
from experiments._style import METHODS as STYLES
from experiments._tables import write_csv, write_text
from rsens._compare import ComparisonSettings
from rsens._refits import Fit
from rsens._stability import Ranks, SampleAnalysis, Sampling, entropy, rank_shares, ranks_of

PUBLISHED = Path(__file__).parent / "published" / "entropies.csv"
#: Bootstrap samples of rankings, for the uncertainty of an entropy.
RESAMPLES = 1000
#: How much rounding to two decimals can hide.
ROUNDING = 0.005


def repetition(data: str, name: str, number: int, *, rows: int | None, seed: int) -> dict[str, list[float]]:
    """One sample: the values of all pairs by every method."""
    setting = SETTINGS[data, name]
    X, y = setting.load()
    analysis = SampleAnalysis(
        fit=Fit(setting.estimator),
        X=X,
        y=y,
        sampling=Sampling(len(y), rows or setting.rows, replace=True),
        settings=ComparisonSettings.read(METHODS, 2, BUDGET),
    )
    done = analysis.run(np.random.SeedSequence([seed, number]))
    failed = done.get("error") or next(iter(done["reasons"].items()), None)
    if failed:
        raise RuntimeError(f"{data}, {name}, sample {number}: {failed}")
    return {method: [float(f"{value:.6g}") for value in values] for method, values in done["values"].items()}


def summarize(results: dict[tuple[Any, ...], Any]) -> pd.DataFrame:
    """One row per cell: the published entropy, ours, the difference, and whether they agree within joint intervals."""
    rows = []
    for key in (key for key in SETTINGS if any(of[:2] == key for of in results)):
        for method in METHODS:
            values = np.array([result[method] for of, result in results.items() if of[:2] == key])
            ranks = ranks_of(values, np.arange(values.shape[1]))
            rows.append((*key, method, entropy(rank_shares(ranks)), half_width(ranks), len(ranks)))
    ours = pd.DataFrame(rows, columns=["data", "setting", "method", "ours", "ours_half", "samples"])
    published = pd.read_csv(PUBLISHED, comment="#")
    table = ours.merge(published, on=["data", "method"], how="left", validate="many_to_one")
    table["difference"] = table["ours"] - table["published"]
    table["difference_half"] = np.sqrt(2.0) * table["ours_half"]
    table["agrees"] = table["difference"].abs() <= table["difference_half"] + ROUNDING
    columns = ["published", "ours", "ours_half", "difference", "difference_half", "agrees", "samples"]
    return table[["data", "setting", "method", *columns]]


def half_width(ranks: Ranks) -> float:
    """1.96 standard deviations of the entropy over bootstrap samples of these rankings (samples, pairs)."""
    rng = np.random.default_rng(0)
    drawn = [entropy(rank_shares(ranks[rng.integers(len(ranks), size=len(ranks))])) for _ in range(RESAMPLES)]
    return float(1.96 * np.std(drawn, ddof=1))


def markdown(table: pd.DataFrame) -> str:
    """Published | ours | difference in joint standard errors."""
    lines = ["| data | method | published | ours | difference | agrees |", "|---|---|---|---|---|---|"]
    for row in table.itertuples():
        ours = f"{row.ours:.2f} ± {row.ours_half:.2f}"
        se = row.difference / (row.difference_half / 1.96) if row.difference_half else np.inf * np.sign(row.difference)
        cells = [TITLES[row.data, row.setting], STYLES[row.method][0], f"{row.published:.2f}", ours, f"{se:+.1f} se"]
        lines.append(f"| {' | '.join(cells)} | {'yes' if row.agrees else '**no**'} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Run the script."""
    options = parser(__doc__.splitlines()[0], repetitions=100)
    add_options(options, "samples")
    given = options.parse_args(arguments)
    how = {"rows": given.rows, "seed": given.seed}
    journal = Journal(given.out / "stability.jsonl", {"experiment": "stability", **how})
    keys = [(*key, number) for key in settings_for(given.data) for number in range(given.repetitions)]
    with parallel(given):
        results = run(journal, keys, partial(repetition, **how), n_jobs=given.n_jobs, label="stability")
    table = summarize(results)
    write_csv(table, given.out / "stability.csv")
    write_text(given.out / "stability.md", markdown(table))
    draw(table, given.out, "stability")


if __name__ == "__main__":
    main()
