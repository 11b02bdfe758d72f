"""Rows to keep, by conditions such as open=yes or temp>=20: each is a column, a sign and a value.

A value is read as the cells of its column are: as a number, a date, or text. Nothing in it is run as code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import pandas as pd

from rsens._app.tables._cells import as_text, tally
from rsens._app.tables._columns import Condition, Note
from rsens._app.tables._reader import TableReader
from rsens._app.tables._reading import KINDS, Reading
from rsens._errors import Argument, InputError
from rsens._text import first_few, listed

WHERE = Argument("where")
SIGNS: dict[str, Callable[[Any, Any], Any]] = {"=": eq, "!=": ne, "<=": le, ">=": ge, "<": lt, ">": gt}
#: A date that is understood in every column of dates.
ISO = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?)?)?")
#: How many values an error lists.
LISTED = 20


def keep_rows(
    frame: pd.DataFrame,
    where: Sequence[str],
    *,
    codes: Collection[str] = (),
    date: Mapping[str, Any] | None = None,
) -> tuple[pd.DataFrame, Note, dict[str, Any]]:
    """Keep the rows of a table in which all conditions hold; also a note on them, and a record ready for JSON.

    Rows with a missing cell are not among them.
    """
    conditions = [Condition.of(text) for text in where]
    used = list(dict.fromkeys(each.column for each in conditions))
    formats = {name: form for name, form in (date or {}).items() if name in used}
    reader = TableReader(categorical=[name for name in used if name in codes], date=formats, missing_codes=None)
    rows = reader.learn(frame[used])
    text = listed(list(map(str, conditions)))
    kept = pd.Series(True, index=frame.index)
    for each in conditions:
        name = each.column
        if name not in rows.table:
            raise InputError(WHERE, f": {name!r} has values that are neither numbers nor text.")
        kept &= _holds(each, rows.table[name], rows.moments[name], reader.readings_[name])
        if not kept.any():
            raise InputError(WHERE, f": there are no rows where {text}.")
    some = frame[kept.to_numpy()]
    note = Note("where", tuple(used), f"Rows where {text}: {len(some):,} of {len(frame):,}.")
    return some, note, {"rows": len(some), "of": len(frame), "where": text}


def _holds(asked: Condition, column: Any, moments: Any, reading: Reading) -> Any:
    """The rows in which a condition holds; an `InputError` if a value that must be equal does not occur."""
    cells, compare, wrong = column if moments is None else moments, SIGNS[asked.sign], ""
    value: Any = asked.value
    if reading.categorical:
        fold = str.lower if reading.kind == "truth" else str
        names = {fold(text): label for label in cells.dropna().unique() for text in (str(label), as_text(label))}
        value = names.get(fold(value), value)
        wrong = "" if compare in (eq, ne) else f"{asked.sign} needs numbers or dates"
    else:
        try:
            value = _value(value, asked.column, reading)
        except (InputError, TypeError, ValueError):
            wrong = f"{value!r} cannot be read as {KINDS[reading.kind][0]}"
        if moments is not None and not re.search("[:T]", asked.value):
            cells = moments.dt.floor("D")  # a day without a time is compared with days
    if not wrong and compare in (eq, ne) and not (cells == value).any():
        wrong = f"no cell is {asked.value!r}"
    if wrong:
        values = first_few([as_text(each) for each in tally(cells).index], LISTED) or "no values"
        raise InputError(WHERE, f": {wrong}. {asked.column!r} has {values}.")
    return column.notna() & compare(cells, value)


def _value(text: str, name: str, reading: Reading) -> Any:
    """The number or the moment in a condition, written plainly or as the cells of the column are."""
    if reading.kind == "date":
        return pd.Timestamp(text) if ISO.fullmatch(text) else reading.read(pd.Series([text]), name)[1].iloc[0]
    plain = pd.to_numeric(text, errors="coerce")
    return reading.read(pd.Series([text]), name)[0].iloc[0] if pd.isna(plain) else plain
