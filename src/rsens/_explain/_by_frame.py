"""R-sens within subgroups as a table: each subgroup and term, beside all other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rsens import _meaning as meaning
from rsens._explain._spread import PER_TERM
from rsens._text import aligned, counted, number, short

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

#: The most subgroups side by side.
MOST_SUBGROUPS = 6


def by_frame(explanation: Explanation) -> pd.DataFrame | None:
    """One line per subgroup and term; subgroups in their order, the term that matters most over all rows first."""
    part = explanation._subgroups
    if part is None:
        return None
    ranked = np.argsort(-explanation._values.main, kind="stable")
    shape = part.subgroup_values.shape
    unknown = np.full(shape, np.nan)
    rest = unknown if part.subgroup_rest is None else part.subgroup_rest
    ends = [(unknown, unknown) if x is None else x for x in (part.subgroup_intervals, part.subgroup_differences)]
    # Among values that could all be noise, p-values mean nothing.
    p = part.subgroup_p_values if explanation.intervals_hold else None
    tables = {
        "value": part.subgroup_values,
        "lower": ends[0][0],
        "upper": ends[0][1],
        "rest": rest,
        "difference": part.subgroup_values - rest,
        "difference_lower": ends[1][0],
        "difference_upper": ends[1][1],
        "p_value": unknown if p is None else p,
    }
    frame = pd.DataFrame(
        {
            "subgroup": np.repeat(np.array(part.subgroups, dtype=object), shape[1]),
            "rows": np.repeat(part.subgroup_counts, shape[1]),
            "term": np.tile(np.array(explanation.names, dtype=object)[ranked], shape[0]),
            **{name: table[:, ranked].ravel() for name, table in tables.items()},
        }
    )
    frame["differs"] = (frame["p_value"] <= PER_TERM).astype("boolean").mask(frame["p_value"].isna())
    frame["interval_kind"] = pd.Series([part.subgroup_interval_kind] * len(frame), dtype=object)
    return frame


def by_columns(explanation: Explanation, terms: int) -> tuple[list[str], dict[str, list[str]]]:
    """The leading terms, and a column of values with their marks for all rows and for each subgroup, as texts."""
    frame = by_frame(explanation)
    assert frame is not None
    groups = list(dict.fromkeys(frame["subgroup"]))[:MOST_SUBGROUPS]
    write = aligned(float(frame["value"].max())) if explanation.scale_kind == "sd" else number
    shown = [str(term) for term in frame["term"].iloc[: min(terms, len(explanation.names))]]
    columns = {"all rows ": [f"{write(explanation.main[term])} " for term in shown]}
    for group in groups:
        lines = frame[frame["subgroup"] == group].head(len(shown)).to_dict("records")
        columns[f"{short(str(group), 16)} "] = [
            write(line["value"]) + (meaning.DIFFERS_MARK if line["differs"] is True else " ") for line in lines
        ]
    return shown, columns


def by_legend(explanation: Explanation) -> list[str]:
    """What stands below: how many rows each subgroup has, what the mark means, and what is not shown."""
    part = explanation._subgroups
    assert part is not None
    counts = zip(part.subgroups, part.subgroup_counts, strict=True)
    sizes = [f"{short(str(group), 24)} {int(count):,}" for group, count in counts]
    lines = [f"rows: {', '.join(sizes[:MOST_SUBGROUPS])}"]
    if len(sizes) > MOST_SUBGROUPS:
        lines.append(f"… and {counted(len(sizes) - MOST_SUBGROUPS, 'more subgroup')}")
    if part.subgroup_p_values is None:
        return [*lines, "no marks: without refits nobody knows how far these would differ in other data"]
    if not explanation.intervals_hold:
        return [*lines, f"no marks: {meaning.NOTHING_FOUND}"]
    return [*lines, f"{meaning.DIFFERS_MARK} {meaning.SUBGROUP_DIFFERS}; {meaning.DIFFERS_BY_CHANCE}"]
