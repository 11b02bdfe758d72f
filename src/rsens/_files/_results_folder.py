"""A folder of results: all files or none, and no file of anyone else is touched.

Files are made in a folder beside it and moved when all are there. `summary.json` lists them, so that the next run knows
which files are its own: it replaces these and leaves the others alone. Results of another question are replaced only if
the user says so.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rsens._errors import InputError
from rsens._files._json import read_json, write_json
from rsens._files._question import Question, difference

SUMMARY = "summary.json"
FORMAT, VERSION = "rsens results", 1
#: Folders inside, which keep finished pieces of long work.
WORK = ("samples", "splits")
#: How the names of folders begin in which files are made.
TEMPORARY = ".rsens-"


def check_folder(folder: Path, overwrite: bool, work: str | None = None, question: Question | None = None) -> None:
    """An `InputError` if the folder cannot be written, or holds what may not be replaced and `overwrite` is not set.

    `work` is the name of a folder inside that keeps unfinished work. Other files are not to be replaced, nor are
    results of another question than this one.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file. Give the name of a folder.")
    _try_to_write(folder)
    if overwrite or not folder.is_dir():
        return
    found = _summary_of(folder)
    if found is None and any(path.name != work and not path.name.startswith(TEMPORARY) for path in folder.iterdir()):
        raise InputError(
            f"the folder {folder} holds files that rsens did not write. Give another folder, or overwrite=True: "
            "files of the same names are then replaced."
        )
    other = None if found is None or question is None else difference(found, question)
    if other is not None:
        raise InputError(
            f"the folder {folder} has results of another question ({other}). Give another folder, or overwrite=True."
        )


@contextmanager
def new_files(folder: Path, keep: Iterable[str] = ()) -> Iterator[Path]:
    """A folder to write into. Its files appear in `folder` if all goes well, and vanish if not.

    Files that a run before has listed go, if they are not written anew, but for those to `keep`.
    """
    place = folder.resolve()
    beside = place if place.is_dir() else place.parent  # inside, if it is there: the folder above may be closed
    temporary = beside / f"{TEMPORARY}{uuid.uuid4().hex[:12]}"
    try:
        beside.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be written: {error.strerror}.") from None
    try:
        yield temporary
        with _uninterrupted():
            _move(temporary, place, set(keep))
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


def _try_to_write(folder: Path) -> None:
    """What the system says of permissions is not all: make a folder, and remove it."""
    there = next(path for path in (folder.resolve(), *folder.resolve().parents) if path.exists())
    try:
        os.rmdir(tempfile.mkdtemp(prefix=TEMPORARY, dir=there))
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be written: {error.strerror}. Give another one.") from None


def _summary_of(folder: Path) -> dict[str, Any] | None:
    """What a run before wrote; None if there was none."""
    try:
        content = read_json(folder / SUMMARY)
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(content.get("files"), list):
        return None
    return content


def _move(temporary: Path, folder: Path, keep: set[str]) -> None:
    if not folder.exists():
        temporary.rename(folder)
        return
    files = [path for path in temporary.rglob("*") if path.is_file()]
    new = {path.relative_to(temporary) for path in files}
    before, now = _summary_of(folder) or {"files": []}, _summary_of(temporary) or {}
    for name in before["files"]:
        path = Path(str(name))
        # A list that was tampered with names no file outside.
        if path not in new and str(path) not in keep and not path.is_absolute() and ".." not in path.parts:
            (folder / path).unlink(missing_ok=True)
            with suppress(OSError):  # unless there are other files
                (folder / path).parent.rmdir()
    if before.get("work") in WORK and before["work"] != now.get("work"):
        shutil.rmtree(folder / before["work"], ignore_errors=True)
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
