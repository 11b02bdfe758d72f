"""`summary.json`: what a folder of results holds, and which of its files are ours."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from rsens._errors import InputError
from rsens._files._json import read_json, write_json

SUMMARY = "summary.json"
FORMAT, VERSION = "rsens results", 1
#: Folders inside, which keep finished pieces of long work.
WORK = ("samples", "splits")


def write_summary(temporary: Path, command: str, content: dict[str, Any]) -> list[str]:
    """Write the list of files, and whatever else there is to know; returns the list."""
    files = sorted(path.relative_to(temporary).as_posix() for path in temporary.rglob("*") if path.is_file())
    files.append(SUMMARY)
    head = {"format": FORMAT, "version": VERSION, "command": command}
    write_json(head | content | {"files": files}, temporary / SUMMARY)
    return files


def read_summary(folder: Path) -> dict[str, Any]:
    """What `write_summary` wrote; an `InputError` if it is not there."""
    content = summary_of(folder)
    if content is None:
        raise InputError(
            f"the folder {folder} has no {SUMMARY} of rsens, or it cannot be read. Write the results again."
        )
    return content


def summary_of(folder: Path) -> dict[str, Any] | None:
    """The summary of an earlier run; None if there is none that can be read."""
    path = folder / SUMMARY
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):  # a link is not ours
            return None
        content = read_json(path)
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(content.get("files"), list):
        return None
    return content


def listed_files(summary: dict[str, Any] | None) -> frozenset[Path]:
    """The files that a summary lists. Anyone can edit it: entries that do not name a file inside are ignored."""
    entries = [] if summary is None else summary["files"]
    paths = (Path(entry) for entry in entries if isinstance(entry, str) and "\0" not in entry)
    return frozenset(path for path in paths if path.parts and not path.anchor and ".." not in path.parts)


def work_of(summary: dict[str, Any] | None) -> str | None:
    """The folder inside that keeps finished pieces of work, if a summary names one."""
    work = None if summary is None else summary.get("work")
    return work if isinstance(work, str) and work in WORK else None
