"""What compare, stability and select share: the table, the model and its check, a folder of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from rsens._app.cli._files import files_written, folder_of
from rsens._app.cli._flags import note_in_flags
from rsens._app.cli._live import Live
from rsens._app.cli._options import Request
from rsens._app.cli._say import say, say_json
from rsens._app.study._check import check_folds, checked
from rsens._app.study._figures import draw
from rsens._app.study._gather import Gathered, gather, name_of
from rsens._app.study._models import check_model, model_of, row_limit
from rsens._app.study._phases import Phases
from rsens._app.study._plain import note_as_dict
from rsens._app.study._settings import settings_of
from rsens._app.study._study import columns_of
from rsens._app.study._text import heading_of, notes_of, warnings_of
from rsens._app.tables import Note
from rsens._assess import Assessment
from rsens._compare import resolved
from rsens._errors import InputError
from rsens._files import Question, check_folder, new_files, read_summary, write_csv, write_summary

#: Arguments that the pieces of long work depend on.
OF_WORK = ("likelihood", "model", "missing", "drop", "columns", "categorical", "rows", "inducing", "seed")


@dataclass(frozen=True, eq=False)
class Begun:
    """A table that is read, a model for it, not fitted, and what is said of them."""

    table: Gathered
    model: Any
    settings: dict[str, Any]


def folder_for(command: str, request: Request, asked: Mapping[str, Any], work: str | None = None) -> Path:
    """The folder of the results, if these may be written there. `asked` is what makes it another question."""
    if request.target is None:
        raise InputError(f"target is missing: the name of the column to predict.{columns_of(request.data)}")
    folder = folder_of(request, command)
    question = Question(command, name_of(request.data), request.target, asked)
    check_folder(folder, request.overwrite, work, question)
    return folder


def begin(request: Request, asked: dict[str, Any], cv: int, phases: Phases, notes: list[Note]) -> Begun:
    """Read the table and choose the model."""
    phases.begin("reading")
    check_model(request.model, request.inducing)
    check_folds(cv)
    table = gather(
        request.data,
        str(request.target),
        limit=lambda choice: row_limit(request.model, choice, request.inducing),
        seed=request.seed,
        **request.table,
    )
    check_folds(cv, len(table.X))
    model, choice, about = model_of(request.model, table.likelihood, request.inducing, request.seed)
    table = replace(table, likelihood=choice)
    notes += [*table.notes, *about]
    settings = settings_of(table, asked | {"model": request.model, "seed": request.seed})
    phases.read(settings, model, choice, notes)
    return Begun(table, model, settings)


def check(request: Request, begun: Begun, cv: int, phases: Phases, notes: list[Note]) -> Assessment | None:
    """How good the model is, as `rsens explain` asks it; None if cv is 0."""
    phases.begin("checking the model")
    options: dict[str, Any] = {"seed": request.seed, "n_jobs": request.n_jobs, "progress": request.progress}
    assessment, about = checked(begun.model, begun.table, cv=cv, **options)
    notes += about
    return assessment


def question_of_work(request: Request, begun: Begun, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that finished pieces depend on, in the words of users, and the rows."""
    given = {name: getattr(request, name) for name in OF_WORK}
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
    return {"target": request.target, **plain, **asked, "fingerprint": begun.settings["fingerprint"]}


def write_results(
    command: str,
    request: Request,
    begun: Begun,
    assessment: Assessment | None,
    notes: list[Note],
    live: Live,
    *,
    folder: Path,
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Callable[[], Any]],
    answer: str,
    text: str,
    result: dict[str, Any],
    work: str | None = None,
) -> None:
    """Write tables and figures, and print the answer and the text, or the JSON document."""
    choice, settings = begun.table.likelihood, begun.settings
    notes = [note_in_flags(note) for note in notes]
    content = {
        "target": request.target,
        "likelihood": {"kind": choice.kind, "reason": choice.reason},
        "quality": None if assessment is None else assessment.to_dict(),
        "notes": [note_as_dict(note) for note in notes],
        "settings": settings,
        **result,
    }
    with new_files(folder) as temporary:
        for name, frame in tables.items():
            write_csv(frame, temporary / f"{name}.csv")
        for name, plot in figures.items():
            draw(plot, temporary / "figures", name)
        files = write_summary(temporary, command, content if work is None else content | {"work": work})
    paths = [folder / name for name in files]
    if request.as_json:
        say_json(read_summary(folder) | {"folder": str(folder)})
    elif not request.quiet:
        told = live.told
        heading = heading_of(settings, begun.model, choice) if told is None else ""
        left = [note for note in notes if told is None or note not in told]
        warnings = warnings_of(left, assessment)
        blocks = [warnings, answer, heading, notes_of(left), text, files_written(folder, paths)]
        say("\n\n".join(block for block in blocks if block))


def check_methods(methods: str, order: int) -> None:
    """An `InputError` before anything is computed if there is no such method; "cheap" is a choice of `stability`."""
    if methods != "cheap":
        resolved(methods_of(methods), order)


def methods_of(text: str) -> str | list[str]:
    """One name, or names with commas between."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    return names[0] if len(names) == 1 else names
