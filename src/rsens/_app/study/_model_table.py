"""From a file or a data frame to the rows that a model is fitted to, with a note for everything that was done."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables import Choice, Note, choose_likelihood, prepare, prepare_again, read_file
from rsens._app.tables._columns import chosen, split
from rsens._errors import InputError
from rsens._text import counted

#: The most rows of a file that are held at once. Rows with missing values are left out of these, and then some drawn.
HELD_ROWS = 50_000
#: Notes about rows, which stay true when rows are drawn; those about columns are made again.
OF_ROWS = ("missing", "infinite")


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it comes: rows numbered from 0, their labels, its name, and how many rows its file has."""

    frame: pd.DataFrame
    labels: pd.Index | None
    name: str
    n_rows: int
    notes: tuple[Note, ...]


@dataclass(frozen=True, eq=False)
class Gathered:
    """Inputs and target, ready for a model; see `Prepared`."""

    name: str
    n_rows: int
    X: pd.DataFrame
    y: Any
    likelihood: Choice
    notes: tuple[Note, ...]
    recipe: dict[str, Any]


def gather(
    data: Any,
    target: str,
    *,
    likelihood: str,
    missing: str,
    drop: Iterable[str],
    columns: Iterable[str] | None,
    categorical: Iterable[str],
    rows: int | None,
    limit: Callable[[Choice], int],
    seed: int,
) -> Gathered:
    """Read, prepare, choose the likelihood, and draw `rows` rows at random, or at most limit(likelihood)."""
    categorical = list(categorical)
    table = _read(data, target, columns, drop, max(HELD_ROWS, rows or 0), seed, categorical)
    options: dict[str, Any] = {"missing": missing, "categorical": split(categorical, list(table.frame.columns))}
    prepared = prepare(table.frame, target, **options)
    choice = choose_likelihood(prepared.y, likelihood)
    if likelihood == "auto" and prepared.recipe["columns"][target][0] in ("date", "duration"):
        choice = Choice("gaussian", "points or lengths of time, in days")  # whole days are no counts
    notes, most = list(table.notes), limit(choice) if rows is None else rows
    if len(prepared.X) > most:
        total = len(prepared.X)
        whole = prepared
        # Prepared anew: a column may be constant in the rows that were drawn.
        prepared = prepare(table.frame.loc[_drawn(prepared.X.index, most, seed)], target, **options)
        notes += [note for note in whole.notes if note.kind in OF_ROWS or _stands(note, prepared.kinds)]
        choice = Choice(choice.kind, choice.reason, choose_likelihood(prepared.y, choice.kind).classes)
        why = "" if rows is not None else ", to be quick; ask for more `rows` if there is time"
        text = f"The model is fitted to {len(prepared.X):,} of {total:,} rows, drawn at random (seed {seed}){why}."
        notes.append(Note("sample", (), text))
    said = {(note.kind, note.columns) for note in notes if note.severe}
    notes += [note for note in prepared.notes if not (note.severe and (note.kind, note.columns) in said)]
    return Gathered(
        name=table.name,
        n_rows=table.n_rows,
        X=_labelled(prepared.X, table.labels),
        y=_labelled(prepared.y, table.labels),
        likelihood=choice,
        notes=tuple(notes),
        recipe=prepared.recipe,
    )


def gather_again(
    data: Any,
    recipe: dict[str, Any],
    likelihood: Choice,
    *,
    texts: Iterable[str],
    missing: str,
    rows: int | None,
    limit: int,
    seed: int,
) -> Gathered:
    """New rows for a model that was fitted before, read as those of its own data; the target need not be there.

    `texts` are columns whose levels are text, even if they look like numbers.
    """
    target, ways = str(recipe["target"]), dict(recipe["columns"])
    table = _read(data, None, None, (), max(HELD_ROWS, rows or 0), seed, texts, least=1)
    frame = table.frame[[name for name in table.frame.columns if name in ways]]
    prepared = prepare_again(table.frame if frame.empty else frame, recipe, missing=missing)
    notes, most = [*table.notes, *prepared.notes], limit if rows is None else rows
    X, y = prepared.X, prepared.y
    if len(X) > most:
        index = _drawn(X.index, most, seed)
        notes.append(
            Note("sample", (), f"{len(index):,} of {len(X):,} rows are explained, drawn at random (seed {seed}).")
        )
        X, y = X.loc[index], None if y is None else y.loc[index]
    extra = [name for name in table.frame.columns if name not in ways and name != target]
    if extra:
        text = f"{counted(len(extra), 'column')} that the model does not know {'was' if len(extra) == 1 else 'were'}"
        notes.append(Note("skipped", tuple(extra), f"{text} left out."))
    X, y = _labelled(X, table.labels), _labelled(y, table.labels)
    return Gathered(table.name, table.n_rows, X, y, likelihood, tuple(notes), recipe)


def name_of(data: Any) -> str:
    """What a table is called: the name of its file without folder and ending."""
    if isinstance(data, pd.DataFrame):
        return "data"
    if str(data) == "-":
        return "stdin"
    name = Path(data).name
    for ending in (".gz", ".csv", ".tsv", ".txt", ".parquet"):
        name = name[: -len(ending)] if name.lower().endswith(ending) and len(name) > len(ending) else name
    return name


def _read(
    data: Any,
    target: str | None,
    columns: Iterable[str] | None,
    drop: Iterable[str],
    most: int,
    seed: int,
    as_text: Iterable[str],
    least: int = 2,
) -> Table:
    if isinstance(data, pd.DataFrame):
        names = [str(name) for name in data.columns]
        wanted = chosen(names, target, columns, drop, "the table")
        frame = data.set_axis(names, axis=1)
        if len(set(names)) == len(names):  # else `prepare` says so
            frame = frame[wanted]
        return Table(frame.reset_index(drop=True), data.index, name_of(data), len(data), ())
    if not isinstance(data, str | os.PathLike):
        raise InputError(f"data must be a data frame or the path of a file; got {type(data).__name__}.")
    options: dict[str, Any] = {"max_rows": most, "seed": seed, "as_text": as_text, "least": least}
    file = read_file(data, columns=columns, drop=drop, target=target, **options)
    return Table(file.frame, None, name_of(data), file.n_rows, file.notes)


def _stands(note: Note, kinds: dict[str, str]) -> bool:
    """Whether a note on all rows is a warning for those that were drawn: odd cells may not be among them."""
    return note.severe and not (note.kind == "odd_cells" and kinds.get(note.columns[0], "categorical") != "categorical")


def _drawn(index: pd.Index, n: int, seed: int) -> pd.Index:
    """n of the rows, in their order."""
    rng = np.random.default_rng([seed, len(index)])
    return index[np.sort(rng.choice(len(index), n, replace=False))]


def _labelled(rows: Any, labels: pd.Index | None) -> Any:
    """The rows with the labels that they came with."""
    return rows if rows is None or labels is None else rows.set_axis(labels[rows.index.to_numpy()], axis=0)
