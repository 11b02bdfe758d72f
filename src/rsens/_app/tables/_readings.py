"""What the values of a column are, and how they become numbers or labels; kept, so that new rows are read alike.

Text becomes numbers or dates only if there is one way to read all of its values: `_cells` and `_dates` have the
rules. Digits alone stay text, as they may be codes. Times of day (14:30) are hours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables._cells import (
    LEAST_NUMBERS,
    WAYS,
    fits_both,
    is_mark,
    labels,
    marks_notes,
    number_in,
    numbers_by_way,
    read_cells,
    tally,
    way_of,
)
from rsens._app.tables._columns import Note, find_all, mapping, naming
from rsens._app.tables._dates import (
    DAYS,
    FORMS,
    ORDERS,
    PIECES,
    YEAR,
    date_words,
    dates_by_form,
    forms_of,
    hours,
    in_words,
    is_time_of_day,
    moments_of,
    parts_that_pay,
    piece,
    pieces_of,
    read_parts,
)
from rsens._errors import Argument, InputError, Sentence
from rsens._text import counted, listed, quoted

#: In seconds: one in nanoseconds would make pandas 2 count centuries in nanoseconds, and they do not fit.
ONE_DAY = pd.Timedelta(days=1).as_unit("s")
#: In the attributes of a table: whether it comes from a file whose numbers have decimal points.
DECIMAL_POINTS = "decimal_points"


@dataclass(frozen=True)
class Reading:
    """How a column is read.

    kind: One of `WORDS`.
    origin: For dates, the day that is 0.
    form: How text writes dates: one of `FORMS`, or a format of strptime; None if they are not text.
    pieces: The columns that dates become.
    words, others: How text is written, and other forms of its dates that fit as well, for notes.
    """

    kind: str
    origin: str | None = None
    form: str | None = None
    pieces: tuple[str, ...] = (DAYS,)
    words: str = field(default="", compare=False)
    others: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pieces", tuple(self.pieces))
        is_date = isinstance(self.origin, str)
        known = self.kind in WORDS and (self.kind == "date") == is_date and (is_date or self.form is None)
        known_form = self.form in (None, *FORMS) or "%" in str(self.form)
        if not (known and known_form and self.pieces and set(self.pieces) <= set(PIECES)):
            raise ValueError(f"no way to read a column: {self.plain!r:.80}")

    @property
    def plain(self) -> list[Any]:
        """The reading in a recipe."""
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
            words = f"{WORDS[self.kind]}, which it was in the data of the model"
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
    if kind == "text":
        return _of_text(column.dropna())
    if kind == "date":
        return date_reading(column, None)
    return None if kind is None else Reading(kind)


def date_reading(column: Any, form: str | None, words: str = "", others: tuple[str, ...] = ()) -> Reading:
    """Dates in this form, counted from the first; a `ValueError` if they are none."""
    first = moments(column, form)[1].dropna().min()
    origin = "1970-01-01T00:00:00" if pd.isna(first) else first.floor("D").isoformat()
    return Reading("date", origin, form, words=words, others=others)


def settled_by_others(
    readings: Mapping[str, Reading], table: Mapping[str, Any], codes: Collection[str], *, points: bool
) -> dict[str, Reading]:
    """The readings; commas and dates that fit both ways are read as in the other columns, if these agree.

    `codes` are labels in any case. `points`: whether other numbers of the same file have decimal points.
    """
    commas = {reading.kind for reading in readings.values()} & {"thousands", "decimal_comma"}
    commas |= {"thousands"} if points else set()
    decided = {each.form for each in readings.values() if each.words and not each.others}
    found = dict(readings)
    for name, reading in readings.items():
        fitting = [form for form in (reading.form, *reading.others) if form in decided] if reading.others else []
        if len(commas) == 1 and reading.kind == "labels" and name not in codes and fits_both(_texts(table[name])):
            (kind,) = commas
            found[name] = Reading(kind, words=way_of(_texts(table[name]), kind)[1])
        elif len(fitting) == 1:
            found[name] = date_reading(table[name], fitting[0], date_words(_texts(table[name])[0], str(fitting[0])))
    return found


def _of_text(known: Any) -> Reading:
    values = _texts(known)
    if not values:
        return Reading("number")
    kind, words = way_of(values)
    if kind:
        return Reading(kind, words=words)
    if forms := forms_of(values):
        return date_reading(known, forms[0], date_words(values[0], forms[0]), forms[1:])
    return Reading("time" if all(is_time_of_day(value) for value in values) else "labels")


def _texts(column: Any) -> list[str]:
    """The different values, if all are text."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return []
    values = column.dropna().unique().tolist()
    return [value.strip() for value in values] if all(isinstance(value, str) for value in values) else []


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
    # Missing cells have the code -1, so they take what is appended.
    wall, utc = (np.append(each, np.datetime64("NaT", "us"))[codes] for each in (wall, utc))
    return pd.Series(wall, index=column.index), pd.Series(utc, index=column.index)


def as_text(value: Any) -> str:
    """A cell as a file has it: 20240131 is a whole number, also where others are missing."""
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value) if whole else value).strip()


def read_moments(texts: list[str], form: str) -> tuple[Any, Any]:
    """The moments of cells in one of `FORMS` or a format of strptime; not-a-time where a cell does not fit."""
    if "%" not in form:
        return moments_of(texts, form)
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


def _from_text(number: Callable[[str], float]) -> Callable[[Any], Any]:
    def read(column: Any) -> Any:
        if column.dtype.kind in "iuf":
            return _number(column)  # none of these rows needs its sign or its comma
        codes, values = pd.factorize(column)
        numbers = np.array([*(number(value) for value in values.tolist()), np.nan])
        return pd.Series(numbers[codes], index=column.index)

    return read


#: How a column of each kind is read, except dates, which are read from their origin.
KINDS: dict[str, Callable[[Any], Any]] = {
    "number": _number,
    "truth": _truth,
    "labels": lambda column: column,
    "duration": lambda column: pd.to_timedelta(column) / ONE_DAY,
    "time": _from_text(hours),
    **{kind: _from_text(partial(number_in, kind=kind)) for kind in ("percent", *WAYS)},
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


def clean(column: Any, *, as_text: bool) -> tuple[Any, Counter[str]]:
    """The column as a file would give it: values of several types as text, and marks of missing values gone.

    The marks come with it. `as_text` is for labels, which have none.
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
    if all(re.fullmatch(r"[+-]?(0|[1-9]\d*)", cell) for cell in rest):  # what begins with 0 may be a code
        return known.astype(np.float64), marks
    reading = reading_of(rest)
    is_read = reading is not None and reading.kind != "labels"
    return (known, marks) if is_read or fits_both(_texts(rest)) else (column, Counter())


def without_marks(column: Any) -> tuple[Any, Counter[str]]:
    """The cells as text, without marks of missing values, and these."""
    texts = column.astype(object).map(as_text, na_action="ignore").astype(object)
    marks = Counter({cell: int(n) for cell, n in tally(texts).items() if is_mark(cell)})
    return texts.where(~texts.isin(list(marks)) & texts.notna(), None), marks


#: A number with a limit before it or a star behind it, as in tables of measurements.
QUALIFIED = re.compile(r"[<>≤≥~≈]=?\s*[+-]?[\d.,]*\d|[+-]?\d[\d.,]*\s*[*†‡]+")
#: From this share on, cells that are numbers say what the column is.
MOST = 0.8
#: Cells with a limit or a star count as numbers if at least this share of the cells are plain numbers.
HALF = 0.5
#: Longer cells are cut in a sentence.
LONG = 30


def doubt_about(column: Any) -> tuple[str, str] | None:
    """Why text that looks like numbers or dates is not read as such: "ambiguous" or "odd_cells", and the reason.

    None if most of its cells are something else. Odd cells are <5, 12.3*, 1O, 31/02/2024; those that stand for missing
    values do not count.
    """
    counts: Counter[str] = Counter()
    for cell, count in tally(column).items() if is_text(column) else ():
        if not is_mark(cell):
            counts[cell.strip()] += int(count)
    if not (total := counts.total()):
        return None
    numbers, dates = numbers_by_way(counts), dates_by_form(list(counts))
    for noun, ways in (("number", numbers), ("date", dates)):
        examples = _examples(counts, ways)
        if len(examples) > 1:
            return "ambiguous", f"its {noun}s are written in several ways ({quoted(examples, 3)}). Write all in one way"
    if fits_both(_texts(column)):
        cell = next(cell for cell in counts if "," in cell)
        either = f"{cell.replace(',', '')} or {cell.replace(',', '.')}"
        return "ambiguous", f"{cell} may be {either}. Write it without the comma if it is a number"
    found = {way: sum(counts[cell] for cell in cells) for way, cells in (numbers | dates).items()}
    best = max(found, key=lambda way: found[way])
    n, qualified = found[best], sum(count for cell, count in counts.items() if QUALIFIED.fullmatch(cell))
    if n == total or (n < MOST * total and (n < HALF * total or n + qualified < MOST * total)):
        return None
    odd = [cell for cell in counts if cell not in (numbers | dates)[best]]
    shown = quoted([cell if len(cell) <= LONG else f"{cell[: LONG - 1]}…" for cell in odd], 3)
    return "odd_cells", f"{counted(n, best[0])} and {counted(total - n, 'other cell')} ({shown})"


def _examples(cells: Iterable[str], ways: Mapping[tuple[str, ...], set[str]]) -> list[str]:
    """An example of each of the fewest ways, found one after the other, that fit all cells; none if they do not."""
    left, examples = dict.fromkeys(cells), []
    while left:
        best = max(ways.values(), key=lambda fitting: len(left.keys() & fitting), default=set())
        fitting = [cell for cell in left if cell in best]
        if not fitting:
            return []
        examples.append(fitting[0])
        left = dict.fromkeys(cell for cell in left if cell not in best)
    return examples


#: How people write formats, and the same for strptime.
LETTERS = {
    "yyyy": "%Y",
    "yy": "%y",
    "mmm": "%b",
    "mon": "%b",
    "hh:mm:ss": "%H:%M:%S",
    "hh:mm": "%H:%M",
    "mm": "%m",
    "dd": "%d",
}
#: Directives that say which year it is.
WITH_YEAR = re.compile(r"%[YyGcxs]")


def read_formats(given: Any) -> dict[str, str]:
    """The argument `date`: a dict from columns to formats; an `InputError` if one of these is none."""
    formats = mapping(given, "date", "from columns, such as {'when': '%d/%m/%Y'}")
    for name, form in formats.items():
        wrong = _wrong_with(form)
        if wrong is not None:
            what = f" must be {', '.join(ORDERS)} or a format such as %d/%m/%Y for {name!r}"
            raise InputError(Argument("date"), f"{what}; got {form!r}{wrong}")
    return {name: str(form) for name, form in formats.items()}


def read_all_parts(given: Any) -> dict[str, tuple[str, ...]]:
    """The argument `date_parts`: a dict from columns to lists of parts."""
    parts = mapping(given, "date_parts", "from columns, such as {'when': ['days', 'year']}")
    return {name: read_parts(each, name) for name, each in parts.items()}


def reading_as_asked(column: Any, name: str, form: str) -> tuple[Any, Reading, Counter[str]]:
    """The column without marks of missing values, how it is read, and the marks; an `InputError` if it does not fit."""
    if pd.api.types.infer_dtype(column, skipna=True) in ("datetime64", "datetime", "date"):
        return column, date_reading(column, None), Counter()
    texts, marks = without_marks(column)
    counts = tally(texts)
    cells = list(pd.unique(texts.dropna()))
    wrong = [cell for cell, moment in zip(cells, read_moments(cells, form)[1], strict=True) if np.isnat(moment)]
    if wrong:
        few = f"{int(counts[wrong].sum()):,} of {counted(int(counts.sum()), 'cell')}"
        cut = quoted([cell[:30] for cell in wrong], 3)
        raise InputError(Argument("date", {name: form}), f" does not fit {few} in {name!r}: {cut}.")
    return texts, date_reading(texts, form, f"as asked for ({ORDERS.get(form, form)})"), marks


def check_names(
    formats: Mapping[str, str], parts: Mapping[str, Any], names: list[str], codes: set[str], target: str
) -> None:
    """An error if there are no such columns, or if they cannot be dates."""
    find_all([*formats, *parts], names, "the table", "date column", whole=True)
    both = [name for name in formats if name in codes]
    if both:
        raise InputError(
            f"{both[0]!r} is named in ", Argument("categorical"), " and in ", Argument("date"), ": leave out one."
        )
    if target in parts:
        raise InputError(Argument("date_parts"), f": {target!r} is the target, which is counted in days. Leave it out.")


def check_have_dates(left: Mapping[str, Any], columns: Iterable[str]) -> None:
    """An error for parts of columns that have no dates; a column that was left out has its own note."""
    wrong = [name for name in left if name in columns]
    if wrong:
        text = f": {wrong[0]!r} was not read as dates. If it has dates, say how they are written with "
        raise InputError(Argument("date_parts"), text, Argument("date", {wrong[0]: "%d/%m/%Y"}), ".")


def _wrong_with(form: Any) -> str | None:
    """The end of a sentence on a format that cannot be used; None if it can."""
    if not isinstance(form, str):
        return "."
    if form in ORDERS:
        return None
    if "%" not in form:
        meant = form.lower()
        for letters, directive in LETTERS.items():
            meant = meant.replace(letters, directive)
        return f". Did you mean {meant}?" if WITH_YEAR.search(meant) else "."
    try:
        read_moments(["a date"], form)
    except (ValueError, re.error) as error:
        return f": {str(error).rstrip('.')}."
    return None if WITH_YEAR.search(form) else ", which has no year (%Y or %y)."


@dataclass
class ColumnReader:
    """Reads columns, and keeps what was found.

    readings: How each column was read.
    notes: On what was done.
    unsupported: Notes on columns that cannot be read.
    doubtful: Text that may be numbers or dates: the kind of note, and a sentence before and after "taken as text".
    walls: The moments of dates on the clock on the wall.
    """

    target: str
    codes: set[str]
    readings: dict[str, Reading] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    unsupported: list[Note] = field(default_factory=list)
    doubtful: dict[str, tuple[str, str, Sentence]] = field(default_factory=dict)
    walls: dict[str, Any] = field(default_factory=dict)

    def read(self, frame: pd.DataFrame, formats: Mapping[str, str]) -> pd.DataFrame:
        """The columns; dates in `formats` that the user gave."""
        cleaned, found = {}, {}
        for name in frame.columns:
            if name in formats:
                cleaned[name], found[name], marks = reading_as_asked(frame[name], name, formats[name])
                self.notes += marks_notes(name, marks)
                continue
            cleaned[name] = self._cleaned(frame[name], name)
            reading = Reading("labels") if name in self.codes else self._reading_of(cleaned[name], name)
            if reading is not None:
                found[name] = reading
        self.readings = settled_by_others(found, cleaned, self.codes, points=bool(frame.attrs.get(DECIMAL_POINTS)))
        columns = {name: self._column(cleaned[name], name) for name in self.readings}
        self._note_conversions()
        return pd.DataFrame(columns, index=frame.index)

    def read_again(self, frame: pd.DataFrame, readings: Mapping[str, Reading]) -> pd.DataFrame:
        """The columns, read as before."""
        self.readings = {name: readings[name] for name in frame.columns}
        columns = {
            name: self._column(self._cleaned(frame[name], name, dates=reading.form is not None), name, again=True)
            for name, reading in self.readings.items()
        }
        return pd.DataFrame(columns, index=frame.index)

    def _cleaned(self, column: Any, name: str, *, dates: bool = False) -> Any:
        """The column without marks of missing values, which a note tells."""
        as_dates = dates and is_text(column)
        column, marks = without_marks(column) if as_dates else clean(column, as_text=name in self.codes)
        self.notes += marks_notes(name, marks)
        return column

    def _reading_of(self, column: Any, name: str) -> Reading | None:
        reading = reading_of(column)
        if reading is None and name == self.target:
            raise InputError(f"the target {name!r} has values that are neither numbers nor text.")
        if reading is None:
            types = dict.fromkeys(type(value).__name__ for value in column.dropna())
            text = f"{name!r} has values of type {' and '.join(types)} and was left out."
            self.unsupported.append(Note("unsupported", (name,), text))
        return reading

    def _column(self, column: Any, name: str, again: bool = False) -> Any:
        reading = self.readings[name]
        if reading.kind == "date":
            days, self.walls[name] = reading.read_dates(column, name)
            return days
        if name in self.codes and not again:
            return column if isinstance(column.dtype, pd.CategoricalDtype) else column.astype("category")
        if reading.kind == "labels" and not again:
            self._look_at_labels(name, column)
        return reading.read(column, name)

    def _look_at_labels(self, name: str, column: Any) -> None:
        """Text that looks like numbers or dates: the answer is probably wrong without it."""
        kind, reason = doubt_about(column) or ("", "")
        if kind == "ambiguous":
            if name == self.target:
                raise InputError(f"the target {name!r} is text: {reason}.")
            self.doubtful[name] = kind, f"{name!r} was ", Sentence(f": {reason}.")
        elif kind:
            if name == self.target:
                raise InputError(f"the target {name!r} has {reason}, so it is text. ", mend(name))
            self.doubtful[name] = kind, f"{name!r} has {reason}, so it was ", Sentence(". ", mend(name))

    def _note_conversions(self) -> None:
        """One note for all columns that were read in the same way: in a file with decimal commas these are many."""
        ways: dict[str, list[str]] = {}
        for name, reading in self.readings.items():
            if reading.kind not in ("number", "labels", "truth", "date"):
                ways.setdefault(reading.words or WORDS[reading.kind], []).append(name)
        for words, names in ways.items():
            verb = "was" if len(names) == 1 else "were"
            self.notes.append(Note("converted", tuple(names), f"{quoted(names)} {verb} read as {words}."))

    def warnings(self, dropped: Mapping[str, str]) -> list[Note]:
        """On text that looks like numbers or dates; `dropped` are the columns that were left out."""
        notes = []
        for name, (kind, before, after) in self.doubtful.items():
            text = Sentence(f"{before}taken as text{' and left out' * (name in dropped)}", after)
            notes.append(Note(kind, (name,), text, severe=True))
        return notes

    def choose_parts(self, name: str, days: Any, parts: tuple[str, ...] | None) -> None:
        """Which columns the dates of an input become: the `parts` asked for, or those that pay."""
        wall = self.walls[name].loc[days.index].to_numpy()
        parts = parts_that_pay(wall) if parts is None else parts
        pieces = pieces_of(days.to_numpy(dtype=float), wall, parts)
        if not pieces:
            raise InputError(Argument("date_parts"), f" of {name!r}: {quoted(parts)} never changes. Ask for others.")
        self.readings[name] = replace(self.readings[name], pieces=pieces)

    def date_columns(self, name: str, days: Any) -> dict[str, Any]:
        """The columns that the dates of an input become; days alone are called as the column is."""
        pieces = self.readings[name].pieces
        if pieces == (DAYS,):
            return {name: days}
        values, wall = days.to_numpy(dtype=float), self.walls[name].loc[days.index].to_numpy()
        return {f"{name} ({each})": pd.Series(piece(each, values, wall), index=days.index) for each in pieces}

    def note_on_dates(self, name: str) -> list[Note]:
        """How dates were read, the columns they became, and how to change that."""
        reading = self.readings[name]
        cycles = in_words(reading.pieces)
        since = str(reading.origin).removesuffix("T00:00:00")
        days = [f"days since {since}"] if DAYS in reading.pieces else []
        read = f"{name!r} was read as dates, {reading.words}" if reading.words else f"{name!r} has dates"
        text = Sentence(f"{read}: {listed([*days, *cycles])}")
        if cycles:
            text = Sentence(text, ", together one variable. For days alone, use ", Argument("date_parts", {name: DAYS}))
        notes = [Note("date", (name,), Sentence(text, "."))]
        if reading.others:
            others = " or ".join(ORDERS[form] for form in reading.others)
            doubt = f"The dates of {name!r} may be {others} as well: no cell tells. If they are, use "
            out = Argument("date", {name: reading.others[0]})
            notes.append(Note("ambiguous", (name,), Sentence(doubt, out, ".")))
        return notes


def mend(name: str) -> Sentence:
    """What to do about cells that keep a column from being numbers."""
    return Sentence(
        "Correct or empty these cells; or, if the column has codes, use ", naming("categorical", [name]), "."
    )
