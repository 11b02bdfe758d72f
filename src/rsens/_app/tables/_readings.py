"""What the values of a column are, and how they become numbers or labels; kept, so that new rows are read alike.

Text becomes numbers only if there is one way to read all of its values:

- with a comma for thousands (1,234.5) or for decimals (1.234,5 and 0,5): whichever fits all values, if the other does
  not. A column of nothing but 1,234 fits both: it is read as the other columns of the table are, or stays text;
- with a percent sign in all of them: 12 % is 12;
- dates as 2024-01-31, with or without a time (ISO 8601), are counted in days since the first. 03/04/2024 stays text;
- numbers with a point (12.5) in a file whose types say that they are text. Digits alone stay text: they may be codes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rsens._errors import InputError
from rsens._labels import holds_labels

THOUSANDS = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?")
DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?")
PERCENT = re.compile(r"[+-]?\d+(\.\d+)?\s?%")
PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?")
OTHER_DATE = re.compile(r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}( .*)?")

DAY = pd.Timedelta(days=1)


@dataclass(frozen=True)
class Reading:
    """How a column is read: one of `KINDS`, and for dates the day that is 0."""

    kind: str
    origin: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS or (self.kind == "date") != isinstance(self.origin, str):
            raise InputError(f"there is no way to read a column called {self.kind!r:.40} from {self.origin!r:.40}.")

    @property
    def categorical(self) -> bool:
        """Whether the column has labels, not numbers."""
        return self.kind in ("labels", "truth")

    def read(self, column: Any, name: str) -> Any:
        """The column as numbers with NaN for what is missing, or as labels; an `InputError` if it is something else."""
        try:
            if self.kind == "date":
                assert self.origin is not None
                return (_moments(column) - pd.Timestamp(self.origin)) / DAY
            return KINDS[self.kind](column)
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
        return _date(column)
    if dtype.kind == "m":
        return Reading("duration")
    if holds_labels(column.to_frame(), 0):
        known = column.dropna()
        return Reading("truth") if len(known) and isinstance(known.iloc[0], bool | np.bool_) else _of_text(known)
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred in ("date", "datetime", "datetime64"):
        return _date(column)
    if inferred in ("timedelta", "timedelta64"):
        return Reading("duration")
    if inferred in ("empty", "decimal", "floating", "integer", "mixed-integer-float"):
        return Reading("number")
    return None


def ambiguity(column: Any) -> str | None:
    """Why a column of text that looks like numbers or dates is left as text; None if it does not look so."""
    values = _different(column.dropna())
    if not values or not all(isinstance(value, str) for value in values):
        return None
    if _fits_both(values):
        example = next(value for value in values if "," in value)
        return (
            f"{example} may be {example.replace(',', '')} or {example.replace(',', '.')}. Write it without the comma "
            "if it is a number"
        )
    if _all(OTHER_DATE, values) and not _all(PLAIN, values):
        return f"{values[0]} may be a date. Write it as 2024-01-31 if it is one"
    return None


def settled_by_others(readings: dict[str, Reading], table: Any) -> dict[str, Reading]:
    """The readings, where text with commas that fit both ways is read as the other columns are, if these agree."""
    commas = {reading.kind for reading in readings.values()} & {"thousands", "decimal_comma"}
    if len(commas) != 1:
        return readings
    (kind,) = commas
    return {
        name: Reading(kind) if reading.kind == "labels" and fits_both(table[name]) else reading
        for name, reading in readings.items()
    }


def fits_both(column: Any) -> bool:
    """Whether a column of text is made of numbers whose commas may be for thousands or for decimals."""
    values = [] if isinstance(column.dtype, pd.CategoricalDtype) else _different(column.dropna())
    return all(isinstance(value, str) for value in values) and _fits_both(values)


def _fits_both(values: list[str]) -> bool:
    return any("," in value for value in values) and _all(THOUSANDS, values) and _all(DECIMAL_COMMA, values)


def _of_text(known: Any) -> Reading:
    values = _different(known)
    if not values:
        return Reading("number")
    if _all(PERCENT, values):
        return Reading("percent")
    if _all(ISO_DATE, values):
        try:
            return _date(known)
        except ValueError:  # a month 13
            return Reading("labels")
    if any("." in value for value in values) and _all(PLAIN, values):
        return Reading("plain_text")
    if any("," in value for value in values):
        thousands, decimal = _all(THOUSANDS, values), _all(DECIMAL_COMMA, values)
        if thousands != decimal:
            return Reading("thousands" if thousands else "decimal_comma")
    return Reading("labels")


def _date(column: Any) -> Reading:
    moments = _moments(column).dropna()
    return Reading("date", moments.min().floor("D").isoformat() if len(moments) else "1970-01-01T00:00:00")


def _different(known: Any) -> list[Any]:
    return [value.strip() if isinstance(value, str) else value for value in pd.unique(known)]


def _all(pattern: re.Pattern[str], values: list[str]) -> bool:
    return all(pattern.fullmatch(value) for value in values)


# ---- columns as numbers or labels ------------------------------------------------------------------------------------


def _moments(column: Any) -> Any:
    """Points in time without a zone: those with one are in UTC."""
    if column.dtype.kind == "M":
        moments = column
    else:
        text = column.dropna().map(lambda value: isinstance(value, str)).any()
        moments = pd.to_datetime(column, utc=True, format="ISO8601" if text else None)
    return moments.dt.tz_convert("UTC").dt.tz_localize(None) if moments.dt.tz is not None else moments


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
        return pd.Series([np.nan if pd.isna(value) else number(value) for value in column], index=column.index)

    return read


def _duration(column: Any) -> Any:
    return pd.to_timedelta(column) / DAY


#: How a column of each kind is read; dates are read from their origin.
KINDS: dict[str, Callable[[Any], Any]] = {
    "number": _number,
    "truth": _truth,
    "labels": _labels,
    "duration": _duration,
    "plain_text": _from_text(float),
    "percent": _from_text(lambda value: float(value.strip().removesuffix("%"))),
    "thousands": _from_text(lambda value: float(value.replace(",", ""))),
    "decimal_comma": _from_text(lambda value: float(value.replace(".", "").replace(",", "."))),
    "date": _moments,
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
}
