"""Section 3.3: why R-sens₂ and EAH rank the pairs of Concrete alike in one setting and not in the other."""

from __future__ import annotations

import pandas as pd

from experiments.concrete_fits import COLUMN, ML, OUT, TIMES, WEAK
from experiments.page._markdown import Results, not_run, number, table

REASON = (
    "So there is a direction w in which the rows barely vary: the model has not seen what happens if one ingredient "
    "changes alone. Away from the rows its predictive variance rises in this direction, and for columns d and e "
    "together it rises in proportion to w_d·w_e. EAH only looks at the mean of the predictions; R-sens₂ looks at their "
    "variance too. But if one of the columns has a very long length-scale, the model ignores it. The other columns "
    "then vary freely, and no direction is missing."
)
CONCLUSION = (
    "The kernel decides, not the noise: swapping the noise changes neither setting. Noise with "
    f"{TIMES:.0f} times the standard deviation reduces the disagreement but does not end it. Averaging over held-out "
    f"rows does not help either. With the same kernel and noise but {COLUMN} shuffled among the rows, R-sens₂ and EAH "
    "agree: they only disagree when the columns determine each other."
)


def section(results: Results) -> list[str]:
    """The whole subsection."""
    lines = ["### Why the two settings of Concrete differ", ""]
    changes, fits, columns = (results.read(f"concrete_fits{ending}") for ending in ("", "-fits", "-columns"))
    if changes is None or fits is None or columns is None:
        return [*lines, *not_run("concrete_fits")]
    splits, samples = (fits[fits["sample"] == sample] for sample in ("split", "bootstrap"))
    return [
        *lines,
        "Every recipe of Concrete fills the same volume, so each ingredient except SP is nearly a linear function of "
        "the others. The table shows the R² of that function, and the length-scales in standard deviations of their "
        f"columns (medians over {splits['number'].nunique()} training sets):",
        "",
        *_columns(columns, splits),
        REASON,
        "",
        *results.figure("concrete_fits", "Rank correlation of R-sens₂ with EAH by the longest length-scale of a fit"),
        "In the training sets of Figure 4 we found (medians; ρ is the rank correlation over pairs):",
        "",
        *_findings(splits),
        "",
        "Then we changed one thing at a time (ρ between R-sens₂ and EAH, with quartiles over training sets):",
        "",
        *_changes(changes),
        CONCLUSION,
        "",
        *_table_2(samples),
        *_advice(changes),
    ]


def _columns(columns: pd.DataFrame, splits: pd.DataFrame) -> list[str]:
    medians = {name: splits[splits["setting"] == name].median(numeric_only=True) for name in (ML, WEAK)}
    rows = [
        (row.column, number(row.r2, 3), *(number(medians[name][row.column]) for name in (ML, WEAK)))
        for row in columns.itertuples()
    ]
    return table(["column", "R² from the others", f"length-scale, {ML}", f"length-scale, {WEAK}"], rows)


def _findings(splits: pd.DataFrame) -> list[str]:
    """One item per setting, and one about the noise."""
    weak, likely = (splits[splits["setting"] == name] for name in (WEAK, ML))
    out = likely["longest"] > OUT
    inside, outside = _rho(likely[~out]), _rho(likely[out])
    noise = {name: number(part["noise"].median(), 4) for name, part in ((ML, likely), (WEAK, weak))}
    return [
        f"- **Weak priors:** {_percent(weak['variance'].median())} of R-sens₂ comes from the variance. Its ranking has "
        f"ρ = {_rho(weak)} with EAH and ρ = {_rho(weak, 'dependence')} with |w_d·w_e|. So it describes where the rows "
        f"are, not how y depends on them. A length-scale above {OUT:.0f}, SP aside, occurs in "
        f"{(weak['longest'] > OUT).sum()} of {len(weak)} sets.",
        f"- **Maximum likelihood:** such a length-scale occurs in {out.sum()} of {len(likely)} sets. There "
        f"ρ = {outside} with EAH; in the others, {inside}.",
        f"- **Noise:** its standard deviation, divided by the standard deviation of y, is {noise[ML]} by maximum "
        f"likelihood and {noise[WEAK]} with weak priors.",
    ]


def _percent(share: float) -> str:
    return f"{number(100.0 * share, 0)} %"


def _rho(fits: pd.DataFrame, column: str = "rho") -> str:
    return number(fits[column].median(), 2) if len(fits) else "–"


def _changes(changes: pd.DataFrame) -> list[str]:
    rows = []
    for (kernel, noise, columns), group in changes.groupby(["kernel", "noise", "columns"], sort=False):
        at = group.set_index("rows")
        cells = [
            f"{number(row.rho, 2)} ({number(row.rho_low, 2)} … {number(row.rho_high, 2)})"
            for row in (at.loc["training"], at.loc["held-out"])
        ]
        share = _percent(at.loc["training", "variance"])
        rows.append((kernel, noise, columns, *cells, share, at.loc["training", "first"].replace(":", "·")))
    head = ["kernel of", "noise of", "columns", "ρ, training rows", "ρ, held-out rows", "variance part", "first pairs"]
    return table(head, rows)


def _table_2(samples: pd.DataFrame) -> list[str]:
    weak, likely = (samples[samples["setting"] == name] for name in (WEAK, ML))
    out = likely["longest"] > OUT
    inside, outside = _rho(likely[~out], "dependence"), _rho(likely[out], "dependence")
    return [
        "**In Table 2** rows are drawn with replacement, and a row that is drawn twice has the same y twice. In "
        f"{samples['number'].nunique()} of its samples the median noise is {samples['noise'].median():.1e} standard "
        f"deviations of y (largest: {samples['noise'].max():.1e}), the smallest value the search tries, and "
        f"{_percent(samples['variance'].median())} of R-sens₂ comes from the variance. With weak priors it follows "
        f"|w_d·w_e| (ρ = {_rho(weak, 'dependence')}), which is much the same in all samples: its entropy is low, and "
        f"says nothing about y. By maximum likelihood a column drops out of the model in {out.sum()} of {len(likely)} "
        f"samples. There ρ = {outside} with |w_d·w_e|; in the others, {inside}. This mixes two kinds of rankings, and "
        "a mixture has more entropy.",
        "",
    ]


def _advice(changes: pd.DataFrame) -> list[str]:
    without = changes[changes["columns"].str.startswith("without") & (changes["rows"] == "training")]
    rho = number(without.set_index("kernel").loc[WEAK, "rho"], 2)
    return [
        "**Before reading R-sens₂** of your own model:",
        "",
        "- Regress each column on the others. Where R² is near 1, leave one of these columns out, or replace it with "
        f"one that varies on its own. Without {COLUMN}, ρ is {rho} with weak priors.",
        '- Look at EAH too: `rsens.compare(model, X, methods=["rsens2", "eah"], order=2)`. Where the two disagree, '
        "R-sens₂ describes the uncertainty of the model. That may be worth knowing, but it is not an interaction in y.",
        "- Do not mistake a stable ranking for a right one.",
        "",
    ]
