"""From a file or a data frame to the rows that a model is fitted to, with a note for everything that was done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.study._settings import Settings
from rsens._app.tables import (
    Choice,
    KeptRows,
    Note,
    choose_likelihood,
    columns_to_read,
    constant_target,
    gathered,
    keep_rows,
    prepare,
    prepare_again,
    read_file,
    split,
    with_columns_of,
)
from rsens._errors import Argument, Sentence
from rsens._text import counted

#: The most rows, and cells, that are read unless more rows are asked for: a million rows of ten columns take some ten
#: minutes and two gigabytes; see docs/scaling.md.
MOST_ROWS, MOST_CELLS = 1_000_000, 30_000_000
#: Notes about rows stay true when rows are drawn; notes about columns are made again.
OF_ROWS = ("missing", "infinite")
#: Why a target of each of these kinds is Gaussian.
TIMES = dict.fromkeys(("date", "duration"), "points or lengths of time, in days") | {"time": "times, in hours"}


@dataclass(frozen=True, eq=False)
class RawTable:
    """A table as it comes: rows numbered from 0, their labels, and how many rows its file has.

    extra: Columns that are read only for the conditions on rows, or for the subgroups.
    kept: The rows that were asked for, if not all were.
    by: The column that has the subgroups, if there is one.
    """

    frame: pd.DataFrame
    labels: pd.Index | None
    n_rows: int
    notes: tuple[Note, ...]
    extra: tuple[str, ...] = ()
    kept: KeptRows | None = None
    by: Any = None

    def explained(self, notes: Iterable[Note]) -> list[Note]:
        """The notes, where columns that do not vary in the rows that were asked for say so."""
        return list(notes) if self.kept is None else self.kept.explained([*notes])


@dataclass(frozen=True, eq=False)
class ModelTable:
    """Inputs and target, ready for a model; see `PreparedTable`."""

    name: str
    n_rows: int
    X: pd.DataFrame
    y: Any
    likelihood: Choice
    notes: tuple[Note, ...]
    recipe: dict[str, Any]
    clusters: Any = None
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    dropped: dict[str, str] = field(default_factory=dict)
    kept: KeptRows | None = None
    by: Any = None


def read_table(settings: Settings) -> ModelTable:
    """Read, prepare, choose the likelihood, and draw as many rows as were asked for, or as can be handled."""
    target, rows, seed = str(settings.target), settings.rows, settings.seed
    table = _read(settings, target, (*settings.categorical, *(settings.date or ())))
    codes = split(settings.categorical, list(table.frame.columns))
    options: dict[str, Any] = {
        "missing": settings.missing,
        "categorical": codes,
        "cluster": settings.cluster,
        "date": settings.date,
        "date_parts": settings.date_parts,
    }
    if table.kept is not None:
        constant_target(table.kept, target)
    prepared = prepare(table.frame, target, **options)
    choice = choose_likelihood(prepared.y, settings.likelihood)
    kind = prepared.recipe["columns"][target][0]
    if settings.likelihood == "auto" and kind in TIMES:
        choice = Choice("gaussian", TIMES[kind])  # whole days are not counts
    notes, most = list(table.notes), _most_rows(rows, table.frame.shape[1])
    if len(prepared.X) > most:
        total = len(prepared.X)
        whole = prepared
        # Prepared again: a column may be constant in the rows that were drawn. Dates are read as in all rows.
        prepared = prepare(table.frame.loc[_draw(prepared.X.index, most, seed)], target, known=whole, **options)
        notes += [note for note in whole.notes if note.kind in OF_ROWS or _still_true(note, prepared.kinds)]
        choice = Choice(choice.kind, choice.reason, choose_likelihood(prepared.y, choice.kind).classes)
        more = Sentence(": more may not fit in memory. If they do, ask for more with ", Argument("rows"))
        text = f"The model is fitted to {len(prepared.X):,} of {total:,} rows, drawn at random (seed {seed})"
        notes.append(Note("sample", (), Sentence(text, more if rows is None else "", ".")))
    severe = {(note.kind, note.columns) for note in notes if note.severe}
    notes += [note for note in prepared.notes if not (note.severe and (note.kind, note.columns) in severe)]
    notes = table.explained(notes)
    return ModelTable(
        name=settings.data_name,
        n_rows=table.n_rows,
        X=_with_labels(prepared.X, table.labels),
        y=_with_labels(prepared.y, table.labels),
        likelihood=choice,
        notes=tuple(gathered(notes)),
        recipe=prepared.recipe,
        clusters=_with_labels(prepared.clusters, table.labels),
        groups=prepared.groups,
        dropped=prepared.dropped,
        kept=table.kept,
        by=_by(table, prepared.X),
    )


def read_new_rows(
    settings: Settings, recipe: dict[str, Any], likelihood: Choice, *, texts: Iterable[str]
) -> ModelTable:
    """New rows for a model from a file, read as its own data were; the target need not be there.

    `texts` are columns whose levels are text, even if they look like numbers.
    """
    target, ways, rows, seed = str(recipe["target"]), dict(recipe["columns"]), settings.rows, settings.seed
    dates = [name for name, way in ways.items() if way[0] == "date"]
    table = _read(settings, None, (*texts, *dates), least=1)
    frame = table.frame[[name for name in table.frame.columns if name in ways]]
    prepared = prepare_again(table.frame if frame.empty else frame, recipe, missing=settings.missing)
    notes, most = [*table.notes, *prepared.notes], _most_rows(rows, table.frame.shape[1])
    X, y = prepared.X, prepared.y
    if len(X) > most:
        index = _draw(X.index, most, seed)
        text = f"{len(index):,} of {len(X):,} rows are explained, drawn at random (seed {seed})."
        notes.append(Note("sample", (), text))
        X, y = X.loc[index], None if y is None else y.loc[index]
    cluster = recipe.get("cluster")
    extra = [name for name in table.frame.columns if name not in ways and name not in (target, cluster, settings.by)]
    if extra:
        text = f"{counted(len(extra), 'column')} that the model does not know {'was' if len(extra) == 1 else 'were'}"
        notes.append(Note("skipped", tuple(extra), f"{text} left out."))
    clusters = _with_labels(_usable(table.frame.get(cluster), X.index), table.labels)
    by = _by(table, X)
    X, y = _with_labels(X, table.labels), _with_labels(y, table.labels)
    return ModelTable(
        settings.data_name,
        table.n_rows,
        X,
        y,
        likelihood,
        tuple(gathered(notes)),
        recipe,
        clusters,
        prepared.groups,
        kept=table.kept,
        by=by,
    )


def _most_rows(asked: int | None, n_columns: int) -> int:
    return min(MOST_ROWS, MOST_CELLS // n_columns) if asked is None else asked


def _by(table: RawTable, X: pd.DataFrame) -> Any:
    """The column that has the subgroups, as it was read if it is a column of X."""
    if table.by is None:
        return None
    name = str(table.by.name)
    return X[name] if name in X.columns else table.by.loc[X.index]


def _read(settings: Settings, target: str | None, as_text: Iterable[str], least: int = 2) -> RawTable:
    table = _read_all(settings, target, as_text, least)
    frame, notes, kept = table.frame, table.notes, None
    if settings.where:
        codes = split(settings.categorical, list(frame.columns))
        kept = keep_rows(frame, tuple(settings.where), codes=codes, date=settings.date)
        frame, notes = kept.frame, (*notes, kept.note)
    by = None if settings.by is None else frame[settings.by]
    return replace(table, frame=frame.drop(columns=list(table.extra)), notes=notes, kept=kept, by=by)


def _read_all(settings: Settings, target: str | None, as_text: Iterable[str], least: int) -> RawTable:
    data, columns, drop, cluster = settings.data, settings.columns, settings.drop, settings.cluster
    where = tuple(settings.where or ())
    if isinstance(data, pd.DataFrame):
        names = [str(name) for name in data.columns]
        wanted = columns_to_read(names, target, columns, drop, "the table", cluster)
        frame = data.set_axis(names, axis=1)
        extra: tuple[str, ...] = ()
        if len(set(names)) == len(names):  # else `prepare` says so
            frame = frame[with_columns_of(where, wanted, names, "the table", settings.by)]
            extra = tuple(name for name in frame.columns if name not in wanted)
        return RawTable(frame.reset_index(drop=True), data.index, len(data), (), extra)
    # Rows with missing values are left out, and rows are chosen by conditions, before rows are drawn.
    most = max(MOST_ROWS, settings.rows or 0)
    options: dict[str, Any] = {"max_rows": most, "seed": settings.seed, "as_text": as_text, "least": least}
    options["header"] = settings.header
    options |= {"where": where, "by": settings.by}
    file = read_file(data, columns=columns, drop=drop, target=target, cluster=cluster, **options)
    return RawTable(file.frame, None, file.n_rows, file.notes, file.extra)


def _usable(labels: Any, index: pd.Index) -> Any:
    """The labels of clusters of new rows, if every row has one and there are several; else None."""
    labels = None if labels is None else labels.loc[index]
    return None if labels is None or labels.isna().any() or labels.astype(str).nunique() < 2 else labels


def _still_true(note: Note, kinds: dict[str, str]) -> bool:
    """Whether a warning about all rows holds for the ones that were drawn: odd cells may not be among them."""
    return note.severe and not (note.kind == "odd_cells" and kinds.get(note.columns[0], "categorical") != "categorical")


def _draw(index: pd.Index, n: int, seed: Any) -> pd.Index:
    """Labels of n rows, drawn at random, in their order."""
    rng = np.random.default_rng([seed, len(index)])
    return index[np.sort(rng.choice(len(index), n, replace=False))]


def _with_labels(rows: Any, labels: pd.Index | None) -> Any:
    """The rows under the labels they came with."""
    return rows if rows is None or labels is None else rows.set_axis(labels[rows.index.to_numpy()], axis=0)
