"""Tables in text files: CSV and its relatives, read row by row, so that memory holds only the rows that are kept.

The delimiter is whichever of , ; tab | splits the first lines most evenly. Spaces around names and cells do not count.
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

from rsens._app.tables._cells import labels, marks_note, read_cells
from rsens._app.tables._columns import UNNAMED, header_names, is_number
from rsens._app.tables._header import is_row
from rsens._app.tables._notes import Note
from rsens._app.tables._readings import DECIMAL_POINTS
from rsens._app.tables._sample import RowSample
from rsens._errors import Argument, InputError, Sentence
from rsens._text import quoted

DELIMITERS = ",;\t|"
#: Lines that the delimiter is found from.
SNIFFED = 100
#: Rows that are read together; only rows of the sample are kept longer.
BLOCK = 1024
#: Lines among which the names of columns may be, below a title.
TOP = 10

#: Cells of one column that were read together: one text, which takes a fourth of the memory of a list, unless a cell
#: has line breaks.
_Cells = str | list[str]


@dataclass
class TextTable:
    """An open text file: its names are known, its rows are still to be read."""

    names: list[str]
    notes: list[Note]
    what: str
    _reader: Any
    _first: list[list[str]]  # the first rows, which have been read to know whether they have names
    _top: list[str]  # the first lines

    def check_header(self, target: str) -> None:
        """An error if the target is not in the header, and the file has none, or has it below a title."""
        if target in self.names:
            return
        for note in self.notes:
            if note.kind == "header":
                raise InputError(f"there is no target column {target!r}: ", note.text)
        for number, line in enumerate(self._top, start=1):
            for delimiter in DELIMITERS:
                cells = [_latin(cell).strip(' "\r\n') for cell in line.split(delimiter)]
                if target in cells and not any(map(is_number, cells)) and self._may_be_title(len(cells)):
                    raise InputError(
                        f"{self.what} has no target column {target!r} in its first line, but line {number} has it. Is "
                        f"there a title above the names of the columns? Delete the lines above line {number}."
                    )

    def _may_be_title(self, width: int) -> bool:
        """Whether the header is shorter than a line of names, or has cells that are empty or numbers."""
        return len(self.names) < width or any(UNNAMED.fullmatch(name) or is_number(name) for name in self.names)

    def read(self, columns: list[str], sample: RowSample, as_text: Iterable[str]) -> pd.DataFrame:
        """The rows of the sample, with numbers and truth values where a column holds nothing else."""
        positions = [self.names.index(name) for name in columns]
        held: list[list[_Cells]] = []
        numbers: list[NDArray[np.int64]] = []
        rows = self._rows()
        while block := list(islice(rows, BLOCK)):
            start = sample.seen
            places = sample.choose(len(block))
            chosen = [block[place] for place in places]
            held.append([_packed([row[p] for row in chosen]) for p in positions])
            numbers.append(start + places)
        number = np.concatenate([np.empty(0, dtype=np.int64), *numbers])
        kept = np.flatnonzero(np.isin(number, sample.rows))
        plain, has_points = set(as_text), False
        frame = {}
        for position, name in enumerate(columns):
            cells = self._column([each[position] for each in held], kept)
            if name in plain:
                frame[name] = labels(cells)
                continue
            frame[name], marks = read_cells(cells)
            has_points = has_points or (frame[name].dtype.kind == "f" and "." in "".join(cells))
            if marks:
                self.notes.append(marks_note(name, marks))
        table = pd.DataFrame(frame, index=pd.Index(number[kept]), columns=columns)
        table.attrs[DECIMAL_POINTS] = has_points  # in such a file, the comma of 1,234 is none
        return table

    def _column(self, blocks: list[_Cells], kept: NDArray[np.intp]) -> list[str]:
        """The cells of one column in the rows that are kept, without spaces around them."""
        cells = [cell.strip() for block in blocks for cell in _unpacked(block)]
        if len(kept) < len(cells):
            cells = [cells[row] for row in kept]
        return cells if "".join(cells).isascii() else [self._readable(cell) for cell in cells]

    def _rows(self) -> Iterator[list[str]]:
        """All rows, each as long as the header; lines without anything are none."""
        width = len(self.names)
        try:
            for row in chain(self._first, self._reader):
                if len(row) != width:
                    if not row:
                        continue
                    advice = "Quote cells that contain the delimiter, or repair the line."
                    if row in self._first and width == 1:
                        advice = "Is there a title above the names of the columns? Delete it."
                    raise InputError(
                        f"{self.what}, line {self._reader.line_num}: the row has {len(row)} cells, the header has "
                        f"{width}. {advice}"
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


def _packed(cells: list[str]) -> _Cells:
    text = "\n".join(cells)
    return text if cells and text.count("\n") == len(cells) - 1 else cells


def _unpacked(cells: _Cells) -> list[str]:
    return cells.split("\n") if isinstance(cells, str) else cells


def open_text(lines: IO[str], what: str, header: bool = True) -> TextTable:
    """A table from a stream of text, decoded with "surrogateescape"; without a `header`, columns are x0, x1, …"""
    first = list(islice(lines, SNIFFED))
    if not any(line.strip() for line in first):
        raise InputError(f"{what} is empty. It should have a line of column names, and rows below.")
    delimiter = delimiter_of(first)
    reader = csv.reader(chain(first, lines), delimiter=delimiter, skipinitialspace=True)
    rows = (row for row in reader if row)
    try:
        names = next(rows)
        row = next(rows, None)
    except csv.Error as error:
        raise _unreadable(what, reader.line_num, error) from None
    notes = []
    below = [] if row is None else [row]
    if not header:
        return TextTable([f"x{d}" for d in range(len(names))], [], what, reader, [names, *below], first[:TOP])
    readable = [_latin(name) for name in names]
    if readable != names:
        notes.append(_encoding_note(what))
    if is_row(names, _rows_of(first, delimiter)[1:]):
        notes.append(_no_header(what, readable))
        if len(set(readable)) < len(readable):
            raise InputError(notes[-1].text)
    if row is not None and len(row) == len(names) + 1:  # as R writes them
        readable = ["", *readable]
        text = "The rows have one cell more than the header: the first column has no name and is taken for row names."
        notes.append(Note("row_names", ("Unnamed: 0",), text))
    return TextTable(header_names(readable, what), notes, what, reader, below, first[:TOP])


def _no_header(what: str, line: list[str]) -> Note:
    text = Sentence(
        f"{what} seems to have no line with the names of its columns: the first line ({quoted(line, 3)}) is like the "
        "rows below. Add a line of names; or use ",
        Argument("header", False),
        ", and the columns are called x0, x1 and so on.",
    )
    return Note("header", (), text, severe=True)


def delimiter_of(lines: list[str]) -> str:
    """The delimiter by which most rows are as long as the header, and longest; a comma if no line has any."""
    scores = {}
    for delimiter in DELIMITERS:
        try:
            rows = _rows_of(lines, delimiter)
        except csv.Error:
            continue
        header, widths = len(rows[0]) if rows else 0, Counter(len(row) for row in rows[1:])
        even = max(widths[header], widths[header + 1]) / max(1, len(rows) - 1)
        if header > 1 or widths[2] == len(rows) - 1 > 0:
            scores[delimiter] = (even, header)
    return max(scores, key=lambda each: scores[each], default=",")


def _rows_of(lines: list[str], delimiter: str) -> list[list[str]]:
    """The rows in the first lines of a file, but for one that may go on."""
    rows = [row for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True) if row]
    return rows[:-1] if len(lines) == SNIFFED else rows


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
