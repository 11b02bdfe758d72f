"""Columns that say nothing about a target: empty, constant, or with a different name in each row."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from rsens._app.tables._columns import UNNAMED
from rsens._app.tables._notes import Note, naming
from rsens._app.tables._numbers import has_unit
from rsens._app.tables._readings import Reading
from rsens._coding import MOST_UNNAMED_LEVELS
from rsens._errors import Argument, InputError, Sentence
from rsens._text import counted, quoted

#: Names of columns that name rows: id, user_id, customerId, row.
IDENTIFIER = re.compile(r"(?i:(^|[^a-z0-9])(id|ids|uid|uuid|guid|key|index|row|nr|no)([^a-z0-9]|$))|[a-z](Id|ID)$")
#: Whole numbers with at most this many different values may be codes.
FEW_VALUES = 10
#: Text with more levels than this is left out; above `MOST_UNNAMED_LEVELS`, each needs so many rows on average.
MOST_LEVELS, LEAST_ROWS_PER_LEVEL = 50, 5
#: So many columns are compared with all others at once: the correlations of 20,000 columns would take 3 GB.
TOGETHER = 512
#: Different texts that are looked at to see whether they are numbers.
LOOKED_AT = 1000


def useless(name: str, column: Any, reading: Reading, named: bool = False) -> Note | None:
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
    if not reading.categorical:
        is_count = reading.kind == "number" and UNNAMED.fullmatch(name) and counts_rows(known)
        return _unnamed(name) if is_count else None
    if different == 2:
        return None
    if different == len(known):
        return _unnamed(name) if UNNAMED.fullmatch(name) else _different_in_each_row(name, known)
    return _too_many_levels(name, known, different) if has_too_many_levels(different, len(known)) else None


def has_too_many_levels(levels: int, rows: int) -> bool:
    """Whether a column of text has more levels than these rows can tell apart."""
    return levels > MOST_LEVELS or (levels > MOST_UNNAMED_LEVELS and rows < LEAST_ROWS_PER_LEVEL * levels)


def _unnamed(name: str) -> Note:
    return Note("identifier", (name,), f"{name!r}, a column without a name, names the rows and was left out.")


def _different_in_each_row(name: str, known: Any) -> Note:
    if not _looks_like_numbers(known):
        text = f"{name!r} has a different text in each row, like an identifier, and was left out."
        return Note("identifier", (name,), text)
    text = (
        f"{name!r} has a different text in each row and was left out, but it looks like numbers ("
        f"{quoted(known.iloc[:3])}). If it is, write it as plain numbers."
    )
    return Note("levels", (name,), text, severe=True)


def _too_many_levels(name: str, known: Any, different: int) -> Note:
    start = f"{name!r} has {different:,} different texts in {counted(len(known), 'row')}, "
    if _looks_like_numbers(known):
        text = f"which look like numbers ({quoted(known.unique()[:3])}), and was left out. If they are, write them as "
        return Note("levels", (name,), f"{start}{text}plain numbers.", severe=True)
    keep = Sentence(" Group them; or keep them all, which takes long, with ", naming("categorical", [name]), ".")
    return Note("levels", (name,), Sentence(start, "too many to compare, and was left out.", keep), severe=True)


def _looks_like_numbers(known: Any) -> bool:
    """Whether most texts are numbers with a unit, or numbers that could not be read."""
    texts = [str(value) for value in known.unique()[:LOOKED_AT]]
    return sum(map(has_unit, texts)) >= 0.8 * len(texts)


def counts_rows(column: Any) -> bool:
    """Whether numbers count the rows: 0, 1, 2, … or 1, 2, 3, …, in any order, or from the row of the file on."""
    values = column.to_numpy(dtype=np.float64)
    rows = column.index.to_numpy()
    if rows.dtype.kind in "iu" and np.ptp(values - rows) == 0.0:
        return True
    ordered = np.sort(values)
    return bool(ordered[0] in (0.0, 1.0) and (np.diff(ordered) == 1.0).all())


def may_be_identifier(name: str, column: Any) -> bool:
    """Whether numbers count the rows of the file, or are distinct, in order, and named like an identifier.

    Distinct whole numbers without a name are taken for one in any order.
    """
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if len(values) < 3 or not np.isfinite(values).all() or (values != np.floor(values)).any():
        return False
    if UNNAMED.fullmatch(name):
        return len(np.unique(values)) == len(values)
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
    groups: list[list[str]] = []
    seen: set[int] = set()
    for start in range(0, values.shape[1], TOGETHER):
        with np.errstate(all="ignore"):
            same = np.abs(centred[:, start : start + TOGETHER].T @ centred) > 1.0 - 1e-12
        for column, like in enumerate(same, start):
            group = [other for other in np.flatnonzero(like).tolist() if other not in seen]
            if column in group and len(group) > 1:
                groups.append([str(table.columns[other]) for other in group])
                seen.update(group)
    return groups


def shown(value: Any) -> str:
    """A value for a sentence, cut if it is long."""
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= 60 else text[:59] + "…"
