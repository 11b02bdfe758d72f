"""A folder of results: all files or none, and no file of anyone else is touched.

Files are made in a folder beside it and moved when all are there. `summary.json` lists them, so that the next run knows
which files are its own: it replaces these and leaves the others alone.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rsens._errors import InputError
from rsens._json import read_json, write_json

SUMMARY = "summary.json"
FORMAT, VERSION = "rsens results", 1


def check_folder(folder: Path, overwrite: bool, work: str | None = None) -> None:
    """An `InputError` if the folder cannot be written, or holds files that are not ours and `overwrite` is not set.

    `work` is the name of a folder inside that keeps unfinished work.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file. Give the name of a folder.")
    there = next(path for path in (folder.resolve(), *folder.resolve().parents) if path.exists())
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        raise InputError(f"the folder {folder} cannot be written. Give another one.")
    others = folder.is_dir() and any(path.name != work for path in folder.iterdir())
    if others and not overwrite and _ours(folder) is None:
        raise InputError(
            f"the folder {folder} holds files that rsens did not write. Give another folder, or allow it to overwrite: "
            "files of the same names are then replaced."
        )


@contextmanager
def new_files(folder: Path) -> Iterator[Path]:
    """A folder to write into. Its files appear in `folder` if all goes well, and vanish if not."""
    parent = folder.resolve().parent
    temporary = parent / f".rsens-{uuid.uuid4().hex[:12]}"
    try:
        parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be written: {error.strerror}.") from None
    try:
        yield temporary
        with _uninterrupted():
            _move(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_summary(temporary: Path, command: str, content: dict[str, Any]) -> list[str]:
    """Write the list of files, with what else is to be known; the list."""
    files = sorted(str(path.relative_to(temporary)) for path in temporary.rglob("*") if path.is_file())
    files.append(SUMMARY)
    head = {"format": FORMAT, "version": VERSION, "command": command}
    write_json(head | content | {"files": files}, temporary / SUMMARY)
    return files


def read_summary(folder: Path) -> dict[str, Any]:
    """What `write_summary` wrote."""
    content: dict[str, Any] = read_json(folder / SUMMARY)
    return content


def _ours(folder: Path) -> list[str] | None:
    """The files that a run before wrote; None if there was none."""
    try:
        content = read_json(folder / SUMMARY)
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(content.get("files"), list):
        return None
    return [name for name in content["files"] if isinstance(name, str)]


def _move(temporary: Path, folder: Path) -> None:
    if not folder.exists():
        temporary.rename(folder.resolve())
        return
    files = [path for path in temporary.rglob("*") if path.is_file()]
    new = {path.relative_to(temporary) for path in files}
    for name in _ours(folder) or []:
        path = Path(name)
        # A list that was tampered with names no file outside.
        if path not in new and not path.is_absolute() and ".." not in path.parts:
            (folder / path).unlink(missing_ok=True)
            with suppress(OSError):  # unless there are other files
                (folder / path).parent.rmdir()
    for path in sorted(files, key=lambda each: each.name == SUMMARY):  # the list last
        place = folder / path.relative_to(temporary)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C within this waits until its end: moving files takes a moment, and half of them are of no use."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[Any] = []
    before = signal.signal(signal.SIGINT, lambda *given: waiting.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting and callable(before):
        before(*waiting[0])
