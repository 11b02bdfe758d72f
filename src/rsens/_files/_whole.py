"""One file, written whole or not at all: under another name in the same folder first, then renamed."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from rsens._errors import Argument, InputError
from rsens._files._system_errors import writing


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write bytes into. It takes its name at the end; if something fails, the file of before stays.

    What the system refuses is an `InputError` that says why.
    """
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
