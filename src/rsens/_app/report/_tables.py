"""The tables of the report as dicts of texts, for the template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.report._facts import Facts, Name
from rsens._app.report._sentences import likelihood_name, model_name, rows_used, unit_of
from rsens._explain import (
    by_columns,
    by_legend,
    effect_lines,
    effects_legend,
    intervals_legend,
    pairs_legend,
    part_columns,
    shares,
    variables_legend,
)
from rsens._text import as_label, counted, number, p_text, percent, plus_minus, side_by_side
from rsens.measures import BOTH, DOWN, UP, arrows

#: How many rows of a table are shown at first; the others on demand, and on paper.
SHOWN_VARIABLES, SHOWN_PAIRS, MOST_PAIRS = 20, 10, 50
#: Of how many variables effects are shown at first.
SHOWN_EFFECTS = 6
#: With more outputs than this, such as classes, directions do not fit side by side.
MOST_OUTPUTS = 4
#: The sign for a number that is not known.
UNKNOWN = "–"
WORDS = {UP: "up", DOWN: "down", BOTH: "both ways", "": ""}
#: What p means for variables, and for pairs.
P_OF_VARIABLES = "p-values tell how rarely an irrelevant variable made like this one gets as far"
P_OF_PAIRS = "p-values tell how rarely data of two variables that add up look so unlike it"


def variables(facts: Facts) -> dict[str, Any]:
    """The variables, ranked; below them, what their marks and intervals mean."""
    e = facts.explanation
    frame = e.to_frame()
    direction, consistency = (
        table.to_frame() if isinstance(table, pd.Series) else table for table in (e.direction, e.consistency)
    )
    heads = [as_label(c) for c in direction.columns] if direction.shape[1] > 1 else ["Direction"]
    if len(heads) > MOST_OUTPUTS:
        heads = []
    lines = _lines(frame)
    for line, term in zip(lines, frame["term"], strict=True):
        signs = arrows(direction.loc[term], consistency.loc[term]) if heads else []
        line |= {"name": facts.names[term], "directions": [(sign, WORDS[sign]) for sign in signs]}
    has_null, by_class = e.null_levels is not None, "; below each class, which way its probability goes"
    return {
        "lines": lines,
        "outputs": heads if any(sign for line in lines for sign, _ in line["directions"]) else [],
        "level": percent(e.level, level=True),
        "has_interval": e.intervals is not None,
        "has_uncertainty": bool(part_columns(frame)),
        "has_null": has_null,
        "caption": "All variables, ranked by R-sens" + (by_class if len(heads) > 1 else ""),
        "notes": _notes([*variables_legend(e), P_OF_VARIABLES] if has_null else [], intervals_legend(e)),
        "shown": SHOWN_VARIABLES,
    }


def pairs(facts: Facts) -> dict[str, Any]:
    """The leading pairs, ranked; below them, what their marks mean. Without pairs there are no lines."""
    e, frame = facts.explanation, facts.pairs.head(MOST_PAIRS)
    if not len(frame):
        return {"lines": [], "has_test": False}
    lines = _lines(frame)
    for line, pair in zip(lines, zip(frame["first"], frame["second"], strict=True), strict=True):
        line |= {
            "first": facts.names[pair[0]],
            "second": facts.names[pair[1]],
            "only": pair in e.uncertainty_only,
            "unclear": e.pair_unclear is not None and bool(e.pair_unclear[pair]),
        }
    has_test = e.pair_above is not None
    return {
        "lines": lines,
        "has_uncertainty": bool(part_columns(frame)),
        "has_test": has_test,
        "has_together": any(line["together"] for line in lines),
        "notes": _notes(pairs_legend(e), [P_OF_PAIRS] if has_test else [], intervals_legend(e)),
    }


def effects(facts: Facts) -> dict[str, Any]:
    """The effects of all variables, the leading ones first; below them, what the columns mean."""
    e = facts.explanation
    lines = effect_lines(e, None)
    first = {line.term for line in effect_lines(e, SHOWN_EFFECTS)}
    optional = ("lower", "per_unit", "percent", "spread")
    return {
        "lines": [(facts.names[line.term], line) for line in lines],
        "level": f"{percent(e.level, level=True)} interval" if e.intervals_hold else "interval (does not hold)",
        "has": {name: any(getattr(line, name) for line in lines) for name in optional},
        "shown": sum(line.term in first for line in lines),
        "notes": effects_legend(e, lines) if lines else [],
    }


def subgroups(facts: Facts) -> dict[str, Any]:
    """All variables by subgroup, in the order of their values over all rows. Without subgroups there are no lines."""
    e = facts.explanation
    if e.by is None:
        return {"lines": []}
    terms, columns = by_columns(e, len(e.names))
    cells = zip(*columns.values(), strict=True)
    return {
        "by": Name.of(facts.settings.get("arguments", {}).get("by") or "subgroups"),
        "heads": [head.strip() for head in columns],
        "lines": [(facts.names[t], [cell.strip() for cell in line]) for t, line in zip(terms, cells, strict=True)],
        "notes": by_legend(e),
    }


def _lines(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The cells that variables and pairs have in common."""
    largest = float(np.nanmax(frame[["value", "upper"]].to_numpy(dtype=float)))
    parts = part_columns(frame)
    uncertainty = shares(frame, parts[1]) if parts else [""] * len(frame)
    lines = []
    for line, share in zip(frame.to_dict("records"), uncertainty, strict=True):
        value, low, high = side_by_side([line["value"], line["lower"], line["upper"]], largest, unknown=UNKNOWN)
        marks = ("above_null", "familywise", "discovery")
        above, familywise, discovery = (None if pd.isna(line.get(mark)) else bool(line[mark]) for mark in marks)
        lines.append(
            {
                "rank": int(line["rank"]),
                "value": value,
                "interval": f"{low} to {high}" if line["lower"] <= line["upper"] else "",
                "uncertainty": share,
                "above": above,
                "p": p_text(float(line["p_value"])),
                "together": "family-wise" if familywise else "discovery" if discovery else "",
            }
        )
    return lines


def _notes(*legends: list[str]) -> list[str]:
    """The lines of legends as sentences."""
    return [f"{line[:1].upper()}{line[1:]}." for legend in legends for line in legend]


def quality(facts: Facts) -> list[tuple[str, str, str]]:
    """The numbers of the assessment that most readers know: their names, the numbers, and what they mean."""
    a = facts.assessment
    if a is None:
        return []
    found = [
        ("Gain over a constant", plus_minus(a.gain, a.gain_error), "log predictive density per held-out row"),
        ("Log score", number(a.score), f"of a constant: {number(a.baseline)}"),
    ]
    if a.accuracy is not None:
        by_chance = number(a.calibration_error_by_chance, 2)
        return [
            *found,
            ("Accuracy", percent(a.accuracy), "held-out rows whose most probable class is right"),
            ("Calibration error", number(a.calibration_error, 2), f"chance alone explains up to {by_chance}"),
            ("Brier score", number(a.brier_score), "0 is best, 1 is worst"),
        ]
    for share, line in () if a.coverage is None else a.coverage.iterrows():
        level = percent(float(str(share)), level=True)
        found.append((f"In {level} intervals", percent(line["share"]), f"of held-out rows; ideal: {level}"))
    return [*found, ("R²", number(a.r2, unknown=UNKNOWN), "of held-out point predictions")]


def flatten(settings: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    """Settings as lines of name and value; what is nested has both names."""
    lines = []
    for key, value in settings.items():
        name = f"{before}{as_label(key)}"
        if isinstance(value, Mapping):
            lines += flatten(value, f"{name} · ")
        elif value is not None:
            lines.append((name, _setting(value)))
    return lines


def _setting(value: Any) -> str:
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return ", ".join(as_label(item) for item in items) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return as_label(value)


def about(facts: Facts) -> list[tuple[str, str]]:
    """What was explained, in a few entries for the head of the page."""
    e = facts.explanation
    entries = [
        ("Rows", "".join(rows_used(facts))),
        ("Variables", f"{len(e.names):,}{_kinds(e)}"),
        ("Model", model_name(facts.model)),
        ("Likelihood", e.family if facts.likelihood is None else likelihood_name(facts.likelihood)),
        ("Sensitivity per", unit_of(e) + (" or switch" if e.categorical and e.scale_kind == "raw" else "")),
    ]
    if facts.assessment is not None:
        entries.append(("Checked on", f"{counted(facts.assessment.n_rows, 'row')} held out"))
    return entries


def _kinds(explanation: Any) -> str:
    """How many of the variables are compared by level."""
    two = len(explanation.two_valued)
    counts = {"categorical": len(explanation.categorical) - two, "with two values": two}
    found = [f"{count} {kind}" for kind, count in counts.items() if count]
    return f" ({', '.join(found)})" if found else ""
