"""Columns that may not be what they were taken for. They are kept, with a note."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rsens._app.tables._clean import is_text
from rsens._app.tables._notes import Note, naming
from rsens._app.tables._readings import Reading
from rsens._app.tables._settled import settled_notes
from rsens._app.tables._suspect import copies, missing_codes
from rsens._app.tables._useless import may_be_codes, may_be_identifier, same_numbers
from rsens._errors import Sentence
from rsens._text import counted, quoted

#: A column of text with more levels than this has a note.
MANY_LEVELS = 15


def look(table: pd.DataFrame, readings: Mapping[str, Reading], codes: set[str], target: str) -> list[Note]:
    """Notes on a table without missing values; `codes` are the columns that the user named as categorical."""
    inputs = [name for name in table.columns if name != target]
    numbers = [name for name in inputs if readings[name].kind == "number"]
    texts = [name for name in inputs if is_text(table[name]) and name not in codes]
    amounts = [name for name in table.columns if not readings[name].categorical]
    leaks = copies(table, amounts, target)
    unlike = table[[name for name in amounts if name != target and name not in leaks]]
    return [
        *_leaks(leaks),
        *settled_notes(table, [name for name in inputs if name not in leaks and readings[name].kind != "date"], target),
        *_missing_codes(table[[name for name in amounts if readings[name].kind != "date"]]),
        *(_identifier(name) for name in numbers if may_be_identifier(name, table[name])),
        *_whole_numbers(tuple(name for name in numbers if may_be_codes(table[name]))),
        *(_same(group) for group in same_numbers(unlike)),
        *(_many_levels(name, table[name]) for name in texts if table[name].nunique() > MANY_LEVELS),
        *_proportion(target, table[target], target in amounts),
    ]


def _leaks(found: Mapping[str, str]) -> list[Note]:
    """One note for all columns that are the target in the same way."""
    notes = []
    for words in dict.fromkeys(found.values()):
        names = tuple(name for name in found if found[name] == words)
        verb = "is" if len(names) == 1 else "are"
        advice = Sentence("Leave out what is not known beforehand: ", naming("drop", names), ".")
        text = Sentence(f"{quoted(names)} {verb} {words}. ", advice)
        notes.append(Note("same", names, text, severe=True))
    return notes


def _missing_codes(numbers: pd.DataFrame) -> list[Note]:
    notes = []
    for name in numbers.columns:
        for value, count in missing_codes(numbers[name].to_numpy(dtype=float)).items():
            text = (
                f"{name!r} is {value:g} in {counted(count, 'row')}, far from all other values: does it stand for a "
                "missing value? Then empty these cells."
            )
            notes.append(Note("missing_code", (name,), text, severe=True))
    return notes


def _identifier(name: str) -> Note:
    text = Sentence(
        f"{name!r} counts the rows, as an identifier does. It was kept; if it only names them, leave it out with ",
        naming("drop", [name]),
        ".",
    )
    return Note("identifier", (name,), text)


def _whole_numbers(names: tuple[str, ...]) -> list[Note]:
    if not names:
        return []
    has = "has" if len(names) == 1 else "have"
    text = Sentence(
        f"{quoted(names)} {has} few different whole numbers, taken as numbers. If they are codes, use ",
        naming("categorical", names),
        ".",
    )
    return [Note("whole_numbers", names, text)]


def _same(group: list[str]) -> Note:
    text = Sentence(
        f"{quoted(group)} are the same up to scale and share their importance. Keep one of them: ",
        naming("drop", group[1:]),
        ".",
    )
    return Note("same", tuple(group), text)


def _many_levels(name: str, column: Any) -> Note:
    text = (
        f"{name!r} has {column.nunique()} different texts, taken as categorical. With this many, the null level takes "
        "a long time; group them if you can."
    )
    return Note("levels", (name,), text)


def _proportion(name: str, target: Any, is_number: bool) -> list[Note]:
    if not is_number or target.min() < 0.0 or target.max() > 1.0 or target.isin([0.0, 1.0]).all():
        return []
    text = (
        f"The target {name!r} lies between 0 and 1. If it is a proportion: the model does not know these limits, and "
        "predictions may lie outside. A logit of it may suit better."
    )
    return [Note("target", (name,), text)]
