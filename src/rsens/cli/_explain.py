"""`rsens explain` and `rsens demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rsens._study import Study, study
from rsens._study._folder import check_folder, read_summary
from rsens._study._tables import safe
from rsens.cli._files import draw_into_files, files_written, folder_of
from rsens.cli._options import Request
from rsens.cli._say import say, say_json


def run(request: Request, *, report: bool, **options: Any) -> None:
    """Explain a table, or new rows with a saved model."""
    draw_into_files()
    folder = folder_of(request, "")
    check_folder(folder, request.overwrite)
    result = study(
        request.data,
        request.target,
        model=request.model,  # type: ignore[arg-type]
        inducing=request.inducing,
        random_state=request.seed,
        n_jobs=request.n_jobs,
        progress=request.progress,
        **request.table,
        **options,
    )
    if request.as_json:
        result.write(folder, report=report, overwrite=request.overwrite, progress=request.progress)
        say_json(read_summary(folder) | {"folder": str(folder)})
    else:
        _tell(result, folder, report=report, overwrite=request.overwrite, quiet=request.quiet)


def run_demo(folder: Path, *, overwrite: bool, quiet: bool) -> None:
    """The same with data that are always there."""
    from dataclasses import replace

    from sklearn.datasets import load_diabetes

    draw_into_files()
    check_folder(folder, overwrite)
    frame = load_diabetes(as_frame=True, scaled=False).frame.rename(columns={"target": "progression"})
    result = study(frame, "progression", progress=False if quiet else None)
    result = replace(result, settings=result.settings | {"data": "diabetes"})
    _tell(result, folder, report=True, overwrite=overwrite, quiet=quiet)


def _tell(result: Study, folder: Path, *, report: bool, overwrite: bool, quiet: bool) -> None:
    """Print the answer, which is there before the figures are; then write, and print where."""
    if not quiet:
        say(f"{result.text()}\n")
    files = result.write(folder, report=report, overwrite=overwrite, progress=False if quiet else None)
    if not quiet:
        say(files_written(folder, files) + (f"\n{safe(str(files[0]))}" if report else ""))
