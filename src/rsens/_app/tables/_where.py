"""Rows to keep, by conditions such as open=yes or temp>=20: each is a column, a sign and a value.

A value is read as the cells of its column are: as a number, a date, or text. Nothing in it is run as code.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import pandas as pd

from rsens._app.tables._cells import tally
from rsens._app.tables._columns import find
from rsens._app.tables._notes import Note
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
#: A day, without a time: compared with the days of moments.
DAY = re.compile(r"[^:T]*")
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
        found.append(Condition(column, match["sign"], _unquoted(match["value"])))
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

    def explained(self, notes: Sequence[Note]) -> list[Note]:
        """The notes, where columns that do not vary say that they do in other rows."""
        return [
            Note(
                note.kind, note.columns, f"{note.text.removesuffix('.')}: it is the same in all rows where {self.text}."
            )
            if note.kind == "constant" and note.columns[0] in self.constant
            else note
            for note in notes
        ]


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
    table = reader.read(frame[looked_at], formats, {})
    kept = pd.Series(True, index=frame.index)
    for condition in conditions:
        name = condition.column
        if name not in table:
            raise InputError(WHERE, f": {name!r} has values that are neither numbers nor text.")
        column = _Column(name, table[name], reader.readings[name], reader.walls.get(name))
        kept &= column.holds(condition)
        if not kept.any():
            text = listed([str(each) for each in conditions])
            raise InputError(WHERE, f": there are no rows where {text}. {name!r}: {column.described()}")
    rows = frame[kept.to_numpy()]
    constant = [str(name) for name in frame.columns if _varies(frame[name]) and not _varies(rows[name])]
    text = listed([str(condition) for condition in conditions])
    return KeptRows(rows, len(frame), text, tuple(looked_at), tuple(constant))


@dataclass(frozen=True, eq=False)
class _Column:
    """A column as it was read; `moments` if it has dates."""

    name: str
    values: Any
    reading: Reading
    moments: Any

    def holds(self, condition: Condition) -> Any:
        """In which rows the condition is true."""
        known = self.values.notna()
        if self.moments is not None:
            return known & self._of_dates(condition)
        if self.reading.categorical:
            return known & self._of_labels(condition)
        number = self._number(condition)
        if condition.equal and not (self.values == number).any():
            raise self._unknown(condition)
        return known & SIGNS[condition.sign](self.values, number)

    def _of_dates(self, condition: Condition) -> Any:
        moment = self._moment(condition)
        cells = self.moments.dt.floor("D") if DAY.fullmatch(condition.value) else self.moments
        if condition.equal and not (cells == moment).any():
            raise self._unknown(condition)
        return SIGNS[condition.sign](cells, moment)

    def _of_labels(self, condition: Condition) -> Any:
        if not condition.equal:
            raise InputError(
                WHERE, f": {self.name!r} has no numbers or dates, and {condition.sign} needs an order. Use = or !=."
            )
        same = self.values.map(lambda label: _is(label, condition.value), na_action="ignore").eq(True)
        if not same.any():
            raise self._unknown(condition)
        return same if condition.sign != "!=" else ~same

    def _number(self, condition: Condition) -> float:
        try:
            return float(condition.value)
        except ValueError:
            pass
        try:  # as the cells are written: 1,5 or 12 %
            return float(self.reading.read(pd.Series([condition.value]), self.name).iloc[0])
        except (InputError, TypeError, ValueError):
            raise InputError(
                WHERE, f": {self.name!r} has numbers, and {condition.value!r} is none. {self.described()}"
            ) from None

    def _moment(self, condition: Condition) -> pd.Timestamp:
        try:
            if ISO.fullmatch(condition.value):
                return pd.Timestamp(condition.value)
            return pd.Timestamp(self.reading.read_dates(pd.Series([condition.value]), self.name)[1].iloc[0])
        except (InputError, TypeError, ValueError):
            raise InputError(
                WHERE,
                f": {self.name!r} has dates, and {condition.value!r} is none. Write it as 2024-01-31. "
                f"{self.described()}",
            ) from None

    def _unknown(self, condition: Condition) -> InputError:
        texts = {str(label).lower(): label for label in self.values.dropna().unique()}
        near = get_close_matches(condition.value.lower(), list(texts), 1, 0.6) if self.reading.categorical else []
        hint = f" Did you mean {_shown(texts[near[0]])}?" if near else ""
        return InputError(WHERE, f": {self.name!r} is nowhere {condition.value!r}.{hint} {self.described()}")

    def described(self) -> str:
        """The values there are, in a sentence."""
        if self.moments is not None:
            known = self.moments.dropna()
            return (
                f"Its dates go from {known.min():%Y-%m-%d} to {known.max():%Y-%m-%d}." if len(known) else "It is empty."
            )
        counts = tally(self.values)
        if not self.reading.categorical:
            counts = counts.sort_index()
        if not self.reading.categorical and len(counts) > LISTED:
            return f"Its numbers go from {number(float(self.values.min()))} to {number(float(self.values.max()))}."
        shown = [f"{_shown(value)} ({counted(int(n), 'row')})" for value, n in counts.head(LISTED).items()]
        more = f" and {len(counts) - LISTED} more" if len(counts) > LISTED else ""
        return f"It has {', '.join(shown)}{more}." if shown else "It is empty."


def constant_target(kept: KeptRows, target: str) -> None:
    """An `InputError` if the target has one value where the conditions hold."""
    if target in kept.constant:
        raise InputError(
            f"the target {target!r} has only one value in the rows where {kept.text}: there is nothing to explain. "
            "Choose other rows with ",
            WHERE,
            ".",
        )


def _is(label: Any, value: str) -> bool:
    if str(_plain(label)) == value:
        return True
    if isinstance(label, bool):
        return value.lower() == str(label).lower()
    if isinstance(label, int | float):
        try:
            return float(value) == label
        except ValueError:
            return False
    return str(label).strip() == value


def _plain(value: Any) -> Any:
    """A number as people write it: 1, not 1.0."""
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _shown(value: Any) -> str:
    return quoted([_plain(value)]) if isinstance(value, str) else str(_plain(value))


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def _varies(column: Any) -> bool:
    try:
        return column.nunique() > 1
    except TypeError:  # lists and the like
        return True
