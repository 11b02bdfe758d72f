"""New results take the place of old ones: in one step where the system can do that, else file by file.

In one step: the new folder is made complete beside the old one, with all that stays of the old one, and then the two
exchange their names. Whoever looks, at any moment and after any `kill -9`, finds all of the old results or all of the
new ones.

File by file: this is for a folder whose name cannot be exchanged, because

- its parent is closed to writing, or the folder is a disk of its own, or has one inside;
- the current folder is this one or lies inside: a shell there would be left in a folder that is deleted;
- it holds more than `MOST_CARRIED` other files;
- the system does not have the exchange (Windows, some network disks).

Every single file is then whole at any moment, but a process that is killed in between leaves new files beside old ones.
`summary.json` is the last to be replaced.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from rsens._files._change import Change, mode_at, staying
from rsens._files._exchange import exchange
from rsens._files._summary import SUMMARY
from rsens._files._temporary import INSIDE, hidden_folders, remove_tree
from rsens._files._whole import whole_file

#: A folder with more in it than this is not made again; it is somebody's home rather than a folder of results.
MOST_CARRIED = 10_000


def commit(temporary: Path, place: Path, keep: Iterable[str]) -> None:
    """Put the results in `temporary` into `place`. What is left in `temporary` afterwards is of no use."""
    _sync(temporary)
    if not place.exists():
        try:
            temporary.rename(place)
            _sync_folder(place.parent)
            return
        except OSError:
            if not place.is_dir():  # else another run has just made the folder
                raise
    change = Change.between(temporary, place, keep)
    change.check(place)
    if temporary.parent != place and not hidden_folders(place, INSIDE):  # these would be another run's
        try:
            _replace_folder(temporary, place, change)
            return
        except (OSError, NotImplementedError, RecursionError):  # the last for very deep folders
            pass
    _move_files(temporary, place, change)


# ---- in one step -----------------------------------------------------------------------------------------------------


def _replace_folder(temporary: Path, place: Path, change: Change) -> None:
    carried = staying(place, change)
    _carry(carried, place, temporary)
    exchange(temporary, place)
    # From here on the results are the new ones, and nothing may fail.
    _sync_folder(place.parent)
    with suppress(OSError, RecursionError):
        _bring_what_came_late(carried, temporary, place, change)


def _carry(entries: Mapping[Path, os.stat_result], old: Path, new: Path) -> None:
    """Put all that stays into the new folder as well: the same files under a second name, or copies."""
    folders = [path for path, status in entries.items() if stat.S_ISDIR(status.st_mode)]
    disk = os.lstat(old).st_dev
    if len(entries) > MOST_CARRIED or any(status.st_dev != disk for status in entries.values()):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    for path, status in entries.items():
        if stat.S_ISDIR(status.st_mode):
            (new / path).mkdir(exist_ok=True)
        else:
            _link(old / path, new / path, status)
    for path in (*reversed(folders), Path()):
        shutil.copystat(old / path, new / path)
        _own_alike(old / path, new / path)
        _sync_folder(new / path)
    os.utime(new)


def _link(source: Path, target: Path, status: os.stat_result) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
        return
    except (OSError, NotImplementedError) as error:  # a disk without second names, or a file of another user
        if getattr(error, "errno", None) == errno.EXDEV:  # on another disk: whoever removes the old name, removes that
            raise
        if stat.S_ISLNK(status.st_mode):
            os.symlink(os.readlink(source), target)
        elif stat.S_ISREG(status.st_mode):
            shutil.copy2(source, target, follow_symlinks=False)
            _sync_file(target)
        else:
            raise
    _own_alike(source, target)


def _own_alike(source: Path, target: Path) -> None:
    """Give the target the owner of the source; an `OSError` if that is not allowed."""
    there, here = os.lstat(source), os.lstat(target)
    if (there.st_uid, there.st_gid) != (here.st_uid, here.st_gid):
        os.chown(target, there.st_uid, there.st_gid, follow_symlinks=False)


def _bring_what_came_late(carried: Mapping[Path, os.stat_result], old: Path, place: Path, change: Change) -> None:
    """Other programs may have written into the old folder between the look at it and the exchange."""
    for path, status in staying(old, change.over(old)).items():
        if not os.path.lexists(place / path):
            with suppress(FileNotFoundError):  # it came with its folder
                os.rename(old / path, place / path)
        elif not stat.S_ISDIR(status.st_mode) and (path not in carried or _changed(carried[path], status)):
            with suppress(FileNotFoundError):
                os.replace(old / path, place / path)


def _changed(before: os.stat_result, now: os.stat_result) -> bool:
    return (before.st_ino, before.st_size, before.st_mtime_ns) != (now.st_ino, now.st_size, now.st_mtime_ns)


# ---- file by file ----------------------------------------------------------------------------------------------------


def _move_files(temporary: Path, place: Path, change: Change) -> None:
    for path in sorted(change.gone):
        mode = mode_at(place, path)
        if mode is not None and not stat.S_ISDIR(mode):
            (place / path).unlink()
            if path.parent.parts:
                with suppress(OSError):  # there are other files in it
                    (place / path.parent).rmdir()
    if change.work_gone is not None:
        work = place / change.work_gone
        if work.is_symlink():
            work.unlink()
        else:
            remove_tree(work)
    for path in sorted(change.new, key=lambda each: (each == Path(SUMMARY), each)):
        for parent in reversed(path.parents[:-1]):
            if (place / parent).is_symlink():
                (place / parent).unlink()
            (place / parent).mkdir(exist_ok=True)
        _move(temporary / path, place / path)


def _move(source: Path, target: Path) -> None:
    try:
        os.replace(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with source.open("rb") as content, whole_file(target) as file:  # the folder is a disk of its own
            shutil.copyfileobj(content, file)


# ---- what is written reaches the disk --------------------------------------------------------------------------------


def _sync(folder: Path) -> None:
    for path in (*folder.rglob("*"), folder):
        if path.is_dir():
            _sync_folder(path)
        else:
            _sync_file(path)


def _sync_file(path: Path) -> None:
    with path.open("rb") as file:
        try:
            os.fsync(file.fileno())
        except OSError as error:
            if error.errno not in (errno.EBADF, errno.EINVAL):  # systems that cannot do this with a file to read
                raise


def _sync_folder(path: Path) -> None:
    with suppress(OSError):  # Windows and some network disks cannot do this with folders
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
