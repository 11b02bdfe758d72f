"""Columns by name and by role, conditions on rows, and notes on what was decided about them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import combinations
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

    Kinds are about rows: sample, where, by, clusters, missing; about the file: encoding, row_names, header (a first
    line without names); about how columns were read: converted, date, ambiguous, odd_cells, two_values, whole_numbers,
    missing_code; about columns without information: constant, empty, unsupported, identifier, levels; about
    what columns have in common: same (as the target), settled (levels in which the target does not vary), group,
    collinear; about later steps: target, model, skipped, warning.
    """

    kind: str
    columns: tuple[str, ...]
    text: str
    severe: bool = False

    def __str__(self) -> str:
        return self.text


#: Of notes that are alike, this many are written out; a few more are, too, but not many.
FIRST, FEW = 3, 2


def shortened_notes(notes: Sequence[Note]) -> list[Note]:
    """The notes, where many alike about one column each become the first few and, at the end, one about the others."""
    alike: dict[tuple[str, bool], list[Note]] = defaultdict(list)
    result = []
    for note in notes:
        group = alike[note.kind, note.severe] if len(note.columns) == 1 else []
        group.append(note)
        if len(group) <= FIRST:
            result.append(note)
    for (kind, severe), group in alike.items():
        others = group[FIRST:]
        names = tuple(note.columns[0] for note in others)
        result += others if len(others) <= FEW else [Note(kind, names, f"Likewise {quoted(names)}.", severe)]
    return result


def advice(kind: str, columns: Sequence[str], text: str, argument: str, names: Sequence[str], **more: bool) -> Note:
    """A note whose text ends with an argument and the names to give it."""
    return Note(kind, tuple(columns), Sentence(text, naming(argument, names), "."), **more)


def naming(argument: str, names: Sequence[str], most: int = 3) -> Sentence:
    """An argument with the names to give it, the first few if there are many."""
    return Sentence(Argument(argument, list(names[:most])), " and so on" if len(names) > most else "")


# ---- Names -----------------------------------------------------------------------------------------------------------


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
        hint = f"Did you mean {quoted([lower[each] for each in near])}?" if near else f"It has {quoted(names)}."
        raise InputError(f"{what} has no {role} {quoted(unknown)}. {hint}")
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
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(Argument(argument), f" must be a list of column names; got {names!r:.80}.")
    return [str(name) for name in names]


def name_lists(groups: Any, argument: str) -> dict[str, tuple[str, ...]]:
    """Named lists of columns given for an argument: a dict, or None for an empty one."""
    words = "from names to columns, such as {'season': ['sin', 'cos']}"
    lists = {name: tuple(name_list(each, argument)) for name, each in mapping(groups, argument, words).items()}
    if not all(name.strip() and columns for name, columns in lists.items()):
        raise InputError(Argument(argument), f" must have names with at least one column each; got {dict(groups)}.")
    return lists


def mapping(given: Any, argument: str, words: str) -> dict[str, Any]:
    """The dict given for an argument, described in words; None is an empty one."""
    if not isinstance(given, Mapping | None):
        raise InputError(Argument(argument), f" must be a dict {words}; got a {type(given).__name__}.")
    return {str(name): value for name, value in (given or {}).items()}


# ---- Roles -----------------------------------------------------------------------------------------------------------

COMPARISON = re.compile(r"(?P<column>.+?)\s*(?P<sign>!=|<=|>=|==?|<|>)\s*(?P<value>.+)", re.DOTALL)


@dataclass(frozen=True)
class Condition:
    """The condition for a row to be kept: how a cell compares with a value."""

    column: str
    sign: str
    value: str

    @classmethod
    def of(cls, text: str) -> Condition:
        """Read a condition such as open=yes."""
        match = COMPARISON.fullmatch(text.strip())
        if match is None:
            wrong = " must look like COLUMN=VALUE, with one of = != < <= > >= between the two; got "
            raise InputError(Argument("where"), f"{wrong}{text!r}.")
        in_quotes = re.fullmatch(r"(['\"])(.*)\1", match["value"], re.DOTALL)
        return cls(match["column"], match["sign"].replace("==", "="), in_quotes[2] if in_quotes else match["value"])

    def __str__(self) -> str:
        return f"{self.column}{self.sign}{self.value}"


def read_where(where: Any) -> tuple[str, ...]:
    """Check the argument `where`: a text, or several."""
    texts = () if where is None else (where,) if isinstance(where, str) else where
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        wrong = f" must be a text such as 'open=yes', or a list of such texts; got {where!r:.80}."
        raise InputError(Argument("where"), wrong)
    for text in texts:
        Condition.of(text)
    return tuple(text.strip() for text in texts)


#: The roles of single columns, by argument. Subgroups are also inputs.
ROLES = {"target": "target column", "cluster": "cluster column", "by": "column of subgroups"}


@dataclass(frozen=True)
class Roles:
    """The columns that were asked for, by role, and the conditions on rows."""

    target: str | None = None
    cluster: str | None = None
    by: str | None = None
    columns: Iterable[str] | None = None
    drop: Iterable[str] = ()
    where: Sequence[str] = ()

    def __post_init__(self) -> None:
        for (first, name), (second, other) in combinations(self.single.items(), 2):
            if name == other:
                both = (Argument(first), " and as ", Argument(second), ". Name another column for one of the two.")
                raise InputError(f"{name!r} is named as ", *both)

    @property
    def single(self) -> dict[str, str]:
        """The columns that were named for one of `ROLES`."""
        return {role: name for role in ROLES if (name := getattr(self, role)) is not None}

    def used(self, names: Sequence[str], what: str = "the table") -> list[str]:
        """The inputs, the target and the clusters, in the order of the table."""
        dropped = find_all(name_list(self.drop, "drop"), names, what, "column to drop")
        for role, name in self.single.items():
            find_all([name], names, what, ROLES[role], whole=True)
            if name in dropped and role != "by":
                both = (Argument(role), " and in ", Argument("drop"), ": leave out one of the two.")
                raise InputError(f"{name!r} is named as ", *both)
        given = name_list(names if self.columns is None else self.columns, "columns")
        wanted = find_all(given, names, what, "column") - dropped | {self.target, self.cluster}
        return [name for name in names if name in wanted]

    def read(self, names: Sequence[str], what: str = "the table") -> list[str]:
        """The same, and the columns that conditions and subgroups need."""
        conditions = [Condition.of(text).column for text in self.where]
        find_all(conditions, names, what, "column to select rows by", whole=True)
        needed = {*self.used(names, what), *conditions, self.by}
        return [name for name in names if name in needed]
