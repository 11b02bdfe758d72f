"""Rows to keep, by conditions such as open=yes or temp>=20: each is a column, a sign and a value.

A value is read as the cells of its column are: as a number, a date, or text. Nothing in it is run as code.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import pandas as pd

from rsens._app.tables._cells import as_written, tally
from rsens._app.tables._columns import Note, find
from rsens._app.tables._readings import ColumnReader, Reading, read_formats
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
SIGN_AND_VALUE = r"\s*(?P<sign>!=|<=|>=|==|=|<|>)\s*(?P<value>.+)"
CONDITION = re.compile(f"(?P<column>.+?){SIGN_AND_VALUE}", re.DOTALL)
REST = re.compile(SIGN_AND_VALUE, re.DOTALL)
#: A date as everybody may write it, however the column does.
ISO = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?)?)?")
#: How many values an error lists.
LISTED = 20


@dataclass(frozen=True)
class Condition:
    """What a cell must be for its row to be kept."""

    column: str
    sign: str
    value: str

    def __str__(self) -> str:
        return f"{self.column}{self.sign}{self.value}"

    @property
    def equal(self) -> bool:
        """Whether it is about one value, and not about an order."""
        return self.sign in ("=", "==", "!=")


def read_where(where: Any) -> tuple[str, ...]:
    """The argument `where` as texts; which columns there are is not known yet."""
    texts = () if where is None else (where,) if isinstance(where, str) else where
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        raise InputError(WHERE, f" must be a text such as 'open=yes', or a list of such texts; got {where!r:.80}.")
    for text in texts:
        if not CONDITION.fullmatch(text.strip()):
            raise InputError(
                WHERE, f" must look like COLUMN=VALUE, with one of = != < <= > >= between the two; got {text!r}."
            )
    return tuple(text.strip() for text in texts)


def conditions_of(where: Sequence[str], names: Sequence[str], what: str) -> list[Condition]:
    """The conditions, for a table with these columns; a sign may be part of a name."""
    found = []
    for text in where:
        starts = [name for name in names if text.startswith(name) and REST.fullmatch(text[len(name) :])]
        column = max(starts, key=len, default=None)
        match = CONDITION.fullmatch(text) if column is None else REST.fullmatch(text[len(column) :])
        assert match is not None  # `read_where` has looked
        if column is None:
            column = find(match["column"], names, what, "column to select rows by")
        quoted_value = re.fullmatch(r"(['\"])(.*)\1", match["value"], re.DOTALL)
        found.append(Condition(column, match["sign"], quoted_value[2] if quoted_value else match["value"]))
    return found


def with_columns_of(
    where: Sequence[str], wanted: Sequence[str], names: Sequence[str], what: str, by: str | None = None
) -> list[str]:
    """The columns that are wanted, those that the conditions look at, and the one that has the subgroups, in order."""
    needed = {condition.column for condition in conditions_of(where, names, what)}
    if by is not None:
        needed.add(find(by, names, what, "column of subgroups"))
    return [name for name in names if name in wanted or name in needed]


@dataclass(frozen=True, eq=False)
class KeptRows:
    """The rows that are kept, of how many, and which columns have one value in them and more in all rows."""

    frame: pd.DataFrame
    total: int
    text: str
    columns: tuple[str, ...]
    constant: tuple[str, ...]

    @property
    def note(self) -> Note:
        """How many rows there are."""
        return Note("where", self.columns, f"Rows where {self.text}: {len(self.frame):,} of {self.total:,}.")

    @property
    def plain(self) -> dict[str, Any]:
        """The same, ready for JSON."""
        return {"rows": len(self.frame), "of": self.total, "where": self.text}

    def explained(self, note: Note) -> Note:
        """The note; one on a column that does not vary tells that it does in other rows."""
        if note.kind != "constant" or note.columns[0] not in self.constant:
            return note
        return replace(note, text=f"{note.text.removesuffix('.')}: it is the same in all rows where {self.text}.")

    def check_target(self, target: str) -> None:
        """An `InputError` if the target has one value where the conditions hold."""
        if target in self.constant:
            one = (
                f"the target {target!r} has only one value in the rows where {self.text}: there is nothing to explain."
            )
            raise InputError(f"{one} Choose other rows with ", WHERE, ".")


def keep_rows(
    frame: pd.DataFrame,
    where: Sequence[str],
    *,
    codes: Collection[str] = (),
    date: Mapping[str, str] | None = None,
) -> KeptRows:
    """The rows of a table in which all conditions hold; rows in which a cell is missing are not among them."""
    conditions = conditions_of(where, list(frame.columns), "the table")
    looked_at = list(dict.fromkeys(condition.column for condition in conditions))
    reader = ColumnReader("", set(codes) & set(looked_at))
    formats = {name: form for name, form in read_formats(date).items() if name in looked_at}
    table = reader.read(frame[looked_at], formats)
    text = listed([str(condition) for condition in conditions])
    kept = pd.Series(True, index=frame.index)
    for condition in conditions:
        name = condition.column
        if name not in table:
            raise InputError(WHERE, f": {name!r} has values that are neither numbers nor text.")
        column = _Column(name, table[name], reader.readings[name], reader.walls.get(name))
        kept &= column.holds(condition)
        if not kept.any():
            raise InputError(WHERE, f": there are no rows where {text}. {name!r}: {column.described()}")
    rows = frame[kept.to_numpy()]
    constant = [str(name) for name in frame.columns if _varies(frame[name]) and not _varies(rows[name])]
    return KeptRows(rows, len(frame), text, tuple(looked_at), tuple(constant))


@dataclass(frozen=True, eq=False)
class _Column:
    """A column as it was read; `moments` if it has dates."""

    name: str
    values: Any
    reading: Reading
    moments: Any

    def holds(self, condition: Condition) -> Any:
        """In which rows the condition is true; an `InputError` if a value that must be equal does not occur."""
        if self.reading.categorical:
            if not condition.equal:
                needs = f"{condition.sign} needs an order. Use = or !=."
                raise InputError(WHERE, f": {self.name!r} has no numbers or dates, and {needs}")
            same = self.values.map(lambda label: _is(label, condition.value), na_action="ignore").eq(True)
            found = ~same if condition.sign == "!=" else same
        else:
            cells, value = self.values, self._read(condition.value)
            if self.moments is not None:  # a day, without a time, is compared with the days of moments
                cells = self.moments if re.search("[:T]", condition.value) else self.moments.dt.floor("D")
            same, found = cells == value, SIGNS[condition.sign](cells, value)
        if condition.equal and not same.any():
            hint = self._nearest(condition.value)
            raise InputError(WHERE, f": {self.name!r} is nowhere {condition.value!r}.{hint} {self.described()}")
        return self.values.notna() & found

    def _read(self, text: str) -> Any:
        """The number or the moment in a condition, written plainly or as the cells are."""
        dates = self.moments is not None
        try:
            if dates:
                if ISO.fullmatch(text):
                    return pd.Timestamp(text)
                return pd.Timestamp(self.reading.read_dates(pd.Series([text]), self.name)[1].iloc[0])
            plain = pd.to_numeric(text, errors="coerce")
            return self.reading.read(pd.Series([text]), self.name).iloc[0] if pd.isna(plain) else plain
        except (InputError, TypeError, ValueError):
            what, how = ("dates", " Write it as 2024-01-31.") if dates else ("numbers", "")
            raise InputError(
                WHERE, f": {self.name!r} has {what}, and {text!r} is none.{how} {self.described()}"
            ) from None

    def _nearest(self, value: str) -> str:
        texts = {str(label).lower(): label for label in self.values.dropna().unique()}
        near = get_close_matches(value.lower(), list(texts), 1, 0.6) if self.reading.categorical else []
        return f" Did you mean {_shown(texts[near[0]])}?" if near else ""

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
    """Whether a label is the value of a condition: 1.0 is also 1, and True is also true."""
    text = str(as_written(label)).strip()
    if isinstance(label, bool):
        return text.lower() == value.lower()
    if isinstance(label, int | float):
        return bool(pd.to_numeric(value, errors="coerce") == label)
    return value in (text, str(label))


def _shown(value: Any) -> str:
    return quoted([value]) if isinstance(value, str) else str(as_written(value))


def _varies(column: Any) -> bool:
    try:
        return column.nunique() > 1
    except TypeError:  # lists and the like
        return True
