"""How new results change a folder: which files are new, which files go, and what stays.

Links inside the folder are never followed: a link is one entry, which goes or stays, wherever it leads.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from rsens._errors import Argument, InputError
from rsens._files._summary import listed_files, summary_of, work_of


@dataclass(frozen=True)
class Change:
    """Paths are relative to the folder.

    Attributes:
        new: The new files.
        gone: Files of the previous run, which go unless they are in `keep`.
        work: The folder of finished pieces that new results still need.
        work_gone: The folder of finished pieces that goes with the previous results.
        keep: Files of the previous run that stay.
    """

    new: frozenset[Path]
    gone: frozenset[Path]
    work: str | None
    work_gone: str | None
    keep: frozenset[Path]

    @classmethod
    def between(cls, temporary: Path, place: Path, keep: Iterable[str]) -> Change:
        """From the results in `place` to those in `temporary`."""
        new = frozenset(path.relative_to(temporary) for path in temporary.rglob("*") if not path.is_dir())
        work = work_of(summary_of(temporary))
        return cls(new, frozenset(), work, None, frozenset(map(Path, keep))).over(place)

    def over(self, place: Path) -> Change:
        """The same new files, in the place of other results."""
        before = summary_of(place)
        work = work_of(before)
        return replace(
            self, gone=listed_files(before) - self.new - self.keep, work_gone=None if work == self.work else work
        )

    @property
    def folders(self) -> frozenset[Path]:
        """The folders that new files are in."""
        return frozenset(parent for path in self.new for parent in path.parents if parent.parts)

    def check(self, place: Path) -> None:
        """An `InputError` if a new file needs the name of somebody else's folder, or a folder the name of a file."""
        for path in sorted(self.new | self.folders):
            mode = mode_at(place, path)
            if mode is None or stat.S_ISLNK(mode) or path in self.gone:
                continue
            if stat.S_ISDIR(mode) != (path in self.folders):
                there = "folder" if stat.S_ISDIR(mode) else "file"
                raise InputError(
                    f"{place / path} is a {there} that rsens did not write, and its name is needed. "
                    "Rename it, or give another ", Argument("folder"), ".",
                )  # fmt: skip


def mode_at(place: Path, path: Path) -> int | None:
    """What is there, as in `stat`; None if nothing is, or only through a link."""
    found = None
    for depth in range(1, len(path.parts) + 1):
        if found is not None and not stat.S_ISDIR(found):
            return None
        try:
            found = os.lstat(place.joinpath(*path.parts[:depth])).st_mode
        except FileNotFoundError:
            return None
    return found


def staying(place: Path, change: Change) -> dict[Path, os.stat_result]:
    """All that stays in a folder, each folder before what is in it. Folders that lose their last file go."""
    return _staying(place, change, change.folders, Path())[0]


def _staying(
    place: Path, change: Change, folders: frozenset[Path], within: Path
) -> tuple[dict[Path, os.stat_result], bool]:
    """What stays, and whether something goes."""
    found: dict[Path, os.stat_result] = {}
    loses = False
    with os.scandir(place / within) as entries:
        for entry in sorted(entries, key=lambda each: each.name):
            path, status = within / entry.name, entry.stat(follow_symlinks=False)
            if str(path) == change.work_gone:
                loses = True
            elif stat.S_ISDIR(status.st_mode):
                inside, inside_loses = _staying(place, change, folders, path)
                if inside or not inside_loses:
                    found |= {path: status} | inside
                loses |= inside_loses
            elif path in change.new or path in change.gone or path in folders:
                loses = True
            else:
                found[path] = status
    return found, loses
