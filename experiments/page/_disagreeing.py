"""The cells of Table 1 and its siblings that disagree, with more repetitions and other readings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import chi2

from experiments._claims import mark
from experiments._tables import ROUNDING, formula
from experiments.disagreements import CELL, TABLES
from experiments.page._markdown import NAMES, SHORT_INPUTS, Results, interval, join_words, not_run, number, table

#: Below this, a half-width is printed with a single digit, which carries little information.
PRINTED = 0.3
#: We call a half-width different if it is more than this many standard deviations from those in other cells.
FAR = 3.0


def section(results: Results) -> list[str]:
    """Each cell, with our findings."""
    lines = ["### Cells that do not agree, and why", ""]
    cells = results.read("per-call/main_effects")
    found, counts = results.read("disagreements"), results.read("disagreements-counts")
    if cells is None or found is None or counts is None:
        return [*lines, *not_run("disagreements")]
    if not len(found):
        return [*lines, "All cells agree.", ""]
    again = found[found["reading"] == TABLES]
    rows = []
    for cell in again.itertuples():
        key = tuple(getattr(cell, name) for name in CELL)
        words = SHORT_INPUTS[cell.inputs], cell.model.replace("-", " "), formula(cell.function), NAMES[cell.method]
        others = found[(found[CELL] == list(key)).all(axis=1) & (found["reading"] != TABLES)]
        why = "New repetitions agree."
        if not cell.agrees:
            why = (
                f"Still {number(_distance(cell))} joint standard errors apart. {_changes(others, counts, cell.method)}"
            )
        numbers = interval(cell.published, cell.published_half), interval(cell.ours, cell.ours_half)
        agrees = mark("yes" if cell.agrees else "no")
        rows.append((", ".join(words), *numbers, agrees, f"{why}{_spread(key, cells, again)}"))
    return [
        *lines,
        f"With A_bias drawn at every call, {len(again)} cells do not agree. By chance alone, two estimates of the same "
        "number miss their joint 95 % interval in up to one case in twenty. We computed each cell again from "
        f"{again['repetitions'].max()} new repetitions, and then changed one open choice at a time.",
        "",
        *table(["cell", "published", "new repetitions", "agrees", "what we found"], rows),
        *_over_all_cells(counts),
    ]


def _distance(cell: Any) -> float:
    """|ours − published| in joint standard errors."""
    joint = np.hypot(cell.ours_half, cell.published_half + ROUNDING) / 1.96
    return float(abs(cell.ours - cell.published) / joint)


def _changes(others: pd.DataFrame, counts: pd.DataFrame, method: str) -> str:
    """The changes that make a cell agree, and how many of its method's cells then agree."""
    of_method = counts[counts["method"] == method].set_index("reading")
    words = []
    for row in others[others["agrees"]].itertuples():
        spoiled = ""
        if row.reading in of_method.index:
            spoiled = f", with {of_method.loc[row.reading, 'agree']} of {of_method.loc[row.reading, 'cells']} cells"
        words.append(f"{row.reading} ({number(row.ours)}{spoiled})")
    if not words:
        return "No single change makes it agree."
    return f"Changes that make it agree, and how many of all {NAMES[method]} cells then agree: {'; '.join(words)}."


def _spread(key: tuple[str, ...], cells: pd.DataFrame, disagreeing: pd.DataFrame) -> str:
    """A sentence if the published half-width differs from ours by more than half-widths differ in other cells."""
    shown = pd.MultiIndex.from_frame(disagreeing[CELL])
    elsewhere = cells[~pd.MultiIndex.from_frame(cells[CELL]).isin(shown) & (cells["published_half"] >= PRINTED)]
    elsewhere = elsewhere[elsewhere["ours_half"] > 0.0]
    ratios = elsewhere["published_half"] / elsewhere["ours_half"]
    cell = cells[(cells[CELL] == list(key)).all(axis=1)].iloc[0]
    if not cell.ours_half:
        return ""
    low, high = ((cell.published_half + step) / cell.ours_half for step in (-ROUNDING, ROUNDING))
    if low <= ratios.mean() + FAR * ratios.std() and high >= ratios.mean() - FAR * ratios.std():
        return ""
    return (
        f" The published half-width is {number(cell.published_half / cell.ours_half, 2)} times ours in the first "
        f"repetitions ({number(ratios.mean(), 2)} with a standard deviation of {number(ratios.std(), 2)} in other "
        "cells), so the published spread differs too. We do not know why."
    )


def _over_all_cells(counts: pd.DataFrame) -> list[str]:
    """The effect of each reading on all cells of PFI and VAR."""
    rows = [(NAMES[row.method], row.reading, row.cells, row.agree, number(row.square)) for row in counts.itertuples()]
    as_published = counts[counts["reading"] == TABLES]
    within = as_published[as_published["square"] <= chi2.ppf(0.95, as_published["cells"]) / as_published["cells"]]
    which = join_words([NAMES[method] for method in within["method"]]) or "neither"
    return [
        "A change that helps one cell can spoil others. So we tried each reading on all cells of PFI and VAR, with "
        f"{counts['repetitions'].max()} repetitions, which makes the intervals wider than above. The mean square is "
        "over differences in joint standard errors; for the right reading it is about 1. With the settings of the "
        f"tables, these methods are within what chance allows (95 % quantile of χ², divided by cells): {which}.",
        "",
        *table(["method", "reading", "cells", "agree", "mean square"], rows),
    ]
