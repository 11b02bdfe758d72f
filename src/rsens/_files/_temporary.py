"""Hidden folders in which results are made, and what becomes of them when their process is killed.

A process holds a lock on its folder as long as it lives; the system takes the lock away when the process ends, however
it ends. A folder without a lock is a leftover, and the next run removes it. Where folders cannot be locked (Windows,
some network disks) nobody can tell a leftover from a folder in use, so all of them stay.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: How the names begin of hidden folders inside a folder of results.
INSIDE = ".rsens-"
RANDOM = re.compile("[0-9a-f]{12}")
#: Names of files have at most 255 bytes; this leaves room for what is added.
LONGEST = 200


def prefix_beside(place: Path) -> str:
    """How the names begin of hidden folders beside a folder of results."""
    name = place.name
    while len(os.fsencode(name)) > LONGEST:
        name = name[:-1]
    return f".{name}{INSIDE}"


@contextmanager
def temporary_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new hidden folder, locked, and removed at the end if it has not been renamed."""
    path, lock = _made(parent, prefix)
    try:
        yield path
    finally:
        remove_tree(path)
        if lock is not None:
            os.close(lock)


def _made(parent: Path, prefix: str) -> tuple[Path, int | None]:
    while True:
        path = parent / f"{prefix}{uuid.uuid4().hex[:12]}"
        path.mkdir()
        try:
            lock = _lock(path)
        except (BlockingIOError, FileNotFoundError):
            continue  # before it was locked, another run took it for a leftover
        if lock is None or _is_at(lock, path):
            return path, lock
        os.close(lock)


def _lock(path: Path) -> int | None:
    """Lock a folder until the file descriptor is closed; None where that is not possible.

    A `BlockingIOError` if it is locked already.
    """
    if fcntl is None:
        return None
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:  # a disk without locks
        os.close(handle)
        return None
    return handle


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False


def clear_leftovers(place: Path) -> None:
    """Remove the hidden folders that killed runs have left inside a folder of results and beside it."""
    for path in (*hidden_folders(place, INSIDE), *hidden_folders(place.parent, prefix_beside(place))):
        with suppress(OSError):  # a lock: that run is alive
            lock = _lock(path)
            if lock is not None:
                remove_tree(path)
                os.close(lock)


def hidden_folders(parent: Path, prefix: str) -> list[Path]:
    """The folders with such a name; a link is none."""
    try:
        with os.scandir(parent) as entries:
            return [
                parent / entry.name
                for entry in entries
                if entry.name.startswith(prefix)
                and RANDOM.fullmatch(entry.name.removeprefix(prefix))
                and entry.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return []


def remove_tree(path: Path) -> None:
    """Remove a folder and all in it, as far as the system lets us. Links are removed, not followed."""
    shutil.rmtree(path, ignore_errors=True)
    if path.is_dir() and not path.is_symlink():  # there are folders in it that are closed to writing
        for folder, _, _ in os.walk(path):
            with suppress(OSError):
                os.chmod(folder, 0o700)
        shutil.rmtree(path, ignore_errors=True)
