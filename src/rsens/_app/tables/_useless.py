"""Columns that say nothing about a target: empty, constant, or with a different name in each row."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from rsens._app.tables._columns import UNNAMED
from rsens._app.tables._notes import Note
from rsens._coding import MOST_UNNAMED_LEVELS
from rsens._errors import Argument, InputError
from rsens._text import counted

#: Names of columns that name rows: id, user_id, customerId, row.
IDENTIFIER = re.compile(r"(?i:(^|[^a-z0-9])(id|ids|uid|uuid|guid|key|index|row|nr|no)([^a-z0-9]|$))|[a-z](Id|ID)$")
#: Whole numbers with at most this many different values may be codes.
FEW_VALUES = 10


def useless(name: str, column: Any, categorical: bool, named: bool = False) -> Note | None:
    """Why a column is left out, or None. Missing values do not count.

    A column that was `named` as categorical is left out only if it has fewer than two values; if none of its values
    repeats, that is an error.
    """
    known = column.dropna()
    if not len(known):
        return Note("empty", (name,), f"{name!r} has no values and was left out.")
    different = known.nunique()
    if different == 1:
        return Note("constant", (name,), f"{name!r} has only one value, {shown(known.iloc[0])}, and was left out.")
    if named:
        if different == len(known) > 2:
            raise InputError(
                f"{name!r} is named in ",
                Argument("categorical"),
                f", but has a different value in each of {counted(len(known), 'row')}: a level that occurs in one row "
                "cannot be told from that row. Leave the column out with ",
                Argument("drop", [name]),
                ", or do not name it.",
            )
        return None
    if UNNAMED.fullmatch(name) and different == len(known):
        return Note("identifier", (name,), f"{name!r}, a column without a name, names the rows and was left out.")
    if not categorical or different == 2:
        return None
    if different == len(known):
        text = f"{name!r} has a different text in each row, like an identifier, and was left out."
        return Note("identifier", (name,), text)
    if different > MOST_UNNAMED_LEVELS and 2 * different > len(known):
        text = (
            f"{name!r} has {different:,} different texts in {counted(len(known), 'row')}: they hardly repeat, and it "
        )
        return Note("levels", (name,), text + "was left out.")
    return None


def may_be_identifier(name: str, column: Any) -> bool:
    """Whether numbers count the rows of the file, or are distinct, in order, and named like an identifier."""
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if len(values) < 3 or not np.isfinite(values).all() or (values != np.floor(values)).any():
        return False
    steps = np.diff(values)
    if not ((steps > 0.0).all() or (steps < 0.0).all()):
        return False
    rows = column.index.to_numpy()
    counts = rows.dtype.kind in "iu" and np.ptp(values - rows) == 0.0
    return bool(counts or IDENTIFIER.search(name))


def may_be_codes(column: Any) -> bool:
    """Whether whole numbers have few different values, in many rows."""
    if column.dtype.kind not in "iuf":
        return False
    values = column.dropna()
    different = values.unique()
    few = 2 < len(different) <= FEW_VALUES and len(values) >= 3 * len(different)
    return bool(few and (different == np.floor(different)).all())


def same_numbers(table: Any) -> list[list[str]]:
    """Groups of number columns, none constant, in which each is a linear function of the others."""
    values = table.to_numpy(dtype=np.float64)
    with np.errstate(all="ignore"):  # numbers too large to be squared are like no others
        centred = values - values.mean(axis=0)
        centred /= np.linalg.norm(centred, axis=0)
        same = np.abs(centred.T @ centred) > 1.0 - 1e-12
    groups: list[list[str]] = []
    seen: set[int] = set()
    for column in range(values.shape[1]):
        group = [other for other in np.flatnonzero(same[column]).tolist() if other not in seen]
        if column in group and len(group) > 1:
            groups.append([str(table.columns[other]) for other in group])
            seen.update(group)
    return groups


def shown(value: Any) -> str:
    """A value for a sentence, cut if it is long."""
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= 60 else text[:59] + "…"
