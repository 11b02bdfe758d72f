"""From a file or a data frame to the rows that a model is fitted to, with a note on every decision."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import pandas as pd

from rsens._app.study._settings import Settings
from rsens._app.tables import (
    Choice,
    ModelTable,
    Note,
    TableReader,
    as_amounts,
    check_unique,
    collinear_sets,
    find_all,
    keep_rows,
    names_of,
    naming,
    prepare,
    prepare_again,
    read_file,
    shortened_notes,
    split,
)
from rsens._errors import Argument, InputError, RsensWarning, Sentence
from rsens._explain import CollinearityWarning
from rsens._files import MissingPathError, fingerprint
from rsens._table import columns_of_labels
from rsens._text import counted, listed, quoted
from rsens._version import __version__
from rsens.adapters import read_numeric, two_valued_columns
from rsens.measures import Terms, check_group_columns
from rsens.models import read_metadata

#: The most rows, and cells, that are read unless more rows are asked for: a million rows of ten columns take some ten
#: minutes and two gigabytes; see docs/scaling.md.
MOST_ROWS, MOST_CELLS = 1_000_000, 30_000_000


@dataclass(frozen=True, eq=False)
class RawTable:
    """A table before its columns are read: rows numbered from 0, their labels, and the number of rows in its file.

    kept: How many rows were asked for, if not all were.
    by: The column that has the subgroups, if there is one.
    """

    frame: pd.DataFrame
    labels: pd.Index | None
    n_rows: int
    notes: tuple[Note, ...]
    kept: dict[str, Any] | None = None
    by: Any = None

    @classmethod
    def of(cls, settings: Settings, target: str | None, least: int = 2) -> RawTable:
        """The columns and rows that were asked for, of a file or a data frame."""
        data, asked = settings.data, replace(settings.roles, target=target)
        if isinstance(data, pd.DataFrame):
            names = names_of(data)
            check_unique(names, "the table")
            frame = data.set_axis(names, axis=1).reset_index(drop=True)[asked.read(names, "the table")]
            raw = cls(frame, data.index, len(data), ())
        else:
            # Rows with missing values are left out, and rows are chosen by conditions, before rows are drawn.
            options: dict[str, Any] = {"max_rows": max(MOST_ROWS, settings.rows or 0), "seed": settings.seed}
            file = read_file(data, asked, header=settings.header, least=least, **options)
            raw, names = cls(file.frame, None, file.n_rows, file.notes), file.names
        frame = raw.frame
        if settings.where:
            codes = split(settings.categorical, list(frame.columns))
            frame, note, kept = keep_rows(frame, tuple(settings.where), codes=codes, date=settings.date)
            raw = replace(raw, notes=(*raw.notes, note), kept=kept)
        by = None if settings.by is None else as_amounts(frame, settings.by)
        return replace(raw, frame=frame[asked.used(names, "the table")], by=by)

    def most_rows(self, asked: int | None) -> int:
        """The number of rows to fit or explain at most."""
        return min(MOST_ROWS, MOST_CELLS // self.frame.shape[1]) if asked is None else asked

    def ready(self, table: ModelTable, name: str, *notes: Note) -> ModelTable:
        """The prepared rows under the labels they came with."""
        index = table.X.index
        labels = index if self.labels is None else self.labels[index.to_numpy()]
        # As X has it, if it is a column of X.
        by = None if self.by is None else table.X.get(self.by.name, self.by.loc[index]).set_axis(labels, axis=0)
        return replace(
            table,
            X=table.X.set_axis(labels, axis=0),
            y=None if table.y is None else table.y.set_axis(labels, axis=0),
            clusters=None if table.clusters is None else table.clusters.set_axis(labels, axis=0),
            by=by,
            notes=tuple(shortened_notes([*self.notes, *table.notes, *notes])),
            name=name,
            n_rows=self.n_rows,
            kept=self.kept,
        )


def read_table(settings: Settings) -> ModelTable:
    """Read, prepare, choose the likelihood, and draw the rows that were asked for, or that can be handled."""
    target, rows, seed = str(settings.target), settings.rows, int(settings.seed)  # type: ignore[arg-type]
    raw = RawTable.of(settings, target)
    table = prepare(
        raw.frame,
        target,
        missing=settings.missing,
        cluster=settings.cluster,
        likelihood=settings.likelihood,
        rows=raw.most_rows(rows),
        seed=seed,
        categorical=split(settings.categorical, list(raw.frame.columns)),
        date=settings.date,
    )
    if table.n_complete == len(table.X):
        return raw.ready(table, settings.data_name)
    more = Sentence(": more may not fit in memory. If they do, ask for more with ", Argument("rows"))
    text = f"The model is fitted to {len(table.X):,} of {table.n_complete:,} rows, drawn at random (seed {seed})"
    note = Note("sample", (), Sentence(text, more if rows is None else "", "."))
    return raw.ready(table, settings.data_name, note)


def read_new_rows(settings: Settings, reader: TableReader, cluster: str | None = None) -> ModelTable:
    """New rows for a model from a file, read as its own data were; the target may be missing."""
    raw = RawTable.of(settings, None, least=1)
    known = [name for name in raw.frame.columns if name in reader.readings_]
    table = prepare_again(
        raw.frame[known] if known else raw.frame,
        reader,
        missing=settings.missing,
        rows=raw.most_rows(settings.rows),
        seed=int(settings.seed),  # type: ignore[arg-type]
    )
    others = {*known, reader.target, cluster, settings.by}
    notes = []
    if extra := [name for name in raw.frame.columns if name not in others]:
        text = f"{counted(len(extra), 'column')} that the model does not know {'was' if len(extra) == 1 else 'were'}"
        notes.append(Note("skipped", tuple(extra), f"{text} left out."))
    labels = raw.frame[cluster].loc[table.X.index] if cluster in raw.frame else None
    if labels is not None and labels.notna().all() and labels.astype(str).nunique() > 1:
        table = replace(table, clusters=labels)
    return raw.ready(table, settings.data_name, *notes)


#: The columns of each group, by its name.
ColumnGroups = dict[str, tuple[str, ...]]


def merged_groups(asked: Mapping[str, Iterable[str]], table: ModelTable) -> ColumnGroups:
    """The groups that are explained, from the table and from the user.

    In a group that is asked for, the name of a group of the table means its columns, and both become one. Columns that
    were left out of the table, with a note, are left out of their group.
    """
    names, dropped = tuple(map(str, table.X.columns)), table.reader.dropped_
    there = (*names, *table.groups, *dropped)
    left, groups = dict(table.groups), {}
    for name, members in asked.items():
        columns = split(members, there)
        find_all(columns, there, "the table", f"column for {str(name)!r}", whole=True)
        if whole := tuple(each for one in columns if one not in dropped for each in left.pop(one, (one,))):
            groups[name] = whole
    taken = {column for members in groups.values() for column in members}
    rest = {name: tuple(column for column in members if column not in taken) for name, members in left.items()}
    if doubles := [name for name in groups if rest.get(name)]:
        raise InputError(
            Argument("groups"), f": there is a column {doubles[0]!r} outside the group too. Rename the group."
        )
    groups |= {name: members for name, members in rest.items() if members}
    check_group_columns(Terms.of(groups, names), names, columns_of_labels(table.X))
    return groups


def compared_columns(X: pd.DataFrame, numeric: Iterable[str], groups: ColumnGroups) -> tuple[int, ...]:
    """Positions of the numeric columns whose two values are compared; columns of a group move along a direction."""
    names = tuple(map(str, X.columns))
    grouped = Terms.of(groups, names).grouped_columns
    return tuple(d for d in two_valued_columns(X, numeric, names) if d not in grouped)


#: How many sets of columns that determine one another are named, the first with their consequences.
MOST_SETS = 3
EFFECT = (
    "They share their effect: each may have a small value although together they matter, and pairs among them show how "
    "unsure the model is rather than interactions."
)


def collinear_notes(table: ModelTable, groups: ColumnGroups) -> list[Note]:
    """A note for each set of columns that determine one another."""
    names = tuple(map(str, table.X.columns))
    found = collinear_sets(table.X, Terms.of(groups, names))
    levels = {names[d] for d in columns_of_labels(table.X)}
    notes = [_note(*each, groups, levels, first=not k) for k, each in enumerate(found[:MOST_SETS])]
    if len(found) > MOST_SETS:
        more = tuple(dict.fromkeys(name for members, _ in found[MOST_SETS:] for name in members))
        notes.append(Note("collinear", more, f"{len(found) - MOST_SETS} more such sets: {listed(more, 10)}."))
    return notes


def _note(names: tuple[str, ...], r2: float, groups: ColumnGroups, levels: set[str], *, first: bool) -> Note:
    share = (
        f"R² of one on the {'other' if len(names) == 2 else 'others'} {f'{r2:.3f}' if r2 < 0.9995 else 'above 0.999'}"
    )
    text = (
        f"{listed([repr(name) for name in names])} determine one another ({share}). {EFFECT if first else ''}".strip()
    )
    columns = [column for name in names for column in groups.get(name, (name,))]
    drop = Sentence("leave out redundant ones, such as ", naming("drop", names[-1:]))
    if levels & set(names):
        return Note("collinear", names, Sentence(text, " You can ", drop, "."))
    rank = Sentence(" Rank them as one with ", Argument("groups", {"together": columns}), ", or ", drop, ".")
    return Note("collinear", names, Sentence(text, rank))


def new_warning(warning: RsensWarning, notes: Sequence[Note]) -> RsensWarning | None:
    """A warning without the collinear columns that a note has named already, or None if nothing is left of it."""
    if not isinstance(warning, CollinearityWarning):
        return warning
    said = {name for note in notes if note.kind == "collinear" for name in note.columns}
    left = [name for name in warning.names if name not in said]
    return CollinearityWarning(*left) if left else None


def numeric_columns(asked: Iterable[str], X: pd.DataFrame) -> tuple[str, ...]:
    """The columns that are to have slopes, by name, or an `InputError`."""
    names = tuple(map(str, X.columns))
    found = find_all(asked, names, "the table", "numeric column")
    read_numeric(sorted(found), names, columns_of_labels(X))
    return tuple(name for name in names if name in found)


def note_on_two_values(names: Sequence[str]) -> list[Note]:
    """A note on columns with two numbers that are compared, and how to get slopes."""
    if not names:
        return []
    two = "has two values and is" if len(names) == 1 else "have two values and are"
    text = f"{quoted(names)} {two} compared between them, like a category. For slopes instead, use "
    return [Note("two_values", tuple(names), Sentence(text, naming("numeric", names), "."))]


def to_metadata(reader: TableReader, likelihood: Choice, data: str, clusters: Any) -> dict[str, Any]:
    """The description of a model's table, ready for `save_model`."""
    classes = None if likelihood.classes is None else list(map(str, likelihood.classes))
    choice = {"kind": likelihood.kind, "reason": str(likelihood.reason), "classes": classes}
    cluster = None if clusters is None else str(clusters.name)
    return {"reader": reader.recipe, "likelihood": choice, "data": data, "cluster": cluster}


def from_metadata(path: str | os.PathLike[str]) -> tuple[TableReader, Choice, str, str | None]:
    """How columns are read, the likelihood, and the names of the data and the column of clusters."""
    give = "Give a model.rsens that `rsens explain` wrote"
    try:
        stored = read_metadata(path)
        kind, reason, classes = (stored["likelihood"][name] for name in ("kind", "reason", "classes"))
        choice = Choice(str(kind), str(reason), None if classes is None else tuple(classes))
        return TableReader.from_recipe(stored["reader"]), choice, str(stored["data"]), stored["cluster"]
    except MissingPathError:
        raise
    except InputError as error:
        raise InputError(error.sentence, f" {give}.") from None
    except (KeyError, TypeError, ValueError):
        raise InputError(
            f"{path} has no description of how its columns were read. {give}; other models are explained in Python, "
            "with rsens.load_model and rsens.explain."
        ) from None


PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas")


def provenance(table: ModelTable, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Where a result comes from: enough to do it again, as plain values, ready for JSON.

    The fingerprint covers the rows that were used, and which belong together.
    """
    clusters = () if table.clusters is None else (pd.factorize(table.clusters)[0],)
    return {
        "data": table.name,
        "target": str(table.reader.target),
        "rows_in_data": table.n_rows,
        "rows_used": len(table.X),
        **({} if table.kept is None else {"rows_kept": table.kept}),
        "columns_used": [str(name) for name in table.X.columns],
        "clusters": None if table.clusters is None else int(table.clusters.nunique()),
        "fingerprint": fingerprint(table.X, None if table.y is None else table.y.to_numpy(), *clusters),
        "arguments": dict(arguments),
        "versions": {"rsens": __version__, "python": platform.python_version()}
        | {package: version(package) for package in PACKAGES},
    }
