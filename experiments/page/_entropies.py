"""Section 3.3, Table 2: how stable the rankings of pairs are."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from experiments._benchmarks import METHODS, TITLES
from experiments.page._markdown import NAMES, Results, bold_unless, interval, not_run, number, share, table
from experiments.page._real_data import by_setting, settings_not_run
from experiments.real_data import LEADING

#: How many pairs the 7 and 6 predictors make. Random rankings have an entropy close to the logarithm of that.
PAIRS = {"concrete": 21, "bike": 15}
#: We call an entropy nearly random if it is above this share of the logarithm.
RANDOM = 0.95
BOTH = ["rsens2", "eah"]
WHY = "#why-the-two-settings-of-concrete-differ"


def summary(results: Results) -> list[str]:
    """A line for the top of the page."""
    entropies = results.read("stability")
    if entropies is None:
        return []
    agree = [f"{TITLES[key]}: {_agree(group)}" for key, group in by_setting(entropies)]
    return [
        f"- **Section 3.3, Table 2:** {_agree(entropies)} entropies agree ({', '.join(agree)}). "
        f"{_smallest(results, entropies)}"
    ]


def _agree(cells: pd.DataFrame) -> str:
    return share(int(cells["agrees"].sum()), len(cells))


def _smallest(results: Results, entropies: pd.DataFrame) -> str:
    """Whether R-sens₂ and EAH have the smallest entropies, as in the paper, and rank the same pairs first."""
    groups = by_setting(entropies)
    stable = []
    for key, group in groups:
        of = group.set_index("method")["ours"]
        if of[BOTH].max() < of.drop(BOTH).min():
            stable.append(f"{TITLES[key]}{_other_pairs(results, key)}")
    where = f": {'; '.join(stable)}" if stable else ""
    settings = share(len(stable), len(groups))
    return f"R-sens₂ and EAH have the smallest entropies, as published, in {settings} settings{where}."


def _other_pairs(results: Results, key: tuple[str, str]) -> str:
    """How many of R-sens₂'s first pairs EAH does not put first: a ranking can be stable and still be different."""
    pairs = results.read("real_data-pairs")
    of_setting = {} if pairs is None else dict(by_setting(pairs))
    if key not in of_setting:
        return ""
    first = [set(of_setting[key].query("method == @name")["pair"].head(LEADING)) for name in BOTH]
    others = len(first[0] - first[1])
    if not others:
        return ""
    return f" (but there R-sens₂ puts other pairs first: {share(others, len(first[0]))} are not among EAH's)"


def section(results: Results) -> list[str]:
    """Table 2, and our findings on the cells that disagree."""
    lines = ["### Table 2: entropy of rankings over bootstrap samples", ""]
    entropies = results.read("stability")
    if entropies is None:
        return [*lines, *not_run("stability")]
    rows, data = [], None
    for key, group in by_setting(entropies):
        of = group.set_index("method")
        if key[0] != data:
            data = key[0]
            rows.append((data.capitalize(), "published", *(number(of.loc[name, "published"], 2) for name in METHODS)))
        cells = [of.loc[name] for name in METHODS]
        ours = [bold_unless(cell["agrees"], interval(cell["ours"], cell["ours_half"], 2)) for cell in cells]
        rows.append((TITLES[key], "ours", *ours))
    return [
        *lines,
        f"Natural logarithms, averaged over ranks; {_samples(entropies)} (published: 100). The intervals come from "
        "bootstrap samples of the rankings, and we take the published numbers to be as uncertain as ours. A cell that "
        "does not agree within joint intervals is **bold**.",
        "",
        *results.figure("stability", "Entropies of rankings, published and ours"),
        *table(["data", "", *(NAMES[name] for name in METHODS)], rows),
        *_disagreeing(entropies),
        _smallest(results, entropies),
        "",
        *settings_not_run(entropies, "stability"),
    ]


def _samples(entropies: pd.DataFrame) -> str:
    """How many samples there are, setting by setting if the numbers differ."""
    counts = {TITLES[key]: group["samples"].max() for key, group in by_setting(entropies)}
    if len(set(counts.values())) == 1:
        return f"{entropies['samples'].max()} samples"
    return f"samples: {', '.join(f'{title} {count}' for title, count in counts.items())}"


def _disagreeing(entropies: pd.DataFrame) -> list[str]:
    rows = []
    for key, group in by_setting(entropies):
        for cell in group[~group["agrees"]].itertuples():
            apart = number(cell.difference, 2)
            if cell.difference_half:  # else all rankings are the same
                apart += f" ({number(cell.difference / (cell.difference_half / 1.96))} joint standard errors)"
            rows.append((TITLES[key], NAMES[cell.method], apart, _known(cell)))
    if not rows:
        return ["All cells agree.", ""]
    return ["Cells that do not agree:", "", *table(["data", "method", "ours minus published", "what we know"], rows)]


def _known(cell: Any) -> str:
    if cell.data == "concrete" and cell.method == "rsens2":
        return f"It depends on the fit: [why the two settings of Concrete differ]({WHY})."
    most = math.log(PAIRS[cell.data])
    if cell.published > RANDOM * most:
        return (
            f"The published entropy is close to log {PAIRS[cell.data]} = {number(most, 2)}, as for random rankings; "
            f"ours {'is too' if cell.ours > RANDOM * most else 'is not'}. We do not know why."
        )
    return "We do not know why."
