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
from itertools import chain, islice
from pathlib import Path
from shutil import copyfileobj
from typing import IO, Any

import numpy as np
import pandas as pd

from rsens._app.tables._cells import MISSING, labels, number_cell
from rsens._app.tables._columns import Note, Roles, check_unique
from rsens._app.tables._dates import date_forms
from rsens._app.tables._reading import FROM_FILE
from rsens._arguments import whole_number
from rsens._errors import Argument, InputError, MissingExtraError, Sentence
from rsens._text import counted, quoted

#: The marks at the start of text with two bytes per letter.
WIDE = (b"\xff\xfe", b"\xfe\xff")
#: Bytes that are not UTF-8, as "surrogateescape" decodes them, and their letters in Latin-1.
LATIN = {0xDC00 + byte: chr(byte) for byte in range(128, 256)}
#: Possible delimiters, and the number of lines that the delimiter is found from.
DELIMITERS, SNIFFED = ",;\t|", 100
#: Rows that are read at once.
BLOCK = 8192


@dataclass(frozen=True, eq=False)
class FileData:
    """The rows of a file that were kept, notes, the number of all rows, and the names of all columns.

    The index of the frame has the numbers of the rows in the file, counted from 0.
    """

    frame: pd.DataFrame
    notes: tuple[Note, ...]
    n_rows: int
    names: list[str]


@dataclass(frozen=True, eq=False)
class OpenTable:
    """An open file whose names are known and whose rows are still to be read, by the positions of columns."""

    names: list[str]
    notes: list[Note]
    what: str
    blocks: Callable[[list[int]], Iterator[pd.DataFrame]]
    is_text: bool = False


def read_file(
    path: str | os.PathLike[str],
    roles: Roles | None = None,
    *,
    max_rows: int | None = None,
    seed: int = 0,
    least: int = 2,
    header: bool = True,
) -> FileData:
    """Read a table in one pass, keeping only the columns that are asked for.

    The kind of file is recognised by its content, not by its name. Text is UTF-8, or Latin-1 with a note. All columns
    of a text file are text, which `TableReader` reads.

    `path` "-" is standard input. At most `max_rows` rows are kept, drawn at random with the seed; fewer than `least`
    are an error. Without a `header`, columns are called x0, x1, …
    """
    roles = Roles() if roles is None else roles
    most = None if max_rows is None else whole_number(max_rows, "max_rows", 2)
    seed = whole_number(seed, "seed", 0)
    with _table(path, header) as table:
        no_header = next((note.text for note in table.notes if note.kind == "header"), None)
        if no_header is not None and roles.target is not None and roles.target not in table.names:
            raise InputError(f"the target column {roles.target!r} does not exist: ", no_header)
        columns = roles.read(table.names, table.what)
        frame, n_rows = sampled(table.blocks([table.names.index(name) for name in columns]), most, seed)
    if n_rows < least:
        rows = "only one row" if n_rows else f"no rows, only a header with {counted(len(table.names), 'name')}"
        raise InputError(f"{table.what} has {rows}. A model needs many.")
    if len(frame) < n_rows:
        text = f"Read {n_rows:,} rows, kept {len(frame):,} at random (seed {seed})."
        table.notes.append(Note("sample", (), text))
    frame.columns = columns
    if table.is_text:
        cells = {name: labels([cell.strip() for cell in frame[name]]) for name in columns}
        frame = pd.DataFrame(cells, index=frame.index, columns=columns)
        frame.attrs[FROM_FILE] = True
    return FileData(frame, tuple(table.notes), n_rows, table.names)


def column_names(path: str | os.PathLike[str], header: bool = True) -> list[str]:
    """The names of the columns in a file."""
    with _table(path, header) as table:
        return list(table.names)


def sampled(blocks: Iterable[pd.DataFrame], most: int | None, seed: int) -> tuple[pd.DataFrame, int]:
    """Rows that are drawn from blocks, each set of `most` rows with the same probability, and the number of all rows.

    The drawn rows have the smallest of independent uniform keys. Row i has the i-th key that the seed gives, so that
    the sample depends on neither the size of the blocks nor the format of the file.
    """
    rng, n_rows = np.random.default_rng(seed), 0
    held: list[pd.DataFrame] = []
    keys = np.empty(0)
    for block in blocks:
        held.append(block.set_axis(range(n_rows, n_rows + len(block)), axis=0))
        keys, n_rows = np.append(keys, rng.random(len(block))), n_rows + len(block)
        if most is not None and len(keys) > 2 * most:
            kept = np.sort(np.argsort(keys)[:most])
            held, keys = [pd.concat(held).iloc[kept]], keys[kept]
    return (pd.concat(held) if held else pd.DataFrame()).iloc[np.sort(np.argsort(keys)[:most])], n_rows


@contextmanager
def _table(path: str | os.PathLike[str], header: bool) -> Iterator[OpenTable]:
    """The table in a file, while it is open."""
    what = "standard input" if str(path) == "-" else str(path)
    with ExitStack() as stack:
        file = _opened(path, what, stack)
        try:
            packed = file.peek(2).startswith(b"\x1f\x8b")
            if packed:
                file = stack.enter_context(io.BufferedReader(stack.enter_context(gzip.GzipFile(fileobj=file))))
            begin: bytes = file.peek(8192)[:8192]
            if begin.startswith(b"PAR1"):
                if packed or not file.seekable():  # Parquet is read from its end
                    copy = stack.enter_context(tempfile.TemporaryFile())
                    copyfileobj(file, copy)
                    file = copy
                yield _parquet_table(file, what)
                return
            wide = begin.startswith(WIDE)
            control = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in begin)
            if not wide and (b"\0" in begin or control > 0.05 * len(begin)):
                raise _not_text(what)
            encoding = ("utf-16", "replace") if wide else ("utf-8-sig", "surrogateescape")
            text = io.TextIOWrapper(file, *encoding, newline="")
            stack.callback(text.detach)
            yield _text_table(text, what, header)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(f"{what} cannot be unpacked with gzip: {error}. It may be cut off.") from None


def _not_text(what: str) -> InputError:
    formats = "rsens reads CSV, TSV and Parquet. Save a table of Excel as CSV, and text as UTF-8"
    return InputError(f"{what} is not a text file. {formats}.")


def _opened(path: str | os.PathLike[str], what: str, stack: ExitStack) -> Any:
    if what == "standard input":
        file = io.BufferedReader(sys.stdin.buffer)  # type: ignore[type-var]
        stack.callback(file.detach)  # standard input stays open
        return file
    try:
        return stack.enter_context(open(path, "rb"))
    except FileNotFoundError:
        folder = Path(path).absolute().parent
        near = get_close_matches(Path(path).name, os.listdir(folder) if folder.is_dir() else [], 1, cutoff=0.7)
        raise InputError(f"The file {what} does not exist.{f' Did you mean {near[0]}?' if near else ''}") from None
    except (OSError, ValueError) as error:  # names with a zero byte are a ValueError
        raise InputError(f"{what} cannot be opened: {getattr(error, 'strerror', error)}.") from None


def is_row(line: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the first line of a text file has no names, but is a row like those `below`.

    Text above numbers is a name. Else it is a row if half of its cells are numbers or dates above such, or occur again
    below in the same column. Numbers may be names all the same, as in tables by year or by wavelength.
    """
    alike, amounts = [], []
    for cell, *others in zip(line[:200], *(row for row in below if len(row) == len(line)), strict=False):
        above_amounts = bool(others) and all(_is_amount(other) or other.strip() in MISSING for other in others)
        if cell.strip() not in MISSING:
            if _is_amount(cell):
                amounts.append(cell)
            elif above_amounts:
                return False
            alike.append(above_amounts or cell.strip() in map(str.strip, others))
    return 2 * sum(alike) >= max(1, len(alike)) and not _are_names(amounts)


def _is_amount(cell: str) -> bool:
    """Whether a cell is a number or a date."""
    return number_cell(cell) is not None or bool(date_forms([cell]))


def _are_names(cells: Sequence[str]) -> bool:
    """Whether numbers may be names: 1990, 1991, 1992 or 400.5, 401, 401.5; two may increase by chance."""
    values = pd.to_numeric(pd.Series(cells, dtype=object), errors="coerce").to_numpy(dtype=float)
    steps = np.diff(values)
    increase = (steps > 0.0).all() and ((values == np.floor(values)).all() or np.allclose(steps, steps[0], rtol=1e-6))
    return len(values) > 2 and bool(increase)


def _text_table(text: IO[str], what: str, header: bool) -> OpenTable:
    """An open text file whose names are read; without a `header`, columns are x0, x1, …"""
    notes: list[Note] = []
    lines = _decoded(text, what, notes)
    first = list(islice(lines, SNIFFED))
    if not any(line.strip() for line in first):
        raise InputError(f"{what} is empty. It should have a line of column names, and rows below.")
    delimiter = delimiter_of(first, what)
    rows = _split(chain(first, lines), delimiter, what)
    begin = list(islice(rows, 2))
    names, below = begin[0][1], begin[1:]
    if not header:
        names, below = [f"x{d}" for d in range(len(names))], begin
    elif is_row(names, _rows_of(first, delimiter, what)[1:]):
        sentence = Sentence(
            f"{what} seems to have no line with the names of its columns: the first line ({quoted(names, 3)}) is "
            "like the rows below. Add a line of names; or have the columns called x0, x1 and so on, with ",
            Argument("header", False),
            ".",
        )
        if len(set(names)) < len(names):
            raise InputError(sentence)
        notes.append(Note("header", (), sentence, severe=True))
    elif below and len(below[0][1]) == len(names) + 1:  # as R writes them
        names = ["", *names]
        more = "The rows have one cell more than the header: the first column has no name and has row names."
        notes.append(Note("row_names", ("Unnamed: 0",), more))

    def blocks(positions: list[int]) -> Iterator[pd.DataFrame]:
        rest = chain(below, rows)
        while block := list(islice(rest, BLOCK)):
            for number, row in block:
                if len(row) != len(names):
                    cells = f"the row has {counted(len(row), 'cell')}, the header has {len(names)}"
                    mend = "Quote cells that contain the delimiter, and delete lines above the names of the columns."
                    raise InputError(f"{what}, line {number}: {cells}. {mend}")
            yield pd.DataFrame({p: [row[p] for _, row in block] for p in positions})

    return OpenTable(_header_names(names, what), notes, what, blocks, is_text=True)


def _decoded(lines: Iterable[str], what: str, notes: list[Note]) -> Iterator[str]:
    """The lines, with bytes that are not UTF-8 read as Latin-1 and noted."""
    for line in lines:
        if "\0" in line:
            raise _not_text(what)
        mended = line if line.isascii() else line.translate(LATIN)
        if mended != line and not any(note.kind == "encoding" for note in notes):
            text = f"{what} has text that is not UTF-8; it was read as Latin-1. Check letters with accents."
            notes.append(Note("encoding", (), text))
        yield mended


def _split(lines: Iterable[str], delimiter: str, what: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, each with the number of its last line."""
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        wrong = f"line {reader.line_num}, cannot be read: {error}. Is there a quote that is never closed?"
        raise InputError(f"{what}, {wrong}") from None


def _header_names(header: Sequence[str], what: str) -> list[str]:
    """The names in a header, stripped of spaces; an error if two are the same."""
    names = [name.strip() or f"Unnamed: {position}" for position, name in enumerate(header)]
    check_unique(names, what)
    return names


def delimiter_of(lines: list[str], what: str) -> str:
    """The delimiter by which most rows are as long as the header, and longest; a comma if no line has any."""
    scores = {}
    for delimiter in DELIMITERS:
        try:
            rows = _rows_of(lines, delimiter, what)
        except InputError:
            continue
        header, widths = len(rows[0]) if rows else 0, Counter(len(row) for row in rows[1:])
        even = max(widths[header], widths[header + 1]) / max(1, len(rows) - 1)
        if header > 1 or widths[2] == len(rows) - 1 > 0:
            scores[delimiter] = (even, header)
    return max(scores, key=lambda each: scores[each], default=",")


def _rows_of(lines: list[str], delimiter: str, what: str) -> list[list[str]]:
    """The rows in the first lines of a file, except one that may go on."""
    rows = [row for _, row in _split(lines, delimiter, what)]
    return rows[:-1] if len(lines) == SNIFFED else rows


def _parquet_table(file: IO[bytes], what: str) -> OpenTable:
    """An open Parquet file, without the index of pandas. It has all rows in one block, with the types of the file."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet") from None
    with _whole(what):
        opened = pyarrow.parquet.ParquetFile(file)
    names = [name for name in opened.schema_arrow.names if not re.fullmatch(r"__index_level_\d+__", name)]
    if not names:
        raise InputError(f"{what} has no columns.")

    def blocks(positions: list[int]) -> Iterator[pd.DataFrame]:
        asked = [names[p] for p in positions]
        with _whole(what):
            yield opened.read(columns=asked).select(asked).to_pandas(ignore_metadata=True, date_as_object=False)

    return OpenTable(_header_names(names, what), [], what, blocks)


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
