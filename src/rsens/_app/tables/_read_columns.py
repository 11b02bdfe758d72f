"""All columns of a table as numbers or labels, with a note for each that was not read as it stood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from rsens._app.tables._asked_dates import reading_as_asked, without_marks
from rsens._app.tables._cells import marks_note
from rsens._app.tables._clean import clean, is_text
from rsens._app.tables._date_parts import DAYS, in_words, parts_that_pay, piece, pieces_of
from rsens._app.tables._dates import WORDS as WORDS_OF_FORMS
from rsens._app.tables._notes import Note, naming
from rsens._app.tables._odd import odd_cells
from rsens._app.tables._readings import (
    DECIMAL_POINTS,
    WORDS,
    Reading,
    ambiguity,
    date_reading,
    reading_of,
    settled_by_others,
)
from rsens._errors import Argument, InputError, Sentence
from rsens._text import listed, quoted


@dataclass
class ColumnReader:
    """Reads columns, and keeps what was found.

    readings: How each column was read.
    notes: On what was done.
    unsupported: Notes on columns that cannot be read.
    doubts: Columns of text that may be numbers or dates in more than one way, in words.
    odd: Columns of text that would be numbers or dates but for a few cells, in words.
    walls: The moments of dates on the clock on the wall.
    """

    target: str
    codes: set[str]
    readings: dict[str, Reading] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    unsupported: list[Note] = field(default_factory=list)
    doubts: dict[str, str] = field(default_factory=dict)
    odd: dict[str, str] = field(default_factory=dict)
    walls: dict[str, Any] = field(default_factory=dict)

    def read(self, frame: pd.DataFrame, formats: Mapping[str, str], known: Mapping[str, Reading]) -> pd.DataFrame:
        """The columns; dates in `formats` that the user gave, text as it is `known` to be in all rows."""
        cleaned, found = {}, {}
        for name in frame.columns:
            before = known.get(name)
            if name in formats:
                cleaned[name], found[name], marks = reading_as_asked(frame[name], name, formats[name])
            elif before is not None and (before.dates or before.way):
                cleaned[name], marks = without_marks(frame[name])
                dates = before.dates
                found[name] = date_reading(cleaned[name], before.form, dates) if dates is not None else before
            else:
                cleaned[name], marks = clean(frame[name], as_text=name in self.codes)
                reading = None if name in self.codes else self._reading_of(cleaned[name], name)
                if reading is not None:
                    found[name] = reading
            if marks:
                self.notes.append(marks_note(name, marks))
        found = settled_by_others(found, cleaned, points=bool(frame.attrs.get(DECIMAL_POINTS))) | {
            name: Reading("labels") for name in frame if name in self.codes
        }
        self.readings = {name: found[name] for name in frame.columns if name in found}
        columns = {name: self._column(cleaned[name], name) for name in self.readings}
        self._note_conversions()
        return pd.DataFrame(columns, index=frame.index)

    def read_again(self, frame: pd.DataFrame, readings: Mapping[str, Reading]) -> pd.DataFrame:
        """The columns, read as before."""
        self.readings = {name: readings[name] for name in frame.columns}
        columns = {}
        for name, reading in self.readings.items():
            if reading.form is not None and is_text(frame[name]):
                column, marks = without_marks(frame[name])
            else:
                column, marks = clean(frame[name], as_text=name in self.codes)
            if marks:
                self.notes.append(marks_note(name, marks))
            columns[name] = self._column(column, name, again=True)
        return pd.DataFrame(columns, index=frame.index)

    def _reading_of(self, column: Any, name: str) -> Reading | None:
        reading = reading_of(column)
        if reading is None and name == self.target:
            raise InputError(f"the target {name!r} has values that are neither numbers nor text.")
        if reading is None:
            types = dict.fromkeys(type(value).__name__ for value in column.dropna())
            text = f"{name!r} has values of type {' and '.join(types)} and was left out."
            self.unsupported.append(Note("unsupported", (name,), text))
        return reading

    def _column(self, column: Any, name: str, again: bool = False) -> Any:
        reading = self.readings[name]
        if reading.kind == "date":
            days, self.walls[name] = reading.read_dates(column, name)
            return days
        if name in self.codes and not again:
            return column if isinstance(column.dtype, pd.CategoricalDtype) else column.astype("category")
        if reading.kind == "labels" and not again:
            self._look_at_labels(name, column)
        return reading.read(column, name)

    def _look_at_labels(self, name: str, column: Any) -> None:
        """Text that looks like numbers or dates: the answer is probably wrong without it."""
        if reason := ambiguity(column):
            if name == self.target:
                raise InputError(f"the target {name!r} is text: {reason}.")
            self.doubts[name] = reason
        elif found := odd_cells(column):
            if name == self.target:
                raise InputError(f"the target {name!r} has {found}, so it is text. ", mend(name))
            self.odd[name] = found

    def _note_conversions(self) -> None:
        """One note for all columns that were read in the same way: in a file with decimal commas these are many."""
        ways: dict[str, list[str]] = {}
        for name, reading in self.readings.items():
            if reading.kind not in ("number", "labels", "truth", "date"):
                ways.setdefault(WORDS[reading.kind] if reading.way is None else reading.way.words, []).append(name)
        for words, names in ways.items():
            verb = "was" if len(names) == 1 else "were"
            self.notes.append(Note("converted", tuple(names), f"{quoted(names)} {verb} read as {words}."))

    def warnings(self, dropped: Mapping[str, str]) -> list[Note]:
        """On text that looks like numbers or dates; `dropped` are the columns that were left out."""
        notes = []
        for name, reason in self.doubts.items():
            text = f"{name!r} was taken as text{' and left out' if name in dropped else ''}: {reason}."
            notes.append(Note("ambiguous", (name,), text, severe=True))
        for name, found in self.odd.items():
            text = f"{name!r} has {found}, so it was taken as text{' and left out' if name in dropped else ''}. "
            notes.append(Note("odd_cells", (name,), Sentence(text, mend(name)), severe=True))
        return notes

    # ---- dates -------------------------------------------------------------------------------------------------------

    def choose_parts(self, name: str, days: Any, parts: tuple[str, ...] | None, known: Reading | None) -> None:
        """Which columns the dates of an input become: the `parts` asked for, or as `known`, or those that pay."""
        wall = self.walls[name].loc[days.index].to_numpy()
        if parts is None:
            parts = parts_that_pay(wall) if known is None else tuple(each.split()[0] for each in known.pieces)
        pieces = pieces_of(days.to_numpy(dtype=float), wall, parts)
        if not pieces:
            raise InputError(Argument("date_parts"), f" of {name!r}: {quoted(parts)} never changes. Ask for others.")
        self.readings[name] = replace(self.readings[name], pieces=pieces)

    def date_columns(self, name: str, days: Any) -> dict[str, Any]:
        """The columns that the dates of an input become; days alone are called as the column is."""
        pieces = self.readings[name].pieces
        if pieces == (DAYS,):
            return {name: days}
        values, wall = days.to_numpy(dtype=float), self.walls[name].loc[days.index].to_numpy()
        return {f"{name} ({each})": pd.Series(piece(each, values, wall), index=days.index) for each in pieces}

    def note_on_dates(self, name: str) -> list[Note]:
        """How dates were read, what they became, and the way out."""
        reading = self.readings[name]
        dates, cycles = reading.dates, in_words(reading.pieces)
        since = str(reading.origin).removesuffix("T00:00:00")
        days = f"days since {since}" if DAYS in reading.pieces else ""
        read = f"{name!r} has dates" if dates is None else f"{name!r} was read as dates, {dates.words}"
        text = Sentence(f"{read}: {listed([each for each in (days, *cycles) if each])}")
        if cycles:
            alone = Argument("date_parts", {name: DAYS})
            text = Sentence(text, ", together one variable. For days alone, use ", alone)
        notes = [Note("date", (name,), Sentence(text, "."))]
        if dates is not None and dates.others:
            others = " or ".join(WORDS_OF_FORMS[form] for form in dates.others)
            doubt = f"The dates of {name!r} may be {others} as well: no cell tells. If they are, use "
            out = Argument("date", {name: dates.others[0]})
            notes.append(Note("ambiguous", (name,), Sentence(doubt, out, ".")))
        return notes


def mend(name: str) -> Sentence:
    """What to do about cells that keep a column from being numbers."""
    return Sentence(
        "Correct or empty these cells; or, if the column has codes, use ", naming("categorical", [name]), "."
    )
