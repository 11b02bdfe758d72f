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
from rsens._app.tables._columns import Note, columns_to_read, header_names, split
from rsens._app.tables._dates import date_forms
from rsens._app.tables._reader import DECIMAL_POINTS
from rsens._app.tables._where import with_columns_of
from rsens._arguments import whole_number
from rsens._errors import Argument, InputError, MissingExtraError, Sentence
from rsens._text import counted, quoted

#: Other kinds of files, by their first bytes.
OTHERS = {b"PK\x03\x04": "a zip or Excel file", b"\xd0\xcf\x11\xe0": "an Excel file", b"%PDF": "a PDF"}
#: The marks at the start of text with two bytes per letter.
WIDE = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class AskedColumns:
    """The columns of a table that were asked for, before their names are known: see `Settings`."""

    target: str | None = None
    columns: Iterable[str] | None = None
    drop: Iterable[str] = ()
    cluster: str | None = None
    where: Sequence[str] = ()
    by: str | None = None

    def used(self, names: Sequence[str], what: str) -> list[str]:
        """The inputs, the target and the cluster."""
        return columns_to_read(names, self.target, self.columns, self.drop, what, self.cluster)

    def read(self, names: Sequence[str], what: str) -> list[str]:
        """The same, and the columns that conditions on rows and subgroups need."""
        return with_columns_of(self.where, self.used(names, what), names, what, self.by)


@dataclass(frozen=True, eq=False)
class FileData:
    """A table that was read: the rows that were kept, notes, and the number of rows and all columns of the file.

    The index of the frame has the numbers of the rows in the file, counted from 0.
    """

    frame: pd.DataFrame
    notes: tuple[Note, ...]
    n_rows: int
    names: list[str]


def read_file(
    path: str | os.PathLike[str],
    asked: AskedColumns | None = None,
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
    of missing values). Other columns are text, which `TableReader` looks at further.

    `path` "-" is standard input. At most `max_rows` rows are kept, drawn at random with the seed; fewer than `least`
    are an error. The columns `as_text` are text even if all their cells are numbers. Without a `header`, columns are
    called x0, x1, …
    """
    asked = AskedColumns() if asked is None else asked
    most = None if max_rows is None else whole_number(max_rows, "max_rows", 2)
    seed = whole_number(seed, "seed", 0)
    what = "standard input" if str(path) == "-" else str(path)
    with _table(path, what, header) as table:
        no_header = next((note.text for note in table.notes if note.kind == "header"), None)
        if no_header is not None and asked.target is not None and asked.target not in table.names:
            raise InputError(f"the target column {asked.target!r} does not exist: ", no_header)
        columns = asked.read(table.names, what)
        texts = [*split(as_text, table.names), *([] if asked.cluster is None else [asked.cluster])]
        frame, n_rows = table.read(columns, partial(sampled, most=most, seed=seed), texts)
    if n_rows < least:
        rows = "only one row" if n_rows else f"no rows, only a header with {counted(len(table.names), 'name')}"
        raise InputError(f"{what} has {rows}. A model needs many.")
    notes = list(table.notes)
    if len(frame) < n_rows:
        notes.append(Note("sample", (), f"Read {n_rows:,} rows, kept {len(frame):,} at random (seed {seed})."))
    return FileData(frame, tuple(notes), n_rows, table.names)


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
                yield open_text(text, what, header)
                return
            if not header:
                raise InputError(Argument("header"), f" is for text files; {what} has names. Leave it out.")
            if packed or not file.seekable():  # Parquet is read from its end
                copy = stack.enter_context(tempfile.TemporaryFile())
                copyfileobj(file, copy)
                file = copy
            yield open_parquet(file, what)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(f"{what} cannot be unpacked with gzip: {error}. It may be cut off.") from None


def _opened(path: str | os.PathLike[str], what: str, stack: ExitStack) -> Any:
    if str(path) == "-":
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
    cells = [cell.strip() for cell in line[:200]]  # of thousands, looking at all takes longer than all other reading
    filled = [d for d, cell in enumerate(cells) if cell and cell not in MISSING]
    if not rows or not filled:
        return False
    amounts = [d for d in filled if _is_amount(cells[d])]
    texts = [d for d in filled if d not in amounts]
    over_amounts = [d for d in filled if all(_is_amount(row[d]) or row[d].strip() in MISSING for row in rows)]
    if set(texts) & set(over_amounts):
        return False
    again = [d for d in texts if any(row[d].strip() == cells[d] for row in rows)]
    if texts and 2 * len(again) >= len(texts):
        return True
    alike = set(amounts) & set(over_amounts)
    return bool(alike) and 3 * len(alike) >= len(filled) and not _are_names([cells[d] for d in amounts])


def _is_amount(cell: str) -> bool:
    """Whether a cell is a number or a date."""
    return number_cell(cell) is not None or bool(date_forms([cell.strip()]))


def _are_names(cells: Sequence[str]) -> bool:
    """Whether numbers may be names: 1990, 1991, 1992 or 400.5, 401, 401.5."""
    try:
        values = np.array([number_in(cell, "plain_text") for cell in cells])
    except ValueError:
        return False
    steps = np.diff(values)
    whole = bool((values == np.floor(values)).all() and (steps > 0.0).all())
    equal = len(steps) > 1 and bool(np.allclose(steps, steps[0], rtol=1e-6) and steps[0] != 0.0)
    return len(values) > 2 and (whole or equal)  # two may increase by chance


#: Possible delimiters, and the number of lines that the delimiter is found from.
DELIMITERS, SNIFFED = ",;\t|", 100

#: Cells of one column that were read together: one text, which takes a fourth of the memory of a list, unless a cell
#: has line breaks.
_Cells = str | list[str]


@dataclass
class TextTable:
    """An open text file: its names are known, its rows are still to be read, so that memory holds only those kept.

    Spaces around names and cells do not count.
    """

    names: list[str]
    notes: list[Note]
    what: str
    _reader: Any
    _first: list[list[str]]  # rows that were read to recognise the header

    def read(self, columns: list[str], sample: Any, as_text: Iterable[str]) -> tuple[pd.DataFrame, int]:
        """The rows of the sample, with numbers and truth values where a column holds nothing else, and their number."""
        positions = [self.names.index(name) for name in columns]
        rows = self._rows()
        held, kept, index, n_rows = sample(
            iter(lambda: list(islice(rows, 1024)), []),  # only rows of the sample are kept longer
            lambda block, places: [_packed([block[place][p] for place in places]) for p in positions],
        )
        plain, has_points = set(as_text), False
        frame = {}
        for position, name in enumerate(columns):
            cells = self._column([each[position] for each in held], kept)
            if name in plain:
                frame[name] = labels(cells)
                continue
            frame[name], marks = read_cells(cells)
            has_points = has_points or (frame[name].dtype.kind == "f" and "." in "".join(cells))
            self.notes += marks_notes(name, marks)
        table = pd.DataFrame(frame, index=index, columns=columns)
        table.attrs[DECIMAL_POINTS] = has_points  # in such a file, the comma of 1,234 is not a decimal one
        return table, n_rows

    def _column(self, blocks: list[_Cells], kept: NDArray[np.intp]) -> list[str]:
        """The cells of one column in the rows that are kept, without spaces around them."""
        lists = (block.split("\n") if isinstance(block, str) else block for block in blocks)
        cells = [cell.strip() for block in lists for cell in block]
        if len(kept) < len(cells):
            cells = [cells[row] for row in kept]
        if "".join(cells).isascii():
            return cells
        readable = [_latin(cell) for cell in cells]
        if readable != cells and not any(note.kind == "encoding" for note in self.notes):
            self.notes.append(_encoding_note(self.what))
        return readable

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
            raise _unreadable(self.what, self._reader.line_num, error) from None


def _packed(cells: list[str]) -> _Cells:
    text = "\n".join(cells)
    return text if cells and text.count("\n") == len(cells) - 1 else cells


def open_text(lines: IO[str], what: str, header: bool = True) -> TextTable:
    """A table from a stream of text, decoded with "surrogateescape"; without a `header`, columns are x0, x1, …"""
    first = list(islice(lines, SNIFFED))
    if not any(line.strip() for line in first):
        raise InputError(f"{what} is empty. It should have a line of column names, and rows below.")
    delimiter = delimiter_of(first)
    reader = csv.reader(chain(first, lines), delimiter=delimiter, skipinitialspace=True)
    rows = (row for row in reader if row)
    try:
        names, below = next(rows), list(islice(rows, 1))
    except csv.Error as error:
        raise _unreadable(what, reader.line_num, error) from None
    if not header:
        return TextTable([f"x{d}" for d in range(len(names))], [], what, reader, [names, *below])
    notes: list[Note] = []
    readable = [_latin(name) for name in names]
    if readable != names:
        notes.append(_encoding_note(what))
    if is_row(names, _rows_of(first, delimiter)[1:]):
        text = Sentence(
            f"{what} seems to have no line with the names of its columns: the first line ({quoted(readable, 3)}) is "
            "like the rows below. Add a line of names. The command can do without, and calls them x0, x1 and so on: ",
            Argument("header", False),
            ".",
        )
        if len(set(readable)) < len(readable):
            raise InputError(text)
        notes.append(Note("header", (), text, severe=True))
    if below and len(below[0]) == len(names) + 1:  # as R writes them
        readable = ["", *readable]
        more = "The rows have one cell more than the header: the first column has no name and is taken for row names."
        notes.append(Note("row_names", ("Unnamed: 0",), more))
    return TextTable(header_names(readable, what), notes, what, reader, below)


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


def _unreadable(what: str, line: int, error: csv.Error) -> InputError:
    return InputError(f"{what}, line {line}, cannot be read: {error}. Is there a quote that is never closed?")


def _latin(text: str) -> str:
    """The text, with bytes that are not UTF-8 read as Latin-1."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("latin-1")
    return text


def _encoding_note(what: str) -> Note:
    text = f"{what} has text that is not UTF-8; it was read as Latin-1. Check letters with accents."
    return Note("encoding", (), text)


@dataclass
class ParquetTable:
    """An open Parquet file: its names are known, its rows are still to be read, in batches."""

    names: list[str]
    notes: list[Note]
    what: str
    _file: Any
    _arrow: Any

    def read(self, columns: list[str], sample: Any, as_text: Any) -> tuple[pd.DataFrame, int]:
        """The rows of the sample, with the types that the file gives them, and the number of all rows."""
        schema = self._file.schema_arrow
        stored = dict(zip(self.names, _column_labels(self._file), strict=True))
        labels = [stored[name] for name in columns]
        try:
            batches, kept, index, n_rows = sample(
                self._file.iter_batches(16_384, columns=labels),
                lambda batch, places: batch.select(labels).take(self._arrow.array(places)),
            )
            fields = [schema.field(label) for label in labels]
            table = self._arrow.Table.from_batches(batches, schema=self._arrow.schema(fields)).unify_dictionaries()
            frame = table.to_pandas(ignore_metadata=True, date_as_object=False)
        except (OSError, self._arrow.ArrowException) as error:
            raise _damaged(self.what, error) from None
        return frame.iloc[kept].set_axis(columns, axis=1).set_axis(index, axis=0), n_rows


def open_parquet(file: IO[bytes], what: str) -> ParquetTable:
    """A table from a file that can be searched."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet") from None
    try:
        opened = pyarrow.parquet.ParquetFile(file)
    except (OSError, pyarrow.ArrowException) as error:
        raise _damaged(what, error) from None
    labels = _column_labels(opened)
    if not labels:
        raise InputError(f"{what} has no columns.")
    return ParquetTable(header_names(labels, what), [], what, opened, pyarrow)


def _column_labels(file: Any) -> list[str]:
    """Names as the file has them, without the index of pandas."""
    return [name for name in file.schema_arrow.names if not re.fullmatch(r"__index_level_\d+__", name)]


def _damaged(what: str, error: Exception) -> InputError:
    reason = str(error).splitlines()[0].rstrip(".")
    return InputError(f"{what} begins like a Parquet file but cannot be read: {reason}. Write the file again.")
