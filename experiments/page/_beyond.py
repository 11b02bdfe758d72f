"""Beyond the paper: other families, the KL method, ARD length-scales."""

from __future__ import annotations

import pandas as pd

from experiments._beyond_figures import FAMILIES
from experiments._tables import formula
from experiments.page._interactions import variants
from experiments.page._markdown import NAMES, SHORT_INPUTS, Results, interval, join_words, not_run, number, table

#: How far the KL method may be from R-sens, as a share of it, before we call it a different number.
EQUAL = 0.01
#: For each family, why the two can differ. We found this by trying smaller steps at the rows where they differ most.
STEEP = {
    "normal": "For normal predictions the divergence is quadratic in a shift of the mean, so only rounding remains; "
    "single rows with huge predictions make it large.",
    "student_t": "For Student-t predictions the divergence grows like a logarithm. Where the model is so steep that "
    "the step moves the prediction by more than its scale, the KL method falls below R-sens. A smaller step helps "
    "until rounding takes over.",
}
CELLS = "The cells of other predictive families"


def section(results: Results) -> list[str]:
    """The section on questions that the paper did not test."""
    return [
        "## Beyond the paper",
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
        "Here the models of Section 3.1 predict Normal(f, V), StudentT(f, V) with 4 degrees of freedom, or a Bernoulli "
        "distribution with π = E[σ(z)], z ~ N(m, V), where m is f scaled to a standard deviation of 2. A_bias is drawn "
        f"once per repetition; there are {cells['repetitions'].max()} repetitions. The figure shows the error of each "
        "ranking minus the error of R-sens:",
        "",
        *results.figure("beyond_families", "Errors of rankings relative to R-sens by family, method and function"),
        "For how many of the six functions is the interval of the difference between EAD and R-sens below 0, around 0 "
        "or above 0? And for how many is the interval of PD below 0?",
        "",
        *table(head, rows),
        f"All cells are [at the end of this page](#{CELLS.lower().replace(' ', '-')}).",
        "",
    ]


def cells_of_families(results: Results) -> list[str]:
    """Table 1 for other families, for the end of the page."""
    cells = results.read("beyond_families")
    if cells is None:
        return []
    lines = [f"## {CELLS}", "", "As in Table 1, except that the column of R-sens holds its own error.", ""]
    groups = cells.groupby(["family", "inputs"], sort=False)
    return [*lines, *(line for key, group in groups for line in _cells(*key, group))]


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
    """The error of R-sens, which is the first method, and the errors of the others minus it."""
    of = cells.set_index("method")
    others = [interval(of.loc[name, "ours"], of.loc[name, "ours_half"]) for name in methods[1:]]
    return [number(of.loc["rsens", "error"]), *others]


def _kl(results: Results) -> list[str]:
    lines = ["### The KL method", ""]
    apart = results.read("beyond_kl")
    if apart is None:
        return [*lines, *not_run("beyond")]
    rows = []
    for (family, inputs), group in apart.groupby(["family", "inputs"], sort=False):
        most = group.loc[group["largest"].idxmax()]
        shares = (f"{value:.0e}" for value in (group["median"].max(), most["largest"]))
        words = FAMILIES[family], SHORT_INPUTS[inputs], group["models"].sum()
        rows.append((*words, *shares, formula(most["function"])))
    return [
        *lines,
        "The paper leaves the KL method out because it equals R-sens up to numerical accuracy. We compare the "
        "importance of each variable by both (with a step of about 1e-4 standard deviations). The table shows the "
        "difference as a share of R-sens, at its largest over the ten variables of a model:",
        "",
        *table(["family", "inputs", "models", "median of a function, at most", "largest", "with f ="], rows),
        *_far_apart(apart),
    ]


def _far_apart(apart: pd.DataFrame) -> list[str]:
    """Where the KL method differs from R-sens, and why."""
    far = apart[apart["largest"] > EQUAL]
    limit = f"{100.0 * EQUAL:.0f} %"
    if not len(far):
        return [f"So the two are the same number: they are never more than {limit} apart.", ""]
    where = []
    for (family, inputs), group in far.groupby(["family", "inputs"], sort=False):
        functions = join_words([formula(function) for function in group["function"]])
        where.append(f"{FAMILIES[family]} predictions, {SHORT_INPUTS[inputs]} inputs: {functions}")
    why = [STEEP[family] for family in far["family"].unique() if family in STEEP]
    return [f"In some models they are more than {limit} apart: {'; '.join(where)}. {' '.join(why)}", ""]


def _ard(results: Results) -> list[str]:
    lines = ["### Length-scales (ARD) of fitted Gaussian processes", ""]
    cells = results.read("beyond_ard")
    if cells is None:
        return [*lines, *not_run("beyond")]
    worse, better, all_cells = _verdicts_on_ard(cells)
    methods = list(cells["method"].unique())
    rows = [
        (n, formula(function), *_relative(group, methods))
        for (n, function), group in cells.groupby(["n", "function"], sort=False)
    ]
    return [
        *lines,
        "Many people read inverse length-scales as relevance. So we fit Gaussian processes with one length-scale per "
        "input (EQ, Gaussian noise, weak priors) to the simulation of Section 3.1 with normal inputs. The ranking by "
        f"length-scales is worse than the ranking by R-sens in {worse} of {all_cells} cells and better in {better}, "
        "judged by the interval of the difference. A length-scale measures how soon a function bends, "
        "not how far it goes.",
        "",
        *results.figure("beyond_ard", "Errors of rankings by fitted Gaussian processes, by number of rows and method"),
        f"The error of R-sens, and the other errors minus it ({cells['repetitions'].max()} repetitions):",
        "",
        *table(["rows", "f", *(NAMES[name] for name in methods)], rows),
    ]


def _verdicts_on_ard(cells: pd.DataFrame) -> tuple[int, int, int]:
    ard = cells[cells["method"] == "ard"]
    return int((ard["ours"] > ard["ours_half"]).sum()), int((ard["ours"] < -ard["ours_half"]).sum()), len(ard)
