"""What the values of a column are, and how they become numbers or labels; kept, so that new rows are read alike.

Text becomes numbers or dates only if there is one way to read all of its values: `_numbers` and `_dates` have the
rules. Digits alone stay text, as they may be codes. Times of day (14:30) are hours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables._date_parts import DAYS, PIECES
from rsens._app.tables._dates import (
    FORMS,
    YEAR,
    DateCells,
    DateForm,
    form_of,
    hours,
    is_time_of_day,
    settled,
    several_forms,
)
from rsens._app.tables._numbers import WAYS, Way, doubt, fits_both, number_in, way_of
from rsens._errors import InputError
from rsens._labels import holds_labels
from rsens._text import quoted

#: In seconds: one in nanoseconds would make pandas 2 count centuries in nanoseconds, and they do not fit.
ONE_DAY = pd.Timedelta(days=1).as_unit("s")
#: In the attributes of a table: whether it comes from a file whose numbers have decimal points.
DECIMAL_POINTS = "decimal_points"


@dataclass(frozen=True)
class Reading:
    """How a column is read: one of `KINDS`; for dates the day that is 0, how text is written, and the columns it makes.

    `way` and `dates` say more about text, for notes.
    """

    kind: str
    origin: str | None = None
    form: str | None = None  # one of `FORMS`, or a format of strptime; None if dates are no text
    pieces: tuple[str, ...] = (DAYS,)
    way: Way | None = field(default=None, compare=False)
    dates: DateForm | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pieces", tuple(self.pieces))
        is_date = isinstance(self.origin, str)
        if self.kind not in KINDS or (self.kind == "date") != is_date or not (is_date or self.form is None):
            raise InputError(f"there is no way to read a column called {self.kind!r:.40} from {self.origin!r:.40}.")
        if self.form not in (None, *FORMS) and "%" not in str(self.form):
            raise InputError(f"there is no form of dates called {self.form!r:.40}.")
        if not self.pieces or set(self.pieces) - set(PIECES):
            raise InputError(f"dates cannot be made into {list(self.pieces)!r:.40}.")

    @property
    def plain(self) -> list[Any]:
        """What a recipe has."""
        more = [] if self.form is None and self.pieces == (DAYS,) else [self.form, list(self.pieces)]
        return [self.kind, self.origin, *more]

    @property
    def categorical(self) -> bool:
        """Whether the column has labels, not numbers."""
        return self.kind in ("labels", "truth")

    def read(self, column: Any, name: str) -> Any:
        """The column as numbers with NaN for what is missing, or as labels; an `InputError` if it is something else."""
        return self.read_dates(column, name)[0] if self.kind == "date" else self._tried(KINDS[self.kind], column, name)

    def read_dates(self, column: Any, name: str) -> tuple[Any, Any]:
        """Days since the origin, and moments on the clock on the wall."""
        wall, utc = self._tried(partial(moments, form=self.form), column, name)
        return (utc - pd.Timestamp(str(self.origin))) / ONE_DAY, wall

    def _tried(self, read: Callable[[Any], Any], column: Any, name: str) -> Any:
        try:
            return read(column)
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"column {name!r} cannot be read as {WORDS[self.kind]}, which it was in the data of the model."
            ) from None


def reading_of(column: Any) -> Reading | None:
    """How a column is to be read; None if it holds lists, or values of different types."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return Reading("labels")
    if pd.api.types.is_bool_dtype(dtype):
        return Reading("truth")
    if dtype.kind in "iuf":
        return Reading("number")
    if dtype.kind == "M":
        return date_reading(column, None)
    if dtype.kind == "m":
        return Reading("duration")
    if holds_labels(column.to_frame(), 0):
        known = column.dropna()
        return Reading("truth") if len(known) and isinstance(known.iloc[0], bool | np.bool_) else _of_text(known)
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred in ("date", "datetime", "datetime64"):
        return date_reading(column, None)
    if inferred in ("timedelta", "timedelta64"):
        return Reading("duration")
    if inferred in ("empty", "decimal", "floating", "integer", "mixed-integer-float"):
        return Reading("number")
    return None


def date_reading(column: Any, form: str | None, dates: DateForm | None = None) -> Reading:
    """Dates in this form, counted from the first; a `ValueError` if they are none."""
    first = moments(column, form)[1].dropna().min()
    origin = "1970-01-01T00:00:00" if pd.isna(first) else first.floor("D").isoformat()
    return Reading("date", origin, form, dates=dates)


def ambiguity(column: Any) -> str | None:
    """Why a column of nothing but numbers or dates is left as text, and what to do; None if that is not so."""
    values = _texts(column)
    if not values or form_of(values):
        return None
    if examples := several_forms(values):
        return f"its dates are written in several ways ({quoted(examples, 3)}). Write all in one way"
    return doubt(values)


def settled_by_others(
    readings: Mapping[str, Reading], table: Mapping[str, Any], *, points: bool = False
) -> dict[str, Reading]:
    """The readings, where what fits both ways is read as the other columns are, if these agree: commas and dates.

    `points`: whether other numbers of the same file have decimal points.
    """
    commas = {reading.kind for reading in readings.values()} & {"thousands", "decimal_comma"}
    commas |= {"thousands"} if points else set()
    decided = {each.dates.name for each in readings.values() if each.dates is not None and not each.dates.others}
    found = dict(readings)
    for name, reading in readings.items():
        if len(commas) == 1 and reading.kind == "labels" and has_both(table[name]):
            (kind,) = commas
            found[name] = Reading(kind, way=way_of(_texts(table[name]), kind))
        elif reading.dates is not None and (form := settled(reading.dates, decided)) != reading.dates:
            found[name] = date_reading(table[name], form.name, form)
    return found


def has_both(column: Any) -> bool:
    """Whether a column of text is made of numbers whose commas may be for thousands or for decimals."""
    return fits_both(_texts(column))


def _of_text(known: Any) -> Reading:
    values = _texts(known)
    if not values:
        return Reading("number")
    if way := way_of(values):
        return Reading(way.kind, way=way)
    if dates := form_of(values):
        return date_reading(known, dates.name, dates)
    if all(is_time_of_day(value) for value in values):
        return Reading("time")
    return Reading("labels")


def _texts(column: Any) -> list[str]:
    """The different values, if all are text."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return []
    values = column.dropna().unique().tolist()
    return [value.strip() for value in values] if all(isinstance(value, str) for value in values) else []


# ---- columns as numbers or labels ------------------------------------------------------------------------------------


def moments(column: Any, form: str | None) -> tuple[Any, Any]:
    """Points in time without a zone, on the clock on the wall and in UTC; a `ValueError` if a cell is none."""
    if column.dtype.kind == "M":
        utc = column if column.dt.tz is None else column.dt.tz_convert("UTC").dt.tz_localize(None)
        return column.dt.tz_localize(None), utc
    codes, uniques = pd.factorize(column)
    values = uniques.tolist()
    if form is None and not any(isinstance(value, str) for value in values):
        plain = pd.to_datetime(column, utc=True).dt.tz_localize(None)
        return plain, plain
    wall, utc = read_moments([as_text(value) for value in values], form or YEAR)
    if np.isnat(utc).any():
        raise ValueError("not only dates")
    known = codes >= 0
    found = []
    for each in (wall, utc):
        result = np.full(len(column), np.datetime64("NaT"), dtype="M8[us]")
        result[known] = each[codes[known]]
        found.append(pd.Series(result, index=column.index))
    return found[0], found[1]


def as_text(value: Any) -> str:
    """A cell as a file has it: 20240131 is a whole number, also where others are missing."""
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value) if whole else value).strip()


def read_moments(texts: list[str], form: str) -> tuple[Any, Any]:
    """The moments of cells in one of `FORMS` or a format of strptime; not-a-time where a cell does not fit."""
    if "%" not in form:
        return DateCells.of(texts).moments(form)
    read = pd.to_datetime(pd.Series(texts, dtype=object), format=form, errors="coerce", utc=True)
    utc = read.dt.tz_localize(None).to_numpy().astype("M8[us]")
    return utc, utc


def _number(column: Any) -> Any:
    """Whole numbers stay such if none is missing."""
    if column.dtype.kind in "iu" and not column.isna().any():
        return column.astype(np.int64) if column.dtype != np.uint64 else column.astype(np.float64)
    if column.dtype.kind in "biuf":
        return pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan), index=column.index)
    return pd.Series([np.nan if pd.isna(value) else float(value) for value in column], index=column.index)


def _truth(column: Any) -> Any:
    """bool, or objects where some are missing."""
    known = column.dropna()
    if not known.isin([True, False]).all():
        raise ValueError("not only true and false")
    return column.astype(bool) if len(known) == len(column) else column.astype(object).where(column.notna(), None)


def _labels(column: Any) -> Any:
    return column


def _from_text(number: Callable[[str], float]) -> Callable[[Any], Any]:
    def read(column: Any) -> Any:
        if column.dtype.kind in "iuf":
            return _number(column)  # none of these rows needs its sign or its comma
        codes, values = pd.factorize(column)
        numbers = np.array([*(number(value) for value in values.tolist()), np.nan])
        return pd.Series(numbers[codes], index=column.index)

    return read


def _duration(column: Any) -> Any:
    return pd.to_timedelta(column) / ONE_DAY


#: How a column of each kind is read; dates are read from their origin.
KINDS: dict[str, Callable[[Any], Any]] = {
    "number": _number,
    "truth": _truth,
    "labels": _labels,
    "duration": _duration,
    "time": _from_text(hours),
    "percent": _from_text(partial(number_in, kind="percent")),
    **{kind: _from_text(partial(number_in, kind=kind)) for kind in WAYS},
    "date": partial(moments, form=None),
}
WORDS = {
    "number": "numbers",
    "truth": "true or false",
    "labels": "labels",
    "duration": "lengths of time, in days",
    "plain_text": "numbers",
    "percent": "percentages",
    "thousands": "numbers with a comma for thousands",
    "decimal_comma": "numbers with a decimal comma",
    "date": "dates",
    "time": "times, in hours",
}
