"""`rsens explain` and `rsens demo`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from rsens._app.cli._files import draw_into_files, files_written, folder_of
from rsens._app.cli._flags import command_line, note_in_flags
from rsens._app.cli._live import Live
from rsens._app.cli._options import Request
from rsens._app.cli._say import say, say_json
from rsens._app.study import Study, study
from rsens._app.study._gather import name_of
from rsens._app.study._hints import Hints
from rsens._app.study._phases import heard_by
from rsens._app.study._text import text_of
from rsens._files import Question, check_folder, read_summary
from rsens._text import safe

DEMO_HINTS = Hints("rsens select DATA --target COLUMN", "rsens stability DATA --target COLUMN")


def run(request: Request, *, report: bool, model_file: str | None, **options: Any) -> None:
    """Explain a table, or new rows with a saved model."""
    draw_into_files()
    folder = folder_of(request, "")
    if request.target is not None or model_file is not None:  # else `study` says what is missing
        more = {"model_file": None if model_file is None else os.path.basename(model_file)}
        question = Question("explain", name_of(request.data), request.target, more)
        check_folder(folder, request.overwrite, question=question)
    with Live.of(request) as live, heard_by(live):
        result = study(
            request.data,
            request.target,
            model=request.model,  # type: ignore[arg-type]
            inducing=request.inducing,
            random_state=request.seed,
            n_jobs=request.n_jobs,
            progress=request.progress,
            model_file=model_file,
            **request.table,
            **options,
        )
        result = replace(result, notes=tuple(map(note_in_flags, result.notes)))
        if request.as_json:
            result.write(folder, report=report, overwrite=request.overwrite, progress=request.progress)
            say_json(read_summary(folder) | {"folder": str(folder)})
        else:
            hints = _hints(request.data, result) if model_file is None else Hints("", "")
            _tell(result, folder, live, hints, report=report, overwrite=request.overwrite, quiet=request.quiet)


def run_demo(folder: Path, *, overwrite: bool, quiet: bool) -> None:
    """The same with data that are always there."""
    from sklearn.datasets import load_diabetes

    draw_into_files()
    check_folder(folder, overwrite, question=Question("explain", "diabetes", "progression", {"model_file": None}))
    frame = load_diabetes(as_frame=True, scaled=False).frame.rename(columns={"target": "progression"})
    with Live(quiet=quiet) as live:
        result = study(frame, "progression", progress=False if quiet else None)
        result = replace(result, settings=result.settings | {"data": "diabetes"})
        _tell(result, folder, live, DEMO_HINTS, report=True, overwrite=overwrite, quiet=quiet)


def _hints(data: str, result: Study) -> Hints:
    """What to ask next, as commands."""
    target = result.settings["target"]
    return Hints(*(command_line("rsens", what, data, "--target", target) for what in ("select", "stability")))


def _tell(result: Study, folder: Path, live: Live, hints: Hints, *, report: bool, overwrite: bool, quiet: bool) -> None:
    """Print the answer, which is there before the figures are; then write, and print where."""
    if not quiet:
        say(f"{text_of(result, hints=hints, told=live.told)}\n")
    files = result.write(folder, report=report, overwrite=overwrite, progress=False if quiet else None)
    if not quiet:
        say(files_written(folder, files) + (f"\n{safe(str(files[0]))}" if report else ""))
