"""What to know when reading a difference: other units, other rows, other families, and what intervals leave out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rsens._explain._comparable import Comparable
from rsens._explain._difference_intervals import OF_REFITS, PAIRED_REFITS

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

HALFWAY = "the root mean square of the two"
CONVERTED = {
    "sd": f"The standard deviations of the two differ, so both are per the same unit: {HALFWAY} (`units`).",
    "given": f"The given units of the two differ, so both are per the same unit: {HALFWAY} (`units`).",
}


def notes_of(
    a: Explanation, b: Explanation, names: tuple[str, str], both: Comparable, same_rows: bool, kind: str | None
) -> Iterator[str]:
    """One sentence each."""
    if both.is_converted:
        yield CONVERTED[a.scale_kind]
    if a.family != b.family:
        yield (
            f"The predictions are of different families, {a.family} ({names[0]}) and {b.family} ({names[1]}): R-sens "
            "is in units of each one's own uncertainty."
        )
    if a._values.outputs != b._values.outputs:
        yield "The two predict different outputs."
    if (a.order, b.order) in ((1, 2), (2, 1)):
        yield f"Pairs are not compared: {names[0] if a.order == 1 else names[1]} has none."
    if kind is None:
        yield "There are no intervals: one of the two explanations has none, or a single row."
    elif kind not in OF_REFITS and "refits" in (a.interval_kind, b.interval_kind):
        yield from _why_rows(a, b, names)
    elif kind in OF_REFITS and same_rows and kind != PAIRED_REFITS:
        yield (
            "Both explain the same rows, but were refitted without different ones, so the intervals are too wide. "
            "Explain both with the same random_state."
        )
    if kind in OF_REFITS and not (a.intervals_hold or b.intervals_hold):
        yield "No variable is above the null level in either of the two, so the intervals do not hold: no p-values."


def _why_rows(a: Explanation, b: Explanation, names: tuple[str, str]) -> Iterator[str]:
    without = [name for e, name in ((a, names[0]), (b, names[1])) if e._refits is None]
    yield (
        f"The intervals hold only for which rows are explained: {' and '.join(without)} has no values of refits. "
        "Explain again with y, for a model that can be refitted."
    )
