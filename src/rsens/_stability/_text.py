"""A stability result as short tables of plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rsens._text import counted, listed, on_one_line, short

if TYPE_CHECKING:
    from rsens._stability._result import Stability

ROWS = 10
#: How many of the first terms the answer is about.
LEADING = 3


def text(stability: Stability) -> str:
    """What was done, the answer, the entropies, and the leading terms of the first method that has any."""
    table = stability.to_frame()
    leading = table[table["method"] == table["method"].iloc[0]]
    shown = leading.head(ROWS)[["term", "mean_rank", "lower", "upper"]]
    shown = shown.assign(term=[short(term) for term in shown["term"]])
    hidden = len(leading) - len(shown)
    more = f"\n… and {hidden} more: to_frame()" if hidden else ""
    most = np.log(len(stability.terms))
    by = leading["method"].iloc[0]
    return "\n\n".join(
        [
            heading(stability),
            answer(stability),
            f"Entropy of the ranks, 0 (always the same) to {most:.3g} (random)\n{_lines(_methods(stability))}",
            f"Ranks by {by}, lower to upper in 90 % of the samples\n{_lines(shown)}{more}",
        ]
    )


def answer(stability: Stability) -> str:
    """Whether the first terms are the same in all samples, by the first method that ranked any; with full names."""
    ranks = stability.ranks
    method = next(name for name in stability.methods if (ranks["method"] == name).any())
    table = ranks[ranks["method"] == method].pivot(index="sample", columns="term", values="rank")
    leading = list(table.mean().reindex(stability.terms).sort_values(kind="stable").index[:LEADING])
    total = len(table)
    first = int((table[leading[0]] == 1).sum())
    winner = f"By {method}, {on_one_line(leading[0])} is first in {first} of {total} samples"
    if len(stability.terms) <= LEADING:
        return f"{winner}."
    same = int((table[leading] <= LEADING).all(axis=1).sum())
    return (
        f"{winner}, and the first {LEADING} are {listed([on_one_line(term) for term in leading])} in {same} of {total}."
    )


def heading(stability: Stability) -> str:
    """What was done, in one line."""
    settings = stability.settings
    kind = {1: "variable", 2: "pair"}[stability.order]
    how = "with" if settings["replace"] else "without"
    failed = stability.failures["sample"].nunique()
    failures = f"; failures in {failed} of them" if failed else ""
    return (
        f"Rankings of {counted(len(stability.terms), kind)} by models fitted to {stability.n_boot} samples of "
        f"{drawn(stability)}, drawn {how} replacement{failures}"
    )


def drawn(stability: Stability) -> str:
    """What a sample holds: "200 rows", or "20 clusters (about 80 rows)"."""
    rows, clusters = (stability.settings[name] for name in ("n_rows", "clusters"))
    return f"{rows:,} rows" if clusters is None else f"{counted(clusters, 'cluster')} (about {rows:,} rows)"


def _methods(stability: Stability) -> pd.DataFrame:
    """Entropy by method, the term that is first most often, and how often it is."""
    first = stability.top(1)
    known = stability.entropy.dropna()
    return pd.DataFrame(
        {
            "method": known.index,
            "entropy": known.to_numpy(),
            "first": [short(str(first[method].idxmax())) for method in known.index],
            "in": [f"{first[method].max():.0%}" for method in known.index],
        }
    )


def _lines(frame: pd.DataFrame) -> str:
    return frame.to_string(index=False, float_format="{:.3g}".format)
