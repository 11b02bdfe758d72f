"""A folder of results: every file is whole, old or new, and files of other programs are never touched.

New files are made in a hidden folder and take their places one by one, `summary.json`, which lists them, last: so a
run knows its own files, and the same command repairs an interrupted run. Links inside are never followed.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rsens._errors import Argument, InputError
from rsens._files._checkpoint import Checkpoint, difference
from rsens._files._io import writing
from rsens._files._store import parse_json, reading, write_json

SUMMARY = "summary.json"
FORMAT, VERSION = "rsens results", 1
#: Folders inside that keep finished pieces of long work.
WORK = ("samples", "splits")
#: The beginning of the names of hidden folders.
HIDDEN = ".rsens-writing-"


def write_summary(temporary: Path, command: str, content: dict[str, Any]) -> list[str]:
    """Write the list of files, with other content; returns the list."""
    files = sorted(path.relative_to(temporary).as_posix() for path in temporary.rglob("*") if path.is_file())
    files.append(SUMMARY)
    head = {"format": FORMAT, "version": VERSION, "command": command}
    write_json(head | content | {"files": files}, temporary / SUMMARY)
    return files


def read_summary(folder: Path) -> dict[str, Any]:
    """The content of `summary.json`; an `InputError` if it is missing or damaged."""
    if (content := _summary(folder)) is None:
        raise InputError(f"the folder {folder} has no {SUMMARY} of rsens. Write the results again.")
    return content


def _summary(folder: Path) -> dict[str, Any] | None:
    """The summary of an earlier run; None if it cannot be read."""
    path = folder / SUMMARY
    try:
        content = parse_json(path.read_bytes()) if stat.S_ISREG(os.lstat(path).st_mode) else None  # a link is not ours
    except (OSError, ValueError, RecursionError):
        return None
    ours = isinstance(content, dict) and content.get("format") == FORMAT and isinstance(content.get("files"), list)
    return content if ours else None


def _hidden_folders(place: Path) -> list[Path]:
    """The hidden folders of runs that write into this folder, or were killed doing so; a link is not one."""
    return [path for path in place.glob(f"{HIDDEN}*") if path.is_dir() and not path.is_symlink()]


def _files_of_ours(place: Path) -> frozenset[Path]:
    """The files that an earlier or a killed run lists; entries that do not name a file inside are ignored."""
    summaries = [_summary(folder) for folder in (place, *_hidden_folders(place))]
    entries = [entry for summary in summaries if summary is not None for entry in summary["files"]]
    paths = (Path(entry) for entry in entries if isinstance(entry, str) and "\0" not in entry)
    return frozenset(path for path in paths if path.parts and not path.anchor and ".." not in path.parts)


def check_folder(
    folder: Path, overwrite: bool, work: str | None = None, question: Mapping[str, Any] | None = None
) -> None:
    """An `InputError` if the folder cannot be written, or holds files to keep and `overwrite` is not set."""
    with writing(folder, "folder"):
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file. Give the name of a ", Argument("folder"), ".")
        place = Path(os.path.realpath(folder))
        existing = next(path for path in (place, *place.parents) if os.path.lexists(path))
        tempfile.TemporaryFile(dir=existing).close()  # only a try shows whether it can be written
        if work is not None and (folder / work).is_symlink():
            raise InputError(
                f"{folder / work} is a link, and rsens does not write outside the folder of the results. "
                "Remove the link, or give another ", Argument("folder"), ".",
            )  # fmt: skip
        if overwrite or not folder.is_dir():
            return
        found = _summary(folder)
        ours = {work, *(path.parts[0] for path in _files_of_ours(folder))}
        others = {path.name for path in folder.iterdir() if not path.name.startswith(HIDDEN)} - ours
    if found is None and others:
        raise InputError(
            f"the folder {folder} holds files that rsens did not write. Give another ", Argument("folder"), ", or ",
            Argument("overwrite", True), ": files of the same names are then replaced.",
        )  # fmt: skip
    if found is not None and question is not None:
        _check_question(found, question, folder)


def _check_question(summary: Mapping[str, Any], question: Mapping[str, Any], folder: Path) -> None:
    """An `InputError` if a summary answers another question."""
    with reading(folder / SUMMARY, "the same command"):
        settings = summary.get("settings", {})
        answered = settings | settings.get("arguments", {}) | {"command": summary.get("command")}
        answered |= {"data": settings.get("data"), "target": settings.get("target")}
        now = {name: value for name, value in question.items() if name != "target" or value is not None}
        before = {name: answered.get(name) for name in now}
        if "samples" in now:  # more samples continue from fewer
            before["samples"] = max(before["samples"] or 0, now["samples"])
        other = difference(before, now)
    if other is not None:
        raise InputError(
            f"the folder {folder} has results of another question (", other, "). Give another ", Argument("folder"),
            ", or ", Argument("overwrite", True), ".",
        )  # fmt: skip


@contextmanager
def new_files(folder: Path, keep: Iterable[str] = ()) -> Iterator[Path]:
    """Give a folder to write into; at the end its files, and those to `keep`, replace the files of the previous run."""
    with writing(folder, "folder"):
        place = Path(os.path.realpath(folder))  # the folder itself may be a link: that is where the user wants it
        made = [each for each in (place, *place.parents) if not each.exists()]
        place.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=HIDDEN, dir=place))
    try:
        yield temporary
        with writing(folder, "folder"):
            _commit(temporary, place, _files_of_ours(place).difference(map(Path, keep)))
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        with suppress(OSError):  # they hold results
            for each in made:
                each.rmdir()


def _commit(temporary: Path, place: Path, old: frozenset[Path]) -> None:
    """Put the new files into their places, and remove the old ones."""
    new = {path.relative_to(temporary) for path in temporary.rglob("*") if not path.is_dir()}
    folders = {parent for path in new for parent in path.parents if parent.parts}
    for leftover in _hidden_folders(place):
        if leftover != temporary:
            shutil.rmtree(leftover, ignore_errors=True)
    for path in sorted(old - new):
        folder = (place / path).parent
        if Path(os.path.realpath(folder)) == folder:  # no link leads to it
            with suppress(OSError):  # it is gone, or a folder; or its folder holds other files
                (place / path).unlink()
                folder.rmdir()
    work, kept = ((_summary(each) or {}).get("work") for each in (place, temporary))
    if work in WORK and work != kept:
        Checkpoint.remove(place / work)
    for path in sorted(folders):
        if (place / path).is_symlink():
            (place / path).unlink()
        with writing(place / path, "folder"):
            (place / path).mkdir(exist_ok=True)
    for path in sorted(new, key=lambda each: (each == Path(SUMMARY), each)):
        with (temporary / path).open("r+b") as file:
            os.fsync(file.fileno())  # the content reaches the disk before the name does
        with writing(place / path, "folder"):
            os.replace(temporary / path, place / path)
