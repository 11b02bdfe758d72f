"""A folder of results: all files or none, and nobody else's file is touched.

New files are made in a hidden folder and take their place when all of them are there. `summary.json` lists them, so
that the next run knows which files are its own: it replaces these and leaves the others alone. Results of another
question are replaced only if the user says so.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from rsens._errors import Argument, InputError
from rsens._files._commit import commit
from rsens._files._question import Question, difference
from rsens._files._summary import summary_of
from rsens._files._system_errors import cannot_write, reason_of, writing
from rsens._files._temporary import INSIDE, clear_leftovers, prefix_beside, remove_tree, temporary_folder


def check_folder(folder: Path, overwrite: bool, work: str | None = None, question: Question | None = None) -> None:
    """An `InputError` if the folder cannot be written, or holds what may not be replaced and `overwrite` is not set.

    `work` is the name of a folder inside that keeps unfinished work. Results of another question than this one may not
    be replaced, nor may a folder be used that holds only files of somebody else.
    """
    with writing(folder, "folder"):
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file. Give the name of a ", Argument("folder"), ".")
        _try_to_write(folder)
        if work is not None and (folder / work).is_symlink():
            raise InputError(
                f"{folder / work} is a link, and rsens does not write outside the folder of the results. "
                "Remove the link, or give another ", Argument("folder"), ".",
            )  # fmt: skip
        if overwrite or not folder.is_dir():
            return
        found = summary_of(folder)
        others = [path for path in folder.iterdir() if path.name != work and not path.name.startswith(INSIDE)]
    if found is None and others:
        raise InputError(
            f"the folder {folder} holds files that rsens did not write. Give another ", Argument("folder"), ", or ",
            Argument("overwrite", True), ": files of the same names are then replaced.",
        )  # fmt: skip
    other = None if found is None or question is None else difference(found, question)
    if other is not None:
        raise InputError(
            f"the folder {folder} has results of another question ({other}). Give another ", Argument("folder"),
            ", or ", Argument("overwrite", True), ".",
        )  # fmt: skip


@contextmanager
def new_files(folder: Path, keep: Iterable[str] = ()) -> Iterator[Path]:
    """A folder to write into. Its files appear in `folder` if all goes well, and vanish if not.

    Files of the previous run are removed unless they are written again or are in `keep`; all other files stay.

    A process that is killed at any moment leaves the folder as it was or as it will be, never in between. For a folder
    that cannot be exchanged for another in one step this does not hold; `_commit` says when that is. The next run
    removes what a killed one has left behind.

    Nothing outside the folder is touched: a link inside is removed, or stays, and is never followed. What the system
    refuses, in here or in the block, is an `InputError`.
    """
    with writing(folder, "folder"):
        place = Path(os.path.realpath(folder))  # the folder itself may be a link: that is where the user wants it
    with ExitStack() as stack:
        with writing(folder, "folder"):
            stack.enter_context(_parents(place))
            clear_leftovers(place)
            temporary = stack.enter_context(_temporary(place))
        try:
            yield temporary
        except OSError as error:
            if reason_of(error) is None or _is_elsewhere(error.filename, temporary):
                raise
            raise cannot_write(folder, error, "folder") from error
        with _uninterrupted(), writing(folder, "folder"):
            commit(temporary, place, keep)
            remove_tree(temporary)  # with the old results, if all went in one step


def _try_to_write(folder: Path) -> None:
    """What the system says about permissions is not all: make a file without a name."""
    place = Path(os.path.realpath(folder))
    there = next(path for path in (place, *place.parents) if os.path.lexists(path))  # a link here leads nowhere
    tempfile.TemporaryFile(dir=there).close()


def _is_elsewhere(name: Any, folder: Path) -> bool:
    """Whether an error names a file outside this folder."""
    return isinstance(name, str | bytes | os.PathLike) and folder not in Path(os.fsdecode(name)).parents


@contextmanager
def _parents(place: Path) -> Iterator[None]:
    """The folders above exist within this; those that were made for it are removed if it fails."""
    missing = [path for path in place.parents if not path.exists()]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        os.listdir(place.parent)  # the system says better what is wrong with it
        raise
    try:
        yield
    except BaseException:
        for path in missing:
            with suppress(OSError):  # another run uses it
                path.rmdir()
        raise


@contextmanager
def _temporary(place: Path) -> Iterator[Path]:
    """A hidden folder beside the folder of the results, or inside if it must stay the folder that it is."""
    with ExitStack() as stack:
        temporary = None
        if not place.is_dir() or not (_is_current(place) or os.path.ismount(place)):
            try:
                temporary = stack.enter_context(temporary_folder(place.parent, prefix_beside(place)))
            except OSError:
                if not place.is_dir():  # else only the folder above is closed to writing
                    raise
        yield stack.enter_context(temporary_folder(place, INSIDE)) if temporary is None else temporary


def _is_current(place: Path) -> bool:
    """Whether the current folder is this one, or inside."""
    try:
        current = Path(os.path.realpath(os.getcwd()))
    except OSError:  # it was deleted
        return False
    return place == current or place in current.parents


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C within this waits until its end, and so does a request to terminate that Python answers."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[Any] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    answered = {number: handler for number, handler in before.items() if callable(handler)}
    for number in answered:
        signal.signal(number, lambda *given: waiting.append(given))
    try:
        yield
    finally:
        for number, handler in answered.items():
            signal.signal(number, handler)
    for given in waiting[:1]:
        answered[given[0]](*given)
