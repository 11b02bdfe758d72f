"""Columns that belong together: groups that the table makes by itself, and groups that the user asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from rsens._app.study._model_table import ModelTable
from rsens._app.tables import Note, find_all, split
from rsens._errors import Argument, InputError
from rsens._labels import columns_of_labels
from rsens._text import counted, quoted
from rsens.adapters import two_valued_columns
from rsens.measures import Terms, check_group_columns

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
            notes.append(_note_on_gone(name, gone, whole))
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


def _note_on_gone(name: str, gone: tuple[str, ...], rest: tuple[str, ...]) -> Note:
    was = "was" if len(gone) == 1 else "were"
    has = f"the group has {counted(len(rest), 'column')}" if rest else "there is no such group"
    return Note("group", gone, f"{quoted(gone)} of {name!r} {was} left out of the table: {has}.")
