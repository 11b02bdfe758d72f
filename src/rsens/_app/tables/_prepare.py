"""From a table to inputs and target: which rows and columns a model is given, with a note on every decision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables._checks import short_repr, suspicions
from rsens._app.tables._columns import Note, Roles, names_of, naming
from rsens._app.tables._likelihood import Choice, choose_likelihood
from rsens._app.tables._reader import ReadColumns, TableReader, plain_type
from rsens._arguments import one_of
from rsens._errors import Argument, InputError, Sentence
from rsens._text import counted, first_few

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
    clusters: The label of each row's cluster; None without a column of clusters.
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
    clusters: Any = None
    n_complete: int = 0
    name: str = "data"
    n_rows: int = 0
    kept: dict[str, Any] | None = None
    by: Any = None

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Columns that were made from one column, by its name: they are explained together."""
        return self.reader.groups_


def prepare(
    frame: pd.DataFrame,
    target: str,
    *,
    cluster: str | None = None,
    missing: str = "drop",
    likelihood: str = "auto",
    rows: int | None = None,
    seed: int = 0,
    **options: Any,
) -> ModelTable:
    """Read a table, and leave out the rows and columns that a model cannot use.

    `missing` is "drop" or "error", about rows with missing values; `rows` the most rows to keep, drawn at random with
    the seed; `options` are the other arguments of `TableReader`.
    """
    one_of(missing, "missing", MISSING_ROWS)
    frame = frame.set_axis(names_of(frame), axis=1)
    roles = {name: options.pop(name) for name in ("columns", "drop") if name in options}
    wanted = Roles(target=target, cluster=cluster, **roles).used(list(frame.columns))
    clusters = None if cluster is None else frame[cluster]
    reader = TableReader(target=target, missing_codes=None, **options)
    found = reader.leave_out_useless(reader.learn(frame[[name for name in wanted if name != cluster]]))
    found = _complete(found, reader, reader.notes_, missing, clusters)
    found = reader.leave_out_useless(found)  # rows are gone, and perhaps all but one value
    choice = _likelihood(found, reader, likelihood)
    index = drawn(found.table.index, rows, seed)
    some = found.some(index)
    if len(index) < len(found.table):
        some = reader.leave_out_useless(some)
        choice = replace(choice, classes=_likelihood(some, reader, choice.kind).classes)
    reader.choose_outputs(some)
    notes = [*reader.notes_, *suspicions(found.table[list(reader.readings_)], reader.readings_, target)]
    if clusters is not None:
        clusters = clusters.loc[index]
        notes.append(cluster_note(clusters))
    y = plain_type(some.table[target])
    return ModelTable(reader.inputs(some), y, tuple(notes), reader, choice, clusters, len(found.table))


def prepare_again(
    frame: pd.DataFrame, reader: TableReader, *, missing: str = "drop", rows: int | None = None, seed: int = 0
) -> ModelTable:
    """New rows, read as the rows of the model were. The target may be missing; only rows with gaps are left out."""
    one_of(missing, "missing", MISSING_ROWS)
    found = reader.read_again(frame)
    notes = list(found.notes)
    found = _complete(found, reader, notes, missing, None)
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
    y, kind = plain_type(found.table[reader.target]), reader.readings_[str(reader.target)].kind
    if y.nunique() == 1:
        one = f"only one value, {short_repr(y.iloc[0])}"
        raise InputError(f"the target {y.name!r} has {one}: there is nothing to explain.")
    choice = choose_likelihood(y, asked)
    return Choice("gaussian", TIMES[kind]) if asked == "auto" and kind in TIMES else choice  # days are not counts


def _complete(found: ReadColumns, reader: TableReader, notes: list[Note], missing: str, clusters: Any) -> ReadColumns:
    """The rows without a missing value, also of the cluster."""
    table = found.table
    gaps = table.isna() if clusters is None else table.isna().assign(**{str(clusters.name): clusters.isna()})
    incomplete = gaps.any(axis=1)
    n = int(incomplete.sum())
    if not n:
        return found
    counts = gaps.sum()[lambda count: count > 0].sort_values(ascending=False)
    by_column = first_few([f"{name!r} {count:,}" for name, count in counts.items()])
    inputs = [str(name) for name in counts.index if name in reader.input_readings]
    few = f"{n:,} of {counted(len(table), 'row')} have missing values"
    if missing == "error":
        out = Sentence("leave columns out with ", naming("drop", inputs), ", ") if inputs else ""
        drop = Sentence("or leave the rows out with ", Argument("missing", "drop"), ".")
        raise InputError(f"{few}, by column: {by_column}. Fill them, ", out, drop)
    if n == len(table):
        out = Sentence(" Leave out columns like the first: ", naming("drop", inputs[:1]), ".") if inputs else ""
        raise InputError(f"no rows are left: each has a missing value, by column: {by_column}.", out)
    severe = 2 * n > len(table)  # the rows that are left may not represent the table
    text = f"{few} and were left out, by column: {by_column}."
    notes.append(Note("missing", tuple(map(str, counts.index)), text, severe))
    return found.some(table.index[~incomplete])


def cluster_note(labels: Any) -> Note:
    """Describe the clusters of a table; an error if they divide nothing."""
    name, about = str(labels.name), Argument("cluster")
    odd = [type(label).__name__ for label in labels if not pd.api.types.is_hashable(label)]  # lists and the like
    if odd:
        raise InputError(about, f": {name!r} must have text, numbers or dates; got values of type {odd[0]}.")
    sizes = labels.value_counts()
    least, most = int(sizes.min()), int(sizes.max())
    if len(sizes) == 1:
        wrong = (
            f": {name!r} has only one value, {short_repr(labels.iloc[0])}. Name a column with more, or leave it out."
        )
        raise InputError(about, wrong)
    if most == 1:
        text = f"{name!r} has a different value in each row: every row is its own cluster, as without it."
    else:
        text = f"{len(sizes):,} clusters of {least} to {most} rows. They stay together in every fold and sample."
        text = f"Rows with the same {name!r} belong together: {text}"
    return Note("clusters", (name,), text)
