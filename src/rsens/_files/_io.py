"""Single files: written whole or not at all, read only if they are files, with the system's errors in plain words."""

from __future__ import annotations

import errno
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

#: Another path may help.
OF_THE_PATH = {
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EROFS: "the disk is read-only",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
    errno.EEXIST: "there is a file of that name",
    errno.EISDIR: "there is a folder of that name",
    errno.ENOTEMPTY: "there is a folder of that name, and it is not empty",
    errno.ELOOP: "links in its path go round in circles",
    errno.EBUSY: "another program uses it",
}
#: Room, or another disk, may help.
OF_THE_DISK = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota of the disk is used up",
    errno.EFBIG: "the file is larger than the system allows",
    errno.EIO: "the disk reports an error",
    errno.EMFILE: "too many files are open",
    errno.ENFILE: "too many files are open",
}


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write bytes into. It takes its name at the end; if something fails, the file of before stays."""
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
    data = content.encode("utf-8") if isinstance(content, str) else content
    with whole_file(path) as file:
        file.write(data)


@contextmanager
def open_file(path: str | os.PathLike[str], writer: str) -> Iterator[BinaryIO]:
    """Open a file to read; an `InputError` for anything but a file. `writer` is the function that writes such files."""
    advice = f"Give a file written by {writer}."
    try:
        mode = os.stat(path).st_mode
        # A device may have no end, and a pipe may never begin.
        file = open(path, "rb") if stat.S_ISREG(mode) else None  # noqa: SIM115 (closed below)
    except FileNotFoundError:
        raise MissingPathError(f"there is no file {path}. {advice}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{_shown(path)} cannot be read: {reason_of(error) or error}. {advice}") from None
    if file is None:
        raise InputError(f"{path} is {'a folder' if stat.S_ISDIR(mode) else 'not a file'}. {advice}")
    with file:
        yield file


def read_file(path: str | os.PathLike[str], writer: str) -> bytes:
    """The content of a file; an `InputError` as in `open_file`."""
    with open_file(path, writer) as file:
        return file.read()


class MissingPathError(InputError, FileNotFoundError):
    """There is no such file to read, or no such folder to write into."""

    # Else a copy made by tblib, which distributed uses, asks ValueError to make an OSError.
    __new__ = OSError.__new__  # type: ignore[assignment]


class CannotWriteError(InputError, OSError):
    """The system does not write a file, for a reason that the user can do something about."""

    __new__ = OSError.__new__  # type: ignore[assignment]  # as above


def reason_of(error: BaseException) -> str | None:
    """Why a file cannot be used, in plain words. None if that is not what the error is about."""
    if isinstance(error, OSError):
        return (OF_THE_PATH | OF_THE_DISK).get(error.errno or 0)
    if isinstance(error, ValueError) and not isinstance(error, InputError) and "embedded null" in str(error):
        return "its name has a null character"
    return None


def as_input_error(error: BaseException) -> InputError | None:
    """An error of the system that nobody has caught, as a sentence for users; None for all other errors."""
    if isinstance(error, InputError):
        return error
    reason = reason_of(error)
    if reason is None:
        return None
    name = getattr(error, "filename", None)
    return InputError(f"{_shown(os.fsdecode(name)) if name else 'a file'} cannot be used: {reason}.")


@contextmanager
def writing(path: str | os.PathLike[str], argument: str = "path") -> Iterator[None]:
    """Errors of the system inside become an `InputError`: the path that `argument` names cannot be written, and why."""
    try:
        yield
    except InputError:
        raise
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError) and reason_of(error) is None:
            raise
        raise cannot_write(path, error, argument) from error


def cannot_write(path: str | os.PathLike[str], error: OSError | ValueError, argument: str = "path") -> InputError:
    """The error for a path that cannot be written, with the reason in plain words."""
    shown, code = _shown(path), getattr(error, "errno", None)
    if isinstance(error, FileNotFoundError):
        return MissingPathError(f"{shown} cannot be written: there is no folder to write it into. Make it first.")
    reason = reason_of(error) or getattr(error, "strerror", None) or str(error)
    of_the_path = code in OF_THE_PATH or not isinstance(error, OSError)
    advice = (" Give another ", Argument(argument), ".") if of_the_path else ()
    failure = CannotWriteError(f"{shown} cannot be written: {reason}.", *advice)
    failure.errno = code
    return failure


def _shown(path: str | os.PathLike[str]) -> str:
    return shorten(on_one_line(os.fspath(path)), 200)


# A spreadsheet takes text that begins with "=", "+", "-" or "@" for a formula and runs it. Names and levels come from
# the user's data, which may come from anyone; an apostrophe before such text makes it text again.

#: How text begins that a spreadsheet may run.
DANGEROUS = frozenset("=+-@\t\r\n")
#: Categories of characters that do not print: controls, and ends of lines and of paragraphs.
INVISIBLE = frozenset(("Cc", "Zl", "Zp"))


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
