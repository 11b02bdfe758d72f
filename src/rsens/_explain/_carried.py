"""What one part of the rows knows of the fit, for all rows: null level, test of pairs, intervals from refits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._explain._effects import Effects
from rsens._explain._intervals import REFITS, Intervals
from rsens._explain._values import Values
from rsens._typing import Array

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation


def carried_over(
    parts: Sequence[Explanation], values: Values, intervals: Intervals | None, effects: Effects
) -> dict[str, Any]:
    """The parts of an explanation that are about the fit, from the one of `parts` that has them.

    `intervals` and `effects` are those over all rows, which give way to those from refits.
    """
    found: dict[str, Any] = {"intervals": intervals, "effects": effects}
    for name in ("null_level", "interactions"):
        having = _the_one([e for e in parts if e._part(name) is not None])
        found[name] = None if having is None else having._part(name)
    refitted = _the_one([e for e in parts if e.interval_kind == REFITS])
    if refitted is None:
        return found
    old = refitted._intervals
    assert old is not None
    pairs = None
    if old.pair_intervals is not None and values.pairs is not None and refitted._values.pairs is not None:
        pairs = np.maximum(_moved(old.pair_intervals, refitted._values.pairs, values.pairs), 0.0)
    main = np.maximum(_moved(old.intervals, refitted._values.main, values.main), 0.0)
    found["intervals"] = replace(old, intervals=main, pair_intervals=pairs)
    found["effects"] = _effects(refitted, effects)
    found["refits"] = refitted._refits
    return found


def _effects(refitted: Explanation, effects: Effects) -> Effects:
    """The effects over all rows, with the intervals of the refitted ones around them."""
    before = refitted._effects
    assert before is not None
    moved: dict[str, Any] = {}
    for name in ("effect", "effect_spread", "effect_log"):
        ends = getattr(before, f"{name}_ends")
        moved[f"{name}_ends"] = None if ends is None else _moved(ends, getattr(before, name), getattr(effects, name))
    return replace(effects, **moved)


def _moved(ends: Array, before: Array, after: Array) -> Array:
    """An interval of the same reach around another value; the upper end is not cut off at 0."""
    reach = ends[1] - before
    return np.array([after - reach, after + reach])


def _the_one(having: Sequence[Explanation]) -> Explanation | None:
    if len(having) > 1:
        raise InputError(
            f"{len(having)} of the explanations have a null level, a test of pairs or intervals from refits, each of "
            "its own. Only one can be for all rows: make the others without ",
            Argument("y"),
            ".",
        )
    return having[0] if having else None
