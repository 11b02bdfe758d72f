"""Tables in text files: CSV and its relatives, read row by row, so that memory holds only the rows that are kept.

The delimiter is the one of , ; tab | that splits the first lines most evenly. Spaces around names and cells do not
count.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import IO, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._data._columns import named
from rsens._data._notes import Note
from rsens._data._sample import RowSample
from rsens._errors import InputError

DELIMITERS = ",;\t|"
#: Lines that the delimiter is found from.
SNIFFED = 100
#: Rows that are looked at together; only those of the sample are held longer.
BLOCK = 1024
#: Cells that stand for a missing value; and cells with nothing but spaces.
MISSING = frozenset(
    ["", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NAN", "-nan", "null", "NULL", "None", "<NA>", "NaT", "?"]
)


@dataclass
class TextTable:
    """A text file, open: its names are known, its rows are still to be read."""

    names: list[str]
    notes: list[Note]
    what: str
    _reader: Any
    _first: list[str] | None  # the first row, which has been read to know whether rows have names

    def read(self, columns: list[str], sample: RowSample, as_text: Iterable[str]) -> pd.DataFrame:
        """The rows of the sample, with numbers and truth values where a column holds nothing else."""
        positions = [self.names.index(name) for name in columns]
        held: list[list[str]] = []
        numbers: list[NDArray[np.int64]] = []
        rows = self._rows()
        while block := list(islice(rows, BLOCK)):
            start = sample.seen
            places = sample.choose(len(block))
            held += [[block[place][p] for p in positions] for place in places]
            numbers.append(start + places)
        number = np.concatenate([np.empty(0, dtype=np.int64), *numbers])
        kept = np.flatnonzero(np.isin(number, sample.rows))
        texts = {
            name: [self._readable(held[row][position].strip()) for row in kept] for position, name in enumerate(columns)
        }
        plain = set(as_text)
        frame = {name: _labels(cells) if name in plain else _typed(cells) for name, cells in texts.items()}
        return pd.DataFrame(frame, index=pd.Index(number[kept]), columns=columns)

    def _rows(self) -> Iterator[list[str]]:
        """All rows, each as long as the header; lines without anything are none."""
        width = len(self.names)
        try:
            for row in chain([self._first] if self._first is not None else [], self._reader):
                if len(row) != width:
                    if not row:
                        continue
                    raise InputError(
                        f"{self.what}, line {self._reader.line_num}: the row has {len(row)} cells, the header has "
                        f"{width}. Quote cells that contain the delimiter, or repair the line."
                    )
                yield row
        except csv.Error as error:
            raise _unreadable(self.what, self._reader.line_num, error) from None

    def _readable(self, cell: str) -> str:
        """The cell, with bytes that are not UTF-8 read as Latin-1."""
        if cell.isascii():
            return cell
        readable = _latin(cell)
        if readable != cell and not any(note.kind == "encoding" for note in self.notes):
            self.notes.append(_encoding_note(self.what))
        return readable


def open_text(lines: IO[str], what: str) -> TextTable:
    """A table from a stream of text, decoded with "surrogateescape"."""
    first = list(islice(lines, SNIFFED))
    if not any(line.strip() for line in first):
        raise InputError(f"{what} is empty. It should have a line of column names, and rows below.")
    reader = csv.reader(chain(first, lines), delimiter=delimiter_of(first), skipinitialspace=True)
    rows = (row for row in reader if row)
    try:
        header = next(rows)
        row = next(rows, None)
    except csv.Error as error:
        raise _unreadable(what, reader.line_num, error) from None
    notes = []
    readable = [_latin(name) for name in header]
    if readable != header:
        notes.append(_encoding_note(what))
    if row is not None and len(row) == len(header) + 1:  # as R writes them
        readable = ["", *readable]
        text = "The rows have one cell more than the header: the first column has no name and is taken for row names."
        notes.append(Note("row_names", ("Unnamed: 0",), text))
    return TextTable(named(readable, what), notes, what, reader, row)


def delimiter_of(lines: list[str]) -> str:
    """The delimiter by which most rows are as long as the header, and longest; a comma if no line has any."""
    scores = {}
    for delimiter in DELIMITERS:
        try:
            rows = [row for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True) if row]
        except csv.Error:
            continue
        if len(lines) == SNIFFED:
            rows = rows[:-1]  # it may go on
        header, widths = len(rows[0]) if rows else 0, Counter(len(row) for row in rows[1:])
        even = max(widths[header], widths[header + 1]) / max(1, len(rows) - 1)
        if header > 1 or widths[2] == len(rows) - 1 > 0:
            scores[delimiter] = (even, header)
    return max(scores, key=lambda each: scores[each], default=",")


def _unreadable(what: str, line: int, error: csv.Error) -> InputError:
    return InputError(f"{what}, line {line}, cannot be read: {error}. Is there a quote that is never closed?")


def _latin(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("latin-1")
    return text


def _encoding_note(what: str) -> Note:
    return Note(
        "encoding", (), f"{what} has text that is not UTF-8; it was read as Latin-1. Check letters with accents."
    )


# ---- types of columns ------------------------------------------------------------------------------------------------


def _typed(cells: list[str]) -> Any:
    """Whole numbers, numbers or truth values if all cells are, else text; missing cells do not count."""
    known = [cell for cell in cells if cell not in MISSING]
    complete = len(known) == len(cells)
    lower = {cell.lower() for cell in set(known)}
    if lower and lower <= {"true", "false"}:
        truth = [None if cell in MISSING else cell.lower() == "true" for cell in cells]
        return np.array(truth, dtype=bool if complete else object)
    numbers = _numbers(known)
    if numbers is None:
        return _labels(cells)
    if complete:
        return numbers
    values = np.full(len(cells), np.nan)
    values[[cell not in MISSING for cell in cells]] = numbers
    return values


def _numbers(known: list[str]) -> NDArray[Any] | None:
    if any("_" in cell for cell in known):  # Python would read 1_000
        return None
    try:
        return np.array([int(cell) for cell in known], dtype=np.int64) if known else np.empty(0)
    except (ValueError, OverflowError):
        pass
    try:
        return np.array([float(cell) for cell in known])
    except ValueError:
        return None


def _labels(cells: list[str]) -> Any:
    return pd.Series([None if cell in MISSING else cell for cell in cells]).array
