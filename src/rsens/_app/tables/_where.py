"""Rows to keep, by conditions such as open=yes or temp>=20: each is a column, a sign and a value.

A value is read as the cells of its column are: as a number, a date, or text. Nothing in it is run as code.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from rsens._app.tables._cells import as_written, tally
from rsens._app.tables._columns import Note, find
from rsens._app.tables._reader import TableReader
from rsens._app.tables._reading import Reading
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
COMPARISON = re.compile(r"(?P<column>.+?)\s*(?P<sign>!=|<=|>=|==|=|<|>)\s*(?P<value>.+)", re.DOTALL)
#: A date as everybody may write it, independent of how the column does.
ISO = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?)?)?")
#: How many values an error lists.
LISTED = 20


@dataclass(frozen=True)
class Condition:
    """The condition for a row to be kept: how a cell compares with a value."""

    column: str
    sign: str
    value: str

    def __str__(self) -> str:
        return f"{self.column}{self.sign}{self.value}"


def read_where(where: Any) -> tuple[str, ...]:
    """The argument `where` as texts, before the columns of the table are known."""
    texts = () if where is None else (where,) if isinstance(where, str) else where
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        raise InputError(WHERE, f" must be a text such as 'open=yes', or a list of such texts; got {where!r:.80}.")
    for text in texts:
        if not COMPARISON.fullmatch(text.strip()):
            raise InputError(
                WHERE, f" must look like COLUMN=VALUE, with one of = != < <= > >= between the two; got {text!r}."
            )
    return tuple(text.strip() for text in texts)


def conditions_of(where: Sequence[str], names: Sequence[str], what: str) -> list[Condition]:
    """The conditions, for a table with these columns."""
    found = []
    for text in where:
        match = COMPARISON.fullmatch(text)
        assert match is not None  # `read_where` has looked
        column = find(match["column"], names, what, "column to select rows by")
        in_quotes = re.fullmatch(r"(['\"])(.*)\1", match["value"], re.DOTALL)
        found.append(Condition(column, match["sign"], in_quotes[2] if in_quotes else match["value"]))
    return found


def with_columns_of(
    where: Sequence[str], wanted: Sequence[str], names: Sequence[str], what: str, by: str | None = None
) -> list[str]:
    """The wanted columns, the column of subgroups and the columns in conditions, in the order of the table."""
    needed = {*wanted, *(each.column for each in conditions_of(where, names, what))}
    if by is not None:
        needed.add(find(by, names, what, "column of subgroups"))
    return [name for name in names if name in needed]


def keep_rows(
    frame: pd.DataFrame,
    where: Sequence[str],
    *,
    codes: Collection[str] = (),
    date: Mapping[str, Any] | None = None,
) -> tuple[pd.DataFrame, Note, dict[str, Any]]:
    """The rows of a table in which all conditions hold, a note on them, and a record ready for JSON.

    Rows with a missing cell are not among them.
    """
    conditions = conditions_of(where, list(frame.columns), "the table")
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
        column = _Column(name, rows.table[name], reader.readings_[name], rows.moments.get(name))
        kept &= column.holds(each)
        if not kept.any():
            raise InputError(WHERE, f": there are no rows where {text}. {name!r}: {column.described()}")
    some = frame[kept.to_numpy()]
    note = Note("where", tuple(used), f"Rows where {text}: {len(some):,} of {len(frame):,}.")
    return some, note, {"rows": len(some), "of": len(frame), "where": text}


@dataclass(frozen=True, eq=False)
class _Column:
    """A column that was read; `moments` if it has dates."""

    name: str
    values: Any
    reading: Reading
    moments: Any

    def holds(self, asked: Condition) -> Any:
        """The rows in which a condition holds; an `InputError` if a value that must be equal does not occur."""
        order = asked.sign not in ("=", "==", "!=")
        if self.reading.categorical:
            if order:
                raise self._error(f" has no numbers or dates, and {asked.sign} needs an order. Use = or !=.")
            same = self.values.map(lambda label: _is(label, asked.value), na_action="ignore").eq(True)
            found = ~same if asked.sign == "!=" else same
        else:
            cells, value = self.values, self._read(asked.value)
            if self.moments is not None:  # a day, without a time, is compared with the days of moments
                cells = self.moments if re.search("[:T]", asked.value) else self.moments.dt.floor("D")
            same, found = cells == value, SIGNS[asked.sign](cells, value)
        if not order and not same.any():
            raise self._error(f" is nowhere {asked.value!r}. {self.described()}")
        return self.values.notna() & found

    def _read(self, text: str) -> Any:
        """The number or the moment in a condition, written plainly or as the cells are."""
        dates = self.moments is not None
        try:
            if dates and ISO.fullmatch(text):
                return pd.Timestamp(text)
            if dates:
                return pd.Timestamp(self.reading.read_dates(pd.Series([text]), self.name)[1].iloc[0])
            plain = pd.to_numeric(text, errors="coerce")
            return self.reading.read(pd.Series([text]), self.name).iloc[0] if pd.isna(plain) else plain
        except (InputError, TypeError, ValueError):
            kind, how = ("date", " Write it as 2024-01-31.") if dates else ("number", "")
            raise self._error(f" has {kind}s, and {text!r} is not a {kind}.{how} {self.described()}") from None

    def _error(self, text: str) -> InputError:
        return InputError(WHERE, f": {self.name!r}{text}")

    def described(self) -> str:
        """The values that occur, in a sentence."""
        counts = tally(self.values)
        if counts.empty:
            return "It is empty."
        if self.moments is not None:
            return f"Its dates go from {self.moments.min():%Y-%m-%d} to {self.moments.max():%Y-%m-%d}."
        if not self.reading.categorical:
            counts = counts.sort_index()
            if len(counts) > LISTED:
                return f"Its numbers go from {number(float(counts.index[0]))} to {number(float(counts.index[-1]))}."
        shown = [f"{_shown(value)} ({counted(int(n), 'row')})" for value, n in counts.head(LISTED).items()]
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


def _shown(value: Any) -> str:
    return quoted([value]) if isinstance(value, str) else str(as_written(value))
