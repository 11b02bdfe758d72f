"""A table in a file, or in standard input: CSV, TSV or Parquet, compressed with gzip or not."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from itertools import chain, islice
from pathlib import Path
from shutil import copyfileobj
from typing import IO, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._app.tables._cells import MISSING, labels, marks_notes, number_cell, number_in, read_cells
from rsens._app.tables._columns import Note, check_unique, split
from rsens._app.tables._dates import date_forms
from rsens._app.tables._reader import DECIMAL_POINTS
from rsens._app.tables._roles import Roles
from rsens._arguments import whole_number
from rsens._errors import Argument, InputError, MissingExtraError, Sentence
from rsens._text import counted, quoted

#: Other kinds of files, by their first bytes.
OTHERS = {b"PK\x03\x04": "a zip or Excel file", b"\xd0\xcf\x11\xe0": "an Excel file", b"%PDF": "a PDF"}
#: The marks at the start of text with two bytes per letter.
WIDE = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, eq=False)
class FileData:
    """The rows of a file that were kept, notes, the number of all rows, and the names of all columns.

    The index of the frame has the numbers of the rows in the file, counted from 0.
    """

    frame: pd.DataFrame
    notes: tuple[Note, ...]
    n_rows: int
    names: list[str]


def read_file(
    path: str | os.PathLike[str],
    roles: Roles | None = None,
    *,
    max_rows: int | None = None,
    seed: int = 0,
    as_text: Iterable[str] = (),
    least: int = 2,
    header: bool = True,
) -> FileData:
    """Read a table in one pass, keeping only the columns that are asked for.

    The kind of file is recognised by its content, not by its name. Text is UTF-8, or Latin-1 with a note. A column of a
    text file has numbers, or truth values (true, false), if all its cells are such or missing (`_cells` has the marks
    of missing values). Other columns are text, which `TableReader` examines further.

    `path` "-" is standard input. At most `max_rows` rows are kept, drawn at random with the seed; fewer than `least`
    are an error. The columns `as_text` are text even if all their cells are numbers. Without a `header`, columns are
    called x0, x1, …
    """
    roles = Roles() if roles is None else roles
    most = None if max_rows is None else whole_number(max_rows, "max_rows", 2)
    seed = whole_number(seed, "seed", 0)
    what = "standard input" if str(path) == "-" else str(path)
    with _table(path, what, header) as table:
        no_header = next((note.text for note in table.notes if note.kind == "header"), None)
        if no_header is not None and roles.target is not None and roles.target not in table.names:
            raise InputError(f"the target column {roles.target!r} does not exist: ", no_header)
        columns = roles.read(table.names, what)
        texts = {*split(as_text, table.names), *([] if roles.cluster is None else [roles.cluster])}
        frame, n_rows = table.read(columns, partial(sampled, most=most, seed=seed), texts)
    if n_rows < least:
        rows = "only one row" if n_rows else f"no rows, only a header with {counted(len(table.names), 'name')}"
        raise InputError(f"{what} has {rows}. A model needs many.")
    if len(frame) < n_rows:
        text = f"Read {n_rows:,} rows, kept {len(frame):,} at random (seed {seed})."
        table.notes.append(Note("sample", (), text))
    return FileData(frame, tuple(table.notes), n_rows, table.names)


def column_names(path: str | os.PathLike[str], header: bool = True) -> list[str]:
    """The names of the columns in a file."""
    with _table(path, str(path), header) as table:
        return list(table.names)


@contextmanager
def _table(path: str | os.PathLike[str], what: str, header: bool) -> Iterator[TextTable | ParquetTable]:
    """The table in a file, while it is open."""
    with ExitStack() as stack:
        file = _opened(path, what, stack)
        try:
            packed = file.peek(2).startswith(b"\x1f\x8b")
            if packed:
                file = stack.enter_context(io.BufferedReader(stack.enter_context(gzip.GzipFile(fileobj=file))))
            begin: bytes = file.peek(8192)[:8192]
            if not begin.startswith(b"PAR1"):
                encoding, errors = _encoding(begin, what)
                text = io.TextIOWrapper(file, encoding, errors, newline="")
                stack.callback(text.detach)
                yield TextTable.of(text, what, header)
                return
            if not header:
                raise InputError(Argument("header"), f" is for text files; {what} has names. Leave it out.")
            if packed or not file.seekable():  # Parquet is read from its end
                copy = stack.enter_context(tempfile.TemporaryFile())
                copyfileobj(file, copy)
                file = copy
            yield ParquetTable.of(file, what)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(f"{what} cannot be unpacked with gzip: {error}. It may be cut off.") from None


def _opened(path: str | os.PathLike[str], what: str, stack: ExitStack) -> Any:
    if what == "standard input":
        file = io.BufferedReader(sys.stdin.buffer)  # type: ignore[type-var]
        stack.callback(file.detach)  # standard input stays open
        return file
    path = Path(path)
    try:
        return stack.enter_context(open(path, "rb"))
    except FileNotFoundError:
        folder = path.absolute().parent
        if not folder.is_dir():
            raise InputError(f"The file {what} does not exist, nor its folder {folder}.") from None
        near = get_close_matches(path.name, os.listdir(folder), 1, cutoff=0.7)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise InputError(f"The file {what} does not exist.{hint}") from None
    except IsADirectoryError:
        raise InputError(f"{what} is a folder. Give a CSV, TSV or Parquet file.") from None
    except (OSError, ValueError) as error:  # names with a zero byte are a ValueError
        raise InputError(f"{what} cannot be opened: {getattr(error, 'strerror', error)}.") from None


def _encoding(begin: bytes, what: str) -> tuple[str, str]:
    """The encoding of a file that begins like this, and the treatment of errors; an `InputError` if it is not text."""
    if not begin:
        raise InputError(f"{what} is empty. It should have a line of column names, and rows below.")
    for start, kind in OTHERS.items():
        if begin.startswith(start):
            raise InputError(f"{what} is {kind}. Save the table as CSV; rsens reads CSV, TSV and Parquet.")
    if begin.startswith(WIDE):
        return "utf-16", "replace"
    control = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in begin)
    if b"\0" in begin or control > 0.05 * len(begin):
        wide = "" if begin.count(b"\0") < 0.25 * len(begin) else " It may be UTF-16 without its mark: save it as UTF-8."
        raise InputError(f"{what} is not a text file. rsens reads CSV, TSV and Parquet.{wide}")
    return "utf-8-sig", "surrogateescape"


def sampled(
    blocks: Iterable[Any], take: Callable[[Any, NDArray[np.intp]], Any], *, most: int | None, seed: int
) -> tuple[list[Any], NDArray[np.intp], pd.Index, int]:
    """Rows that are drawn from blocks, each set of `most` rows with the same probability; all rows if it is None.

    The drawn rows have the smallest of independent uniform keys. Row i has the i-th key that the seed gives, so that
    the sample depends on neither the size of the blocks nor the format of the file. About
    most·(1 + log(N/most)) of N rows are held at some time.

    Returns:
        The rows that `take` has taken of each block, the positions of the sample among them, its row numbers in the
        table, and the number of rows in the table.
    """
    rng, seen = np.random.default_rng(seed), 0
    held: list[Any] = []
    keys, numbers = np.empty(0), np.empty(0, dtype=np.int64)
    limit = np.inf  # a row with a larger key is not in the sample
    for block in blocks:
        new = rng.random(len(block)) if most is not None else np.zeros(len(block))
        places = np.flatnonzero(new < limit)
        held.append(take(block, places))
        keys, numbers = np.append(keys, new[places]), np.append(numbers, seen + places)
        if most is not None and len(keys) > most:
            limit = np.partition(keys, most - 1)[most - 1]
        seen += len(block)
    kept = np.arange(len(keys)) if most is None else np.sort(np.argsort(keys, kind="stable")[:most])
    return held, kept, pd.Index(numbers[kept]), seen


def is_row(line: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the first line of a text file has no names, but is a row like those `below`.

    Text above numbers is a name. Else it is a row if at least half of its texts occur again below, in the same column;
    or if at least a third of its cells are numbers or dates, above numbers or dates. Numbers may be names all the same,
    as in tables by year or by wavelength: whole numbers that increase, or equal steps.
    """
    rows = [row for row in below if len(row) == len(line)]
    cells = [cell.strip() for cell in line[:200]]  # in a file with thousands of columns, some are enough
    filled = {d for d, cell in enumerate(cells) if cell not in MISSING}
    amounts = {d for d in filled if _is_amount(cells[d])}
    texts = filled - amounts
    above_amounts = {d for d in filled if all(_is_amount(row[d]) or row[d].strip() in MISSING for row in rows)}
    if not rows or not filled or texts & above_amounts:
        return False
    again = [d for d in texts if any(row[d].strip() == cells[d] for row in rows)]
    if texts and 2 * len(again) >= len(texts):
        return True
    alike = amounts & above_amounts
    return bool(alike) and 3 * len(alike) >= len(filled) and not _are_names([cells[d] for d in sorted(amounts)])


def _is_amount(cell: str) -> bool:
    """Whether a cell is a number or a date."""
    return number_cell(cell) is not None or bool(date_forms([cell.strip()]))


def _are_names(cells: Sequence[str]) -> bool:
    """Whether numbers may be names: 1990, 1991, 1992 or 400.5, 401, 401.5; two may increase by chance."""
    try:
        values = np.array([number_in(cell, "plain_text") for cell in cells])
    except ValueError:
        return False
    steps = np.diff(values)
    whole = (values == np.floor(values)).all() and (steps > 0.0).all()
    return len(values) > 2 and bool(whole or (np.allclose(steps, steps[0], rtol=1e-6) and steps[0] != 0.0))


#: Possible delimiters, and the number of lines that the delimiter is found from.
DELIMITERS, SNIFFED = ",;\t|", 100

#: Cells of one column that were read together: one text, which takes a fourth of the memory of a list, unless a cell
#: has line breaks.
_Cells = str | list[str]


@dataclass
class TextTable:
    """An open text file, decoded with "surrogateescape": its names are known, its rows are still to be read.

    Only rows that are kept are in memory. Spaces around names and cells do not count.
    """

    names: list[str]
    notes: list[Note]
    what: str
    _reader: Any
    _first: list[list[str]]  # rows that were read to recognise the header

    @classmethod
    def of(cls, lines: IO[str], what: str, header: bool) -> TextTable:
        """Read the names; without a `header`, columns are x0, x1, …"""
        first = list(islice(lines, SNIFFED))
        if not any(line.strip() for line in first):
            raise InputError(f"{what} is empty. It should have a line of column names, and rows below.")
        delimiter = delimiter_of(first)
        reader = csv.reader(chain(first, lines), delimiter=delimiter, skipinitialspace=True)
        table = cls([], [], what, reader, [])
        rows = (row for row in reader if row)
        try:
            line, below = next(rows), list(islice(rows, 1))
        except csv.Error as error:
            raise table.unreadable(error) from None
        if not header:
            table.names, table._first = [f"x{d}" for d in range(len(line))], [line, *below]
            return table
        names = table._decoded(line)
        if is_row(line, _rows_of(first, delimiter)[1:]):
            text = Sentence(
                f"{what} seems to have no line with the names of its columns: the first line ({quoted(names, 3)}) is "
                "like the rows below. Add a line of names. The command can do without, and calls them x0, x1 and so "
                "on: ",
                Argument("header", False),
                ".",
            )
            if len(set(names)) < len(names):
                raise InputError(text)
            table.notes.append(Note("header", (), text, severe=True))
        if below and len(below[0]) == len(names) + 1:  # as R writes them
            names = ["", *names]
            more = "The rows have one cell more than the header: the first column has no name and has row names."
            table.notes.append(Note("row_names", ("Unnamed: 0",), more))
        table.names, table._first = _header_names(names, what), below
        return table

    def read(self, columns: list[str], sample: Any, as_text: set[str]) -> tuple[pd.DataFrame, int]:
        """The rows of the sample, with numbers and truth values where a column holds nothing else, and their number."""
        positions = [self.names.index(name) for name in columns]
        rows = self._rows()
        held, kept, index, n_rows = sample(
            iter(lambda: list(islice(rows, 1024)), []),  # only rows of the sample are kept longer
            lambda block, places: [_packed([block[place][p] for place in places]) for p in positions],
        )
        has_points = False
        frame = {}
        for position, name in enumerate(columns):
            blocks = (block[position] for block in held)
            lists = (block.split("\n") if isinstance(block, str) else block for block in blocks)
            cells = [cell.strip() for block in lists for cell in block]
            cells = self._decoded([cells[row] for row in kept])
            if name in as_text:
                frame[name] = labels(cells)
                continue
            frame[name], marks = read_cells(cells)
            has_points = has_points or (frame[name].dtype.kind == "f" and "." in "".join(cells))
            self.notes += marks_notes(name, marks)
        table = pd.DataFrame(frame, index=index, columns=columns)
        table.attrs[DECIMAL_POINTS] = has_points  # in such a file, the comma of 1,234 is not a decimal one
        return table, n_rows

    def _rows(self) -> Iterator[list[str]]:
        """All rows, each as long as the header; empty lines do not count."""
        width = len(self.names)
        try:
            for row in chain(self._first, self._reader):
                if len(row) == width:
                    yield row
                elif row:
                    mend = "Quote cells that contain the delimiter, or repair the line."
                    if row in self._first:
                        mend = "Is there a title above the names of the columns? Delete it."
                    cells = f"the row has {len(row)} cells, the header has {width}"
                    raise InputError(f"{self.what}, line {self._reader.line_num}: {cells}. {mend}")
        except csv.Error as error:
            raise self.unreadable(error) from None

    def unreadable(self, error: csv.Error) -> InputError:
        """The error of the csv module as a sentence."""
        line = f"{self.what}, line {self._reader.line_num}"
        return InputError(f"{line}, cannot be read: {error}. Is there a quote that is never closed?")

    def _decoded(self, texts: list[str]) -> list[str]:
        """The texts, with bytes that are not UTF-8 read as Latin-1 and noted."""
        if "".join(texts).isascii():
            return texts
        readable = [_latin(text) for text in texts]
        if readable != texts and not any(note.kind == "encoding" for note in self.notes):
            text = f"{self.what} has text that is not UTF-8; it was read as Latin-1. Check letters with accents."
            self.notes.append(Note("encoding", (), text))
        return readable


def _packed(cells: list[str]) -> _Cells:
    text = "\n".join(cells)
    return text if cells and text.count("\n") == len(cells) - 1 else cells


def _latin(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("latin-1")
    return text


def _header_names(header: Sequence[str], what: str) -> list[str]:
    """The names in a header, stripped of spaces; an error if two are the same."""
    names = [name.strip() or f"Unnamed: {position}" for position, name in enumerate(header)]
    check_unique(names, what)
    return names


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
    """The rows in the first lines of a file, except one that may go on."""
    rows = [row for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True) if row]
    return rows[:-1] if len(lines) == SNIFFED else rows


@dataclass
class ParquetTable:
    """An open Parquet file that can be searched: its names are known, its rows are still to be read, in batches."""

    names: list[str]
    notes: list[Note]
    what: str
    _labels: list[str]  # the names as the file has them, without the index of pandas
    _file: Any

    @classmethod
    def of(cls, file: IO[bytes], what: str) -> ParquetTable:
        """Read the names."""
        try:
            import pyarrow.parquet
        except ImportError:
            raise MissingExtraError("pyarrow", "parquet") from None
        with _whole(what):
            opened = pyarrow.parquet.ParquetFile(file)
        labels = [name for name in opened.schema_arrow.names if not re.fullmatch(r"__index_level_\d+__", name)]
        if not labels:
            raise InputError(f"{what} has no columns.")
        return cls(_header_names(labels, what), [], what, labels, opened)

    def read(self, columns: list[str], sample: Any, as_text: set[str]) -> tuple[pd.DataFrame, int]:
        """The rows of the sample, with the types that the file gives them, and the number of all rows."""
        import pyarrow

        labels = [self._labels[self.names.index(name)] for name in columns]
        with _whole(self.what):
            batches, kept, index, n_rows = sample(
                self._file.iter_batches(16_384, columns=labels),
                lambda batch, places: batch.select(labels).take(pyarrow.array(places)),
            )
            schema = pyarrow.schema([self._file.schema_arrow.field(label) for label in labels])
            table = pyarrow.Table.from_batches(batches, schema=schema).unify_dictionaries()
            frame = table.to_pandas(ignore_metadata=True, date_as_object=False)
        return frame.iloc[kept].set_axis(columns, axis=1).set_axis(index, axis=0), n_rows


@contextmanager
def _whole(what: str) -> Iterator[None]:
    """Turn errors of pyarrow into a sentence."""
    import pyarrow

    try:
        yield
    except (OSError, pyarrow.ArrowException) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        text = f"{what} begins like a Parquet file but cannot be read: {reason}. Write the file again."
        raise InputError(text) from None
