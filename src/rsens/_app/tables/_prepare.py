"""From a table to inputs and target: what each column is, and which columns and rows are left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables._cells import marks_note
from rsens._app.tables._clean import clean
from rsens._app.tables._columns import CLUSTER, columns_to_read, find_all
from rsens._app.tables._look import look
from rsens._app.tables._notes import Note, naming
from rsens._app.tables._odd import odd_cells
from rsens._app.tables._readings import WORDS, Reading, ambiguity, fits_both, reading_of, settled_by_others
from rsens._app.tables._useless import shown, useless
from rsens._arguments import one_of
from rsens._errors import Argument, InputError, Sentence
from rsens._text import counted, quoted


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """Inputs and target without missing values, ready for a model.

    X: Numbers, and text, categories or truth values, which models take as categorical.
    y: The target: numbers or labels; None if new rows have none.
    notes: What was done and seen.
    dropped: The columns that were left out, each with the reason.
    kinds: "number", "date" or "categorical" for each column of X.
    recipe: How columns are read, in plain values: for `prepare_again`, and to be stored with a model.
    clusters: The labels of rows that belong together; None if no column has them.
    """

    X: pd.DataFrame
    y: Any
    notes: tuple[Note, ...]
    dropped: dict[str, str]
    kinds: dict[str, str]
    recipe: dict[str, Any]
    clusters: Any = None


def prepare(
    frame: pd.DataFrame,
    target: str,
    *,
    missing: str = "drop",
    drop: Iterable[str] = (),
    columns: Iterable[str] | None = None,
    categorical: Iterable[str] = (),
    cluster: str | None = None,
) -> PreparedTable:
    """Decide what each column is, and leave out what no model can use.

    Columns of text, truth values and categories are categorical; text is read as numbers or dates where there is only
    one way to do it (`_readings` has the rules). Values of mixed types are read as if they came from a file. Whole
    numbers are numbers, however few different ones there are. Left out are empty columns, constant columns, text that
    differs in every row, and text with more than 20 different values that is new in more than half of the rows. Numbers
    that seem to name rows are kept, with a note, unless the column has no name. Infinite values count as missing; so do
    a dash, n.d. and the like among numbers (see `_cells`).

    Severe notes say that a few odd cells keep a column from being numbers (an error if it is the target), that a column
    is the target in other words, or that a number may stand for a missing value.

    Args:
        frame: The table, with the target; `read_file` gives one.
        target: The name of the target.
        missing: "drop" leaves out rows with missing values, also of the target; "error" refuses them.
        drop: Names of columns to leave out.
        columns: Names of the columns to use; None for all.
        categorical: Names of columns whose numbers or texts are codes.
        cluster: The name of a column whose labels say which rows belong together. It is not a column of X.
    """
    one_of(missing, "missing", ("drop", "error"))
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise InputError("the table has columns of the same name. Rename them so that each is unique.")
    frame = frame.set_axis(names, axis=1)
    wanted = columns_to_read(names, target, columns, drop, "the table", cluster)
    codes = find_all(categorical, names, "the table", "categorical column")
    _check_rows(frame)
    steps = _Preparation([], {}, {})
    labels = None if cluster is None else frame[cluster]
    table, readings = steps.read(steps.clean(frame[[name for name in wanted if name != cluster]], codes), codes, target)
    table = steps.finite(table)
    table = steps.without_useless(table, readings, codes, target)
    table = steps.complete(table, missing, target, labels)
    table = steps.without_useless(table, readings, codes, target)  # rows are gone, and perhaps all but one value
    _check(table, target)
    steps.note_odd_cells()
    steps.notes += look(table, readings, codes, target)
    prepared = steps.result(table, {name: readings[name] for name in table.columns}, target)
    return prepared if labels is None else _with_clusters(prepared, labels.loc[table.index])


def prepare_again(frame: pd.DataFrame, recipe: Mapping[str, Any], *, missing: str = "drop") -> PreparedTable:
    """New rows, read as the rows that a model was fitted to; `recipe` comes from `PreparedTable.recipe`.

    The target may be there or not. Only rows with missing values are left out.
    """
    one_of(missing, "missing", ("drop", "error"))
    target, readings = _from_recipe(recipe)
    names = [str(name) for name in frame.columns]
    frame = frame.set_axis(names, axis=1)
    absent = [name for name in readings if name not in names and name != target]
    if absent:
        find_all(absent, names, "the table", "column", whole=True)
    _check_rows(frame)
    wanted = [name for name in readings if name in names]
    steps = _Preparation([], {}, {})
    frame = steps.clean(frame[wanted], {name for name in wanted if readings[name].kind == "labels"})
    table = pd.DataFrame({name: readings[name].read(frame[name], name) for name in wanted}, index=frame.index)
    table = steps.complete(steps.finite(table), missing, target)
    if table.empty:
        raise InputError("no rows are left: each has a missing value.")
    return steps.result(table, readings, target)


@dataclass
class _Preparation:
    """The steps, and the notes they make."""

    notes: list[Note]
    dropped: dict[str, str]
    odd: dict[str, str]  # columns of text that would be numbers but for a few cells

    def clean(self, frame: pd.DataFrame, codes: set[str]) -> pd.DataFrame:
        """Columns as a file would give them, without marks of missing values among numbers."""
        columns = {}
        for name in frame.columns:
            columns[name], marks = clean(frame[name], as_text=name in codes)
            if marks:
                self.notes.append(marks_note(name, marks))
        return pd.DataFrame(columns, index=frame.index)

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
                self._leave_out(_unsupported(name, frame[name]))
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
            if name not in codes:
                self._note_reading(name, column, reading, target)
        self._note_conversions(readings)
        return pd.DataFrame(columns, index=frame.index), readings

    def _note_reading(self, name: str, column: Any, reading: Reading, target: str) -> None:
        if reading.kind == "date":
            since = str(reading.origin).removesuffix("T00:00:00")
            self.notes.append(Note("date", (name,), f"{name!r} has dates, counted in days since {since}."))
        elif reading.kind == "labels" and (reason := ambiguity(column)):
            self.notes.append(Note("ambiguous", (name,), f"{name!r} was taken as text: {reason}."))
        elif reading.kind == "labels" and (found := odd_cells(column)):
            if name == target:
                raise InputError(f"the target {name!r} has {found}, so it is text. ", _mend(name))
            self.odd[name] = found

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

    def without_useless(
        self, table: pd.DataFrame, readings: Mapping[str, Reading], codes: set[str], target: str
    ) -> pd.DataFrame:
        """The table without columns that say nothing."""
        for name in [name for name in table.columns if name != target]:
            note = useless(name, table[name], readings[name].categorical, name in codes)
            if note is not None:
                self._leave_out(note)
        return table[[name for name in table.columns if name not in self.dropped]]

    def complete(self, table: pd.DataFrame, missing: str, target: str, clusters: Any = None) -> pd.DataFrame:
        """The rows in which nothing is missing, nor the label of the cluster, if there are any."""
        gaps = table.isna() if clusters is None else table.isna().assign(**{clusters.name: clusters.isna()})
        incomplete = gaps.any(axis=1)
        if not incomplete.any():
            return table
        counts = gaps.sum()[lambda count: count > 0].sort_values(ascending=False)
        listed = ", ".join(f"{name!r} {count:,}" for name, count in counts.head(10).items())
        more = f" and {len(counts) - 10} more columns" if len(counts) > 10 else ""
        found = f"{int(incomplete.sum()):,} of {counted(len(table), 'row')}"
        inputs = [str(name) for name in counts.index if name in table.columns and name != target]
        if missing == "error":
            raise InputError(
                f"{found} have missing values, by column: {listed}{more}. Fill them, ",
                Sentence("leave columns out with ", naming("drop", inputs), ", ") if inputs else "",
                "or leave the rows out with ",
                Argument("missing", "drop"),
                ".",
            )
        if incomplete.all():
            raise InputError(
                f"no rows are left: each has a missing value, by column: {listed}{more}.",
                Sentence(" Leave out columns like the first: ", naming("drop", inputs[:1]), ".") if inputs else "",
            )
        text = f"{found} have missing values and were left out, by column: {listed}{more}."
        severe = 2 * int(incomplete.sum()) > len(table)  # the rows that are left may say little about the table
        self.notes.append(Note("missing", tuple(map(str, counts.index)), text, severe))
        return table[~incomplete]

    def note_odd_cells(self) -> None:
        """At the end, when it is known which columns were left out."""
        for name, found in self.odd.items():
            left = " and left out" if name in self.dropped else ""
            text = Sentence(f"{name!r} has {found}, so it was taken as text{left}. ", _mend(name))
            self.notes.append(Note("odd_cells", (name,), text, severe=True))

    def result(self, table: pd.DataFrame, readings: Mapping[str, Reading], target: str) -> PreparedTable:
        """Inputs and target, in the types that models take."""
        columns = {name: _settled(table[name]) for name in table.columns}
        X = pd.DataFrame({name: column for name, column in columns.items() if name != target}, index=table.index)
        kinds = {name: _kind(readings[name]) for name in X.columns}
        ways = {name: [reading.kind, reading.origin] for name, reading in readings.items()}
        recipe = {"target": target, "columns": ways}
        return PreparedTable(X, columns.get(target), tuple(self.notes), dict(self.dropped), kinds, recipe)

    def _leave_out(self, note: Note) -> None:
        self.notes.append(note)
        self.dropped[note.columns[0]] = note.text


def _mend(name: str) -> Sentence:
    """What to do about cells that keep a column from being numbers."""
    return Sentence(
        "Correct or empty these cells; or, if the column has codes, use ", naming("categorical", [name]), "."
    )


def _check_rows(frame: pd.DataFrame) -> None:
    if not len(frame):
        raise InputError("the table has no rows.")


def _unsupported(name: str, column: Any) -> Note:
    types = dict.fromkeys(type(value).__name__ for value in column.dropna())
    return Note("unsupported", (name,), f"{name!r} has values of type {' and '.join(types)} and was left out.")


def _check(table: pd.DataFrame, target: str) -> None:
    if len(table) == 1:
        raise InputError("only one row is left. A model needs many more.")
    if table[target].nunique() == 1:
        value = shown(table[target].iloc[0])
        raise InputError(f"the target {target!r} has only one value, {value}: there is nothing to explain.")
    if len(table.columns) == 1:
        raise InputError(f"no columns are left beside the target {target!r}: there is nothing to explain it with.")


def _with_clusters(prepared: PreparedTable, labels: Any) -> PreparedTable:
    """The table with its clusters, and a note on them; an error if they divide nothing."""
    name, n = str(labels.name), len(labels)
    try:
        sizes = labels.value_counts()
    except TypeError:  # lists and the like
        got = type(labels.iloc[0]).__name__
        raise InputError(CLUSTER, f": {name!r} must have text, numbers or dates; got values of type {got}.") from None
    if len(sizes) == 1:
        raise InputError(
            CLUSTER,
            f": {name!r} has only one value, {shown(labels.iloc[0])}, so all rows would belong together. Name a column "
            "with more, or leave it out.",
        )
    if len(sizes) == n:
        text = f"{name!r} has a different value in each row: every row is its own cluster, as without it."
    else:
        least, most = int(sizes.min()), int(sizes.max())
        each = f"{most}" if least == most else f"{least} to {most}"
        text = (
            f"Rows with the same {name!r} belong together: {len(sizes):,} clusters of {each} rows. They stay together "
            "wherever the model is fitted to a part of the rows."
        )
    recipe = prepared.recipe | {"cluster": name}
    return replace(prepared, notes=(*prepared.notes, Note("clusters", (name,), text)), recipe=recipe, clusters=labels)


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
