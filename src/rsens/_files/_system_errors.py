"""What the system says when a file cannot be written, in plain words."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from rsens._errors import Argument, InputError
from rsens._text import on_one_line, shorten

#: Another path may help.
OF_THE_PATH = {
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EROFS: "the disk is read-only",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
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
REASONS = OF_THE_PATH | OF_THE_DISK


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
        return REASONS.get(error.errno or 0)
    if isinstance(error, ValueError) and not isinstance(error, InputError) and "embedded null" in str(error):
        return "its name has a null character"
    return None


def as_input_error(error: BaseException) -> InputError | None:
    """An error of the system that nobody has caught, as a sentence for users; None for all other errors.

    This is for the outermost caller, who does not know which file was being written or read.
    """
    if isinstance(error, InputError):
        return error
    reason = reason_of(error)
    if reason is None:
        return None
    name = getattr(error, "filename", None)
    return InputError(f"{_shown(os.fsdecode(name)) if name else 'a file'} cannot be used: {reason}.")


@contextmanager
def writing(path: str | os.PathLike[str], argument: str = "path") -> Iterator[None]:
    """Errors of the system inside become an `InputError`: the path cannot be written, and why.

    `argument` is the one that names the path, for the advice to give another.
    """
    try:
        yield
    except InputError:
        raise
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError) and reason_of(error) is None:
            raise
        raise cannot_write(path, error, argument) from error


def cannot_write(path: str | os.PathLike[str], error: OSError | ValueError, argument: str = "path") -> InputError:
    """That the path cannot be written, and what the system says."""
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
