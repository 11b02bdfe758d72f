"""Columns by name, and notes on them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from rsens._errors import Argument, InputError, Sentence
from rsens._text import quoted

#: Columns without a name: blank, or named by pandas after their position.
UNNAMED = re.compile(r"\s*|Unnamed: \d+(\.\d+)?")


@dataclass(frozen=True)
class Note:
    """A decision or an observation about a table: its kind, the columns concerned, and a sentence.

    The text is a `Sentence` where it mentions an argument, so that the command line can name the option. A severe note
    is a warning, shown before any result: the answer is probably wrong until the table is corrected.

    Kinds about rows: sample, where, by, clusters, missing. About the file: encoding, row_names (a first column without
    a name), header (a first line without names). About how columns were read: converted, date, ambiguous, odd_cells (a
    few keep a column from being numbers), two_values, whole_numbers, infinite, missing_code. About columns without
    information: constant, empty, unsupported, identifier, levels. About columns that belong together: same (also as
    the target), settled (levels in which the target does not vary), group, collinear. About later steps: target,
    model, skipped, warning.
    """

    kind: str
    columns: tuple[str, ...]
    text: str
    severe: bool = False

    def __str__(self) -> str:
        return self.text


#: If more notes than this are alike, only the first are written out.
MOST_ALIKE, FIRST = 5, 3


def shortened_notes(notes: Sequence[Note]) -> list[Note]:
    """The notes, where many alike, each about one column, become the first few and one that names the other columns."""
    alike: dict[tuple[str, bool], list[Note]] = {}
    for note in notes:
        alike.setdefault((note.kind, note.severe), []).extend([note] if len(note.columns) == 1 else [])
    result: list[Note] = []
    for note in notes:
        group = alike[note.kind, note.severe] if len(note.columns) == 1 else []
        position = next((k for k, other in enumerate(group) if other is note), 0)
        if len(group) <= MOST_ALIKE or position < FIRST:
            result.append(note)
        elif position == FIRST:
            others = tuple(other.columns[0] for other in group[FIRST:])
            result.append(Note(note.kind, others, f"Likewise {quoted(others)}.", note.severe))
    return result


def advice(kind: str, columns: Sequence[str], text: str, argument: str, names: Sequence[str], **more: bool) -> Note:
    """A note whose text ends with an argument and the names to give it."""
    return Note(kind, tuple(columns), Sentence(text, naming(argument, names), "."), **more)


def naming(argument: str, names: Sequence[str], most: int = 3) -> Sentence:
    """An argument with the names to give it, the first few if there are many."""
    return Sentence(Argument(argument, list(names[:most])), " and so on" if len(names) > most else "")


def names_of(frame: Any) -> list[str]:
    """The names of the columns of a data frame as text; a missing name becomes one after its position."""
    names = enumerate(frame.columns)
    return [f"Unnamed: {place}" if name is None or name != name else str(name) for place, name in names]


def check_unique(names: Sequence[str], what: str) -> None:
    """Raise an error if two columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(
            f"{what} has columns of the same name: {quoted(repeated)}. Rename them so that each is unique."
        )


def find_all(asked: Iterable[str], names: Sequence[str], what: str, role: str, *, whole: bool = False) -> set[str]:
    """The columns asked for, by `split` unless `whole`; an error lists the missing ones and the nearest matches."""
    found = list(asked) if whole else split(asked, names)
    unknown = [name for name in dict.fromkeys(found) if name not in names]
    if unknown:
        lower = {name.strip().lower(): name for name in names}
        near = [each for name in unknown for each in get_close_matches(name.strip().lower(), lower, 1, cutoff=0.5)]
        hint = (
            f"Did you mean {quoted(dict.fromkeys(lower[each] for each in near))}?"
            if near
            else f"It has {quoted(names)}."
        )
        roles = role if len(unknown) == 1 else role.replace("column", "columns")
        raise InputError(f"{what} has no {roles} {quoted(unknown)}. {hint}")
    return set(found)


def split(asked: Iterable[str], names: Sequence[str]) -> list[str]:
    """The names asked for. A name that is not a column is split at its commas if that gives at least one column."""
    found: list[str] = []
    for name in asked:
        parts = [part.strip() for part in str(name).split(",")]
        found += parts if name not in names and any(part in names for part in parts) else [name]
    return found


def name_list(names: Iterable[Any], argument: str) -> list[str]:
    """The names given for an argument, which must be a list: a text would be read letter by letter."""
    if isinstance(names, str):
        raise InputError(Argument(argument), f" must be a list of column names; got the text {names!r}.")
    return [str(name) for name in names]


def name_lists(groups: Any, argument: str) -> dict[str, tuple[str, ...]]:
    """Named lists of columns given for an argument: a dict, or None for an empty one."""
    lists = {}
    for name, columns in mapping(groups, argument, "from names to columns, such as {'season': ['sin', 'cos']}").items():
        if isinstance(columns, str) or not isinstance(columns, Iterable):
            raise InputError(Argument(argument), f" must have a list of columns for {name!r}; got {columns!r}.")
        lists[name] = tuple(map(str, columns))
        if not name.strip() or not lists[name]:
            raise InputError(Argument(argument), f" must have names with at least one column each; got {dict(groups)}.")
    return lists


def mapping(given: Any, argument: str, words: str) -> dict[str, Any]:
    """The dict given for an argument, described in words; None is an empty one."""
    if not isinstance(given, Mapping | None):
        raise InputError(Argument(argument), f" must be a dict {words}; got a {type(given).__name__}.")
    return {str(name): value for name, value in (given or {}).items()}
