"""A stability result for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rsens import _html as html
from rsens._stability._text import ROWS, answer, heading
from rsens._text import number, percent

if TYPE_CHECKING:
    from rsens._stability._result import Stability


def as_html(stability: Stability) -> str:
    """What was done, the answer, the entropies, the leading terms of the first method that has any, and failures."""
    failures = [f"sample {sample}: {reason}" for sample, _, reason in stability.failures.itertuples(index=False)]
    return html.view(
        html.heading(heading(stability)),
        html.paragraph(answer(stability)),
        _entropies(stability),
        _ranks(stability),
        html.notes("Failures", failures),
    )


def _entropies(stability: Stability) -> html.Html:
    known, first = stability.entropy.dropna(), stability.top(1)
    columns = {
        "entropy": [number(value) for value in known],
        "first": [str(first[method].idxmax()) for method in known.index],
        "in": [percent(float(first[method].max())) for method in known.index],
    }
    title = f"Entropy of the ranks, 0 (always the same) to {number(float(np.log(len(stability.terms))))} (random)"
    return html.table(title, [str(method) for method in known.index], columns, left=["first"])


def _ranks(stability: Stability) -> html.Html:
    table = stability.to_frame()
    method = table["method"].iloc[0]
    leading = table[table["method"] == method]
    shown, hidden = leading.head(ROWS), len(leading) - min(ROWS, len(leading))
    columns = {
        "mean rank": [number(rank) for rank in shown["mean_rank"]],
        "lower": [str(rank) for rank in shown["lower"]],
        "upper": [str(rank) for rank in shown["upper"]],
    }
    below = ["lower to upper: ranks in 90 % of the samples"]
    if hidden:
        below.insert(0, f"… and {hidden} more in to_frame()")
    return html.table(f"Ranks by {method}", [str(term) for term in shown["term"]], columns, below=below)
