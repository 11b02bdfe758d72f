"""Columns by name: those of a file, those that are asked for, and the nearest to a name that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from rsens._data._notes import quoted
from rsens._errors import InputError

#: What a column without a name is called, by its position; as in pandas.
UNNAMED = re.compile(r"Unnamed: \d+")


def named(header: Sequence[str], what: str) -> list[str]:
    """The names in a header, without spaces around them; an error if two are the same."""
    names = [name.strip() or f"Unnamed: {position}" for position, name in enumerate(header)]
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise InputError(
            f"{what} has columns of the same name: {quoted(repeated)}. Rename them so that each is unique."
        )
    return names


def chosen(
    names: Sequence[str], target: str | None, columns: Iterable[str] | None, drop: Iterable[str], what: str
) -> list[str]:
    """The columns to read, in the order of the table: those asked for but not dropped, and the target."""
    if target is not None:
        find(target, names, what, "target column")
    dropped = {find(name, names, what, "column to drop") for name in split(_listed(drop, "drop"), names)}
    if target in dropped:
        raise InputError(f"{target!r} is the target and cannot be dropped. Name another target, or keep it.")
    wanted = set(names)
    if columns is not None:
        wanted = {find(name, names, what, "column") for name in split(_listed(columns, "columns"), names)}
    return [name for name in names if name == target or (name in wanted and name not in dropped)]


def find(name: str, names: Sequence[str], what: str, role: str) -> str:
    """The name, if there is such a column; else an error that names the nearest."""
    if name in names:
        return name
    lower = {each.strip().lower(): each for each in names}
    near = lower.get(str(name).strip().lower())
    if near is None:
        close = get_close_matches(str(name).lower(), list(lower), 1, cutoff=0.5)
        near = lower[close[0]] if close else None
    hint = f"Did you mean {near!r}?" if near is not None else f"It has {quoted(names)}."
    raise InputError(f"{what} has no {role} {name!r}. {hint}")


def split(asked: Iterable[str], names: Sequence[str]) -> list[str]:
    """Names asked for; one that is no column, but whose parts between commas all are, stands for these."""
    found: list[str] = []
    for name in asked:
        parts = [part.strip() for part in str(name).split(",")]
        found += parts if name not in names and all(part in names for part in parts) else [name]
    return found


def _listed(names: Iterable[str], argument: str) -> list[str]:
    if isinstance(names, str):
        raise InputError(f"{argument} must be a list of names of columns; got the text {names!r}.")
    return list(names)
