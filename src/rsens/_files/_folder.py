"""A folder of results: every file is whole, old or new, and nobody else's file is touched.

New files are made in a hidden folder and take their places one by one, `summary.json`, which lists them, last: so a
run knows its own files, and the same command repairs what a killed one left. Links inside are never followed.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rsens._errors import Argument, InputError
from rsens._files._checkpoint import Checkpoint, difference
from rsens._files._io import cannot_write, reason_of, writing
from rsens._files._store import parse_json, write_json

SUMMARY = "summary.json"
FORMAT, VERSION = "rsens results", 1
#: Folders inside that keep finished pieces of long work.
WORK = ("samples", "splits")
#: Names of hidden folders inside: the number of the process, and a random text.
HIDDEN, HIDDEN_NAME = ".rsens-", re.compile(r"\.rsens-(\d+)-[a-z0-9_]+")


def write_summary(temporary: Path, command: str, content: dict[str, Any]) -> list[str]:
    """Write the list of files, with other content; returns the list."""
    files = sorted(path.relative_to(temporary).as_posix() for path in temporary.rglob("*") if path.is_file())
    files.append(SUMMARY)
    head = {"format": FORMAT, "version": VERSION, "command": command}
    write_json(head | content | {"files": files}, temporary / SUMMARY)
    return files


def read_summary(folder: Path) -> dict[str, Any]:
    """The content of `summary.json`; an `InputError` if there is none."""
    content = _summary(folder)
    if content is None:
        raise InputError(
            f"the folder {folder} has no {SUMMARY} of rsens, or it cannot be read. Write the results again."
        )
    return content


def _summary(folder: Path) -> dict[str, Any] | None:
    """The summary of an earlier run; None if none can be read."""
    path = folder / SUMMARY
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):  # a link is not ours
            return None
        content = parse_json(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(content.get("files"), list):
        return None
    return content


def _files_of_ours(place: Path) -> frozenset[Path]:
    """The files that an earlier or a killed run lists; entries that do not name a file inside are ignored."""
    summaries = [_summary(folder) for folder in (place, *_hidden_folders(place))]
    entries = [entry for summary in summaries if summary is not None for entry in summary["files"]]
    paths = (Path(entry) for entry in entries if isinstance(entry, str) and "\0" not in entry)
    return frozenset(path for path in paths if path.parts and not path.anchor and ".." not in path.parts)


def check_folder(
    folder: Path, overwrite: bool, work: str | None = None, question: Mapping[str, Any] | None = None
) -> None:
    """An `InputError` if the folder cannot be written, or holds what may not be replaced and `overwrite` is not set."""
    with writing(folder, "folder"):
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file. Give the name of a ", Argument("folder"), ".")
        place = Path(os.path.realpath(folder))
        there = next(path for path in (place, *place.parents) if os.path.lexists(path))  # a link here leads nowhere
        tempfile.TemporaryFile(dir=there).close()  # permissions do not tell everything
        if work is not None and (folder / work).is_symlink():
            raise InputError(
                f"{folder / work} is a link, and rsens does not write outside the folder of the results. "
                "Remove the link, or give another ", Argument("folder"), ".",
            )  # fmt: skip
        if overwrite or not folder.is_dir():
            return
        found = _summary(folder)
        ours = {path.parts[0] for path in _files_of_ours(folder)}
        others = [path.name for path in folder.iterdir() if not path.name.startswith(HIDDEN)]
    if found is None and not ours.union([work]).issuperset(others):
        raise InputError(
            f"the folder {folder} holds files that rsens did not write. Give another ", Argument("folder"), ", or ",
            Argument("overwrite", True), ": files of the same names are then replaced.",
        )  # fmt: skip
    if found is not None and question is not None:
        _check_question(found, question, folder)


def _check_question(summary: Mapping[str, Any], question: Mapping[str, Any], folder: Path) -> None:
    """An `InputError` if a summary answers another question."""
    settings = _mapping(summary.get("settings"))
    answered = settings | _mapping(settings.get("arguments"))
    answered |= {"command": summary.get("command"), "data": settings.get("data"), "target": settings.get("target")}
    now = {name: value for name, value in question.items() if name != "target" or value is not None}
    before = {name: answered.get(name) for name in now}
    if "samples" in now and not (isinstance(before["samples"], int) and before["samples"] > now["samples"]):
        before["samples"] = now["samples"]  # more samples go on from fewer
    if (other := difference(before, now)) is not None:
        raise InputError(
            f"the folder {folder} has results of another question (", other, "). Give another ", Argument("folder"),
            ", or ", Argument("overwrite", True), ".",
        )  # fmt: skip


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


@contextmanager
def new_files(folder: Path, keep: Iterable[str] = ()) -> Iterator[Path]:
    """A folder to write into; at the end its files, and those to `keep`, replace those of the previous run."""
    with writing(folder, "folder"):
        place = Path(os.path.realpath(folder))  # the folder itself may be a link: that is where the user wants it
        made = [path for path in (place, *place.parents) if not path.exists()]
    temporary = None
    try:
        with writing(folder, "folder"):
            place.mkdir(parents=True, exist_ok=True)
            gone = _files_of_ours(place)
            temporary = Path(tempfile.mkdtemp(prefix=f"{HIDDEN}{os.getpid()}-", dir=place))
        try:
            yield temporary
        except OSError as error:
            if reason_of(error) is None or _is_elsewhere(error.filename, temporary):
                raise
            raise cannot_write(folder, error, "folder") from error
        with writing(folder, "folder"):
            _commit(temporary, place, gone.difference(map(Path, keep)))
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)
        with suppress(OSError):  # they hold something
            for path in made:
                path.rmdir()


def _is_elsewhere(name: Any, folder: Path) -> bool:
    """Whether an error names a file outside this folder."""
    return isinstance(name, str | bytes | os.PathLike) and folder not in Path(os.fsdecode(name)).parents


def _commit(temporary: Path, place: Path, old: frozenset[Path]) -> None:
    """Put the new files into their places, and remove the old ones."""
    new = [path.relative_to(temporary) for path in temporary.rglob("*") if not path.is_dir()]
    folders = {parent for path in new for parent in path.parents if parent.parts}
    _check_names(place, new, folders, old)
    for leftover in _hidden_folders(place):
        if leftover != temporary and not _is_alive(int(leftover.name.split("-")[1])):
            shutil.rmtree(leftover, ignore_errors=True)
    for path in sorted(old.difference(new)):
        if _is_inside(place / path):
            with suppress(OSError):  # it is gone, or a folder; or there are other files beside it
                (place / path).unlink()
                (place / path.parent).rmdir()
    work, still = ((_summary(folder) or {}).get("work") for folder in (place, temporary))
    if work in WORK and work != still:
        Checkpoint.remove(place / work)
    for path in sorted(folders):
        if (place / path).is_symlink():
            (place / path).unlink()
        (place / path).mkdir(exist_ok=True)
    for path in sorted(new, key=lambda each: (each == Path(SUMMARY), each)):
        with (temporary / path).open("r+b") as file:
            os.fsync(file.fileno())  # the content reaches the disk before the name does
        os.replace(temporary / path, place / path)


def _check_names(place: Path, new: list[Path], folders: set[Path], old: frozenset[Path]) -> None:
    """An `InputError` if a new file needs the name of somebody else's folder, or a folder the name of a file."""
    for path in sorted({*new, *folders} - old):
        there = place / path
        if not _is_inside(there) or there.is_symlink() or not there.exists() or there.is_dir() == (path in folders):
            continue
        raise InputError(
            f"{there} is a {'folder' if there.is_dir() else 'file'} that rsens did not write, and its name is needed. "
            "Rename it, or give another ", Argument("folder"), ".",
        )  # fmt: skip


def _is_inside(path: Path) -> bool:
    """Whether no link leads to this path; the path itself may be one."""
    return Path(os.path.realpath(path.parent)) == path.parent


def _hidden_folders(place: Path) -> list[Path]:
    """The hidden folders of runs that write into this folder, or were killed doing so; a link is not one."""
    with suppress(OSError):
        found = [path for path in place.iterdir() if HIDDEN_NAME.fullmatch(path.name)]
        return [path for path in found if path.is_dir() and not path.is_symlink()]
    return []


def _is_alive(process: int) -> bool:
    """Whether another process on this machine is still at work: two runs may write into one folder."""
    if process == os.getpid() or os.name == "nt":  # there, os.kill ends a process
        return False
    try:
        os.kill(process, 0)
    except (OSError, OverflowError) as error:
        return isinstance(error, PermissionError)  # of another user
    return True
