"""From analyses to counts: what is kept of a run, small enough to be committed.

Three tables per code. "terms" has a line per variable or pair of a design, "analyses" a line per analysis, "designs" a
line per design. Shares, standard errors and verdicts are computed from them.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

from experiments._calibration.designs import Design

#: The truth about a term. Among the pairs that do not interact, two relevant variables are the hard case.
RELEVANT, IRRELEVANT = "relevant", "irrelevant"
INTERACTING, BOTH_RELEVANT, OTHER = "interacting", "both relevant", "other"
MARKS = ("marked", "discovery", "familywise")
#: Columns kept of the first analysis, to see whether the code still gives the same.
FIRST = ("value", "lower", "upper", "p")

Tables = dict[str, pd.DataFrame]


def truth(design: Design, kind: str) -> dict[str, str]:
    """The truth about each variable or each pair, by term."""
    if kind == "variables":
        return {f"x{j}": RELEVANT if j in design.relevant else IRRELEVANT for j in range(design.columns)}
    return {f"x{i}:x{j}": _truth_of_pair(design, i, j) for i, j in design.pairs()}


def _truth_of_pair(design: Design, i: int, j: int) -> str:
    if (i, j) in design.interacting:
        return INTERACTING
    return BOTH_RELEVANT if {i, j} <= set(design.relevant) else OTHER


def tables_of(name: str, design: Design, analyses: list[dict[str, Any]], stamps: dict[str, str]) -> Tables:
    """The lines of one design in the three tables. `stamps` name the code and the data."""
    texts = Counter(text for analysis in analyses for text in analysis["warnings"])
    line = {
        "design": name,
        "analyses": len(analyses),
        "interval_kind": Counter(analysis["interval_kind"] for analysis in analyses).most_common(1)[0][0],
        "warned": sum(bool(analysis["warnings"]) for analysis in analyses),
        "warning": texts.most_common(1)[0][0] if texts else "",
        **stamps,
    }
    terms = [row for kind in ("variables", "pairs") for row in _terms(name, design, analyses, kind)]
    return {
        "terms": pd.DataFrame(terms),
        "analyses": pd.DataFrame([_analysis(name, design, k, of) for k, of in enumerate(analyses)]),
        "designs": pd.DataFrame([line]),
    }


def _terms(name: str, design: Design, analyses: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """A line per term: how often it was marked, its mean value, and how many intervals hold that mean.

    The mean over data sets estimates the expected value, which a 95 % interval for new data should hold in 95 %.
    """
    seen = [analysis[kind] for analysis in analyses]
    values, lower, upper = (_array(seen, number) for number in ("value", "lower", "upper"))
    expected = values.mean(axis=0)
    rows = []
    for t, (term, what) in enumerate(truth(design, kind).items()):
        row: dict[str, Any] = {"design": name, "term": term, "truth": what}
        row |= {mark: sum(of[mark][t] == "1" for of in seen) if mark in seen[0] else None for mark in MARKS}
        row |= {"mean": expected[t], "sd": values[:, t].std(ddof=1) if len(values) > 1 else None}
        row["intervals"] = int(np.isfinite(lower[:, t]).sum())
        row["covered"] = int(((lower[:, t] <= expected[t]) & (expected[t] <= upper[:, t])).sum())
        row |= {f"first_{number}": seen[0][number][t] if number in seen[0] else None for number in FIRST}
        rows.append(row)
    return rows


def _array(seen: list[dict[str, Any]], number: str) -> Any:
    """Analyses × terms; NaN where a number is missing."""
    missing = [None] * len(seen[0]["value"])
    return np.array([of.get(number, missing) for of in seen], dtype=float)


def _analysis(name: str, design: Design, number: int, analysis: dict[str, Any]) -> dict[str, Any]:
    """A line per analysis: how many marks there are, how many are false, which true terms have one ("101"); all p."""
    row: dict[str, Any] = {"design": name, "number": number}
    for kind, prefix in (("variables", ""), ("pairs", "pairs_")):
        what, seen = list(truth(design, kind).values()), analysis[kind]
        for mark in MARKS if kind == "variables" else MARKS[:2]:
            marked = [of for of, bit in zip(what, seen.get(mark, ""), strict=False) if bit == "1"]
            known = mark in seen
            row[f"{prefix}{mark}"] = len(marked) if known else None
            row[f"{prefix}{mark}_false"] = sum(of not in (RELEVANT, INTERACTING) for of in marked) if known else None
            if kind == "pairs" and mark == "marked":
                row["pairs_marked_both"] = marked.count(BOTH_RELEVANT) if known else None
        true = [bit for of, bit in zip(what, seen.get("marked", ""), strict=False) if of in (RELEVANT, INTERACTING)]
        row[f"{prefix}found"] = "".join(true) or None
    p = analysis["variables"].get("p")
    row["p"] = None if p is None else "/".join("" if value is None else f"{value:.3g}" for value in p)
    row |= {"fit": analysis["seconds"][0], "explain": analysis["seconds"][1], "refits": analysis["refits"]}
    return row
