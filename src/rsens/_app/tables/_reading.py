"""How one column is read: its kind, and how its cells become numbers or labels, the same way for new rows.

Text becomes numbers or dates only if all of its values can be read in one way: `_cells` and `_dates` have the rules.
Digits alone stay text, because they may be codes. Times of day (14:30) are hours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
    as_numbers,
    as_text,
    is_mark,
    labels,
    number_cell,
    number_formats,
    number_in,
)
from rsens._app.tables._columns import mapping
from rsens._app.tables._dates import (
    DAYS,
    FORMS,
    ORDERS,
    PARTS,
    PIECES,
    YEAR,
    date_forms,
    forms_of_cells,
    hours,
    is_time_of_day,
    moments_of,
)
from rsens._errors import Argument, InputError
from rsens._text import counted, listed, quoted

#: In the attributes of a table whose cells are the text of a file, where digits alone are numbers.
FROM_FILE = "from_file"
TRUTH = {"true": True, "false": False}
#: In seconds: one in nanoseconds would make pandas 2 count centuries in nanoseconds, and they do not fit.
ONE_DAY = pd.Timedelta(days=1).as_unit("s")


@dataclass(frozen=True)
class Reading:
    """How a column is read.

    kind: One of `KINDS`.
    origin: For dates, day 0.
    form: How text writes dates: one of `FORMS`, or a format of strptime; None if they are not text.
    pieces: The columns that dates become.
    levels: The labels of a categorical column, in order.
    codes: Numbers that mean a missing value.
    example, others: A cell with its value, and other forms of its dates that fit as well, for notes.
    """

    kind: str
    origin: str | None = None
    form: str | None = None
    pieces: tuple[str, ...] = (DAYS,)
    levels: tuple[Any, ...] = ()
    codes: tuple[float, ...] = ()
    example: str = field(default="", compare=False)
    others: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for name in ("pieces", "levels", "codes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        is_date = isinstance(self.origin, str)
        known = self.kind in KINDS and (self.kind == "date") == is_date and (is_date or self.form is None)
        known_form = self.form is None or self.form in FORMS or "%" in self.form
        if not (known and known_form and self.pieces and set(self.pieces) <= set(PIECES)):
            raise ValueError(f"no way to read a column: {self.plain!r:.80}")
        pd.Timestamp(self.origin or "1970-01-01")

    @property
    def plain(self) -> dict[str, Any]:
        """The fields that a recipe needs, ready for JSON."""
        stored = asdict(self) | {"example": "", "others": ()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in stored.items() if value}

    @property
    def categorical(self) -> bool:
        """Whether the column has labels, not numbers."""
        return self.kind in ("labels", "truth")

    def read(self, column: Any, name: str) -> tuple[Any, Any, Counter[str]]:
        """The column as numbers with NaN for missing cells, or as labels; local moments; marks of missing values.

        An `InputError` if it cannot be read.
        """
        moments, marks = None, Counter[str]()
        if not self.categorical and is_text(column):
            column = column.astype(object).where(column.notna(), None)
            marks.update(cell for cell in column if isinstance(cell, str) and is_mark(cell))
            column = column.mask(column.isin(list(marks)), None)
        try:
            if self.kind == "date":
                moments, utc = moments_of_column(column, self.form)
                values = (utc - pd.Timestamp(str(self.origin))) / ONE_DAY
            elif self.kind == "labels":
                values = _label(column, self.levels)
            else:
                values = KINDS[self.kind][1](column)
        except (TypeError, ValueError, OverflowError):
            words = f"{KINDS[self.kind][0]}, which it was in the data of the model"
            raise InputError(f"column {name!r} cannot be read as {words}.") from None
        if values.dtype.kind == "f" and np.isinf(values).any():
            marks["∞"] = int(np.isinf(values).sum())
            values = values.mask(np.isinf(values))
        return values.mask(values.isin(self.codes)) if self.codes else values, moments, marks


#: Digits that are not a code, which may begin with 0.
WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)")
#: The kind of a column by the type that pandas infers; text is looked at further.
KINDS_BY_TYPE = {
    "categorical": "labels",
    "boolean": "truth",
    "string": "text",
    **dict.fromkeys(("empty", "integer", "floating", "decimal", "mixed-integer-float"), "number"),
    **dict.fromkeys(("date", "datetime", "datetime64"), "date"),
    **dict.fromkeys(("timedelta", "timedelta64"), "duration"),
}


def reading_of(column: Any, *, digits: bool) -> Reading | None:
    """How a column is to be read; None if it holds lists, or values of different types.

    Digits with marks of missing values among them are numbers. Without `digits`, a first 0 makes them codes.
    """
    kind = KINDS_BY_TYPE.get(pd.api.types.infer_dtype(column, skipna=True))
    if kind == "date":
        return date_reading(column, None)
    if kind != "text":
        return None if kind is None else Reading(kind)
    texts = texts_of(column)
    values = [text for text in texts if not is_mark(text)]
    if not texts:
        return Reading("number")
    if len(values) < min(len(texts), LEAST_NUMBERS):
        return Reading("labels")
    if as_numbers(values) is not None and (digits or (len(values) < len(texts) and all(map(WHOLE.fullmatch, values)))):
        return Reading("number")
    if digits and {text.lower() for text in texts} <= TRUTH.keys():
        return Reading("truth")
    formats = number_formats(values)
    if len(formats) == 1:
        return Reading(formats[0])
    if forms := date_forms(values):
        return date_reading(column, forms[0], forms[1:])
    return Reading("time" if all(map(is_time_of_day, values)) else "labels")


def as_amounts(frame: pd.DataFrame, name: str) -> Any:
    """A column whose text in a file is numbers or truth values as such; other columns unchanged."""
    reading = reading_of(frame[name], digits=True) if FROM_FILE in frame.attrs else None
    if reading is None or reading.kind not in ("number", "truth"):
        return frame[name]
    return reading.read(frame[name], name)[0]


def date_reading(column: Any, form: str | None, others: tuple[str, ...] = ()) -> Reading:
    """Dates in this form, counted from the first; a `ValueError` if a cell is something else."""
    cells = column.dropna()
    first = moments_of_column(cells[~cells.map(is_mark)] if is_text(column) else cells, form)[1].min()
    origin = "1970-01-01T00:00:00" if pd.isna(first) else first.floor("D").isoformat()
    return Reading("date", origin, form, others=others)


def resolved_by_other_columns(
    readings: Mapping[str, Reading], table: Mapping[str, Any], codes: Collection[str], *, points: bool
) -> dict[str, Reading]:
    """The readings; commas and dates that fit two ways are read as in the other columns, if these agree.

    `codes` are labels in any case. `points`: whether other numbers of the same file have decimal points.
    """
    commas = {reading.kind for reading in readings.values()} & {"thousands", "decimal_comma"}
    commas |= {"thousands"} if points else set()
    decided = {each.form for each in readings.values() if not each.others}
    found = dict(readings)
    for name, reading in readings.items():
        fitting = [form for form in (reading.form, *reading.others) if form in decided]
        if reading.others and len(fitting) == 1:
            found[name] = date_reading(table[name], fitting[0])
        is_text = reading.kind == "labels" and name not in codes
        if is_text and len(commas) == 1 and len(number_formats(texts_of(table[name]))) > 1:
            found[name] = Reading(next(iter(commas)))
    return found


def texts_of(column: Any) -> list[str]:
    """The different values, if all are text."""
    return [value.strip() for value in column.dropna().unique()] if is_text(column) else []


def moments_of_column(column: Any, form: str | None) -> tuple[Any, Any]:
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


def read_moments(texts: list[str], form: str) -> tuple[Any, Any]:
    """The moments of cells in one of `FORMS` or a format of strptime; not-a-time where a cell does not fit."""
    if "%" not in form:
        return moments_of(texts, form)
    read = pd.to_datetime(pd.Series(texts, dtype=object), format=form, errors="coerce", utc=True)
    utc = read.dt.tz_localize(None).to_numpy().astype("M8[us]")
    return utc, utc


def _number(column: Any) -> Any:
    """Numbers; whole ones stay such if none is missing."""
    known = column.dropna()
    if is_text(column):
        numbers: Any = as_numbers(known.tolist())
        if numbers is None:
            raise ValueError("not only numbers")
    else:
        whole = column.dtype.kind in "iu" and column.dtype != np.uint64 and len(known) == len(column)
        numbers = known.to_numpy(dtype=np.int64 if whole else np.float64)
    return (
        pd.Series(numbers, index=known.index).reindex(column.index)
        if len(known) < len(column)
        else pd.Series(numbers, index=column.index)
    )


def _truth(column: Any) -> Any:
    """Truth values: bool, or objects where some are missing."""
    column = column.map(lambda cell: TRUTH.get(cell.lower(), cell), na_action="ignore") if is_text(column) else column
    known = column.dropna()
    if not known.isin([True, False]).all():
        raise ValueError("not only true and false")
    return column.astype(bool) if len(known) == len(column) else column.astype(object).where(column.notna(), None)


def _label(column: Any, levels: Sequence[Any]) -> Any:
    """Labels; 1 in a file is the level 1."""
    known = {as_text(level): level for level in levels} | {level: level for level in levels}
    if not known or isinstance(column.dtype, pd.CategoricalDtype):
        return column
    return column.map(lambda cell: known.get(cell, known.get(as_text(cell), cell)), na_action="ignore")


def _from_text(number: Callable[[str], float]) -> Callable[[Any], Any]:
    def read(column: Any) -> Any:
        if column.dtype.kind in "iuf":
            return _number(column)  # none of these rows needs its sign or its comma
        codes, values = pd.factorize(column)
        numbers = np.array([*(number(value) if isinstance(value, str) else value for value in values), np.nan])
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


def is_text(column: Any) -> bool:
    """Whether all values are text, or missing."""
    if column.dtype == object:
        return bool(pd.api.types.infer_dtype(column, skipna=True) == "string")
    return isinstance(column.dtype, pd.StringDtype)


def as_from_file(column: Any) -> Any:
    """A column that mixes text, numbers and truth values as text; other columns unchanged."""
    if column.dtype != object or pd.api.types.infer_dtype(column, skipna=True) not in ("mixed", "mixed-integer"):
        return column
    if not all(isinstance(value, str | Real | Decimal | np.bool_) for value in column.dropna()):
        return column
    cells = ["" if gap else str(value).strip() for value, gap in zip(column, column.isna(), strict=True)]
    return pd.Series(labels(cells), index=column.index)


#: If at least this share of the cells of a text column are numbers, or dates, so should be the others.
MOST = 0.8
#: Longer cells are cut in a sentence.
LONG = 30


def why_still_text(column: Any) -> str | None:
    """Cells that keep text from being read as numbers or dates, in a sentence, if most of its cells are such.

    They are odd cells such as <5, 12.3*, 1O or 31/02/2024, or examples of numbers that are written in several ways.
    """
    counts = Counter(cell.strip() for cell in column.dropna() if not is_mark(cell)) if is_text(column) else Counter()
    numbers = {cell: parts[1:4] for cell in counts if (parts := number_cell(cell)) is not None}
    ways: dict[str, Mapping[str, Any]] = {"numbers": numbers, "dates": forms_of_cells(list(counts))}
    for noun, found in ways.items():
        n, total = sum(counts[cell] for cell in found), counts.total()
        if not n or n < MOST * total:
            continue
        odd = [cell for cell in counts if cell not in found] or list(
            {way: cell for cell, way in found.items()}.values()
        )
        if n == total and len(odd) == 1 and len(number_formats(list(counts))) < 2:
            continue
        shown = quoted([cell if len(cell) <= LONG else f"{cell[: LONG - 1]}…" for cell in odd], 3)
        which = f"not {shown}" if n < total else f"in several ways, such as {shown}"
        return f"{n:,} of its {counted(total, 'cell')} look like {noun}, but {which}"
    return None


# ---- Formats of dates that users give --------------------------------------------------------------------------------


def read_dates(given: Any) -> dict[str, str]:
    """The argument `date`: a dict from columns to a format, parts, or both, as text with commas between."""
    asked = mapping(given, "date", "from columns, such as {'when': '%d/%m/%Y'}")
    lists = {
        name: [each] if isinstance(each, str) or not isinstance(each, Iterable) else each
        for name, each in asked.items()
    }
    texts = {name: ",".join(map(str, each)) for name, each in lists.items()}
    for name, text in texts.items():
        form, parts = date_request(text)
        if not (form in ORDERS or _is_format(form) if form else parts):
            ways = f"{', '.join(ORDERS)}, a format such as %d/%m/%Y with a year, or some of {listed(PARTS)}"
            raise InputError(Argument("date"), f" must have for {name!r} {ways}; got {asked[name]!r}.")
    return texts


def date_request(text: str) -> tuple[str | None, tuple[str, ...]]:
    """The format of dates, if there is one, and the parts to make of them, in the order of `PARTS`."""
    pieces = text.split(",")
    first = len(pieces)
    while first and pieces[first - 1].strip() in PARTS:
        first -= 1
    parts = {each.strip() for each in pieces[first:]}
    return ",".join(pieces[:first]).strip() or None, tuple(part for part in PARTS if part in parts)


def _is_format(form: str) -> bool:
    """Whether a format can be used, and has a year."""
    try:
        pd.to_datetime(pd.Series(["a date"]), format=form, errors="coerce")
    except (ValueError, re.error):
        return False
    return re.search(r"%[YyGcxs]", form) is not None


def date_reading_as_asked(column: Any, name: str, form: str) -> Reading:
    """Dates in this format, unless they are no text; an `InputError` if some cells do not fit."""
    if pd.api.types.infer_dtype(column, skipna=True) in ("datetime64", "datetime", "date"):
        return date_reading(column, None)
    counts = Counter(cell for value in column.dropna() if not is_mark(cell := as_text(value)))
    wrong = [cell for cell, utc in zip(counts, read_moments(list(counts), form)[1], strict=True) if np.isnat(utc)]
    if wrong:
        few = f"{sum(counts[cell] for cell in wrong):,} of {counted(counts.total(), 'cell')}"
        cut = quoted([cell[:LONG] for cell in wrong], 3)
        raise InputError(Argument("date", {name: form}), f" does not fit {few} in {name!r}: {cut}.")
    return date_reading(column, form)
