"""Rows to keep, by conditions such as open=yes or temp>=20: each is a column, a sign and a value.

A value is read as the cells of its column are: as a number, a date, or text. Nothing in it is run as code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import pandas as pd

from rsens._app.tables._cells import as_written, tally
from rsens._app.tables._columns import Condition, Note
from rsens._app.tables._reader import TableReader
from rsens._app.tables._reading import Reading
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
            values = _described(rows.table[name], rows.moments[name])
            raise InputError(WHERE, f": there are no rows where {text}. {name!r}: {values}")
    some = frame[kept.to_numpy()]
    note = Note("where", tuple(used), f"Rows where {text}: {len(some):,} of {len(frame):,}.")
    return some, note, {"rows": len(some), "of": len(frame), "where": text}


def _holds(asked: Condition, column: Any, moments: Any, reading: Reading) -> Any:
    """The rows in which a condition holds; an `InputError` if a value that must be equal does not occur."""
    about, compare = f": {asked.column!r}", SIGNS[asked.sign]
    if reading.categorical:
        if compare not in (eq, ne):
            raise InputError(WHERE, about, f" has no numbers or dates, and {asked.sign} needs an order. Use = or !=.")
        same = column.map(lambda label: _is(label, asked.value), na_action="ignore").eq(True)
        found = same if compare is eq else ~same
    else:
        cells = column if moments is None else moments
        try:
            value = _value(asked.value, asked.column, reading)
        except (InputError, TypeError, ValueError):
            kind = "number" if moments is None else "date, such as 2024-01-31"
            wrong = f": {asked.value!r} is not a {kind}. {_described(column, moments)}"
            raise InputError(WHERE, about, wrong) from None
        if moments is not None and not re.search("[:T]", asked.value):
            cells = moments.dt.floor("D")  # a day without a time is compared with days
        same, found = cells == value, compare(cells, value)
    if compare in (eq, ne) and not same.any():
        raise InputError(WHERE, about, f" is nowhere {asked.value!r}. {_described(column, moments)}")
    return column.notna() & found


def _value(text: str, name: str, reading: Reading) -> Any:
    """The number or the moment in a condition, written plainly or as the cells of the column are."""
    if reading.kind == "date" and ISO.fullmatch(text):
        return pd.Timestamp(text)
    plain = pd.to_numeric(text, errors="coerce")
    if reading.kind != "date" and not pd.isna(plain):
        return plain
    values, moments, _ = reading.read(pd.Series([text]), name)
    return (values if moments is None else moments).iloc[0]


def _described(column: Any, moments: Any) -> str:
    """The values that occur, in a sentence."""
    counts = tally(column if moments is None else moments)
    ordered = column.dtype.kind in "iuf"
    values = (counts.sort_index() if ordered else counts).index
    shown = [repr(as_written(v)) if moments is None else str(v).removesuffix(" 00:00:00") for v in values]
    if ordered and len(shown) > LISTED:
        return f"It goes from {shown[0]} to {shown[-1]}."
    return f"It has {first_few(shown, LISTED)}." if shown else "It is empty."


def _is(label: Any, value: str) -> bool:
    """Whether a label is the value of a comparison: 1.0 is also 1, and True is also true."""
    text = str(as_written(label)).strip()
    if isinstance(label, bool):
        return text.lower() == value.lower()
    if isinstance(label, int | float):
        return bool(pd.to_numeric(value, errors="coerce") == label)
    return value in (text, str(label))
