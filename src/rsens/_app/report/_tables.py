"""The tables of the report, as texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.report._facts import Facts, Name
from rsens._app.report._sentences import (
    DISCOVERY,
    FAMILYWISE,
    chosen_rows,
    likelihood_name,
    model_name,
    pair_notes,
    rows_used,
    unit_of,
    variable_notes,
)
from rsens._explain import EffectLine, by_columns, by_legend, effect_lines, effects_legend
from rsens._text import as_label, counted, number, p_text, percent, plus_minus, side_by_side
from rsens.measures import BOTH, DOWN, UP, arrows

#: How many rows of a table are shown at first; the others on demand, and on paper.
SHOWN_VARIABLES, SHOWN_PAIRS, MOST_PAIRS = 20, 10, 50
#: Of how many variables effects are shown at first.
SHOWN_EFFECTS = 6
#: With more outputs than this, such as classes, directions do not fit side by side.
MOST_OUTPUTS = 4
#: What stands where a number is not known.
UNKNOWN = "–"
WORDS = {UP: "up", DOWN: "down", BOTH: "both ways", "": ""}


@dataclass(frozen=True)
class VariableLine:
    """One line of the table of variables."""

    rank: int
    name: Name
    value: str
    interval: str
    directions: list[tuple[str, str]]  # a sign and its word, for each output
    uncertainty: str
    above: bool | None
    p: str
    together: str  # the mark for all variables together


@dataclass(frozen=True)
class VariablesTable:
    """The table of variables; below it, what its marks and intervals mean."""

    lines: list[VariableLine]
    outputs: list[str]  # heads of the columns of directions
    level: str
    has_interval: bool
    has_uncertainty: bool
    has_null: bool
    caption: str
    notes: list[str]
    shown: int = SHOWN_VARIABLES


def variables(facts: Facts) -> VariablesTable:
    """The variables, ranked."""
    e = facts.explanation
    frame = e.to_frame()
    terms = list(frame["term"])
    parts = e.parts if e.parts is not None and e.parts.shape[1] == 2 else None
    direction, consistency = _by_output(e.direction), _by_output(e.consistency)
    heads = [as_label(c) for c in direction.columns] if direction.shape[1] > 1 else ["Direction"]
    if len(heads) > MOST_OUTPUTS:
        heads = []
    signs = [arrows(direction.loc[t], consistency.loc[t]) if heads else [] for t in terms]
    values, intervals = _numbers(frame)
    lines = [
        VariableLine(
            rank=int(frame["rank"].iloc[k]),
            name=facts.names[term],
            value=values[k],
            interval=intervals[k],
            directions=[(sign, WORDS[sign]) for sign in signs[k]],
            uncertainty="" if parts is None else _share(parts.iloc[:, 1][term], e.main[term]),
            above=_known(frame["above_null"].iloc[k]),
            p=p_text(float(frame["p_value"].iloc[k])),
            together=_together(frame.iloc[k]),
        )
        for k, term in enumerate(terms)
    ]
    return VariablesTable(
        lines=lines,
        outputs=heads if any(sign for line in lines for sign, _ in line.directions) else [],
        level=percent(e.level, level=True),
        has_interval=e.intervals is not None,
        has_uncertainty=parts is not None,
        has_null=e.null_levels is not None,
        caption="All variables, ranked by R-sens"
        + ("; below each class, which way its probability goes" if len(heads) > 1 else ""),
        notes=variable_notes(e),
    )


@dataclass(frozen=True)
class PairLine:
    """One line of the table of pairs."""

    rank: int
    first: Name
    second: Name
    value: str
    interval: str
    uncertainty: str
    only: bool  # whether it is "uncertainty only"
    above: bool | None
    unclear: bool
    p: str
    together: str


@dataclass(frozen=True)
class PairsTable:
    """The table of pairs; below it, what its marks mean. Without pairs it has no lines."""

    lines: list[PairLine]
    has_uncertainty: bool
    has_test: bool
    has_together: bool
    notes: list[str]


def pairs(facts: Facts) -> PairsTable:
    """The leading pairs, ranked."""
    e, frame = facts.explanation, facts.pairs.head(MOST_PAIRS)
    if not len(frame):
        return PairsTable([], False, False, False, [])
    values, intervals = _numbers(frame)
    parts = e.pair_parts if e.pair_parts is not None and e.pair_parts.shape[1] == 2 else None
    keys = list(zip(frame["first"], frame["second"], strict=True))
    only = set(e.uncertainty_only)
    lines = [
        PairLine(
            rank=int(frame["rank"].iloc[k]),
            first=facts.names[pair[0]],
            second=facts.names[pair[1]],
            value=values[k],
            interval=intervals[k],
            uncertainty="" if parts is None else _share(parts.iloc[:, 1][pair], e.pairs[pair]),
            only=pair in only,
            above=_known(frame["above_null"].iloc[k]),
            unclear=e.pair_unclear is not None and bool(e.pair_unclear[pair]),
            p=p_text(float(frame["p_value"].iloc[k])),
            together=_together(frame.iloc[k]),
        )
        for k, pair in enumerate(keys)
    ]
    return PairsTable(
        lines=lines,
        has_uncertainty=parts is not None,
        has_test=e.pair_above is not None,
        has_together=any(line.together for line in lines),
        notes=pair_notes(e),
    )


@dataclass(frozen=True)
class EffectRow:
    """One line of the table of effects."""

    name: Name
    line: EffectLine


@dataclass(frozen=True)
class EffectsTable:
    """What a change of each variable does; below it, what the columns mean."""

    lines: list[EffectRow]
    level: str
    has: dict[str, bool]  # which columns have anything
    shown: int
    notes: list[str]


def effects(facts: Facts) -> EffectsTable:
    """The effects of all variables, the leading ones first."""
    e = facts.explanation
    lines = effect_lines(e, None)
    has = {name: any(getattr(line, name) for line in lines) for name in ("lower", "per_unit", "percent", "spread")}
    level = f"{percent(e.level, level=True)} interval" if e.intervals_hold else "interval (does not hold)"
    first = {line.term for line in effect_lines(e, SHOWN_EFFECTS)}
    shown = sum(line.term in first for line in lines)
    rows = [EffectRow(facts.names[line.term], line) for line in lines]
    return EffectsTable(rows, level, has, shown, effects_legend(e, lines) if lines else [])


def _by_output(table: pd.Series[float] | pd.DataFrame) -> pd.DataFrame:
    return table.to_frame() if isinstance(table, pd.Series) else table


def _known(mark: Any) -> bool | None:
    return None if pd.isna(mark) else bool(mark)


def _together(line: pd.Series[Any]) -> str:
    """The mark for all lines together: the family-wise one is also a discovery."""
    if _known(line.get("familywise", pd.NA)):
        return FAMILYWISE
    return DISCOVERY if _known(line["discovery"]) else ""


def _numbers(frame: pd.DataFrame) -> tuple[list[str], list[str]]:
    """The values, and their intervals."""
    largest = float(np.nanmax(frame[["value", "upper"]].to_numpy(dtype=float)))
    lines = [
        side_by_side(line, largest, unknown=UNKNOWN)
        for line in frame[["value", "lower", "upper"]].to_numpy(dtype=float).tolist()
    ]
    known = frame["lower"] <= frame["upper"]
    return (
        [value for value, _, _ in lines],
        [f"{low} to {high}" if there else "" for (_, low, high), there in zip(lines, known, strict=True)],
    )


def _share(part: float, whole: float) -> str:
    return percent(part / whole) if whole > 0.0 else ""


# ---- quality ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Score:
    """A number of the assessment, with its name and what it means."""

    name: str
    value: str
    meaning: str


def quality(facts: Facts) -> list[Score]:
    """The numbers of the assessment that most readers know."""
    a = facts.assessment
    if a is None:
        return []
    found = [
        Score("Gain over a constant", plus_minus(a.gain, a.gain_error), "log predictive density per held-out row"),
        Score("Log score", number(a.score), f"of a constant: {number(a.baseline)}"),
    ]
    if a.accuracy is not None:
        by_chance = number(a.calibration_error_by_chance, 2)
        return [
            *found,
            Score("Accuracy", percent(a.accuracy), "held-out rows whose most probable class is right"),
            Score("Calibration error", number(a.calibration_error, 2), f"chance alone explains up to {by_chance}"),
            Score("Brier score", number(a.brier_score), "0 is best, 1 is worst"),
        ]
    for share, line in () if a.coverage is None else a.coverage.iterrows():
        level = percent(float(str(share)), level=True)
        found.append(Score(f"In {level} intervals", percent(line["share"]), f"of held-out rows; ideal: {level}"))
    return [*found, Score("R²", number(a.r2, unknown=UNKNOWN), "of held-out point predictions")]


# ---- how it was made -------------------------------------------------------------------------------------------------


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
        ("Rows", f"{rows_used(facts)}{chosen_rows(facts)}"),
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


# ---- The table of subgroups on the page ------------------------------------------------------------------------------


@dataclass(frozen=True)
class SubgroupsTable:
    """R-sens by variable and subgroup, as texts; below it, what the mark means. Without subgroups it has no lines."""

    by: Name
    heads: list[str]
    lines: list[tuple[Name, list[str]]]
    notes: list[str]


def subgroups(facts: Facts) -> SubgroupsTable:
    """All variables, the one that matters most over all rows first."""
    e = facts.explanation
    by = Name.of(facts.settings.get("arguments", {}).get("by") or "subgroups")
    if e.by is None:
        return SubgroupsTable(by, [], [], [])
    terms, columns = by_columns(e, len(e.names))
    cells = zip(*columns.values(), strict=True)
    lines = [(facts.names[term], [cell.strip() for cell in line]) for term, line in zip(terms, cells, strict=True)]
    return SubgroupsTable(by, [head.strip() for head in columns], lines, by_legend(e))
