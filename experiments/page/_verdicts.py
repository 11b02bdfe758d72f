"""Tables and counts for our tests of the paper's statements in words."""

from __future__ import annotations

import pandas as pd

from experiments._claims import OUTCOMES, mark
from experiments.page._markdown import interval, number, share, table


def rule(margin: float) -> str:
    """How we judge a statement."""
    return (
        "A difference that should be > 0 holds (yes) if its whole interval is above 0, and does not hold (no) if none "
        f"of it is. A difference that should be ≈ 0 holds if its whole interval is within ± {margin:g}, and does not "
        f"if none of it is. For ≤ 0 the rule is the same, with everything up to {margin:g} in place of ± {margin:g}. "
        "Otherwise it is undecided."
    )


def count_outcomes(outcomes: pd.Series) -> str:
    """How many hold: 12 of 14 (1 does not, 1 undecided)."""
    yes, no, undecided = (int((outcomes == word).sum()) for word in OUTCOMES)
    others = [f"{no} {'does' if no == 1 else 'do'} not"] if no else []
    others += [f"{undecided} undecided"] if undecided else []
    return share(yes, len(outcomes)) + (f" ({', '.join(others)})" if others else "")


def claims_table(claims: pd.DataFrame, digits: int = 2, *, first: str = "difference") -> list[str]:
    """One statement per row, with a second verdict if there are corrected intervals."""
    claims = claims.fillna({"published": "", "holds": ""})
    sizes = ["n"] if "n" in claims else []
    corrected = "corrected_half" in claims
    rows = []
    for _, row in claims.iterrows():
        cells = [row["claim"], *row[sizes], row["published"], interval(row["ours"], row["ours_half"], digits)]
        cells.append(mark(row["holds"]))
        if corrected:
            cells += [f"± {number(row['corrected_half'], digits)}", mark(row["holds_corrected"])]
        rows.append(cells)
    head = [first, *sizes, "paper", "ours", "holds", *(["corrected", "then holds"] if corrected else [])]
    return table(head, rows)
