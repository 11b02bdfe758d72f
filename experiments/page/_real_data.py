"""Section 3.3, Figure 4: models of Concrete and Bike with chosen interactions."""

from __future__ import annotations

import pandas as pd

from experiments._benchmarks import METHODS, SETTINGS, TITLES
from experiments.page import _concrete
from experiments.page._markdown import NAMES, Results, interval, join_words, not_run, number, table
from experiments.page._verdicts import claims_table, count_outcomes, rule
from experiments.real_data import LEADING, MARGIN


def summary(results: Results) -> list[str]:
    """A line for the top of the page."""
    claims = results.read("real_data-claims")
    if claims is None:
        return []
    of_settings = [f"{TITLES[key]}, {count_outcomes(group['holds'])}" for key, group in by_setting(claims)]
    return [
        f"- **Section 3.3, Figure 4:** statements that hold: {'; '.join(of_settings)}. With intervals that allow for "
        f"the rows splits share: {count_outcomes(claims['holds_corrected'])}.{_not_run_in_short(claims)}"
    ]


def by_setting(frame: pd.DataFrame) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    """The rows of each setting that was run, in the order of the settings."""
    groups = ((key, frame[(frame["data"] == key[0]) & (frame["setting"] == key[1])]) for key in SETTINGS)
    return [(key, group) for key, group in groups if len(group)]


def _not_run_in_short(done: pd.DataFrame) -> str:
    missing = _missing(done)
    return f" Not run: {', '.join(TITLES[key] for key in missing)}." if missing else ""


def _missing(done: pd.DataFrame) -> list[tuple[str, str]]:
    there = set(zip(done["data"], done["setting"], strict=True))
    return [key for key in SETTINGS if key not in there]


def settings_not_run(done: pd.DataFrame, script: str) -> list[str]:
    """The commands that still have to run: a script may have run for only some of the data."""
    missing = _missing(done)
    if not missing:
        return []
    data = dict.fromkeys(name for name, _ in missing)
    option = f" --data {next(iter(data))}" if len(data) == 1 else ""
    return [f"{', '.join(TITLES[key] for key in missing)}:", "", *not_run(f"{script}{option}")]


def section(results: Results) -> list[str]:
    """Figure 4, and why Concrete has two settings."""
    lines = ["### Figure 4: predictive density of models with 0 to 5 interactions", ""]
    scores, claims = results.read("real_data"), results.read("real_data-claims")
    if scores is None or claims is None:
        return [*lines, *not_run("real_data"), *_concrete.section(results)]
    for data in dict.fromkeys(key[0] for key, _ in by_setting(scores)):
        text = f"Mean log predictive density on the {data.capitalize()} data by number of interactions"
        lines += results.figure(f"real_data-{data}", text)
    lines += [
        "We test what the paper says about the figure as differences of mean log predictive densities (MLPD) within "
        f"splits. {rule(MARGIN)} A difference of {MARGIN:g} means that the density of a test row is higher by a tenth.",
        "",
        "The intervals under *ours* are the paper's, which treat splits as independent. Splits share rows, so these "
        "are too short for statements about new data. The intervals under *corrected* follow Nadeau and Bengio (2003): "
        "their variance is s² (1/splits + test rows/training rows) instead of s²/splits, so they are more cautious the "
        f"more test rows there are: {_how_wide(claims)}. The last column is the verdict based on them.",
        "",
    ]
    tested = dict(by_setting(claims))
    for key, group in by_setting(scores):
        lines += _densities(key, group)
        if key in tested:
            lines += claims_table(tested[key].drop(columns=["data", "setting"]), 3)
    return [*lines, *settings_not_run(scores, "real_data"), *_chosen(results), *_concrete.section(results)]


def _how_wide(claims: pd.DataFrame) -> str:
    """How much wider the corrected intervals are, by data set."""
    wider = (claims["corrected_half"] / claims["ours_half"]).groupby(claims["data"], sort=False).median()
    return join_words([f"{number(times)} times as wide for {data.capitalize()}" for data, times in wider.items()])


def _densities(key: tuple[str, str], group: pd.DataFrame) -> list[str]:
    of = {(row.method, row.pairs): interval(row.ours, row.ours_half, 2) for row in group.itertuples()}
    rows = [(k, *(of[name, k] for name in METHODS)) for k in range(1, int(group["pairs"].max()) + 1)]
    none, full = (group[group["method"] == name].iloc[0] for name in ("none", "all"))
    ends = [f"{text}: {interval(row.ours, row.ours_half, 2)}" for text, row in (("none", none), ("all", full))]
    lines = [
        f"**{TITLES[key]}** ({full.splits} splits). MLPD by number of interactions; {'; '.join(ends)}.",
        "",
        *table(["interactions", *(NAMES[name] for name in METHODS)], rows),
    ]
    gone = group[group["vanished"] > 0]
    if len(gone):
        cells = [
            f"{row.vanished} of {NAMES.get(row.method, row.method)}"
            + ("" if pd.isna(row.pairs) else f" with {row.pairs:.0f}")
            for row in gone.itertuples()
        ]
        lines += [f"We left out splits in which the noise of a fit vanished: {', '.join(cells)}.", ""]
    return lines


def _chosen(results: Results) -> list[str]:
    """The pairs that each method most often puts first."""
    pairs = results.read("real_data-pairs")
    if pairs is None:
        return []
    rows = []
    for key, of_setting in by_setting(pairs):
        for method in METHODS:
            leading = of_setting[of_setting["method"] == method].head(LEADING)
            words = [f"{row.pair.replace(':', '·')} {number(row.share, 0)} %" for row in leading.itertuples()]
            rows.append((TITLES[key], NAMES[method], ", ".join(words)))
    head = ["data", "method", "pairs"]
    return ["The pairs most often among the first three, in percent of splits:", "", *table(head, rows)]
