"""What marks, p-values and intervals of the tables mean: a plain sentence each, in the words of `rsens._meaning`."""

from __future__ import annotations

from rsens import _meaning as meaning
from rsens._explain import Explanation

#: What the tables call the marks for all variables, or all pairs, together.
DISCOVERY, FAMILYWISE = "discovery", "family-wise"


def variable_notes(explanation: Explanation) -> list[str]:
    """What stands below the table of variables."""
    e, notes = explanation, []
    if e.null_levels is not None and e.discovery is not None and e.familywise is not None:
        notes = [
            f"* {meaning.VARIABLE}; {meaning.BY_CHANCE}.",
            "p: how rarely an irrelevant variable made like this one gets as far.",
        ]
        if e.discovery.any():
            notes.append(f"{DISCOVERY.capitalize()} ({meaning.DISCOVERY}): {meaning.DISCOVERY_MEANS}.")
        if e.familywise.any():
            notes.append(f"{FAMILYWISE.capitalize()} (5 %; these are discoveries too): {meaning.FAMILYWISE_MEANS}.")
        if e.p_value is not None and ((e.main > e.null_levels) != (e.p_value <= meaning.PER_VARIABLE)).any():
            notes.append(f"Some are {meaning.BORDERLINE}.")
    return notes + _interval_notes(e)


def pair_notes(explanation: Explanation) -> list[str]:
    """What stands below the table of pairs."""
    e, notes = explanation, []
    if e.pair_above is not None and e.pair_additive is not None and e.test_scale is not None:
        if e.pair_additive.all():
            reason = meaning.no_pair_mark(e.test_scale)
            notes = [f"{reason[:1].upper()}{reason[1:]}; {meaning.P_OF_DATA}."]
        else:
            notes = [
                f"* {meaning.pair_mark(e.test_scale)}; {meaning.PAIR_BY_CHANCE}.",
                "p: how rarely data of two variables that add up look so unlike it.",
            ]
        if e.pair_unclear is not None and e.pair_unclear.any():
            notes.append(f"? {meaning.UNCLEAR}.")
        if e.pair_discovery is not None and e.pair_discovery.any():
            notes.append(f"{DISCOVERY.capitalize()} ({meaning.DISCOVERY}): {meaning.DISCOVERY_MEANS}.")
    if e.uncertainty_only:
        notes.append(f"Uncertainty only: {meaning.UNCERTAINTY_ONLY}.")
    return notes + _interval_notes(e)


def interval_sentence(explanation: Explanation) -> str:
    """What the intervals hold for, or that they do not; nothing without intervals."""
    e = explanation
    if e.intervals is None or e.interval_kind is None:
        return ""
    if not e.intervals_hold:
        return f"{meaning.NOTHING_FOUND}."
    narrow = f"; {meaning.TOO_NARROW}" if e.interval_kind == "rows" else ""
    return f"{meaning.interval(e.interval_kind, e.level, e.interval_refits)}{narrow}."


def _interval_notes(explanation: Explanation) -> list[str]:
    sentence = interval_sentence(explanation)
    return [f"Intervals: {sentence}"] if sentence else []
