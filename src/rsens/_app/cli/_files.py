"""Where files go, and what is said of them."""

from __future__ import annotations

from pathlib import Path

from rsens._app.cli._options import Request
from rsens._app.study._figures import plain
from rsens._app.study._gather import name_of
from rsens._app.study._tables import paragraph
from rsens._text import counted, safe


def folder_of(request: Request, command: str) -> Path:
    """The folder asked for, or rsens-<name>, here."""
    if request.out is not None:
        return request.out
    return Path(f"rsens-{plain(name_of(request.data))}{command and f'-{command}'}")


def draw_into_files() -> None:
    """No window is opened: figures are for files."""
    import matplotlib

    matplotlib.use("Agg")


def files_written(folder: Path, files: list[Path]) -> str:
    """The folder and the files, figures counted."""
    names = [str(path.relative_to(folder)) for path in files]
    plain_files = [name for name in names if "/" not in name]
    figures = len({name.rpartition(".")[0] for name in names if "/" in name})
    drawn = f", and {counted(figures, 'figure')} as PNG and SVG in figures/" if figures else ""
    return paragraph(f"Written to {safe(str(folder))}: {', '.join(plain_files)}{drawn}.")
