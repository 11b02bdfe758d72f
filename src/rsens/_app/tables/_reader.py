"""`TableReader`: how the columns of a table are read, learned from one table and kept for new rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from rsens._app.tables._cells import in_order
from rsens._app.tables._checks import missing_codes, why_useless
from rsens._app.tables._columns import Note, Roles, advice, check_unique, find_all, mapping, names_of
from rsens._app.tables._dates import CYCLES, DAYS, ORDERS, piece, pieces_of
from rsens._app.tables._reading import (
    FROM_FILE,
    KINDS,
    Reading,
    as_from_file,
    date_reading_as_asked,
    date_request,
    is_text,
    read_dates,
    reading_of,
    resolved_by_other_columns,
    why_still_text,
)
from rsens._errors import Argument, InputError, Sentence, warn
from rsens._table import as_pandas, plain
from rsens._text import counted, listed, quoted


@dataclass(frozen=True, eq=False)
class ReadColumns:
    """Columns as numbers and labels; the local moments of those with dates; and notes."""

    table: pd.DataFrame
    moments: dict[str, Any]
    notes: list[Note]

    def some(self, index: Any) -> ReadColumns:
        """The rows with these labels."""
        return replace(self, table=self.table.loc[index])


class TableReader(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learn how the columns of a table are read, and read new rows the same way: a transformer of scikit-learn.

    Text becomes numbers or dates if all cells of a column can be read in one way (€ 1.234,50, (1.23), 12 %, dates with
    the day first); other text, truth values and categories become pandas' categories with the levels that were learned.
    A date becomes several columns where that pays. Constant and empty columns, and columns that only name the rows, are
    left out. Missing cells stay missing: no row is left out. `rsens.study` reads its table with this class, and a saved
    model its new rows. The [command line](command-line.md#what-rsens-decides-for-you) describes the rules.

    Args:
        target: The column to predict, if the table has one: it is read like the others and is not among the outputs.
        drop: Names of columns to leave out.
        columns: Names of the columns to use; None for all.
        categorical: Names of columns whose numbers are codes.
        date: How the dates of a column are written, if its cells leave that open: {"when": "%d/%m/%Y"}, a format of
            `strptime`, or "day-first", "month-first" or "year-first". Also the columns to make of them, alone or after
            the format, {"when": "days,year"}: some of "days", "year" (time of year), "weekday" and "hour". By default
            days, and the others where they pay.
        missing_codes: Numbers that mean a missing value: "auto" finds those like −999, repeated and far from all other
            numbers; a dict gives them, {"age": [-9, 99]}; None for no such numbers.

    Attributes:
        readings_: How each column is read.
        notes_: The decisions, as records of `kind`, `columns`, `text` and `severe`; `fit` warns of severe ones.
        dropped_: The columns that were left out, each with the reason.
        groups_: The columns made of each date, by its name.
        feature_names_in_, n_features_in_: The columns of the table.

    Example:
        >>> import pandas as pd
        >>> import rsens
        >>> table = pd.DataFrame({"price": ["€ 1.234,50", "(0,50)", "€ 7", "n.d."], "town": ["Oslo", "Rome"] * 2,
        ...                       "day": ["31/01/2024", "01/02/2024", "03/02/2024", "01/02/2024"]})
        >>> reader = rsens.TableReader().fit(table)
        >>> reader.transform(table)["price"].tolist()
        [1234.5, -0.5, 7.0, nan]
        >>> reader.transform(table)["day"].tolist()
        [0.0, 1.0, 3.0, 1.0]
        >>> print(reader.notes_[-1])
        'day' was read as dates, day first ('31/01/2024' is 2024-01-31): days since 2024-01-31.
    """

    readings_: dict[str, Reading]
    notes_: list[Note]
    dropped_: dict[str, str]

    def __init__(
        self,
        *,
        target: str | None = None,
        drop: Iterable[str] = (),
        columns: Iterable[str] | None = None,
        categorical: Iterable[str] = (),
        date: Mapping[str, str | Iterable[str]] | None = None,
        missing_codes: Literal["auto"] | Mapping[str, Iterable[float]] | None = "auto",
    ) -> None:
        self.target = target
        self.drop = drop
        self.columns = columns
        self.categorical = categorical
        self.date = date
        self.missing_codes = missing_codes

    def fit(self, X: Any, y: Any = None) -> TableReader:
        """Learn how the columns of a table are read; y is ignored."""
        frame = _frame_of(X)
        self.n_features_in_ = frame.shape[1]
        self.feature_names_in_ = np.array(names_of(frame), dtype=object)
        self.choose_outputs(self.leave_out_useless(self.learn(frame.reset_index(drop=True))))
        for note in self.notes_:
            if note.severe:
                warn(note.text)
        return self

    def transform(self, X: Any) -> pd.DataFrame:
        """The rows of a table as numbers and categories; a table without a column that is needed is an error."""
        check_is_fitted(self)
        frame = _frame_of(X)
        if not hasattr(X, "columns") and hasattr(self, "n_features_in_") and frame.shape[1] != self.n_features_in_:
            # As scikit-learn words it.
            wrong = f"X has {frame.shape[1]} features, but TableReader is expecting {self.n_features_in_} features"
            raise InputError(f"{wrong} as input.")
        found = self.inputs(self.read_again(frame.reset_index(drop=True)))
        for name, reading in self.input_readings.items():
            if reading.categorical:
                found[name] = _coded(found[name], name, reading.levels)
        return found.set_axis(frame.index, axis=0)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The columns that `transform` makes."""
        check_is_fitted(self)
        return np.array([each for name in self.input_readings for each in self.made_of(name)], dtype=object)

    @property
    def recipe(self) -> dict[str, Any]:
        """How columns are read, as plain values ready for JSON; `from_recipe` makes the same reader of it."""
        check_is_fitted(self)
        return {"target": self.target, "columns": {name: each.plain for name, each in self.readings_.items()}}

    @classmethod
    def from_recipe(cls, recipe: Mapping[str, Any]) -> TableReader:
        """A fitted reader from its recipe; an `InputError` if the recipe is damaged."""
        try:
            reader = cls(target=recipe["target"])
            reader.readings_ = {name: Reading(**each) for name, each in dict(recipe["columns"]).items()}
            if not reader.input_readings or not (reader.target is None or reader.target in reader.readings_):
                raise ValueError("a column is missing")
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"this recipe does not describe how columns are read ({error}).") from None
        reader.notes_, reader.dropped_ = [], {}
        return reader

    # ---- The steps of `fit`, between which `study` leaves out rows ---------------------------------------------------

    def learn(self, frame: pd.DataFrame) -> ReadColumns:
        """Find out how each column is read, and read all."""
        frame = _named(frame)
        names = list(frame.columns)
        wanted = Roles(target=self.target, columns=self.columns, drop=self.drop).used(names)
        self.categorical_ = find_all(self.categorical, names, "the table", "categorical column")
        asked = self._asked_dates(names)
        self.notes_, self.dropped_ = [], {}
        table = {name: as_from_file(frame[name]) for name in wanted}
        found: dict[str, Reading] = {}
        for name, column in table.items():
            form = asked.get(name)
            digits = FROM_FILE in frame.attrs or not is_text(frame[name])  # from a file, or as if
            if name in self.categorical_:
                reading: Reading | None = Reading("labels")
            elif form is not None:
                reading = date_reading_as_asked(column, name, form)
            else:
                reading = reading_of(column, digits=digits)
            if reading is not None:
                found[name] = reading
                continue
            text = f"{name!r} has values of type {listed(sorted({type(each).__name__ for each in column.dropna()}))}"
            if name == self.target:
                raise InputError(f"the target {text}, not numbers or text.")
            self._leave_out(Note("unsupported", (name,), f"{text}, not numbers or text, and was left out."))
        # In a file with decimal points, the comma of 1,234 is not a decimal one.
        numbers = [name for name, reading in found.items() if reading.kind == "number" and FROM_FILE in frame.attrs]
        points = any(table[name].str.contains(".", regex=False).any() for name in numbers)
        self.readings_ = resolved_by_other_columns(found, table, self.categorical_, points=points)
        for name, reading in self.readings_.items():
            is_open = reading.kind == "labels" and name not in self.categorical_
            if is_open and (reason := why_still_text(table[name])) is not None:
                text = f"{name!r} is text: {reason}. Correct or empty these cells; or, if they are codes, use "
                note = advice("odd_cells", [name], text, "categorical", [name], severe=True)
                if name == self.target:
                    raise InputError("the target ", note.text)
                self.notes_.append(note)
        rows = self._read(table, frame.index, self.notes_)
        self._note_conversions(table, rows)
        codes = {name: rows.table[name].astype("category") for name in wanted if name in self.categorical_}
        rows = replace(rows, table=rows.table.assign(**codes))
        return rows if self.missing_codes is None else replace(rows, table=self._without_codes(rows.table))

    def leave_out_useless(self, rows: ReadColumns) -> ReadColumns:
        """The rows without columns that have no information in them; an error if none is left."""
        for name in list(self.input_readings):
            note = why_useless(name, rows.table[name], self.readings_[name], name in self.categorical_)
            if note is not None:
                self._leave_out(note)
                del self.readings_[name]
        if not self.input_readings:
            reasons = (part for reason in list(self.dropped_.values())[:3] for part in (" ", Sentence(reason)))
            n = len(rows.table)
            raise InputError(f"no columns are left of {counted(n, 'row')} (n_samples={n}).", *reasons)
        return replace(rows, table=rows.table[list(self.readings_)])

    def choose_outputs(self, rows: ReadColumns) -> None:
        """Choose the columns that dates become, and the levels of categories, by these rows."""
        parts = {name: parts for name, text in read_dates(self.date).items() if (parts := date_request(text)[1])}
        for name, reading in self.readings_.items():
            column = rows.table[name]
            if reading.categorical:
                self.readings_[name] = replace(reading, levels=_levels(column))
            elif reading.kind != "date" and name in parts:
                text = f": {name!r} was not read as dates. If it has dates, describe how they are written with "
                raise InputError(Argument("date"), text, Argument("date", {name: "%d/%m/%Y"}), ".")
            elif reading.kind == "date" and name != self.target:
                days = column.dropna()
                local = rows.moments[name].loc[days.index].to_numpy()
                pieces = pieces_of(days.to_numpy(dtype=float), local, parts.get(name, ()))
                if not pieces:
                    asked = quoted(parts[name])
                    raise InputError(Argument("date"), f": {asked} of {name!r} never changes. Ask for others.")
                self.readings_[name] = replace(reading, pieces=pieces)
            if reading.kind == "date":
                self._note_dates(name)
        for name, made in self.groups_.items():
            doubles = [each for each in made if each in self.readings_]
            if doubles:
                raise InputError(f"the dates of {name!r} make a column {doubles[0]!r}, and there is one. Rename it.")

    def read_again(self, frame: pd.DataFrame) -> ReadColumns:
        """New rows, read as before; the target may be missing."""
        frame = _named(frame)
        find_all(self.input_readings, list(frame.columns), "the table", "column", whole=True)
        known = {name: as_from_file(frame[name]) for name in self.readings_ if name in frame}
        return self._read(known, frame.index, [])

    def inputs(self, rows: ReadColumns) -> pd.DataFrame:
        """The columns that a model is given, without the target and with the columns that dates become."""
        columns: dict[str, Any] = {}
        for name, reading in self.input_readings.items():
            if reading.kind != "date" or reading.pieces == (DAYS,):
                columns[name] = plain_type(rows.table[name])
            else:
                days = rows.table[name].to_numpy(dtype=float)
                local = rows.moments[name].loc[rows.table.index].to_numpy()
                values = (piece(each, days, local) for each in reading.pieces)
                columns |= dict(zip(self.made_of(name), values, strict=True))
        return pd.DataFrame(columns, index=rows.table.index)

    @property
    def input_readings(self) -> dict[str, Reading]:
        """How each column is read, without the target."""
        return {name: reading for name, reading in self.readings_.items() if name != self.target}

    @property
    def groups_(self) -> dict[str, tuple[str, ...]]:
        """The columns that were made of one column, by its name."""
        return {name: made for name in self.input_readings if (made := self.made_of(name)) != (name,)}

    def made_of(self, name: str) -> tuple[str, ...]:
        """The outputs that a column becomes; days alone are called as the column is."""
        pieces = self.readings_[name].pieces
        return (name,) if pieces == (DAYS,) else tuple(f"{name} ({each})" for each in pieces)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    # ---- Parts of the steps ------------------------------------------------------------------------------------------

    def _read(self, table: Mapping[str, Any], index: Any, notes: list[Note]) -> ReadColumns:
        columns, moments = {}, {}
        for name in [name for name in self.readings_ if name in table]:
            columns[name], moments[name], marks = self.readings_[name].read(table[name], name)
            if marks:
                text = f"{quoted([cell for cell, _ in marks.most_common()], 3)} among its numbers or dates"
                text = f"{name!r} has {counted(marks.total(), 'cell')} with {text}, taken as missing."
                notes.append(Note("missing", (name,), text))
        return ReadColumns(pd.DataFrame(columns, index=index), moments, notes)

    def _without_codes(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table without numbers that mean a missing value, which are learned."""
        given = self.missing_codes
        asked = {} if given == "auto" else mapping(given, "missing_codes", "from columns, such as {'age': [-9]}")
        find_all(asked, list(table.columns), "the table", "column of missing codes", whole=True)
        found = {}
        for name, reading in self.readings_.items():
            if reading.categorical or reading.kind == "date":
                continue
            numbers = table[name].dropna().to_numpy(dtype=np.float64)
            codes = tuple(missing_codes(numbers)) if given == "auto" else tuple(map(float, asked.get(name, ())))
            if codes:
                self.readings_[name] = replace(reading, codes=codes)
                found[name] = table[name].mask(table[name].isin(codes))
                rows = counted(int(found[name].isna().sum() - table[name].isna().sum()), "row")
                text = f"{name!r} is {listed([f'{code:g}' for code in codes])} in {rows}, taken as missing."
                self.notes_.append(Note("missing_code", (name,), text))
        return table.assign(**found)

    def _asked_dates(self, names: list[str]) -> dict[str, str | None]:
        """The formats asked for; an error if the columns do not exist or cannot be dates."""
        asked = {name: date_request(text) for name, text in read_dates(self.date).items()}
        for name in find_all(asked, names, "the table", "date column", whole=True):
            if name in self.categorical_:
                both = (Argument("categorical"), " and in ", Argument("date"), ": leave out one.")
                raise InputError(f"{name!r} is named in ", *both)
            if name == self.target and asked[name][1]:
                raise InputError(Argument("date"), f": {name!r} is the target, which is counted in days.")
        return {name: form for name, (form, _) in asked.items()}

    def _leave_out(self, note: Note) -> None:
        """Leave out a column from now on; a severe note on it is better than this one."""
        (name,) = note.columns
        if not any(each.severe and name in each.columns for each in self.notes_):
            self.notes_.append(note)
        self.dropped_[name] = note.text

    def _note_conversions(self, table: Mapping[str, Any], rows: ReadColumns) -> None:
        """One note for all columns that were read in the same way, with an example: the longest cell and its value."""
        ways = defaultdict(list)
        for name, reading in self.readings_.items():
            if reading.categorical or reading.kind == "number":
                continue
            if is_text(table[name]) and rows.table[name].notna().any():
                cells = table[name].where(rows.table[name].notna(), "").str.strip()
                k = int(np.argmax(cells.str.len()))
                local = rows.moments[name]
                value = f"{rows.table[name].iloc[k]:.12g}" if local is None else str(local.iloc[k])
                example = f" ({cells.iloc[k]!r} is {value.removesuffix(' 00:00:00')})"
                self.readings_[name] = replace(reading, example=example)
            if reading.kind != "date":
                ways[reading.kind].append(name)
        for kind, names in ways.items():
            read = f"{quoted(names)} {'was' if len(names) == 1 else 'were'} read as {KINDS[kind][0]}"
            self.notes_.append(Note("converted", tuple(names), f"{read}{self.readings_[names[0]].example}."))

    def _note_dates(self, name: str) -> None:
        """How dates were read, the columns they became, and how to change that."""
        reading = self.readings_[name]
        cycles = [cycle.words for cycle in CYCLES if any(each.startswith(f"{cycle.name} ") for each in reading.pieces)]
        since = str(reading.origin).removesuffix("T00:00:00")
        made = listed([f"days since {since}"] * (DAYS in reading.pieces) + cycles)
        order = f", {ORDERS[reading.form]}" if reading.form in ORDERS else ""
        text = Sentence(f"{name!r} was read as dates{order}{reading.example}: {made}")
        if cycles:
            text = Sentence(text, ", together one variable. For days alone, use ", Argument("date", {name: DAYS}))
        self.notes_.append(Note("date", (name,), Sentence(text, ".")))
        if reading.others:
            others = " or ".join(ORDERS[form] for form in reading.others)
            doubt = f"The dates of {name!r} may be {others} as well: no cell decides. If they are, use "
            out = Argument("date", {name: reading.others[0]})
            self.notes_.append(Note("ambiguous", (name,), Sentence(doubt, out, ".")))


def _frame_of(X: Any) -> pd.DataFrame:
    """A table of any library, or an array, as a data frame."""
    X = as_pandas(X)
    if isinstance(X, pd.DataFrame):
        return X
    try:
        array = check_array(X, dtype=None, ensure_all_finite=False)
    except ValueError as error:
        raise InputError(str(error)) from None
    return pd.DataFrame(array, columns=[f"x{d}" for d in range(array.shape[1])])


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with text as names of columns; an error if two are the same, or without rows."""
    names = names_of(frame)
    check_unique(names, "the table")
    if not len(frame):
        raise InputError("the table has no rows.")
    return frame.set_axis(names, axis=1)


def _levels(column: Any) -> tuple[Any, ...]:
    """The labels that occur: categories in their order, others sorted where they can be."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return tuple(map(plain, column.cat.remove_unused_categories().cat.categories))
    return in_order(plain(label) for label in column.dropna().unique())


def _coded(column: Any, name: str, levels: tuple[Any, ...]) -> Any:
    """Labels as categories with the levels that were learned; unknown ones are missing, with a warning."""
    unknown = [plain(label) for label in column.dropna().unique() if label not in levels]
    if unknown:
        warn(f"column {name!r} has levels that were not learned, taken as missing: {quoted(unknown)}.")
    return pd.Series(pd.Categorical(column.where(~column.isin(unknown)), categories=list(levels)), index=column.index)


def plain_type(column: Any) -> Any:
    """The column without categories that do not occur, and truth values as bool."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.remove_unused_categories()
    if column.dtype == object and len(column) and all(isinstance(value, bool) for value in column):
        return column.astype(bool)
    return column
