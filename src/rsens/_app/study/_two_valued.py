"""Columns with two numbers, which are compared like levels: what the user asked for, and the note about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from rsens._app.tables import Note, find_all, naming
from rsens._errors import Sentence
from rsens._labels import columns_of_labels
from rsens._text import quoted
from rsens.adapters import read_numeric


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
