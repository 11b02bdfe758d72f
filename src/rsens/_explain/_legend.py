"""What is said below the tables of an explanation: one line each for what a mark, a level or an interval means.

The sentences are those of `rsens._meaning`; the names come from the explanation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rsens import _meaning as meaning
from rsens._explain._cells import MOST_NAMES
from rsens._explain._effect_cells import has_steps, in_points
from rsens._text import Pair, counted, listed, quoted, short

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

UNITS = {"sd": "per standard deviation", "raw": "per unit", "given": "per given unit"}


def variables_legend(explanation: Explanation) -> list[str]:
    """The stars of variables: what they mean, what chance makes of them, and the marks for all variables together."""
    e = explanation
    if e.null_levels is None:
        if has_test(e):
            return [meaning.NOT_REFITTED]
        return [meaning.NO_MARKS + (meaning.NO_MARKS_OF_PAIRS if e.order == 2 else "")]
    ranked = e.main.sort_values(ascending=False, kind="stable").index
    lines = [f"* {meaning.VARIABLE}; {meaning.BY_CHANCE}"]
    if e.null_rows is not None:
        lines.append(f"the null level comes from refits to {e.null_rows:,} random rows")
    unknown = [name for name in e.names if e.null_levels.isna()[name]]
    if unknown:
        lines.append(f"no null level: {_names(unknown)}")
    starred = e.main > e.null_levels
    lines += _together(ranked, bool(starred.any()), e.discovery, e.familywise)
    doubtful = [] if e.p_value is None else [t for t in ranked if starred[t] != (e.p_value[t] <= meaning.PER_VARIABLE)]
    return lines + ([f"{meaning.BORDERLINE}: {_names(doubtful)}"] if doubtful else [])


def pairs_legend(explanation: Explanation) -> list[str]:
    """The stars of pairs, what R-sens₂ is beside them, and which pairs say little."""
    e = explanation
    link = e.pair_scale == "link"
    measured = meaning.RSENS2_LINK if link else f"{meaning.RSENS2}, {meaning.NOT_THE_STAR}"
    only = len(e.uncertainty_only)
    parts = [f"uncertainty only ({only} of {counted(len(e.pairs), 'pair')}): {meaning.UNCERTAINTY_ONLY}"] * bool(only)
    if not has_test(e):
        untested = [] if e.null_levels is None else [meaning.NOT_TESTED]
        return [*untested, meaning.RSENS2_LINK if link else meaning.RSENS2, *parts]
    assert e.pair_additive is not None  # all of these come from the test
    assert e.pair_above is not None
    assert e.test_scale is not None
    if e.pair_additive.all():
        return [f"{meaning.no_pair_mark(e.test_scale)}; {meaning.P_OF_DATA}", measured.partition(";")[0], *parts]
    ranked = e.pairs.sort_values(ascending=False, kind="stable").index
    lines = [f"* {meaning.pair_mark(e.test_scale)}; {meaning.PAIR_BY_CHANCE}"]
    lines += _together(ranked, bool(e.pair_above.any()), e.pair_discovery)
    if e.pair_additive.any():
        lines.append(f"{counted(int(e.pair_additive.sum()), 'pair')} add up in the model by construction: never a star")
    if e.pair_unclear is not None and e.pair_unclear.any():
        lines.append(f"? {meaning.UNCLEAR}")
    return [*lines, measured, *parts]


def intervals_legend(explanation: Explanation) -> list[str]:
    """What the intervals hold for, or that they do not."""
    e = explanation
    if e.intervals is None or e.interval_kind is None:
        return []
    if not e.intervals_hold:
        return [f"intervals: {meaning.NOTHING_FOUND}"]
    said = meaning.interval(e.interval_kind, e.level, e.interval_refits)
    return [f"intervals: {said}" + (f"; {meaning.TOO_NARROW}" if e.interval_kind == "rows" else "")]


def directions_legend(explanation: Explanation) -> list[str]:
    """What the arrows say; nothing where no term has one."""
    direction = explanation.direction
    if not direction.notna().to_numpy().any():
        return []
    if direction.ndim == 2:
        return ["▲ ▼ the output (class) whose prediction rises most, and the one whose prediction falls most"]
    steps = ", or from one value to the other" if has_steps(explanation) else ""
    points = "; pp: percentage points" if in_points(explanation) else ""
    return [f"▲ ▼ mean slope of the prediction {UNITS[explanation.scale_kind]}{steps}; ± goes both ways{points}"]


def two_valued_legend(explanation: Explanation) -> list[str]:
    """Numeric columns whose two values are compared, and how to undo it."""
    names = explanation.two_valued
    if not names:
        return []
    have, are = ("has", "is") if len(names) == 1 else ("have", "are")
    return [
        f"{_names(names)} {have} two values and {are} compared between them, like a category; "
        f"numeric=[{quoted(names)}] gives slopes instead"
    ]


def has_test(explanation: Explanation) -> bool:
    """Whether some pair was tested."""
    p = explanation.pair_p_values
    return p is not None and bool(p.notna().any())


def _together(ranked: Any, starred: bool, discovery: Any, familywise: Any = None) -> list[str]:
    """The marks for all variables, or all pairs, together."""
    found = [name for name in ranked if discovery[name]]
    if not found:
        return [f"{meaning.DISCOVERY}: none"] if starred else []
    lines = [f"{meaning.DISCOVERY}: {_names(found)} ({meaning.DISCOVERY_MEANS})"]
    if familywise is None:
        return lines
    surest = [name for name in ranked if familywise[name]]
    if surest == found:
        return lines
    means = f" ({meaning.FAMILYWISE_MEANS})" if surest else ""
    return [*lines, f"{meaning.FAMILYWISE_MARK}: {_names(surest) or 'none'}{means}"]


def _names(names: Iterable[Any]) -> str:
    return listed([short(Pair(*name) if isinstance(name, tuple) else name) for name in names], MOST_NAMES)
