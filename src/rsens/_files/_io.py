"""Single files: written whole or not at all, read only if they are files, with the system's errors in plain words."""

from __future__ import annotations

import os
import stat
import unicodedata
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from rsens._errors import Argument, InputError
from rsens._text import on_one_line, shorten

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write bytes into. It gets its name at the end; after a failure the previous file is left."""
    target = Path(path)
    if not target.name:
        raise InputError(Argument("path"), f" must be the name of a file; got {os.fspath(path)!r}.")
    temporary = target.with_name(f".{uuid.uuid4().hex}.tmp")
    with writing(target):
        try:
            with temporary.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())  # else, after a power failure, the new name may have no content
            os.replace(temporary, target)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a file; text as UTF-8."""
    with whole_file(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def open_file(path: str | os.PathLike[str], writer: str) -> Iterator[BinaryIO]:
    """Open a file to read; an `InputError` for anything but a file. `writer` is the function that writes such files."""
    advice = f"Give a file written by {writer}."
    try:
        # A device may have no end, and a pipe may never begin.
        file = open(path, "rb") if stat.S_ISREG(os.stat(path).st_mode) else None  # noqa: SIM115 (closed below)
    except FileNotFoundError:
        raise MissingPathError(f"the file {path} does not exist. {advice}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{_shown(path)} cannot be read: {_reason(error)}. {advice}") from None
    if file is None:
        raise InputError(f"{path} is not a file. {advice}")
    with file:
        yield file


def read_file(path: str | os.PathLike[str], writer: str) -> bytes:
    """Read a file; an `InputError` as in `open_file`."""
    with open_file(path, writer) as file:
        return file.read()


class MissingPathError(InputError, FileNotFoundError):
    """The file to read, or the folder to write into, does not exist."""

    # Else a copy made by tblib, which distributed uses, asks ValueError to make an OSError.
    __new__ = OSError.__new__  # type: ignore[assignment]


def as_input_error(error: BaseException) -> InputError | None:
    """Turn an uncaught error of the system into a sentence for users; None for all other errors."""
    if isinstance(error, InputError):
        return error
    if not isinstance(error, OSError) or not error.errno or isinstance(error, ConnectionError | ChildProcessError):
        return None
    name = _shown(os.fsdecode(error.filename)) if error.filename else "a file"
    return InputError(f"{name} cannot be used: {_reason(error)}.")


@contextmanager
def writing(path: str | os.PathLike[str], argument: str = "path") -> Iterator[None]:
    """Turn errors of the system into an `InputError`: the path that `argument` names cannot be written, and why."""
    try:
        yield
    except FileNotFoundError as error:
        if isinstance(error, InputError):
            raise
        message = f"{_shown(path)} cannot be written: the folder to write it into does not exist. Make it first."
        raise MissingPathError(message) from error
    except (OSError, ValueError) as error:
        if isinstance(error, InputError) or (isinstance(error, ValueError) and "embedded null" not in str(error)):
            raise
        message = f"{_shown(path)} cannot be written: {_reason(error)}. Give another "
        raise InputError(message, Argument(argument), ".") from error


def _reason(error: OSError | ValueError) -> str:
    """The reason in the words of the system, such as "permission denied"."""
    reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    return reason[:1].lower() + reason[1:]


def _shown(path: str | os.PathLike[str]) -> str:
    return shorten(on_one_line(os.fspath(path)), 200)


# A spreadsheet takes text that begins with "=", "+", "-" or "@" for a formula and runs it. Names and levels come from
# the user's data, which may come from anyone; an apostrophe before such text makes it text again.

#: First characters of text that a spreadsheet may run, and categories of characters that do not print.
DANGEROUS, INVISIBLE = frozenset("=+-@\t\r\n"), frozenset(("Cc", "Zl", "Zp"))


def write_csv(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table without its index; text that a spreadsheet could run is made harmless."""
    import pandas as pd

    clean = frame.set_axis(range(frame.shape[1]), axis=1)  # names may occur twice
    for place, column in clean.select_dtypes(exclude=["number", "bool", "datetime", "datetimetz"]).items():
        cells = [_harmless(cell) for cell in column.astype(object)]
        clean[place] = pd.Series(cells, index=clean.index, dtype=object)
    text = clean.to_csv(index=False, header=[_harmless(name) for name in frame.columns] or True)
    write_whole(path, text.encode("utf-8", "backslashreplace"))


def _harmless(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    # Some spreadsheets also take the wide forms of these characters; NFKC makes them the usual ones.
    dangerous = cell != "" and unicodedata.normalize("NFKC", cell[0])[:1] in DANGEROUS
    escapes = {ord(c): c.encode("unicode_escape").decode("ascii") for c in cell if unicodedata.category(c) in INVISIBLE}
    return ("'" if dangerous else "") + cell.translate(escapes)
