"""Section 3.2, and the comparison in the supplement: simulated pairs of variables."""

from __future__ import annotations

import pandas as pd

from experiments._claims import mark
from experiments.fourth_derivative import MARGIN as RATIO_MARGIN
from experiments.fourth_derivative import NULL_RATIO, TRUE_RATIO
from experiments.interactions import MARGIN
from experiments.page._markdown import NAMES, Results, interval, not_run, number, table
from experiments.page._verdicts import claims_table, count_outcomes, rule

VARIANTS = {"correlated": "inputs correlated by 0.8", "main-effects-0.3": "main effects times 0.3"}
WEAKER = " [With weaker main effects](#section-32-with-correlated-inputs-and-with-weak-main-effects), some do not hold."


def summary(results: Results) -> list[str]:
    """A line for the top of the page."""
    claims = results.read("interactions-claims")
    if claims is None:
        return []
    return [
        f"- **Section 3.2, Figure 3:** statements that hold: {count_outcomes(claims['holds'])}. The paper leaves the "
        "simulation open, and we chose ours to show them. So this is consistent with the paper, but no confirmation."
    ]


def section(results: Results) -> list[str]:
    """Section 3.2."""
    lines = ["## Section 3.2: simulated interactions (Figure 3)", ""]
    claims, found = results.read("interactions-claims"), results.read("interactions-found")
    if claims is None or found is None:
        return [*lines, *not_run("interactions")]
    return [
        *lines,
        "Importance of six pairs of inputs, scaled so that the largest of all 66 is 1; means of "
        f"{claims['repetitions'].max()} repetitions (published: 50). Ideally, solid lines are at 1 and dotted ones "
        "at 0.",
        "",
        *results.figure("interactions", "Importance of pairs by six methods, by number of observations"),
        "The published figure has no numbers. So we test the three sentences about it, split into differences of these "
        f"values. {rule(MARGIN)} The values go from 0 to 1, and a difference of {MARGIN:g} is hard to see in a "
        "figure.",
        "",
        "The paper does not name its main effects; we chose ours so that the figure shows what the paper "
        "says. So the table shows that the statements are consistent with such a simulation. It does not confirm them "
        f"independently, and {len(claims)} rows of three sentences are not {len(claims)} findings."
        + WEAKER
        * _some_fail(results),
        "",
        *claims_table(claims),
        *_true_pairs_found(found),
    ]


def _some_fail(results: Results) -> bool:
    """Whether a statement does not hold with weak main effects."""
    weak = results.read("interactions-main-effects-0.3-claims")
    return weak is not None and bool((weak["holds"] == "no").any())


def _true_pairs_found(found: pd.DataFrame) -> list[str]:
    rows = [(n, *(interval(row.ours, row.ours_half) for row in group.itertuples())) for n, group in found.groupby("n")]
    methods = [NAMES[name] for name in found["method"].unique()]
    return [
        "How many of the three true pairs a method ranks first to third among all pairs, on average:",
        "",
        *table(["observations", *methods], rows),
    ]


def variants(results: Results) -> list[str]:
    """Variations of Section 3.2 that the paper did not try."""
    lines = ["### Section 3.2 with correlated inputs and with weak main effects", ""]
    paper = results.read("interactions-claims")
    claims = {name: results.read(f"interactions-{name}-claims") for name in VARIANTS}
    same = ["claim", "n"]  # a run with other numbers of observations makes other statements
    tables = {
        name: frame
        for name, frame in claims.items()
        if frame is not None and paper is not None and frame[same].equals(paper[same])
    }
    if paper is None or not tables:
        return [*lines, *not_run("interactions --inputs correlated`, and with `--main-effects 0.3")]
    rows = []
    for k, row in enumerate(paper.itertuples()):
        cells = [frame.loc[k] for frame in (paper, *tables.values())]
        both = [f"{interval(cell['ours'], cell['ours_half'], 2)} ({mark(cell['holds'])})" for cell in cells]
        rows.append((row.claim, row.n, row.published, *both))
    lines += ["The statements about Figure 3 again, with whether they hold in brackets.", ""]
    lines += table(["difference", "n", "paper", "as in the paper", *(VARIANTS[name] for name in tables)], rows)
    for name in tables:
        lines += results.figure(f"interactions-{name}", f"Importance of pairs, {VARIANTS[name]}")
        found = results.read(f"interactions-{name}-found")
        if found is not None:
            lines += [f"With {VARIANTS[name]}:", "", *_true_pairs_found(found)]
    return lines


def supplement_summary(results: Results) -> list[str]:
    """A line for the top of the page, about the full fourth derivative."""
    ratios = results.read("fourth_derivative-claims")
    if ratios is None:
        return []
    of = ratios.set_index("claim")
    true, null = (interval(of.loc[name, "ours"], of.loc[name, "ours_half"], 2) for name in (TRUE_RATIO, NULL_RATIO))
    return [
        f"- **Supplement:** the full fourth derivative is {true} times R-sens₂ for true pairs, which the paper calls "
        f"almost equivalent (within {100.0 * RATIO_MARGIN:.0f} %: {mark(of.loc[TRUE_RATIO, 'holds'])}), and {null} "
        f"times R-sens₂ for other pairs (R-sens₂ is lower: {mark(of.loc[NULL_RATIO, 'holds'])})."
    ]


def supplement(results: Results) -> list[str]:
    """R-sens₂ against the full fourth derivative."""
    lines = ["## Supplement: R-sens₂ against the full fourth derivative", ""]
    ratios = results.read("fourth_derivative-claims")
    if ratios is None:
        return [*lines, *not_run("fourth_derivative")]
    of_true = ratios.set_index("claim").loc[TRUE_RATIO]
    apart = 100.0 * abs(of_true["ours"] - 1.0)
    word = "below" if of_true["ours"] < 1.0 else "above"
    return [
        *lines,
        "The paper shows one simulation of Section 3.2. It says that both formulas are almost equivalent for the true "
        "pairs, while R-sens₂ is much lower for all others and so separates them better. Our figure shows one "
        f"simulation too; the table has means of {ratios['repetitions'].max()} repetitions. We count ratios within "
        f"{RATIO_MARGIN:g} of 1 as almost equivalent, as for Figure 3. For true pairs the fourth derivative is "
        f"{number(apart, 0)} % {word} R-sens₂.",
        "",
        *results.figure("fourth_derivative", "R-sens₂ and the fourth derivative of all pairs"),
        *claims_table(ratios, first="ratio"),
    ]
