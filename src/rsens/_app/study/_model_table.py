"""From a file or a data frame to the rows that a model is fitted to, with a note for everything that was done."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.study._settings import Settings
from rsens._app.tables import (
    Choice,
    CollinearSet,
    FileData,
    KeptRows,
    Note,
    PreparedTable,
    choose_likelihood,
    collinear_sets,
    columns_to_read,
    find_all,
    gathered,
    keep_rows,
    naming,
    prepare,
    prepare_again,
    read_file,
    split,
    with_columns_of,
)
from rsens._errors import Argument, InputError, RsensWarning, Sentence
from rsens._explain import CollinearityWarning, collinearity_warning
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
#: Why a target of each of these kinds is Gaussian.
TIMES = dict.fromkeys(("date", "duration"), "points or lengths of time, in days") | {"time": "times, in hours"}


@dataclass(frozen=True, eq=False)
class RawTable:
    """A table as it was read: rows numbered from 0, their labels, and how many rows its file has.

    kept: The rows that were asked for, if not all were.
    by: The column that has the subgroups, if there is one.
    """

    frame: pd.DataFrame
    labels: pd.Index | None
    n_rows: int
    notes: tuple[Note, ...]
    kept: KeptRows | None
    by: Any

    def ready(self, prepared: PreparedTable, name: str, likelihood: Choice, notes: Iterable[Note]) -> ModelTable:
        """The prepared rows under the labels they came with."""
        rows = {each: getattr(prepared, each) for each in ("X", "y", "clusters")}
        if self.labels is not None:
            for each, values in rows.items():
                rows[each] = None if values is None else values.set_axis(self.labels[values.index.to_numpy()], axis=0)
        by = self.by
        if by is not None:  # as it was read, if it is a column of X
            by = prepared.X[by.name] if by.name in prepared.X.columns else by.loc[prepared.X.index]
        own = {"name": name, "n_rows": self.n_rows, "likelihood": likelihood, "kept": self.kept, "by": by}
        return ModelTable(**vars(prepared) | rows | own | {"notes": tuple(gathered(list(notes)))})


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelTable(PreparedTable):
    """Inputs and target, ready for a model, with what is known of the table they come from."""

    name: str
    n_rows: int
    likelihood: Choice
    kept: KeptRows | None
    by: Any


def read_table(settings: Settings) -> ModelTable:
    """Read, prepare, choose the likelihood, and draw as many rows as were asked for, or as can be handled."""
    target, rows, seed = str(settings.target), settings.rows, settings.seed
    table = _read(settings, target, (*settings.categorical, *(settings.date or ())))
    codes = split(settings.categorical, list(table.frame.columns))
    if table.kept is not None:
        table.kept.check_target(target)
    prepared = prepare(
        table.frame,
        target,
        missing=settings.missing,
        categorical=codes,
        cluster=settings.cluster,
        date=settings.date,
        date_parts=settings.date_parts,
    )
    choice = choose_likelihood(prepared.y, settings.likelihood)
    kind = prepared.recipe["columns"][target][0]
    if settings.likelihood == "auto" and kind in TIMES:
        choice = Choice("gaussian", TIMES[kind])  # whole days are not counts
    sample, total, most = [], len(prepared.X), _most_rows(rows, table.frame.shape[1])
    if total > most:
        prepared = prepared.some_rows(_draw(prepared.X.index, most, seed), codes)
        choice = replace(choice, classes=choose_likelihood(prepared.y, choice.kind).classes)
        more = Sentence(": more may not fit in memory. If they do, ask for more with ", Argument("rows"))
        text = f"The model is fitted to {most:,} of {total:,} rows, drawn at random (seed {seed})"
        sample = [Note("sample", (), Sentence(text, more if rows is None else "", "."))]
    notes = [*table.notes, *prepared.notes, *sample]
    notes = notes if table.kept is None else [table.kept.explained(note) for note in notes]
    return table.ready(prepared, settings.data_name, choice, notes)


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
    prepared = replace(prepared, X=X, y=y, clusters=_usable(table.frame.get(cluster), X.index))
    return table.ready(prepared, settings.data_name, likelihood, notes)


def _most_rows(asked: int | None, n_columns: int) -> int:
    return min(MOST_ROWS, MOST_CELLS // n_columns) if asked is None else asked


def _read(settings: Settings, target: str | None, as_text: Iterable[str], least: int = 2) -> RawTable:
    data, where, labels = settings.data, tuple(settings.where or ()), None
    asked: dict[str, Any] = {"columns": settings.columns, "drop": settings.drop, "cluster": settings.cluster}
    if isinstance(data, pd.DataFrame):
        file, labels = _from_frame(data, target, asked, where, settings.by), data.index
    else:
        # Rows with missing values are left out, and rows are chosen by conditions, before rows are drawn.
        asked |= {"where": where, "by": settings.by, "as_text": as_text, "least": least, "header": settings.header}
        most = max(MOST_ROWS, settings.rows or 0)
        file = read_file(data, target=target, max_rows=most, seed=settings.seed, **asked)  # type: ignore[arg-type]
    frame, notes, kept = file.frame, file.notes, None
    if where:
        codes = split(settings.categorical, list(frame.columns))
        kept = keep_rows(frame, where, codes=codes, date=settings.date)
        frame, notes = kept.frame, (*notes, kept.note)
    by = None if settings.by is None else frame[settings.by]
    return RawTable(frame.drop(columns=list(file.extra)), labels, file.n_rows, notes, kept, by)


def _from_frame(
    data: pd.DataFrame, target: str | None, asked: dict[str, Any], where: tuple[str, ...], by: str | None
) -> FileData:
    """The columns that are asked for, and those that conditions and subgroups need, as `read_file` gives them."""
    names = [str(name) for name in data.columns]
    wanted = columns_to_read(names, target, asked["columns"], asked["drop"], "the table", asked["cluster"])
    frame = data.set_axis(names, axis=1)
    extra: tuple[str, ...] = ()
    if len(set(names)) == len(names):  # else `prepare` raises an error
        frame = frame[with_columns_of(where, wanted, names, "the table", by)]
        extra = tuple(name for name in frame.columns if name not in wanted)
    return FileData(frame.reset_index(drop=True), (), len(data), extra)


def _usable(labels: Any, index: pd.Index) -> Any:
    """The labels of clusters of new rows, if every row has one and there are several; else None."""
    labels = None if labels is None else labels.loc[index]
    return None if labels is None or labels.isna().any() or labels.astype(str).nunique() < 2 else labels


def _draw(index: pd.Index, n: int, seed: Any) -> pd.Index:
    """Labels of n rows, drawn at random, in their order."""
    rng = np.random.default_rng([seed, len(index)])
    return index[np.sort(rng.choice(len(index), n, replace=False))]


#: The columns of each group, by its name.
ColumnGroups = dict[str, tuple[str, ...]]

GROUPS = Argument("groups")


def merged_groups(asked: Mapping[str, Iterable[str]], table: ModelTable) -> tuple[ColumnGroups, list[Note]]:
    """The groups that are explained, and notes on them: `table.groups`, and what the user asks for.

    In a group that is asked for, the name of a group of the table stands for its columns, and both become one. Columns
    that were left out of the table are left out of their group.
    """
    names = tuple(map(str, table.X.columns))
    left = dict(table.groups)
    groups: ColumnGroups = {}
    notes: list[Note] = []
    for name, members in asked.items():
        columns = _columns(name, members, table)
        gone = tuple(column for column in columns if column in table.dropped)
        there = [column for column in columns if column not in table.dropped]
        whole = tuple(each for column in there for each in left.pop(column, (column,)))
        if gone:
            has = f"the group has {counted(len(whole), 'column')}" if whole else "there is no such group"
            left_out = f"{quoted(gone)} of {name!r} {'was' if len(gone) == 1 else 'were'} left out of the table"
            notes.append(Note("group", gone, f"{left_out}: {has}."))
        if whole:
            groups[name] = whole
    taken = {column for members in groups.values() for column in members}
    rest = {name: tuple(column for column in members if column not in taken) for name, members in left.items()}
    doubles = [name for name in groups if rest.get(name)]
    if doubles:
        raise InputError(GROUPS, f": there is a column {doubles[0]!r} outside the group too. Rename the group.")
    groups |= {name: members for name, members in rest.items() if members}
    check_group_columns(Terms.of(groups, names), names, columns_of_labels(table.X))
    return groups, notes


def compared_columns(X: pd.DataFrame, numeric: Iterable[str], groups: ColumnGroups) -> tuple[int, ...]:
    """Positions of the numeric columns whose two values are compared; columns of a group move along a direction."""
    names = tuple(map(str, X.columns))
    grouped = Terms.of(groups, names).grouped_columns
    return tuple(d for d in two_valued_columns(X, numeric, names) if d not in grouped)


def _columns(name: str, members: Iterable[str], table: ModelTable) -> list[str]:
    """The columns that a group was asked to have; an error for those that can be in none."""
    there = (*map(str, table.X.columns), *table.groups, *table.dropped)
    target, cluster = table.recipe["target"], table.recipe.get("cluster")
    roles = {target: "the target", cluster: "the column of clusters"}
    columns = split(members, (*there, target, *([] if cluster is None else [cluster])))
    for column in columns:
        if column in roles:
            raise InputError(GROUPS, f": {column!r} is {roles[column]} and cannot be in {name!r}. Leave it out there.")
    find_all(columns, there, "the table", f"column for {str(name)!r}", whole=True)
    return columns


#: How many sets of columns that determine one another are named, the first with what they mean.
MOST_SETS = 3
EFFECT = (
    "They share their effect: each may have a small value although together they matter, and pairs among them show how "
    "unsure the model is rather than interactions."
)


def collinear_notes(table: ModelTable, groups: ColumnGroups) -> list[Note]:
    """A note for each set of columns that determine one another, unless a note says already that they are the same."""
    names = tuple(map(str, table.X.columns))
    same = [set(note.columns) for note in table.notes if note.kind == "same"]
    found = [
        each
        for each in collinear_sets(table.X, Terms.of(groups, names))
        if not any(set(each.names) <= columns for columns in same)
    ]
    levels = {names[d] for d in columns_of_labels(table.X)}
    notes = [_note(each, groups, levels, first=not k) for k, each in enumerate(found[:MOST_SETS])]
    if len(found) > MOST_SETS:
        more = tuple(dict.fromkeys(name for each in found[MOST_SETS:] for name in each.names))
        notes.append(Note("collinear", more, f"{len(found) - MOST_SETS} more such sets: {listed(more, 10)}."))
    return notes


def _note(found: CollinearSet, groups: ColumnGroups, levels: set[str], *, first: bool) -> Note:
    names = found.names
    share = f"{found.r2:.3f}" if found.r2 < 0.9995 else "above 0.999"
    why = found.formula or f"R² of one on the {'other' if len(names) == 2 else 'others'} {share}"
    text = f"{listed([repr(name) for name in names])} determine one another ({why}). {EFFECT if first else ''}".strip()
    columns = [column for name in names for column in groups.get(name, (name,))]
    to_drop = names[-1] if found.formula is None else found.formula.partition(" = ")[0]  # the total, if there is one
    drop = Sentence("leave out what says the same, such as ", naming("drop", [to_drop]))
    if levels & set(names):
        return Note("collinear", names, Sentence(text, " You can ", drop, "."))
    rank = Sentence(" Rank them as one with ", Argument("groups", {"together": columns}), ", or ", drop, ".")
    return Note("collinear", names, Sentence(text, rank))


def not_said_yet(warning: RsensWarning, notes: Sequence[Note]) -> RsensWarning | None:
    """The warning of `explain` on collinear columns without those that a note has named; others as they are."""
    if not isinstance(warning, CollinearityWarning):
        return warning
    said = {name for note in notes if note.kind in ("collinear", "same") for name in note.columns}
    return collinearity_warning(tuple(name for name in warning.names if name not in said))


def numeric_columns(asked: Iterable[str], X: pd.DataFrame) -> tuple[str, ...]:
    """The columns that are to have slopes, by name, or an `InputError`."""
    names = tuple(map(str, X.columns))
    found = find_all(asked, names, "the table", "numeric column")
    read_numeric(sorted(found), names, columns_of_labels(X))
    return tuple(name for name in names if name in found)


def note_on_two_values(names: Sequence[str]) -> list[Note]:
    """What was done to columns with two numbers, and how to undo it."""
    if not names:
        return []
    have, are = ("has", "is") if len(names) == 1 else ("have", "are")
    text = Sentence(
        f"{quoted(names)} {have} two values and {are} compared between them, like a category. For slopes instead, use ",
        naming("numeric", names),
        ".",
    )
    return [Note("two_values", tuple(names), text)]


def to_metadata(recipe: dict[str, Any], likelihood: Choice, data: str) -> dict[str, Any]:
    """Plain values, ready for `save_model`."""
    classes = None if likelihood.classes is None else [str(label) for label in likelihood.classes]
    said = {"kind": likelihood.kind, "reason": likelihood.reason, "classes": classes}
    return {"recipe": recipe, "likelihood": said, "data": data}


def from_metadata(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Choice, str]:
    """How columns are read, the likelihood, and the name of the data, from the file of a model."""
    try:
        stored = read_metadata(path)
    except MissingPathError:
        raise
    except InputError as error:
        raise InputError(error.sentence, " Give a model.rsens that `rsens explain` wrote.") from None
    try:
        said = stored["likelihood"]
        classes = None if said["classes"] is None else tuple(str(label) for label in said["classes"])
        return dict(stored["recipe"]), Choice(str(said["kind"]), str(said["reason"]), classes), str(stored["data"])
    except (KeyError, TypeError, ValueError):
        raise InputError(
            f"{path} does not say how its columns were read. Give a model.rsens that `rsens explain` wrote; other "
            "models are explained in Python, with rsens.load_model and rsens.explain."
        ) from None


PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas")


def provenance(table: ModelTable, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Where a result comes from: enough to do it again, as plain values, ready for JSON.

    The fingerprint covers the rows that were used, and which belong together.
    """
    clusters = () if table.clusters is None else (pd.factorize(table.clusters)[0],)
    return {
        "data": table.name,
        "target": str(table.recipe["target"]),
        "rows_in_data": table.n_rows,
        "rows_used": len(table.X),
        **({} if table.kept is None else {"rows_kept": table.kept.plain}),
        "columns_used": [str(name) for name in table.X.columns],
        "clusters": None if table.clusters is None else int(table.clusters.nunique()),
        "fingerprint": fingerprint(table.X, None if table.y is None else table.y.to_numpy(), *clusters),
        "arguments": dict(arguments),
        "versions": {"rsens": __version__, "python": platform.python_version()}
        | {package: version(package) for package in PACKAGES},
    }
