"""From a table to inputs and target: what each column is, and which columns and rows are left out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables._columns import CLUSTER, Note, columns_to_read, find_all, naming
from rsens._app.tables._doubtful import look, shown, useless
from rsens._app.tables._readings import (
    ColumnReader,
    Reading,
    check_have_dates,
    check_names,
    read_all_parts,
    read_formats,
)
from rsens._arguments import one_of
from rsens._errors import Argument, InputError, Sentence
from rsens._text import counted


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """Inputs and target without missing values, ready for a model.

    X: Numbers, and text, categories or truth values, which models take as categorical.
    y: The target: numbers or labels; None if new rows have none.
    notes: What was done and seen.
    dropped: The columns that were left out, each with the reason.
    kinds: "number", "date" or "categorical" for each column that was used, by its name in the table.
    recipe: How columns are read, in plain values: for `prepare_again`, and to be stored with a model.
    clusters: The labels of rows that belong together; None if no column has them.
    groups: Columns that were made from one column, by its name: they are explained together.
    readings: How columns were read, with what notes say about it.
    """

    X: pd.DataFrame
    y: Any
    notes: tuple[Note, ...]
    dropped: dict[str, str]
    kinds: dict[str, str]
    recipe: dict[str, Any]
    clusters: Any = None
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    readings: dict[str, Reading] = field(default_factory=dict)

    def some_rows(self, index: pd.Index, codes: Collection[str] = ()) -> PreparedTable:
        """Some of the rows, read as all are, without columns that are useless in them.

        `codes` are the columns that the user named as categorical.
        """
        X, y = self.X.loc[index], _settled(self.y.loc[index])
        notes, dropped = [note for note in self.notes if note.kind != "clusters"], dict(self.dropped)
        for name in self.kinds:
            own = list(self.groups.get(name, (name,)))
            found = [useless(name, X[each], self.readings[name], name in codes) for each in own]
            if found[0] is not None and None not in found:
                notes.append(found[0])
                dropped[name] = found[0].text
                X = X.drop(columns=own)
        _check_left(y, X.shape[1], dropped)
        kept = {name: reading for name, reading in self.readings.items() if name not in dropped}
        labels = None if self.clusters is None else self.clusters.loc[index]
        return replace(
            self,
            X=pd.DataFrame({name: _settled(X[name]) for name in X.columns}, index=index),
            y=y,
            notes=(*notes, *([] if labels is None else [cluster_note(labels)])),
            dropped=dropped,
            kinds={name: kind for name, kind in self.kinds.items() if name in kept},
            recipe=self.recipe | {"columns": {name: reading.plain for name, reading in kept.items()}},
            clusters=labels,
            groups={name: columns for name, columns in self.groups.items() if name in kept},
            readings=kept,
        )


def prepare(
    frame: pd.DataFrame,
    target: str,
    *,
    missing: str = "drop",
    drop: Iterable[str] = (),
    columns: Iterable[str] | None = None,
    categorical: Iterable[str] = (),
    cluster: str | None = None,
    date: Mapping[str, str] | None = None,
    date_parts: Mapping[str, Any] | None = None,
) -> PreparedTable:
    """Decide what each column is, and leave out what no model can use.

    Columns of text, truth values and categories are categorical; text is read as numbers or dates where there is only
    one way to do it (`_cells` and `_dates` have the rules). Values of mixed types are read as if they came from a
    file. Whole numbers are numbers, however few different ones there are. Left out are empty columns, constant columns,
    text that differs in every row, and text with too many levels: over 50, or over 20 with fewer than five rows each.
    Numbers that seem to name rows are kept, with a note, unless the column has no name and counts the rows. Infinite
    values count as missing; so do a dash, n.d. and the like among numbers (see `_cells`). A date becomes several
    columns where that pays (`_dates`), a group under its name.

    Severe notes say that a few odd cells keep a column from being numbers (an error if it is the target), that text
    was left out, or taken as levels, though it looks like numbers, that there are too many levels, that a column is the
    target in other words, or that a number may stand for a missing value.

    Args:
        frame: The table, with the target; `read_file` gives one.
        target: The name of the target.
        missing: "drop" leaves out rows with missing values, also of the target; "error" refuses them.
        drop: Names of columns to leave out.
        columns: Names of the columns to use; None for all.
        categorical: Names of columns whose numbers or texts are codes.
        cluster: The name of a column whose labels say which rows belong together. It is not a column of X.
        date: How the dates of a column are written: a format of strptime, or day-first, month-first or year-first.
        date_parts: What to make of the dates of a column: some of days, year, weekday and hour.
    """
    one_of(missing, "missing", ("drop", "error"))
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise InputError("the table has columns of the same name. Rename them so that each is unique.")
    frame = frame.set_axis(names, axis=1)
    wanted = columns_to_read(names, target, columns, drop, "the table", cluster)
    codes = find_all(categorical, names, "the table", "categorical column")
    formats, parts = read_formats(date), read_all_parts(date_parts)
    check_names(formats, parts, names, codes, target)
    _check_rows(frame)
    labels = None if cluster is None else frame[cluster]
    reader = ColumnReader(target, codes)
    table = reader.read(frame[[name for name in wanted if name != cluster]], formats)
    steps = _Preparation(reader)
    table = steps.finite(table)
    table = steps.without_useless(table)
    table = steps.complete(table, missing, labels)
    table = steps.without_useless(table)  # rows are gone, and perhaps all but one value
    _check_left(table[target], table.shape[1] - 1, steps.dropped)
    for name in [name for name in table.columns if reader.readings[name].kind == "date" and name != target]:
        reader.choose_parts(name, table[name], parts.pop(name, None))
    check_have_dates(parts, table.columns)
    for name in [name for name in table.columns if reader.readings[name].kind == "date"]:
        steps.notes += reader.note_on_dates(name)
    steps.notes += reader.warnings(steps.dropped)
    steps.notes += look(table, reader.readings, codes, target)
    prepared = steps.result(table)
    if labels is None:
        return prepared
    labels = labels.loc[table.index]
    recipe = prepared.recipe | {"cluster": str(labels.name)}
    return replace(prepared, notes=(*prepared.notes, cluster_note(labels)), recipe=recipe, clusters=labels)


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
    reader = ColumnReader(target, {name for name in wanted if readings[name].kind == "labels"})
    table = reader.read_again(frame[wanted], readings)
    steps = _Preparation(reader)
    table = steps.complete(steps.finite(table), missing)
    if table.empty:
        raise InputError("no rows are left: each has a missing value.")
    return replace(steps.result(table), recipe=dict(recipe))


@dataclass
class _Preparation:
    """The steps after reading, and the notes they make."""

    reader: ColumnReader
    notes: list[Note] = field(default_factory=list)
    dropped: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.target = self.reader.target
        self.notes += self.reader.notes
        for note in self.reader.unsupported:
            self._leave_out(note)

    def finite(self, table: pd.DataFrame) -> pd.DataFrame:
        """Infinite values as missing ones."""
        for name in [name for name in table.columns if table[name].dtype.kind == "f"]:
            infinite = np.isinf(table[name])
            if infinite.any():
                table = table.assign(**{name: table[name].mask(infinite)})
                text = f"{name!r} has {counted(int(infinite.sum()), 'infinite value')}, taken as missing."
                self.notes.append(Note("infinite", (name,), text))
        return table

    def without_useless(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table without columns that say nothing."""
        for name in [name for name in table.columns if name != self.target]:
            note = useless(name, table[name], self.reader.readings[name], name in self.reader.codes)
            if note is not None:
                self._leave_out(note)
        return table[[name for name in table.columns if name not in self.dropped]]

    def complete(self, table: pd.DataFrame, missing: str, clusters: Any = None) -> pd.DataFrame:
        """The rows in which nothing is missing, nor the label of the cluster, if there are any."""
        gaps = table.isna() if clusters is None else table.isna().assign(**{clusters.name: clusters.isna()})
        incomplete = gaps.any(axis=1)
        if not incomplete.any():
            return table
        counts = gaps.sum()[lambda count: count > 0].sort_values(ascending=False)
        listed = ", ".join(f"{name!r} {count:,}" for name, count in counts.head(10).items())
        more = f" and {len(counts) - 10} more columns" if len(counts) > 10 else ""
        found = f"{int(incomplete.sum()):,} of {counted(len(table), 'row')}"
        inputs = [str(name) for name in counts.index if name in table.columns and name != self.target]
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

    def result(self, table: pd.DataFrame) -> PreparedTable:
        """Inputs and target, in the types that models take."""
        readings = {name: self.reader.readings[name] for name in table.columns}
        columns: dict[str, Any] = {}
        kinds: dict[str, str] = {}
        groups: dict[str, tuple[str, ...]] = {}
        for name in [name for name in table.columns if name != self.target]:
            is_date = readings[name].kind == "date"
            own = self.reader.date_columns(name, table[name]) if is_date else {name: _settled(table[name])}
            if name not in own:
                groups[name] = tuple(own)
            doubles = [each for each in own if each != name and (each in table.columns or each in columns)]
            if doubles:
                raise InputError(f"the dates of {name!r} make a column {doubles[0]!r}, and there is one. Rename it.")
            columns |= own
            kinds[name] = "categorical" if readings[name].categorical else "date" if is_date else "number"
        X = pd.DataFrame(columns, index=table.index)
        y = _settled(table[self.target]) if self.target in table else None
        recipe = {"target": self.target, "columns": {name: reading.plain for name, reading in readings.items()}}
        return PreparedTable(
            X, y, tuple(self.notes), dict(self.dropped), kinds, recipe, groups=groups, readings=readings
        )

    def _leave_out(self, note: Note) -> None:
        if note.columns[0] not in self.reader.doubtful:  # which has a better note
            self.notes.append(note)
        self.dropped[note.columns[0]] = note.text


def _check_left(y: Any, n_inputs: int, dropped: Mapping[str, str]) -> None:
    """An error if nothing is left to explain, or to explain it with."""
    if len(y) == 1:
        raise InputError("only one row is left. A model needs many more.")
    if y.nunique() == 1:
        one = f"only one value, {shown(y.iloc[0])}"
        raise InputError(f"the target {y.name!r} has {one}: there is nothing to explain.")
    if not n_inputs:
        raise InputError(
            f"no columns are left beside the target {y.name!r}: there is nothing to explain it with.",
            *(part for reason in list(dropped.values())[:3] for part in (" ", Sentence(reason))),
        )


def _check_rows(frame: pd.DataFrame) -> None:
    if not len(frame):
        raise InputError("the table has no rows.")


def _settled(column: Any) -> Any:
    """Without categories that do not occur, and truth values as bool."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.remove_unused_categories()
    if column.dtype == object and len(column) and all(isinstance(value, bool) for value in column):
        return column.astype(bool)
    return column


def _from_recipe(recipe: Mapping[str, Any]) -> tuple[str, dict[str, Reading]]:
    """The target and how columns are read; an `InputError` if someone has changed it."""
    try:
        target, readings = recipe["target"], {name: Reading(*way) for name, way in dict(recipe["columns"]).items()}
        if target not in readings or len(readings) < 2:
            raise ValueError("no target")
        for reading in readings.values():
            pd.Timestamp(reading.origin or "1970-01-01")
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"this is not how `prepare` describes columns ({error}).") from None
    return target, readings


def cluster_note(labels: Any) -> Note:
    """A note on the clusters of a table; an error if they divide nothing."""
    name = str(labels.name)
    odd = [type(label).__name__ for label in labels if not pd.api.types.is_hashable(label)]  # lists and the like
    if odd:
        raise InputError(CLUSTER, f": {name!r} must have text, numbers or dates; got values of type {odd[0]}.")
    sizes = labels.value_counts()
    if len(sizes) == 1:
        wrong = f": {name!r} has only one value, {shown(labels.iloc[0])}, so all rows would belong together."
        raise InputError(CLUSTER, f"{wrong} Name a column with more, or leave it out.")
    least, most = int(sizes.min()), int(sizes.max())
    each = f"{most}" if least == most else f"{least} to {most}"
    text = (
        f"Rows with the same {name!r} belong together: {len(sizes):,} clusters of {each} rows. They stay together "
        "wherever the model is fitted to a part of the rows."
    )
    if most == 1:
        text = f"{name!r} has a different value in each row: every row is its own cluster, as without it."
    return Note("clusters", (name,), text)
