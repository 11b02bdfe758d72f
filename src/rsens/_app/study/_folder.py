"""The folder of a result: tables, figures and a summary, all of them or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from rsens._app.study._figures import draw
from rsens._app.study._listener import Listener
from rsens._files import new_files, write_csv, write_summary

#: What is written, in words for the progress line, and what writes it into a folder.
Writer = tuple[str, Callable[[Path], None]]


def write_folder(
    folder: Path,
    command: str,
    content: dict[str, Any],
    writers: Iterable[Writer],
    *,
    listener: Listener,
    keep: Iterable[str] = (),
) -> list[Path]:
    """Write everything and a summary of it; the files, the report first and figures last.

    Files from the previous run are removed unless they were rewritten or are listed in `keep`.
    """
    with new_files(folder, keep=keep) as temporary, listener.steps(1):
        listener.step("writing")
        for what, write in writers:
            listener.detail(what)
            write(temporary)
        names = write_summary(temporary, command, content)
    return [folder / name for name in sorted(names, key=lambda name: (name != "report.html", "/" in name, name))]


def table_writers(frames: Mapping[str, pd.DataFrame]) -> Iterator[Writer]:
    """Tables by name, as CSV."""
    for name, frame in frames.items():
        yield f"writing {name}.csv", partial(_write_table, frame, name)


def figure_writers(plots: Iterable[tuple[str, Callable[[], Any]]]) -> Iterator[Writer]:
    """Figures by name, each with what draws it."""
    for name, plot in plots:
        yield f"drawing {name}", partial(_write_figure, plot, name)


def _write_table(frame: pd.DataFrame, name: str, folder: Path) -> None:
    write_csv(frame, folder / f"{name}.csv")


def _write_figure(plot: Callable[[], Any], name: str, folder: Path) -> None:
    draw(plot, folder / "figures", name)
