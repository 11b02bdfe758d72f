"""What compare, stability and select share: the table, the model, a folder of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from rsens._data import Note
from rsens._errors import InputError
from rsens._study._figures import draw
from rsens._study._folder import new_files, read_summary, write_summary
from rsens._study._gather import Gathered, gather
from rsens._study._models import check_model, model_of, row_limit
from rsens._study._settings import settings_of
from rsens._study._text import heading_of, notes_of
from rsens.cli._files import files_written
from rsens.cli._options import Request
from rsens.cli._say import say, say_json


def table_and_model(request: Request) -> tuple[Gathered, Any, list[Note]]:
    """The rows, the model that suits them, not fitted, and notes."""
    check_model(request.model, request.inducing)
    if request.target is None:
        raise InputError("--target is missing: the name of the column to predict.")
    table = gather(
        request.data,
        request.target,
        limit=lambda choice: row_limit(request.model, choice, request.inducing),
        seed=request.seed,
        **request.table,
    )
    model, choice, notes = model_of(request.model, table.likelihood, request.inducing, request.seed)
    return replace(table, likelihood=choice), model, [*table.notes, *notes]


def write_results(
    command: str,
    request: Request,
    table: Gathered,
    model: Any,
    notes: list[Note],
    *,
    folder: Path,
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Callable[[], Any]],
    text: str,
    result: dict[str, Any],
    asked: dict[str, Any],
) -> None:
    """Write tables and figures, and print the text or the JSON document."""
    choice = table.likelihood
    settings = settings_of(table, asked | {"model": request.model, "seed": request.seed})
    content = {
        "target": request.target,
        "likelihood": {"kind": choice.kind, "reason": choice.reason},
        "notes": [{"kind": note.kind, "columns": list(note.columns), "text": note.text} for note in notes],
        "settings": settings,
        **result,
    }
    with new_files(folder) as temporary:
        for name, frame in tables.items():
            frame.to_csv(temporary / f"{name}.csv", index=False, errors="backslashreplace")
        for name, plot in figures.items():
            draw(plot, temporary / "figures", name)
        files = write_summary(temporary, command, content)
    paths = [folder / name for name in files]
    if request.as_json:
        say_json(read_summary(folder) | {"folder": str(folder)})
    elif not request.quiet:
        blocks = [heading_of(settings, model, choice), notes_of(notes), text, files_written(folder, paths)]
        say("\n\n".join(block for block in blocks if block))


def methods_of(text: str) -> str | list[str]:
    """One name, or names with commas between."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    return names[0] if len(names) == 1 else names
