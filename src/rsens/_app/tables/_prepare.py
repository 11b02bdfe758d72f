"""From a table to inputs and target: which rows and columns a model is given, with a note on every decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables._checks import short_repr, suspicions
from rsens._app.tables._columns import Note, names_of, naming
from rsens._app.tables._likelihood import Choice, choose_likelihood
from rsens._app.tables._reader import ReadColumns, TableReader, plain_type
from rsens._app.tables._roles import BESIDE, Roles
from rsens._arguments import one_of
from rsens._errors import Argument, InputError, Sentence
from rsens._text import counted

#: Why a target of each of these kinds is Gaussian.
TIMES = dict.fromkeys(("date", "duration"), "points or lengths of time, in days") | {"time": "times, in hours"}
#: How rows with missing values are treated.
MISSING_ROWS = ("drop", "error")


@dataclass(frozen=True, eq=False)
class ModelTable:
    """Inputs and target without missing values, ready for a model, and the table they come from.

    X: Numbers, and text, categories or truth values, which models take as categorical.
    y: The target: numbers or labels; None if new rows have none.
    notes: The decisions and observations.
    reader: How columns are read: for new rows, and stored with a model.
    likelihood: The likelihood that suits the target, a `Choice`.
    beside: The columns with a role of `BESIDE`, by role.
    n_complete: The number of rows without missing values, some of which may be drawn.
    name, n_rows: The name of the data, and the number of rows in it.
    kept: How many rows the conditions kept, if there are any.
    by: The column that has the subgroups, if there is one.
    """

    X: pd.DataFrame
    y: Any
    notes: tuple[Note, ...]
    reader: TableReader
    likelihood: Any = None
    beside: dict[str, Any] = field(default_factory=dict)
    n_complete: int = 0
    name: str = "data"
    n_rows: int = 0
    kept: dict[str, Any] | None = None
    by: Any = None

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Columns that were made from one column, by its name: they are explained together."""
        return self.reader.groups_

    @property
    def clusters(self) -> Any:
        """The label of each row's cluster; None without a column of clusters."""
        return self.beside.get("cluster")


def prepare(
    frame: pd.DataFrame,
    target: str,
    *,
    missing: str = "drop",
    likelihood: str = "auto",
    rows: int | None = None,
    seed: int = 0,
    **options: Any,
) -> ModelTable:
    """Read a table, and leave out the rows and columns that a model cannot use.

    Severe notes report that a few odd cells keep a column from being numbers (an error if it is the target), that text
    was left out, or taken as levels, though it looks like numbers, that there are too many levels, that a column is the
    target in other words, or that a number may mean a missing value.

    `missing` is "drop" or "error", about rows with missing values; `rows` the most rows to keep, drawn at random with
    the seed; `options` the columns by role and the other arguments of `TableReader`.
    """
    one_of(missing, "missing", MISSING_ROWS)
    frame = frame.set_axis(names_of(frame), axis=1)
    given = {name: options.pop(name) for name in (*BESIDE, "columns", "drop") if name in options}
    roles = Roles(target=target, **given)
    wanted = roles.used(list(frame.columns))
    beside = {role: frame[name] for role, name in roles.single.items() if role in BESIDE}
    reader = TableReader(target=target, missing_codes=None, **options)
    others = [column.name for column in beside.values()]
    found = reader.leave_out_useless(reader.learn(frame[wanted].drop(columns=others)))
    found = _complete(found, reader, reader.notes_, missing, beside)
    found = reader.leave_out_useless(found)  # rows are gone, and perhaps all but one value
    _check_left(found, reader)
    choice = _likelihood(found, reader, likelihood)
    index = drawn(found.table.index, rows, seed)
    some = found.some(index)
    if len(index) < len(found.table):
        some = reader.leave_out_useless(some)
        _check_left(some, reader)
        if choice.classes is not None:
            choice = replace(choice, classes=choose_likelihood(plain_type(some.table[target]), choice.kind).classes)
    reader.choose_outputs(some)
    notes = [*reader.notes_, *suspicions(found.table[list(reader.readings_)], reader.readings_, target)]
    beside = {role: column.loc[index] for role, column in beside.items()}
    notes += [cluster_note(labels) for role, labels in beside.items() if role == "cluster"]
    y = plain_type(some.table[target])
    return ModelTable(reader.inputs(some), y, tuple(notes), reader, choice, beside, len(found.table))


def prepare_again(
    frame: pd.DataFrame, reader: TableReader, *, missing: str = "drop", rows: int | None = None, seed: int = 0
) -> ModelTable:
    """New rows, read as the rows of the model were. The target may be missing; only rows with gaps are left out."""
    one_of(missing, "missing", MISSING_ROWS)
    found = reader.read_again(frame)
    notes = list(found.notes)
    found = _complete(found, reader, notes, missing, {})
    index = drawn(found.table.index, rows, seed)
    if len(index) < len(found.table):
        text = f"{len(index):,} of {len(found.table):,} rows are explained, drawn at random (seed {seed})."
        notes.append(Note("sample", (), text))
    found = found.some(index)
    y = plain_type(found.table[reader.target]) if reader.target in found.table else None
    return ModelTable(reader.inputs(found), y, tuple(notes), reader)


def drawn(index: Any, most: int | None, seed: int) -> Any:
    """The labels of at most this many rows, drawn at random, in their order."""
    if most is None or len(index) <= most:
        return index
    rng = np.random.default_rng([seed, len(index)])
    return index[np.sort(rng.choice(len(index), most, replace=False))]


def _likelihood(found: ReadColumns, reader: TableReader, asked: str) -> Choice:
    choice = choose_likelihood(plain_type(found.table[reader.target]), asked)
    kind = reader.readings_[str(reader.target)].kind
    return Choice("gaussian", TIMES[kind]) if asked == "auto" and kind in TIMES else choice  # days are not counts


def _complete(
    found: ReadColumns, reader: TableReader, notes: list[Note], missing: str, beside: Mapping[str, Any]
) -> ReadColumns:
    """The rows without a missing value, also in the columns beside the inputs."""
    table = found.table
    gaps = table.isna().assign(**{str(column.name): column.isna() for column in beside.values()})
    incomplete = gaps.any(axis=1)
    if not incomplete.any():
        return found
    counts = gaps.sum()[lambda count: count > 0].sort_values(ascending=False)
    listed = ", ".join(f"{name!r} {count:,}" for name, count in counts.head(10).items())
    more = f" and {len(counts) - 10} more columns" if len(counts) > 10 else ""
    few = f"{int(incomplete.sum()):,} of {counted(len(table), 'row')}"
    inputs = [str(name) for name in counts.index if name in table.columns and name != reader.target]
    if missing == "error":
        out = Sentence("leave columns out with ", naming("drop", inputs), ", ") if inputs else ""
        drop = Sentence("or leave the rows out with ", Argument("missing", "drop"), ".")
        raise InputError(f"{few} have missing values, by column: {listed}{more}. Fill them, ", out, drop)
    if incomplete.all():
        out = Sentence(" Leave out columns like the first: ", naming("drop", inputs[:1]), ".") if inputs else ""
        raise InputError(f"no rows are left: each has a missing value, by column: {listed}{more}.", out)
    text = f"{few} have missing values and were left out, by column: {listed}{more}."
    severe = 2 * int(incomplete.sum()) > len(table)  # the rows that are left may not represent the table
    notes.append(Note("missing", tuple(map(str, counts.index)), text, severe))
    return found.some(table.index[~incomplete])


def _check_left(found: ReadColumns, reader: TableReader) -> None:
    """An error if there is nothing left to explain, or to explain it with."""
    y = found.table[reader.target]
    if len(y) == 1:
        raise InputError("only one row is left. A model needs many more.")
    if y.nunique() == 1:
        one = f"only one value, {short_repr(y.iloc[0])}"
        raise InputError(f"the target {y.name!r} has {one}: there is nothing to explain.")
    if not reader.input_readings:
        raise InputError(
            f"the table has no columns left to explain the target {y.name!r} with.",
            *(part for reason in list(reader.dropped_.values())[:3] for part in (" ", Sentence(reason))),
        )


def cluster_note(labels: Any) -> Note:
    """Describe the clusters of a table; an error if they divide nothing."""
    name, about = str(labels.name), Argument("cluster")
    odd = [type(label).__name__ for label in labels if not pd.api.types.is_hashable(label)]  # lists and the like
    if odd:
        raise InputError(about, f": {name!r} must have text, numbers or dates; got values of type {odd[0]}.")
    sizes = labels.value_counts()
    if len(sizes) == 1:
        wrong = f": {name!r} has only one value, {short_repr(labels.iloc[0])}, so all rows would belong together."
        raise InputError(about, f"{wrong} Name a column with more, or leave it out.")
    least, most = int(sizes.min()), int(sizes.max())
    each = f"{most}" if least == most else f"{least} to {most}"
    text = f"Rows with the same {name!r} belong together: {len(sizes):,} clusters of {each} rows. They stay together "
    text = f"{text}in every fold and sample."
    if most == 1:
        text = f"{name!r} has a different value in each row: every row is its own cluster, as without it."
    return Note("clusters", (name,), text)
