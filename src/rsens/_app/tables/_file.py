"""A table in a file, or in standard input: CSV, TSV or Parquet, compressed with gzip or not."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from shutil import copyfileobj
from typing import IO, Any

import pandas as pd

from rsens._app.tables._columns import columns_to_read, split
from rsens._app.tables._notes import Note
from rsens._app.tables._parquet import ParquetTable, open_parquet
from rsens._app.tables._sample import RowSample
from rsens._app.tables._text import TextTable, open_text
from rsens._app.tables._where import with_columns_of
from rsens._arguments import whole_number
from rsens._errors import Argument, InputError
from rsens._text import counted

#: How other kinds of files begin, and what to do with them.
OTHERS = {
    b"PK\x03\x04": "is a zip or Excel file. Save the table as CSV",
    b"\xd0\xcf\x11\xe0": "is an Excel file. Save the table as CSV",
    b"%PDF": "is a PDF. Save the table as CSV",
    b"\x89PNG": "is a picture",
    b"\xff\xd8\xff": "is a picture",
    b"\x89HDF": "is an HDF5 file. Save the table as CSV or Parquet",
    b"SQLite": "is a database. Save the table as CSV",
    b"ARROW1": "is a Feather file. Save the table as Parquet",
}
#: How text with several bytes per letter begins. The mark of UTF-32 begins like that of UTF-16.
WIDE = (
    ((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff"), "utf-32"),
    ((b"\xff\xfe", b"\xfe\xff"), "utf-16"),
)


@dataclass(frozen=True, eq=False)
class FileData:
    """A table that was read: the rows that were kept, how many there are in the file, and notes.

    The index of the frame has the numbers of the rows in the file, counted from 0. The columns `extra` are
    there only because conditions on rows look at them.
    """

    frame: pd.DataFrame
    notes: tuple[Note, ...]
    n_rows: int
    extra: tuple[str, ...] = ()


def read_file(
    path: str | os.PathLike[str],
    *,
    columns: Iterable[str] | None = None,
    drop: Iterable[str] = (),
    target: str | None = None,
    rows: int | None = None,
    max_rows: int | None = None,
    seed: int = 0,
    as_text: Iterable[str] = (),
    cluster: str | None = None,
    where: Sequence[str] = (),
    by: str | None = None,
    least: int = 2,
    header: bool = True,
) -> FileData:
    """Read a table in one pass, keeping only what is asked for.

    The content says what kind of file it is, not its name. Text is UTF-8, or Latin-1 with a note. A column of a text
    file is made of numbers, or of truth values (true, false), if all its cells are, but for missing ones: empty, NA,
    N/A, NaN, null, None or a question mark; and beside numbers a dash, a dot, n.d. and the like, with a note
    (`rsens._app.tables._cells` has all of them). Other columns are text; `prepare` looks at them further.

    Args:
        path: The file, or "-" for standard input.
        columns: Names of the columns to read; None for all. The target is read anyway.
        drop: Names of columns to leave out.
        target: The name of the target, which must be there.
        rows: How many rows to keep, drawn at random; None for all.
        max_rows: The same, as a limit that the caller sets; the smaller of the two applies.
        seed: For the rows that are drawn.
        as_text: Columns of a text file that are text even if all their cells are numbers.
        cluster: The name of the column that says which rows belong together; it must be there, and is read as text.
        where: Conditions for `keep_rows`, whose columns are read too.
        by: The column that has the subgroups of rows, which is read too.
        least: The fewest rows that will do: 2 to fit a model, 1 for new rows.
        header: Whether the first line of a text file has the names of the columns; else they are x0, x1, …
    """
    limits = [whole_number(n, name, 2) for n, name in ((rows, "rows"), (max_rows, "max_rows")) if n is not None]
    sample = RowSample(min(limits, default=None), whole_number(seed, "seed", 0))
    what = "standard input" if str(path) == "-" else str(path)
    with _table(path, what, header) as table:
        if target is not None and isinstance(table, TextTable):
            table.check_header(target)
        asked = columns_to_read(table.names, target, columns, drop, what, cluster)
        wanted = with_columns_of(where, asked, table.names, what, by)
        texts = [*split(as_text, table.names), *([] if cluster is None else [cluster])]
        frame = table.read(wanted, sample, texts)
    if not sample.seen:
        raise InputError(f"{what} has no rows, only a header with {counted(len(table.names), 'name')}.")
    if sample.seen < least:
        raise InputError(f"{what} has only one row. A model needs many more.")
    notes = list(table.notes)
    if len(frame) < sample.seen:
        text = f"Read {sample.seen:,} rows, kept {len(frame):,} at random (seed {seed})."
        notes.append(Note("sample", (), text))
    return FileData(frame, tuple(notes), sample.seen, tuple(name for name in wanted if name not in asked))


def column_names(path: str | os.PathLike[str], header: bool = True) -> list[str]:
    """The names of the columns in a file."""
    with _table(path, str(path), header) as table:
        return list(table.names)


@contextmanager
def _table(path: str | os.PathLike[str], what: str, header: bool) -> Iterator[TextTable | ParquetTable]:
    """The table in a file, while it is open."""
    with ExitStack() as stack:
        file = stack.enter_context(_opened(path, what))
        try:
            if _begin(file).startswith(b"\x1f\x8b"):
                packed = stack.enter_context(gzip.GzipFile(fileobj=file))
                file = stack.enter_context(io.BufferedReader(packed))
            begin = _begin(file)
            if begin.startswith(b"PAR1"):
                if not header:
                    raise InputError(Argument("header"), f" is for text files; {what} has names. Leave it out.")
                yield open_parquet(_searchable(file, stack), what)
            else:
                yield open_text(stack.enter_context(_decoded(file, begin, what)), what, header)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(f"{what} cannot be unpacked with gzip: {error}. It may be cut off.") from None


@contextmanager
def _opened(path: str | os.PathLike[str], what: str) -> Iterator[Any]:
    if str(path) == "-":
        yield io.BufferedReader(_Unclosed(sys.stdin.buffer))
        return
    if Path(path).is_dir():
        raise InputError(f"{what} is a folder. Give a CSV, TSV or Parquet file.")
    try:
        file = open(path, "rb")  # noqa: SIM115 (closed below)
    except FileNotFoundError:
        raise InputError(f"There is no file {what}.{_nearest_file(Path(path))}") from None
    except OSError as error:
        raise InputError(f"{what} cannot be opened: {error.strerror}.") from None
    with file:
        yield file


def _nearest_file(path: Path) -> str:
    folder = path.absolute().parent
    if not folder.is_dir():
        return f" There is no folder {folder} either."
    near = get_close_matches(path.name, os.listdir(folder), 1, cutoff=0.7)
    return f" Did you mean {near[0]}?" if near else ""


class _Unclosed(io.RawIOBase):
    """Standard input, which stays open when its reader is closed."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._source.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)


def _begin(file: Any) -> bytes:
    begin: bytes = file.peek(8192)[:8192]
    return begin


def _decoded(file: Any, begin: bytes, what: str) -> IO[str]:
    if not begin:
        raise InputError(f"{what} is empty. It should have a line of column names, and rows below.")
    for start, reason in OTHERS.items():
        if begin.startswith(start):
            raise InputError(f"{what} {reason}; rsens reads CSV, TSV and Parquet.")
    for marks, encoding in WIDE:
        if begin.startswith(marks):
            return io.TextIOWrapper(file, encoding=encoding, errors="replace", newline="")
    if _is_binary(begin):
        wide = " It may be UTF-16 or UTF-32 without its mark: save it as UTF-8." if _may_be_wide(begin) else ""
        raise InputError(f"{what} is not a text file. rsens reads CSV, TSV and Parquet.{wide}")
    return io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")


def _is_binary(begin: bytes) -> bool:
    """Whether there are zeros, or more control characters than any text has."""
    control = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in begin)
    return b"\0" in begin or control > 0.05 * len(begin)


def _may_be_wide(begin: bytes) -> bool:
    """Whether there is a letter and zeros in turn, as in UTF-16 and UTF-32."""
    text = begin.replace(b"\0", b"")
    return len(text) * 4 <= 2 * len(begin) + 4 and not _is_binary(text)


def _searchable(file: IO[bytes], stack: ExitStack) -> IO[bytes]:
    """Parquet is read from its end: what comes through a pipe or gzip is put into a temporary file first."""
    if isinstance(getattr(file, "raw", None), io.FileIO) and file.seekable():
        return file
    copy = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
    copyfileobj(file, copy)
    copy.seek(0)
    return copy
