"""Past the paper: other families, the KL method, ARD length-scales."""

from __future__ import annotations

import pandas as pd

from experiments._beyond_figures import FAMILIES
from experiments.page._markdown import NAMES, SHORT_INPUTS, Results, formula, interval, not_run, number, table
from experiments.page._pairs import variants

#: Why the two can differ: found by trying smaller steps at the rows where they differ most.
STEEP = [
    "The largest differences are those of x·exp(−x) and x³ with heavy tails, where single rows have huge predictions. "
    "For normal predictions the divergence is a quadratic function of a shift of the mean, and only rounding is left. "
    "For Student-t predictions it grows like a logarithm: where the model is so steep that the step moves the "
    "prediction by more than its scale, the KL method falls below R-sens, and a smaller step helps until rounding "
    "stops it. So the two are the same number for smooth models of any family, but not for such steep ones.",
    "",
]


def section(results: Results) -> list[str]:
    """What the paper did not test."""
    return [
        "## Past the paper",
        "",
        "Nothing in this part has a published counterpart.",
        "",
        *_families(results),
        *_kl(results),
        *_ard(results),
        *variants(results),
    ]


def _families(results: Results) -> list[str]:
    lines = ["### Table 1 with other predictive families", ""]
    cells = results.read("beyond_families")
    if cells is None:
        return [*lines, *not_run("beyond")]
    head = ["family", "inputs", "models", "EAD better", "no difference", "R-sens better", "PD better than R-sens"]
    rows = []
    for (family, inputs, model), group in cells.groupby(["family", "inputs", "model"], sort=False):
        ead, pd_ = (group[group["method"] == name] for name in ("ead", "pd"))
        worse, better = (ead["ours"] > ead["ours_half"]).sum(), (ead["ours"] < -ead["ours_half"]).sum()
        beaten = (pd_["ours"] < -pd_["ours_half"]).sum()
        words = (FAMILIES[family], SHORT_INPUTS[inputs], model.replace("-", " "))
        rows.append((*words, better, len(ead) - worse - better, worse, beaten))
    return [
        *lines,
        "The models of Section 3.1 predict Normal(f, V), StudentT(f, V) with 4 degrees of freedom, or a Bernoulli "
        "distribution with π = E[σ(z)], z ~ N(m, V), where m is f with a standard deviation of 2. A_bias is drawn once "
        f"per repetition ({cells['repetitions'].max()} of them). Errors of rankings less those of R-sens:",
        "",
        *results.figure("beyond_families", "Errors of rankings relative to R-sens by family, method and function"),
        "Of the six functions, on how many the interval of the difference between EAD and R-sens is on either side of "
        "0, and on how many that of PD is below 0:",
        "",
        *table(head, rows),
        "The cells, as in Table 1; the column of R-sens is its own error:",
        "",
        *(line for key, group in cells.groupby(["family", "inputs"], sort=False) for line in _cells(*key, group)),
    ]


def _cells(family: str, inputs: str, cells: pd.DataFrame) -> list[str]:
    """Table 1 for a family and a distribution of inputs: functions by methods."""
    methods = list(cells["method"].unique())
    rows = [
        (model.replace("-", " "), formula(function), *_relative(group, methods))
        for (model, function), group in cells.groupby(["model", "function"], sort=False)
    ]
    head = ["models", "f", *(NAMES[name] for name in methods)]
    return [f"**{FAMILIES[family]} predictions, {SHORT_INPUTS[inputs]} inputs**", "", *table(head, rows)]


def _relative(cells: pd.DataFrame, methods: list[str]) -> list[str]:
    """The error of R-sens, which is the first method, and those of the others less it."""
    of = cells.set_index("method")
    others = [interval(of.loc[name, "ours"], of.loc[name, "ours_half"]) for name in methods[1:]]
    return [number(of.loc["rsens", "error"]), *others]


def _kl(results: Results) -> list[str]:
    lines = ["### The KL method", ""]
    apart = results.read("beyond_kl")
    if apart is None:
        return [*lines, *not_run("beyond")]
    rows = [
        (FAMILIES[row.family], SHORT_INPUTS[row.inputs], row.models, f"{row.median:.0e}", f"{row.largest:.0e}")
        for row in apart.itertuples()
    ]
    return [
        *lines,
        "The paper leaves it out as equal to R-sens up to numerical accuracy. The importance of a variable by the KL "
        "method (step of about 1e-4 standard deviations) differs from R-sens by this share of it, at most over the ten "
        "variables of a model:",
        "",
        *table(["family", "inputs", "models", "median", "largest"], rows),
        *(STEEP if apart["largest"].max() > 0.01 else []),
    ]


def _ard(results: Results) -> list[str]:
    lines = ["### Length-scales (ARD) of fitted Gaussian processes", ""]
    cells = results.read("beyond_ard")
    if cells is None:
        return [*lines, *not_run("beyond")]
    worse, better, all_cells = _judged(cells)
    methods = list(cells["method"].unique())
    rows = [
        (n, formula(function), *_relative(group, methods))
        for (n, function), group in cells.groupby(["n", "function"], sort=False)
    ]
    return [
        *lines,
        "Gaussian processes with one length-scale per input (EQ, Gaussian noise, weak priors) are fitted to the "
        "simulation of Section 3.1 with normal inputs; many readers take inverse length-scales as relevance. "
        f"Their rankings are worse than those of R-sens in {worse} of {all_cells} cells and better in {better} "
        "(intervals of the difference). A length-scale tells how soon a function bends, not how far it goes.",
        "",
        *results.figure("beyond_ard", "Errors of rankings by fitted Gaussian processes, by number of rows and method"),
        f"Error of R-sens, and errors relative to it ({cells['repetitions'].max()} repetitions):",
        "",
        *table(["rows", "f", *(NAMES[name] for name in methods)], rows),
    ]


def _judged(cells: pd.DataFrame) -> tuple[int, int, int]:
    ard = cells[cells["method"] == "ard"]
    return int((ard["ours"] > ard["ours_half"]).sum()), int((ard["ours"] < -ard["ours_half"]).sum()), len(ard)
