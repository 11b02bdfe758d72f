"""The columns and rows of a table that were asked for, before the table is known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from rsens._app.tables._columns import find_all, name_list
from rsens._errors import Argument, InputError

COMPARISON = re.compile(r"(?P<column>.+?)\s*(?P<sign>!=|<=|>=|==|=|<|>)\s*(?P<value>.+)", re.DOTALL)


@dataclass(frozen=True)
class Role:
    """A purpose of one column, in words, and whether the column is also used to predict."""

    words: str
    is_input: bool = False


#: The roles of single columns, by argument. A new one is an entry here, a field of `Roles` and one of `Settings`.
ROLES = {
    "target": Role("target column"),
    "cluster": Role("cluster column"),
    "by": Role("column of subgroups", is_input=True),
}
#: Columns that stay beside the inputs and the target: rows in which one is missing are incomplete.
BESIDE = tuple(name for name, role in ROLES.items() if name != "target" and not role.is_input)


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
        return cls(match["column"], match["sign"], in_quotes[2] if in_quotes else match["value"])

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
        """The inputs, the target and the columns beside them, in the order of the table."""
        dropped = find_all(name_list(self.drop, "drop"), names, what, "column to drop")
        kept = set()
        for role, name in self.single.items():
            find_all([name], names, what, ROLES[role].words, whole=True)
            if not ROLES[role].is_input:
                kept.add(name)
                if name in dropped:
                    both = (Argument(role), " and in ", Argument("drop"), ": leave out one of the two.")
                    raise InputError(f"{name!r} is named as ", *both)
        given = name_list(names if self.columns is None else self.columns, "columns")
        wanted = find_all(given, names, what, "column") - dropped | kept
        return [name for name in names if name in wanted]

    def read(self, names: Sequence[str], what: str = "the table") -> list[str]:
        """The same, and the columns that conditions and subgroups need."""
        conditions = [Condition.of(text).column for text in self.where]
        find_all(conditions, names, what, "column to select rows by", whole=True)
        needed = {*self.used(names, what), *conditions, self.by}
        return [name for name in names if name in needed]
