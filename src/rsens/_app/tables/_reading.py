"""How one column is read: its kind, and how its cells become numbers or labels, the same way for new rows.

Text becomes numbers or dates only if all of its values can be read in one way: `_cells` and `_dates` have the rules.
Digits alone stay text, because they may be codes. Times of day (14:30) are hours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables._cells import (
    LEAST_NUMBERS,
    NUMBER_FORMATS,
    fits_two_formats,
    is_mark,
    labels,
    number_format,
    number_in,
    numbers_by_format,
    read_cells,
    tally,
)
from rsens._app.tables._columns import mapping
from rsens._app.tables._dates import (
    DAYS,
    ORDERS,
    PARTS,
    PIECES,
    TEMPLATES,
    YEAR,
    date_forms,
    date_words,
    dates_by_form,
    hours,
    is_time_of_day,
    moments_of,
)
from rsens._errors import Argument, InputError
from rsens._text import counted, listed, quoted

#: In seconds: one in nanoseconds would make pandas 2 count centuries in nanoseconds, and they do not fit.
ONE_DAY = pd.Timedelta(days=1).as_unit("s")


@dataclass(frozen=True)
class Reading:
    """How a column is read.

    kind: One of `KINDS`.
    origin: For dates, day 0.
    form: How text writes dates: one of `TEMPLATES`, or a format of strptime; None if they are not text.
    pieces: The columns that dates become.
    levels: The labels of a categorical column, in order.
    codes: Numbers that mean a missing value.
    words, others: How text is written, and other forms of its dates that fit as well, for notes.
    """

    kind: str
    origin: str | None = None
    form: str | None = None
    pieces: tuple[str, ...] = (DAYS,)
    levels: tuple[Any, ...] = ()
    codes: tuple[float, ...] = ()
    words: str = field(default="", compare=False)
    others: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for name in ("pieces", "levels", "codes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        is_date = isinstance(self.origin, str)
        known = self.kind in KINDS and (self.kind == "date") == is_date and (is_date or self.form is None)
        known_form = self.form is None or self.form in TEMPLATES or "%" in self.form
        if not (known and known_form and self.pieces and set(self.pieces) <= set(PIECES)):
            raise ValueError(f"no way to read a column: {self.plain!r:.80}")
        pd.Timestamp(self.origin or "1970-01-01")

    @property
    def plain(self) -> dict[str, Any]:
        """The fields that a recipe needs, ready for JSON."""
        default = {"pieces": (DAYS,), "words": self.words, "others": self.others}
        stored = {name: value for name, value in asdict(self).items() if value not in (None, (), default.get(name))}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in stored.items()}

    @property
    def categorical(self) -> bool:
        """Whether the column has labels, not numbers."""
        return self.kind in ("labels", "truth")

    def read(self, column: Any, name: str) -> Any:
        """The column as numbers with NaN for missing cells, or as labels; an `InputError` if it cannot be read."""
        values = (
            self.read_dates(column, name)[0] if self.kind == "date" else self._tried(KINDS[self.kind][1], column, name)
        )
        return values.mask(values.isin(self.codes)) if self.codes else values

    def read_dates(self, column: Any, name: str) -> tuple[Any, Any]:
        """Days since the origin, and local moments."""
        local, utc = self._tried(partial(moments, form=self.form), column, name)
        return (utc - pd.Timestamp(str(self.origin))) / ONE_DAY, local

    def _tried(self, read: Callable[[Any], Any], column: Any, name: str) -> Any:
        try:
            return read(column)
        except (TypeError, ValueError, OverflowError):
            words = f"{KINDS[self.kind][0]}, which it was in the data of the model"
            raise InputError(f"column {name!r} cannot be read as {words}.") from None


#: The kind of a column by the type that pandas infers; text is looked at further.
KINDS_BY_TYPE = {
    "categorical": "labels",
    "boolean": "truth",
    "string": "text",
    **dict.fromkeys(("empty", "integer", "floating", "decimal", "mixed-integer-float"), "number"),
    **dict.fromkeys(("date", "datetime", "datetime64"), "date"),
    **dict.fromkeys(("timedelta", "timedelta64"), "duration"),
}


def reading_of(column: Any) -> Reading | None:
    """How a column is to be read; None if it holds lists, or values of different types."""
    kind = KINDS_BY_TYPE.get(pd.api.types.infer_dtype(column, skipna=True))
    if kind == "date":
        return date_reading(column, None)
    if kind != "text":
        return None if kind is None else Reading(kind)
    values = texts_of(column)
    if not values:
        return Reading("number")
    form, words = number_format(values)
    if form:
        return Reading(form, words=words)
    if forms := date_forms(values):
        return date_reading(column, forms[0], date_words(values[0], forms[0]), forms[1:])
    return Reading("time" if all(map(is_time_of_day, values)) else "labels")


def date_reading(column: Any, form: str | None, words: str = "", others: tuple[str, ...] = ()) -> Reading:
    """Dates in this form, counted from the first; a `ValueError` if a cell is something else."""
    first = moments(column, form)[1].dropna().min()
    origin = "1970-01-01T00:00:00" if pd.isna(first) else first.floor("D").isoformat()
    return Reading("date", origin, form, words=words, others=others)


def resolved_by_other_columns(
    readings: Mapping[str, Reading], table: Mapping[str, Any], codes: Collection[str], *, points: bool
) -> dict[str, Reading]:
    """The readings; commas and dates that fit two ways are read as in the other columns, if these agree.

    `codes` are labels in any case. `points`: whether other numbers of the same file have decimal points.
    """
    commas = {reading.kind for reading in readings.values()} & {"thousands", "decimal_comma"}
    commas |= {"thousands"} if points else set()
    decided = {each.form for each in readings.values() if each.words and not each.others}
    found = dict(readings)
    for name, reading in readings.items():
        fitting = [form for form in (reading.form, *reading.others) if form in decided] if reading.others else []
        if len(commas) == 1 and reading.kind == "labels" and name not in codes:
            (kind,), values = commas, texts_of(table[name])
            if fits_two_formats(values):
                found[name] = Reading(kind, words=number_format(values, kind)[1])
        elif len(fitting) == 1:
            form = str(fitting[0])
            found[name] = date_reading(table[name], form, date_words(texts_of(table[name])[0], form))
    return found


def texts_of(column: Any) -> list[str]:
    """The different values, if all are text."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return []
    values = column.dropna().unique().tolist()
    return [value.strip() for value in values] if all(isinstance(value, str) for value in values) else []


def moments(column: Any, form: str | None) -> tuple[Any, Any]:
    """Points in time without a zone, local and in UTC; a `ValueError` if a cell is not a date."""
    if column.dtype.kind == "M":
        utc = column if column.dt.tz is None else column.dt.tz_convert("UTC").dt.tz_localize(None)
        return column.dt.tz_localize(None), utc
    codes, uniques = pd.factorize(column)
    values = uniques.tolist()
    if form is None and not any(isinstance(value, str) for value in values):
        plain = pd.to_datetime(column, utc=True).dt.tz_localize(None)
        return plain, plain
    local, utc = read_moments([as_text(value) for value in values], form or YEAR)
    if np.isnat(utc).any():
        raise ValueError("not only dates")
    # Missing cells have the code -1, so they take what is appended.
    local, utc = (np.append(each, np.datetime64("NaT", "us"))[codes] for each in (local, utc))
    return pd.Series(local, index=column.index), pd.Series(utc, index=column.index)


def as_text(value: Any) -> str:
    """A cell as a file has it: 20240131 is a whole number, also where others are missing."""
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value) if whole else value).strip()


def read_moments(texts: list[str], form: str) -> tuple[Any, Any]:
    """The moments of cells in one of `TEMPLATES` or a format of strptime; not-a-time where a cell does not fit."""
    if "%" not in form:
        return moments_of(texts, form)
    read = pd.to_datetime(pd.Series(texts, dtype=object), format=form, errors="coerce", utc=True)
    utc = read.dt.tz_localize(None).to_numpy().astype("M8[us]")
    return utc, utc


def _number(column: Any) -> Any:
    """Numbers; whole ones stay such if none is missing."""
    if column.dtype.kind in "iu" and not column.isna().any():
        return column.astype(np.int64) if column.dtype != np.uint64 else column.astype(np.float64)
    if column.dtype.kind in "biuf":
        return pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan), index=column.index)
    return pd.Series([np.nan if pd.isna(value) else float(value) for value in column], index=column.index)


def _truth(column: Any) -> Any:
    """Truth values: bool, or objects where some are missing."""
    known = column.dropna()
    if not known.isin([True, False]).all():
        raise ValueError("not only true and false")
    return column.astype(bool) if len(known) == len(column) else column.astype(object).where(column.notna(), None)


def _from_text(number: Callable[[str], float]) -> Callable[[Any], Any]:
    def read(column: Any) -> Any:
        if column.dtype.kind in "iuf":
            return _number(column)  # none of these rows needs its sign or its comma
        codes, values = pd.factorize(column)
        numbers = np.array([*(number(value) for value in values.tolist()), np.nan])
        return pd.Series(numbers[codes], index=column.index)

    return read


#: The kinds of columns, in words and with their reader; dates are read from their origin.
KINDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "number": ("numbers", _number),
    "truth": ("true or false", _truth),
    "labels": ("labels", lambda column: column),
    "date": ("dates", lambda column: column),
    "duration": ("lengths of time, in days", lambda column: pd.to_timedelta(column) / ONE_DAY),
    "time": ("times, in hours", _from_text(hours)),
    **{form: ("numbers", _from_text(partial(number_in, form=form))) for form in NUMBER_FORMATS},
}


def clean(column: Any, *, as_text: bool) -> tuple[Any, Counter[str]]:
    """The column as a file would give it, values of several types as text, and the marks of missing values removed.

    `as_text` is for labels, which have no marks.
    """
    if _is_mixed(column):
        cells = ["" if gap else str(value).strip() for value, gap in zip(column, column.isna(), strict=True)]
        values, marks = (labels(cells), Counter[str]()) if as_text else read_cells(cells)
        column = pd.Series(values, index=column.index)
        if marks:
            return column, marks
    return (column, Counter()) if as_text or not is_text(column) else _without_marks(column)


def is_text(column: Any) -> bool:
    """Whether all values are text, or missing."""
    if column.dtype == object:
        return bool(pd.api.types.infer_dtype(column, skipna=True) == "string")
    return isinstance(column.dtype, pd.StringDtype)


def _is_mixed(column: Any) -> bool:
    """Whether a column mixes at least two of text, numbers and truth values."""
    if column.dtype != object or pd.api.types.infer_dtype(column, skipna=True) not in ("mixed", "mixed-integer"):
        return False
    return all(isinstance(value, str | Real | Decimal | np.bool_) for value in column.dropna())


def _without_marks(column: Any) -> tuple[Any, Counter[str]]:
    """Text without marks, if the rest can be read as numbers or dates."""
    if not any(is_mark(cell) for cell in pd.unique(column.dropna())):
        return column, Counter()
    known, marks = without_marks(column)
    rest = pd.Series(pd.unique(known.dropna()), dtype=object)
    if len(rest) < LEAST_NUMBERS:
        return column, Counter()
    if all(re.fullmatch(r"[+-]?(0|[1-9]\d*)", cell) for cell in rest):  # a first 0 may belong to a code
        return known.astype(np.float64), marks
    reading = reading_of(rest)
    is_read = reading is not None and reading.kind != "labels"
    return (known, marks) if is_read or fits_two_formats(texts_of(rest)) else (column, Counter())


def without_marks(column: Any) -> tuple[Any, Counter[str]]:
    """The cells as text, without marks of missing values, and these marks."""
    texts = column.astype(object).map(as_text, na_action="ignore").astype(object)
    marks = Counter({cell: int(n) for cell, n in tally(texts).items() if is_mark(cell)})
    return texts.where(~texts.isin(list(marks)) & texts.notna(), None), marks


# ---- Text that looks like numbers or dates, and the formats that users give ------------------------------------------

#: From this share on, cells that are numbers decide what the column is.
MOST = 0.8
#: Longer cells are cut in a sentence.
LONG = 30


def why_still_text(column: Any) -> tuple[str, str] | None:
    """Why text that looks like numbers or dates is not read as such: "ambiguous" or "odd_cells", and the reason.

    None if most of its cells are something else. Odd cells are <5, 12.3*, 1O, 31/02/2024; marks of missing values do
    not count.
    """
    counts: Counter[str] = Counter()
    for cell, count in tally(column).items() if is_text(column) else ():
        if not is_mark(cell):
            counts[cell.strip()] += int(count)
    if not (total := counts.total()):
        return None
    numbers, dates = numbers_by_format(counts), dates_by_form(list(counts))
    for noun, ways in (("number", numbers), ("date", dates)):
        examples = _examples(counts, ways)
        if len(examples) > 1:
            return "ambiguous", f"its {noun}s are written in several ways ({quoted(examples, 3)}). Write all in one way"
    if fits_two_formats(texts_of(column)):
        cell = next(cell for cell in counts if "," in cell)
        either = f"{cell.replace(',', '')} or {cell.replace(',', '.')}"
        return "ambiguous", f"{cell} may be {either}. Write it without the comma if it is a number"
    found = {way: sum(counts[cell] for cell in cells) for way, cells in (numbers | dates).items()}
    best = max(found, key=lambda way: found[way])
    n = found[best]
    if n == total or n < MOST * total:
        return None
    odd = [cell for cell in counts if cell not in (numbers | dates)[best]]
    shown = quoted([cell if len(cell) <= LONG else f"{cell[: LONG - 1]}…" for cell in odd], 3)
    return "odd_cells", f"{counted(n, best[0])} and {counted(total - n, 'other cell')} ({shown})"


def _examples(cells: Iterable[str], ways: Mapping[tuple[str, ...], set[str]]) -> list[str]:
    """An example of each of the fewest ways, found one after the other, that fit all cells; empty if some fit none."""
    left, examples = dict.fromkeys(cells), []
    while left:
        best = max(ways.values(), key=lambda fitting: len(left.keys() & fitting), default=set())
        fitting = [cell for cell in left if cell in best]
        if not fitting:
            return []
        examples.append(fitting[0])
        left = dict.fromkeys(cell for cell in left if cell not in best)
    return examples


def read_dates(given: Any) -> dict[str, str]:
    """The argument `date`: a dict from columns to a format, parts, or both, as text with commas between."""
    asked = mapping(given, "date", "from columns, such as {'when': '%d/%m/%Y'}")
    texts = {name: each if isinstance(each, str) else _joined(each) for name, each in asked.items()}
    for name, text in texts.items():
        form, parts = date_request(text or "")
        wrong = "." if form is None and not parts else _wrong_with(form)
        if wrong:
            ways = f"{', '.join(ORDERS)}, a format such as %d/%m/%Y, or some of {listed(PARTS)}"
            raise InputError(Argument("date"), f" must have for {name!r} {ways}; got {asked[name]!r}{wrong}")
    return {name: str(text) for name, text in texts.items()}


def date_request(text: str) -> tuple[str | None, tuple[str, ...]]:
    """The format of dates, if there is one, and the parts to make of them, in the order of `PARTS`."""
    pieces = text.split(",")
    first = len(pieces)
    while first and pieces[first - 1].strip() in PARTS:
        first -= 1
    parts = {each.strip() for each in pieces[first:]}
    return ",".join(pieces[:first]).strip() or None, tuple(part for part in PARTS if part in parts)


def _joined(given: Any) -> str | None:
    return ",".join(map(str, given)) if isinstance(given, Iterable) else None


def _wrong_with(form: str | None) -> str:
    """The end of a sentence on a format that cannot be used; empty if it can."""
    if form is None or form in ORDERS:
        return ""
    if "%" not in form:
        return "."
    try:
        pd.to_datetime(pd.Series(["a date"]), format=form, errors="coerce")
    except (ValueError, re.error) as error:
        return f": {str(error).rstrip('.')}."
    return "" if re.search(r"%[YyGcxs]", form) else ", which has no year (%Y or %y)."


def reading_as_asked(column: Any, name: str, form: str) -> tuple[Any, Reading, Counter[str]]:
    """The column without marks of missing values, how it is read, and the marks; an `InputError` if it does not fit."""
    if pd.api.types.infer_dtype(column, skipna=True) in ("datetime64", "datetime", "date"):
        return column, date_reading(column, None), Counter()
    texts, marks = without_marks(column)
    cells = list(pd.unique(texts.dropna()))
    wrong = [cell for cell, moment in zip(cells, read_moments(cells, form)[1], strict=True) if np.isnat(moment)]
    if wrong:
        few = f"{int(texts.isin(wrong).sum()):,} of {counted(int(texts.notna().sum()), 'cell')}"
        cut = quoted([cell[:LONG] for cell in wrong], 3)
        raise InputError(Argument("date", {name: form}), f" does not fit {few} in {name!r}: {cut}.")
    return texts, date_reading(texts, form, f"as asked for ({ORDERS.get(form, form)})"), marks
