"""A finding about Table 1: when the bias of imperfect models is drawn."""

from __future__ import annotations

import pandas as pd

from experiments._simulated import FUNCTIONS
from experiments._tables import formula
from experiments.page._markdown import NAMES, SHORT_INPUTS, interval, join_words, share, table

HEAVY = "t3"
#: When A_bias is drawn.
READINGS = {"per-call": "at every call", "per-method": "once per method", "per-repetition": "once per repetition"}
#: Two estimates of the same number miss their joint 95 % interval in one case in twenty.
BY_CHANCE = 0.05


def summary(tables: dict[str, pd.DataFrame]) -> str:
    """A line for the top of the page: the conclusion that depends on the reading."""
    printed, all_functions = _partial_dependence_wins(tables["per-call"], "published")
    better, _ = _partial_dependence_wins(tables["per-repetition"])
    title = "No conclusion depends on it" if len(better) == len(printed) else "One conclusion depends on it"
    return (
        f"- **{title}:** for imperfect models with heavy-tailed inputs, PD ranks better than R-sens on {len(better)} "
        f"of {all_functions} functions if the bias is drawn once per repetition, which makes a model one function. In "
        f"the published table it does so on {len(printed)}."
    )


def finding(tables: dict[str, pd.DataFrame], missing: list[str]) -> list[str]:
    """Which reading fits, and its consequences."""
    imperfect = {reading: frame[frame["model"] == "imperfect"] for reading, frame in tables.items()}
    lines = [
        "### A finding: when A_bias is drawn",
        "",
        "An imperfect model multiplies each effect by |A_bias,i| |x_i|³ + 1, with A_bias drawn from a normal "
        "distribution. The text reads as if A_bias were drawn once for the model. If it is redrawn *at every call* of "
        "the model, a method that asks about moved rows compares different functions. If it is drawn *once per "
        "method*, only R-sens and the method compared with it see different functions. Cells that "
        "agree with the published ones:",
        "",
        *_counts(tables),
        *(line for sentence in missing for line in (sentence, "")),
    ]
    return [*lines, *_which_fits(imperfect), *_marks(imperfect), *_consequence(tables["per-repetition"])]


def _counts(tables: dict[str, pd.DataFrame]) -> list[str]:
    """How many cells agree, by inputs and reading. Ground-truth models have no bias: same runs, same cells."""
    of_model = {
        model: [frame[frame["model"] == model] for frame in tables.values()] for model in ("imperfect", "ground-truth")
    }
    rows = [
        (
            "imperfect",
            SHORT_INPUTS[inputs],
            *(_agree(frame[frame["inputs"] == inputs]) for frame in of_model["imperfect"]),
        )
        for inputs in tables["per-call"]["inputs"].unique()
    ]
    rows.append(("imperfect", "all", *(f"**{_agree(frame)}**" for frame in of_model["imperfect"])))
    rows.append(("ground truth, the same runs", "all", *map(_agree, of_model["ground-truth"])))
    rows.append(("both", "all", *map(_agree, tables.values())))
    return table(["models", "inputs", *(READINGS[reading] for reading in tables)], rows)


def _agree(cells: pd.DataFrame) -> str:
    return share(int(cells["agrees"].sum()), len(cells))


def _which_fits(imperfect: dict[str, pd.DataFrame]) -> list[str]:
    fits = [f"*{READINGS[name]}*" for name, cells in imperfect.items() if cells["agrees"].mean() >= 1.0 - BY_CHANCE]
    which = f"{'only ' if len(fits) < len(imperfect) else ''}{join_words(fits)}" if fits else "none"
    return [
        "By chance alone, one cell in twenty would miss its joint interval. Of the readings we tried, "
        f"{which} {'agree' if len(fits) > 1 else 'agrees'} with the published numbers as far as chance allows.",
        "",
    ]


def _marks(imperfect: dict[str, pd.DataFrame]) -> list[str]:
    """The published numbers that distinguish the readings."""
    head = ["published", *(f"ours, {READINGS[reading]}" for reading in imperfect)]
    equal = [
        (formula(function), NAMES[method], *_printed_and_ours(imperfect, function, method))
        for function in ("x", "x^3")
        for method in ("ead", "aed")
    ]
    of_pd = [(formula(function), *_printed_and_ours(imperfect, function, "pd")) for function in FUNCTIONS]
    agree = [
        f"{sum(_cell(frame, function, 'pd').agrees for function in FUNCTIONS)} {READINGS[reading]}"
        for reading, frame in imperfect.items()
    ]
    return [
        "Two places in the published table tell them apart (t₃ inputs, imperfect models). First, for f = x and f = x³ "
        "the derivative of an imperfect model is never negative. So for one function, the absolute mean derivative "
        "(AED) and the mean absolute derivative (EAD) are the same number. The published ones differ, as they can if "
        "each method has its own draw:",
        "",
        *table(["f", "method", *head], equal),
        "Second, PD looks at deciles, where a bias that grows with the cube of x is small. Yet its published errors "
        f"are large. Cells that agree, of {len(FUNCTIONS)}: {join_words(agree)}.",
        "",
        *table(["f", *head], of_pd),
    ]


def _printed_and_ours(tables: dict[str, pd.DataFrame], function: str, method: str) -> list[str]:
    cells = [_cell(frame, function, method) for frame in tables.values()]
    printed = interval(cells[0].published, cells[0].published_half)
    return [printed, *(interval(cell.ours, cell.ours_half) for cell in cells)]


def _consequence(once: pd.DataFrame) -> list[str]:
    better, all_functions = _partial_dependence_wins(once)
    why = "because it ignores the tails, where the bias is"
    which = f" ({join_words(better)}; intervals below 0), {why}" if better else ""
    ead = [_cell(once, function, "ead") for function in FUNCTIONS]
    wins, losses = sum(cell.ours > cell.ours_half for cell in ead), sum(cell.ours < -cell.ours_half for cell in ead)
    return [
        "This matters. If an imperfect model is one function and the inputs are heavy-tailed, PD ranks better than "
        f"R-sens on {len(better)} of {all_functions} functions{which}. Against EAD, which only lacks the uncertainty, "
        f"R-sens is better on {wins} and worse on {losses} of {len(ead)} functions.",
        "",
    ]


def _cell(frame: pd.DataFrame, function: str, method: str) -> pd.Series:
    chosen = (frame["model"] == "imperfect") & (frame["function"] == function) & (frame["method"] == method)
    return frame[chosen & (frame["inputs"] == HEAVY)].iloc[0]


def _partial_dependence_wins(frame: pd.DataFrame, of: str = "ours") -> tuple[list[str], int]:
    """The functions on which PD beats R-sens (imperfect models, heavy-tailed inputs), and how many there are."""
    cells = {function: _cell(frame, function, "pd") for function in FUNCTIONS}
    return [formula(name) for name, cell in cells.items() if cell[of] + cell[f"{of}_half"] < 0.0], len(cells)
