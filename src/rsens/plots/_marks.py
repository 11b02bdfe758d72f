"""What plots say of marks and intervals, in the words of `rsens._meaning`."""

from __future__ import annotations

from typing import Any

from rsens import _meaning as meaning
from rsens._text import p_text

#: Where a figure marks pairs by dots.
FILLED, HOLLOW = "●", "○"
#: Where it marks them by characters.
STAR, DOUBT = "*", "?"
#: What is said of pairs without a mark.
NOTHING = "no interaction found by the test"


def interval_note(explanation: Any) -> str:
    """What the intervals hold for, or that they do not; nothing without intervals."""
    if explanation.intervals is None:
        return ""
    if not explanation.intervals_hold:
        return meaning.NOTHING_FOUND
    return meaning.interval(explanation.interval_kind, explanation.level, explanation.interval_refits)


def is_tested(explanation: Any) -> bool:
    """Whether a test says which pairs interact."""
    return explanation.pair_above is not None


def never_marked(explanation: Any) -> bool:
    """Whether the model adds up all pairs by construction."""
    return is_tested(explanation) and bool(explanation.pair_additive.all())


def adds_up(explanation: Any) -> str:
    """Why no pair is marked: "the model adds up on the logit scale by construction"."""
    return meaning.no_pair_mark(explanation.test_scale).partition(",")[0]


def why_none(explanation: Any) -> str:
    """Why a pair is not marked."""
    return adds_up(explanation) if never_marked(explanation) else NOTHING


def pair_notes(explanation: Any, mark: str, doubt: str) -> list[str]:
    """What the signs for pairs that are marked, and for pairs that cannot be told, mean; nothing without a test."""
    if not is_tested(explanation):
        return []
    if never_marked(explanation):
        return [adds_up(explanation)]
    found = explanation.pair_above.any()
    unclear = [f"{doubt} {meaning.UNCLEAR}"] if explanation.pair_unclear.any() else []
    return [f"{mark} {meaning.pair_mark(explanation.test_scale)}" if found else NOTHING, *unclear]


def test_result(explanation: Any, pair: tuple[str, str]) -> str:
    """What the test says of one pair."""
    p = float(explanation.pair_p_values[pair])
    if explanation.pair_additive[pair]:
        return "adds up in the model by construction"
    if not p_text(p):
        return "not tested"
    if explanation.pair_above[pair]:
        found = "interaction found by the test"
    elif explanation.pair_unclear[pair]:
        found = "cannot be told: collinear"
    else:
        found = NOTHING
    return f"{found}, p {p_text(p)}"


def count_of_marks(explanation: Any) -> str:
    """A sentence on how many pairs are marked; nothing without a test."""
    if not is_tested(explanation):
        return ""
    if never_marked(explanation):
        return f" No pair is marked: {adds_up(explanation)}."
    return f" The test found an interaction in {int(explanation.pair_above.sum())} of {len(explanation.pairs)} pairs."
