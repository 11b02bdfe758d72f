"""Levels that settle the target: closed on these days, so all counts are 0. They dominate every ranking."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables._notes import Note
from rsens._app.tables._useless import shown
from rsens._errors import Argument, Sentence
from rsens._text import counted

#: The fewest rows of such a level, and the most values of a column whose values are looked at like levels.
LEAST_ROWS, FEW_VALUES = 5, 20
#: How improbable it must be that so many rows of all have one value of the target by chance, at any of the levels.
CHANCE = 0.001


def settled_levels(column: Any, target: Any) -> dict[Any, Any]:
    """The levels in which the target has one value, and that value.

    With s the share of all rows that have this value, n rows have it by chance with the probability sⁿ; for all levels
    of the column together it must stay below `CHANCE`.
    """
    if not 1 < column.nunique() <= FEW_VALUES:
        return {}
    level_of, levels = pd.factorize(column.to_numpy(), sort=True)
    value_of, values = pd.factorize(target)
    sizes = np.bincount(level_of[level_of >= 0], minlength=len(levels))
    known = (level_of >= 0) & (value_of >= 0)
    lowest, highest = np.full(len(levels), len(values)), np.full(len(levels), -1)
    np.minimum.at(lowest, level_of[known], value_of[known])
    np.maximum.at(highest, level_of[known], value_of[known])
    shares = np.bincount(value_of[value_of >= 0]) / np.count_nonzero(value_of >= 0)
    settled = np.flatnonzero((lowest == highest) & (sizes >= LEAST_ROWS)).tolist()
    improbable = [k for k in settled if len(levels) * shares[lowest[k]] ** int(sizes[k]) < CHANCE]
    return {level: values[lowest[k]] for level, k in zip(pd.Index(levels)[improbable], improbable, strict=True)}


def settled_notes(table: pd.DataFrame, names: list[str], target: str) -> list[Note]:
    """A note for each of the columns with such levels; a warning if the target has amounts.

    There the level says whether there is anything to explain. A class that is certain may just be predicted well.
    """
    y = table[target]
    severe = y.dtype.kind in "iuf" and y.nunique() > 2
    notes = []
    for name in names:
        found = settled_levels(table[name], y)
        if found:
            notes.append(_note(name, table[name], found, target, severe))
    return notes


def _note(name: str, column: Any, found: dict[Any, Any], target: str, severe: bool) -> Note:
    values = list(dict.fromkeys(found.values()))
    rows = int(column.isin(list(found)).sum())
    levels = " or ".join(shown(level) for level in found)
    one = f"{target!r} is always {shown(values[0])}" if len(values) == 1 else f"each has one value of {target!r}"
    what = f"{name!r} settles the target in {counted(rows, 'row')}: where it is {levels}, {one}."
    if len(found) == column.nunique():
        text = Sentence(what, " If it is not known beforehand, leave it out with ", Argument("drop", [name]), ".")
        return Note("settled", (name,), text, severe)
    conditions = [f"{name}!={_plain(level)}" for level in found]
    text = Sentence(
        what,
        f" This dominates the ranking. To ask what moves {target!r} in the other rows, use ",
        Argument("where", conditions[0] if len(conditions) == 1 else conditions),
        ".",
    )
    return Note("settled", (name,), text, severe)


def _plain(level: Any) -> Any:
    """A number as people write it: 1, not 1.0."""
    level = level.item() if hasattr(level, "item") else level
    return int(level) if isinstance(level, float) and level.is_integer() else level
