"""Table 1 and its siblings, with the readings of A_bias side by side."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from experiments._simulated import FUNCTIONS
from experiments._tables import ROUNDING, formula
from experiments.main_effects import MODELS, PUBLISHED
from experiments.page import _bias, _disagreeing
from experiments.page._bias import HEAVY, READINGS
from experiments.page._markdown import (
    INPUTS,
    NAMES,
    SHORT_INPUTS,
    Results,
    bold_unless,
    interval,
    join_words,
    not_run,
    table,
)
from experiments.page._times import repetitions

METHODS = ("ead", "aed", "apc", "shap", "pd", "pfi", "var")
#: The readings in the full tables, and their names there. The page needs both.
SHOWN = {"per-call": "at every call", "per-repetition": "once"}
TITLES = {"ground-truth": "Ground-truth models", "imperfect": "Imperfect models"}
SCRIPTS = "main_effects --bias per-call`, and the same with `--bias per-repetition"
SUPPLEMENT = "The tables of the supplement"


@dataclass(frozen=True)
class Tables:
    """The table of each reading, all with the same cells, and a sentence on missing tables, if any."""

    of: dict[str, pd.DataFrame]
    missing: list[str]


def read(results: Results) -> Tables | None:
    """The inputs that both readings of the full tables have, provided they include the heavy tails of Table 1.

    The third reading is included if it has these inputs too.
    """
    found = {reading: results.read(f"{reading}/main_effects") for reading in READINGS}
    has = {reading: _inputs(frame) for reading, frame in found.items()}
    common = [inputs for inputs in INPUTS if all(inputs in has[reading] for reading in SHOWN)]
    if HEAVY not in common:
        return None
    of = {
        reading: frame[frame["inputs"].isin(common)]
        for reading, frame in found.items()
        if frame is not None and set(common) <= has[reading]
    }
    lacking = [f"{READINGS[reading]} ({_lacks(inputs)})" for reading, inputs in has.items() if _lacks(inputs)]
    return Tables(of, [f"Not run, and not counted: {'; '.join(lacking)}."] if lacking else [])


def _inputs(frame: pd.DataFrame | None) -> set[str]:
    """The inputs for which a table has all published cells."""
    if frame is None:
        return set()
    cells, all_cells = (of["inputs"].value_counts() for of in (frame, pd.read_csv(PUBLISHED)))
    return {inputs for inputs in INPUTS if cells.get(inputs, 0) == all_cells[inputs]}


def _lacks(inputs: set[str]) -> str:
    lacking = [SHORT_INPUTS[name] for name in INPUTS if name not in inputs]
    which = "all" if len(lacking) == len(INPUTS) else join_words(lacking)
    return f"{which} inputs" if lacking else ""


def summary(results: Results) -> list[str]:
    """Lines for the top of the page."""
    tables = read(results)
    if tables is None:
        return []
    imperfect = {reading: frame[frame["model"] == "imperfect"] for reading, frame in tables.of.items()}
    counts = [f"{frame['agrees'].sum()} if {READINGS[reading]}" for reading, frame in imperfect.items()]
    all_agree = tables.of["per-call"]["agrees"].sum()
    cells, all_cells = (len(of["per-call"]) for of in (imperfect, tables.of))
    return [
        f"- **Table 1 and its siblings:** {all_agree} of {all_cells} cells agree with the published ones if the bias "
        "A_bias of imperfect models is redrawn at every call of the model. [When it is drawn]"
        f"(#a-finding-when-a_bias-is-drawn) matters. Of the {cells} cells of imperfect models, these agree: "
        f"{join_words(counts)}." + " ".join(["", *tables.missing]),
        _bias.summary(tables.of),
    ]


def section(results: Results) -> list[str]:
    """Section 3.1: Table 1, the finding, and the cells that disagree."""
    lines = ["## Section 3.1: rankings of single variables (Table 1 and three tables of the supplement)", ""]
    tables = read(results)
    if tables is None:
        return [*lines, *not_run(SCRIPTS)]
    lines += [
        f"The error of each ranking minus the error of R-sens{_of_repetitions(results, tables)}; negative is better "
        "than R-sens. For imperfect models we show two rows: A_bias drawn *at every call* of the model, and drawn "
        "*once* per repetition. A cell agrees if |ours − published| ≤ √(ours_half² + (published_half + "
        f"{ROUNDING})²) + {ROUNDING}, where the halves are half-widths of intervals and {ROUNDING} allows for rounding "
        "in the published numbers. A cell that does not agree is **bold**.",
        "",
        *_of_inputs(tables, HEAVY),
    ]
    link = SUPPLEMENT.lower().replace(" ", "-")
    lines += [f"{SUPPLEMENT} are [at the end of this page](#{link}).", ""] if _siblings(tables) else []
    for reading, words in SHOWN.items():
        lines += results.figure(f"{reading}/main_effects", f"All cells, published and ours, A_bias drawn {words}")
    return [*lines, *_bias.finding(tables.of, tables.missing), *_disagreeing.section(results)]


def supplement(results: Results) -> list[str]:
    """The siblings of Table 1, for the end of the page."""
    tables = read(results)
    if tables is None or not _siblings(tables):
        return []
    lines = [f"## {SUPPLEMENT}", "", "They are laid out like Table 1 above.", ""]
    return [*lines, *(line for inputs in _siblings(tables) for line in _of_inputs(tables, inputs))]


def _siblings(tables: Tables) -> list[str]:
    return [name for name in tables.of["per-call"]["inputs"].unique() if name != HEAVY]


def _of_repetitions(results: Results, tables: Tables) -> str:
    """How many repetitions the tables have, if they all have the same number."""
    inputs = tables.of["per-call"]["inputs"].nunique()
    counts = {repetitions(results, f"main_effects-{reading}", inputs) for reading in tables.of}
    return "" if len(counts) > 1 or None in counts else f", means of {counts.pop()} repetitions (published: 500)"


def _of_inputs(tables: Tables, inputs: str) -> list[str]:
    """One table of the paper."""
    title = INPUTS[inputs]
    of_inputs = {reading: tables.of[reading][tables.of[reading]["inputs"] == inputs] for reading in SHOWN}
    lines = [f"### {title[0].upper()}{title[1:]}", ""]
    for model in MODELS:
        lines += [f"**{TITLES[model]}**", "", *_side_by_side(of_inputs, model)]
    return lines


def _side_by_side(tables: dict[str, pd.DataFrame], model: str) -> list[str]:
    """The paper's layout, with a row for the published numbers and a row for ours."""
    rows = []
    shown = SHOWN if model == "imperfect" else {"per-call": ""}
    for function in FUNCTIONS:
        cells = {
            key: frame[(frame["model"] == model) & (frame["function"] == function)].set_index("method").loc[[*METHODS]]
            for key, frame in tables.items()
        }
        published = [interval(row.published, row.published_half) for row in cells["per-call"].itertuples()]
        rows.append([formula(function), "published", *published])
        for key, words in shown.items():
            ours = [bold_unless(row.agrees, interval(row.ours, row.ours_half)) for row in cells[key].itertuples()]
            rows.append(["", f"ours, {words}" if words else "ours", *ours])
    return table(["f", "", *(NAMES[method] for method in METHODS)], rows)
