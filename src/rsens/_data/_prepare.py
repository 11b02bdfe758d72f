"""From a table to inputs and target: what columns are, and which of them and which rows are left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rsens._arguments import one_of
from rsens._data._columns import chosen, find, split
from rsens._data._notes import Note, counted, quoted
from rsens._data._readings import WORDS, Reading, ambiguity, fits_both, reading_of, settled_by_others
from rsens._data._useless import may_be_codes, may_be_identifier, same_numbers, shown, useless
from rsens._errors import InputError


@dataclass(frozen=True, eq=False)
class Prepared:
    """Inputs and target without missing values, ready for a model.

    X: Numbers, and text, categories or truth values, which models take as categorical.
    y: The target: numbers or labels; None if new rows have none.
    notes: What was done and seen.
    dropped: Columns that were left out, each with the reason.
    kinds: "number", "date" or "categorical" for each column of X.
    recipe: How columns are read, in plain values: for `prepare_again`, and to be stored with a model.
    """

    X: pd.DataFrame
    y: Any
    notes: tuple[Note, ...]
    dropped: dict[str, str]
    kinds: dict[str, str]
    recipe: dict[str, Any]


def prepare(
    frame: pd.DataFrame,
    target: str,
    *,
    missing: str = "drop",
    drop: Iterable[str] = (),
    columns: Iterable[str] | None = None,
    categorical: Iterable[str] = (),
) -> Prepared:
    """Decide what each column is, and leave out what no model can use.

    Columns of text, truth values and categories are categorical; text is read as numbers or dates where there is one
    way to do it (`rsens._data._readings` has the rules). Whole numbers are numbers, however few there are. Left out are
    columns without values, constant ones, text that differs in every row, and text with more than 20 different values,
    in more than half of the rows a new one. Numbers that seem to name rows are kept, with a note, unless the column has
    no name. Infinite values count as missing.

    Args:
        frame: The table, with the target; `read_file` gives one.
        target: The name of the target.
        missing: "drop" leaves out rows with missing values, also of the target; "error" refuses them.
        drop: Names of columns to leave out.
        columns: Names of the columns to use; None for all.
        categorical: Names of columns whose numbers are codes.
    """
    one_of(missing, "missing", ("drop", "error"))
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise InputError("the table has columns of the same name. Rename them so that each is unique.")
    frame = frame.set_axis(names, axis=1)
    wanted = chosen(names, target, columns, drop, "the table")
    codes = {find(name, names, "the table", "categorical column") for name in split(categorical, names)}
    work = _Work([], {})
    table, readings = work.read(frame[wanted], codes, target)
    table = work.finite(table)
    table = work.without_useless(table, readings, target)
    table = work.complete(table, missing, target)
    table = work.without_useless(table, readings, target)  # rows are gone, and with them perhaps all but one value
    _check(table, target)
    work.look(table, readings, target)
    return work.prepared(table, {name: readings[name] for name in table.columns}, target)


def prepare_again(frame: pd.DataFrame, recipe: Mapping[str, Any], *, missing: str = "drop") -> Prepared:
    """New rows, read as those that a model was fitted on; `recipe` comes from `Prepared.recipe`.

    The target may be there or not. Nothing is left out but rows with missing values.
    """
    one_of(missing, "missing", ("drop", "error"))
    target, readings = _from_recipe(recipe)
    names = [str(name) for name in frame.columns]
    frame = frame.set_axis(names, axis=1)
    absent = [name for name in readings if name not in names and name != target]
    if absent:
        find(absent[0], names, "the table", "column")
    wanted = [name for name in readings if name in names]
    work = _Work([], {})
    table = pd.DataFrame({name: readings[name].read(frame[name], name) for name in wanted}, index=frame.index)
    table = work.complete(work.finite(table), missing, target)
    if table.empty:
        raise InputError("no rows are left: each has a missing value.")
    return work.prepared(table, readings, target)


@dataclass
class _Work:
    """The steps, and what they have to say."""

    notes: list[Note]
    dropped: dict[str, str]

    def read(self, frame: pd.DataFrame, codes: set[str], target: str) -> tuple[pd.DataFrame, dict[str, Reading]]:
        """Columns as numbers or labels, and how they were read."""
        found = {}
        for name in [name for name in frame.columns if name not in codes]:
            reading = reading_of(frame[name])
            if reading is not None:
                found[name] = reading
            elif name == target:
                raise InputError(f"the target {name!r} has values that are neither numbers nor text.")
            else:
                self._leave_out(Note("unsupported", (name,), f"{name!r} holds no numbers or text and was left out."))
        found = settled_by_others(found, frame) | dict.fromkeys(codes, Reading("labels"))
        readings = {name: found[name] for name in frame.columns if name in found}
        columns = {}
        for name, reading in readings.items():
            column = frame[name]
            if name in codes and not isinstance(column.dtype, pd.CategoricalDtype):
                column = column.astype("category")
            elif name == target and reading.kind == "labels" and fits_both(column):
                raise InputError(f"the target {name!r} is text: {ambiguity(column)}.")
            columns[name] = reading.read(column, name)
            self._note_reading(name, frame[name], reading)
        self._note_conversions(readings)
        return pd.DataFrame(columns, index=frame.index), readings

    def _note_reading(self, name: str, column: Any, reading: Reading) -> None:
        if reading.kind == "date":
            since = str(reading.origin).removesuffix("T00:00:00")
            self.notes.append(Note("date", (name,), f"{name!r} has dates, counted in days since {since}."))
        elif reading.kind == "labels" and (reason := ambiguity(column)):
            self.notes.append(Note("ambiguous", (name,), f"{name!r} was taken as text: {reason}."))

    def _note_conversions(self, readings: Mapping[str, Reading]) -> None:
        """One note for all columns that were read in the same way: in a file with decimal commas these are many."""
        kinds = dict.fromkeys(reading.kind for reading in readings.values())
        for kind in [kind for kind in kinds if kind not in ("number", "labels", "truth", "date")]:
            names = tuple(name for name, reading in readings.items() if reading.kind == kind)
            verb = "was" if len(names) == 1 else "were"
            self.notes.append(Note("converted", names, f"{quoted(names)} {verb} read as {WORDS[kind]}."))

    def finite(self, table: pd.DataFrame) -> pd.DataFrame:
        """Infinite values as missing ones."""
        for name in [name for name in table.columns if table[name].dtype.kind == "f"]:
            infinite = np.isinf(table[name])
            if infinite.any():
                table = table.assign(**{name: table[name].mask(infinite)})
                text = f"{name!r} has {counted(int(infinite.sum()), 'infinite value')}, taken as missing."
                self.notes.append(Note("infinite", (name,), text))
        return table

    def without_useless(self, table: pd.DataFrame, readings: Mapping[str, Reading], target: str) -> pd.DataFrame:
        """The table without columns that say nothing."""
        for name in [name for name in table.columns if name != target]:
            note = useless(name, table[name], readings[name].categorical)
            if note is not None:
                self._leave_out(note)
        return table[[name for name in table.columns if name not in self.dropped]]

    def complete(self, table: pd.DataFrame, missing: str, target: str) -> pd.DataFrame:
        """The rows in which nothing is missing."""
        gaps = table.isna()
        incomplete = gaps.any(axis=1)
        if not incomplete.any():
            return table
        counts = gaps.sum()[lambda count: count > 0].sort_values(ascending=False)
        listed = ", ".join(f"{name!r} {count:,}" for name, count in counts.head(10).items())
        more = f" and {len(counts) - 10} more columns" if len(counts) > 10 else ""
        found = f"{int(incomplete.sum()):,} of {counted(len(table), 'row')}"
        if missing == "error":
            raise InputError(
                f"{found} have missing values, by column: {listed}{more}. Fill them, leave these columns out, or use "
                "missing='drop' to leave the rows out."
            )
        if incomplete.all():
            worst = counts.drop(target, errors="ignore")
            advice = f" Leave out {worst.index[0]!r}, and others like it." if len(worst) else ""
            raise InputError(f"no rows are left: each has a missing value, by column: {listed}{more}.{advice}")
        text = f"{found} have missing values and were left out, by column: {listed}{more}."
        self.notes.append(Note("missing", tuple(map(str, counts.index)), text))
        return table[~incomplete]

    def look(self, table: pd.DataFrame, readings: Mapping[str, Reading], target: str) -> None:
        """Numbers that may be something else: identifiers, codes, other columns."""
        numbers = [name for name in table.columns if name != target and readings[name].kind == "number"]
        for name in numbers:
            if may_be_identifier(name, table[name]):
                text = f"{name!r} counts the rows, as an identifier does. It was kept; drop it if it only names them."
                self.notes.append(Note("identifier", (name,), text))
        codes = tuple(name for name in numbers if may_be_codes(table[name]))
        if codes:
            has = "has" if len(codes) == 1 else "have"
            text = f"{quoted(codes)} {has} few different whole numbers, taken as numbers. If they are codes, say so."
            self.notes.append(Note("whole_numbers", codes, text))
        for group in same_numbers(table[[name for name in table.columns if not readings[name].categorical]]):
            others = [name for name in group if name != target]
            text = f"{quoted(others)} are the same up to scale and share their importance. Drop all but one of them."
            if target in group:
                verb = "is" if len(others) == 1 else "are"
                text = f"{quoted(others)} {verb} the target itself, up to scale. Drop what is not known beforehand."
            self.notes.append(Note("same", tuple(others), text))

    def prepared(self, table: pd.DataFrame, readings: Mapping[str, Reading], target: str) -> Prepared:
        """Inputs and target, in the types that models take."""
        typed = {name: _settled(table[name]) for name in table.columns}
        X = pd.DataFrame({name: column for name, column in typed.items() if name != target}, index=table.index)
        kinds = {name: _kind(readings[name]) for name in X.columns}
        ways = {name: [reading.kind, reading.origin] for name, reading in readings.items()}
        recipe = {"target": target, "columns": ways}
        return Prepared(X, typed.get(target), tuple(self.notes), dict(self.dropped), kinds, recipe)

    def _leave_out(self, note: Note) -> None:
        self.notes.append(note)
        self.dropped[note.columns[0]] = note.text


def _check(table: pd.DataFrame, target: str) -> None:
    if len(table) == 1:
        raise InputError("only one row is left. A model needs many more.")
    if table[target].nunique() == 1:
        value = shown(table[target].iloc[0])
        raise InputError(f"the target {target!r} has one value only, {value}: there is nothing to explain.")
    if len(table.columns) == 1:
        raise InputError(f"no columns are left beside the target {target!r}: there is nothing to explain it with.")


def _settled(column: Any) -> Any:
    """Without categories that do not occur, and truth values as bool."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.remove_unused_categories()
    if column.dtype == object and len(column) and all(isinstance(value, bool) for value in column):
        return column.astype(bool)
    return column


def _kind(reading: Reading) -> str:
    if reading.categorical:
        return "categorical"
    return "date" if reading.kind == "date" else "number"


def _from_recipe(recipe: Mapping[str, Any]) -> tuple[str, dict[str, Reading]]:
    """The target and how columns are read; an `InputError` if someone has changed it."""
    try:
        target, ways = recipe["target"], dict(recipe["columns"])
        readings = {name: Reading(*way) for name, way in ways.items()}
        if target not in readings or len(readings) < 2:
            raise ValueError("no target")
        for reading in readings.values():
            pd.Timestamp(reading.origin or "1970-01-01")
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"this is not how `prepare` describes columns ({error}).") from None
    return target, readings
