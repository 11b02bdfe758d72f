"""Rows to keep, by conditions such as open=yes or temp>=20: each is a column, a sign and a value.

A value is read as the cells of its column are: as a number, a date, or text. Nothing in it is run as code.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from rsens._app.tables._cells import as_written, tally
from rsens._app.tables._columns import Note
from rsens._app.tables._reader import TableReader
from rsens._app.tables._reading import Reading
from rsens._app.tables._roles import Condition
from rsens._errors import Argument, InputError
from rsens._text import counted, listed, number, quoted

WHERE = Argument("where")
SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
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
        column, moments = rows.table[name], rows.moments.get(name)
        kept &= column.notna() & _holds(each, column, moments, reader.readings_[name])
        if not kept.any():
            raise InputError(WHERE, f": there are no rows where {text}. {name!r}: {_described(column, moments)}")
    some = frame[kept.to_numpy()]
    note = Note("where", tuple(used), f"Rows where {text}: {len(some):,} of {len(frame):,}.")
    return some, note, {"rows": len(some), "of": len(frame), "where": text}


def _holds(asked: Condition, column: Any, moments: Any, reading: Reading) -> Any:
    """The rows in which a condition holds; an `InputError` if a value that must be equal does not occur."""
    about = f": {asked.column!r}"
    if reading.categorical:
        if SIGNS[asked.sign] not in (operator.eq, operator.ne):
            wrong = f" has no numbers or dates, and {asked.sign} needs an order. Use = or !=."
            raise InputError(WHERE, about, wrong)
        same = column.map(lambda label: _is(label, asked.value), na_action="ignore").eq(True)
        found = ~same if asked.sign == "!=" else same
    else:
        cells = column if moments is None else moments
        try:
            value = _value(asked.value, asked.column, reading)
        except (InputError, TypeError, ValueError):
            kind, how = ("number", "") if moments is None else ("date", " Write it as 2024-01-31.")
            wrong = f" has {kind}s, and {asked.value!r} is not a {kind}.{how} {_described(column, moments)}"
            raise InputError(WHERE, about, wrong) from None
        if moments is not None and not re.search("[:T]", asked.value):
            cells = moments.dt.floor("D")  # a day without a time is compared with days
        same, found = cells == value, SIGNS[asked.sign](cells, value)
    if SIGNS[asked.sign] in (operator.eq, operator.ne) and not same.any():
        raise InputError(WHERE, about, f" is nowhere {asked.value!r}. {_described(column, moments)}")
    return found


def _value(text: str, name: str, reading: Reading) -> Any:
    """The number or the moment in a condition, written plainly or as the cells of the column are."""
    if reading.kind == "date":
        return pd.Timestamp(text if ISO.fullmatch(text) else reading.read_dates(pd.Series([text]), name)[1].iloc[0])
    plain = pd.to_numeric(text, errors="coerce")
    return reading.read(pd.Series([text]), name).iloc[0] if pd.isna(plain) else plain


def _described(column: Any, moments: Any) -> str:
    """The values that occur, in a sentence."""
    if moments is not None and moments.notna().any():
        return f"Its dates go from {moments.min():%Y-%m-%d} to {moments.max():%Y-%m-%d}."
    counts = tally(column)
    if counts.empty:
        return "It is empty."
    if column.dtype.kind in "iuf":
        counts = counts.sort_index()
        if len(counts) > LISTED:
            return f"Its numbers go from {number(float(counts.index[0]))} to {number(float(counts.index[-1]))}."
    values = [quoted([value]) if isinstance(value, str) else str(as_written(value)) for value in counts.index[:LISTED]]
    shown = [f"{value} ({counted(int(n), 'row')})" for value, n in zip(values, counts, strict=False)]
    more = f" and {len(counts) - LISTED} more" if len(counts) > LISTED else ""
    return f"It has {', '.join(shown)}{more}."


def _is(label: Any, value: str) -> bool:
    """Whether a label is the value of a comparison: 1.0 is also 1, and True is also true."""
    text = str(as_written(label)).strip()
    if isinstance(label, bool):
        return text.lower() == value.lower()
    if isinstance(label, int | float):
        return bool(pd.to_numeric(value, errors="coerce") == label)
    return value in (text, str(label))
