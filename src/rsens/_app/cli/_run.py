"""A command at work: from the settings to what is printed and written."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from rsens._app.cli._command import Command
from rsens._app.cli._kept_work import KeptWork
from rsens._app.cli._live import Live, spelled_note
from rsens._app.cli._say import say, say_json
from rsens._app.study import Settings, Unfinished, analyse
from rsens._document import fold
from rsens._errors import Argument, InputError, MissingExtraError, Spelling, spelled
from rsens._files import check_folder, read_summary
from rsens._text import counted, listed, safe


def run(command: Command, settings: Settings, spell: Spelling) -> None:
    """Analyse the table, print the answer, which is there before the figures are, and write the files."""
    folder = command.folder(settings) if settings.out is None else settings.out
    question = {
        "command": command.answers or command.name,
        "data": settings.data_name,
        "target": settings.target,
        **command.question(settings),
        "where": list(settings.where or ()) or None,
    }
    check_folder(folder, settings.overwrite, command.pieces, question)
    with (
        on_cluster(settings) as settings,
        Live(settings, spell, tells=command.tells, keeps=command.pieces is not None) as live,
    ):
        prints = not (settings.quiet or settings.as_json)
        try:
            analysis = _spelled(analyse(settings, command.task(settings, folder, live), listener=live), spell)
            if prints:
                say(f"{command.text(analysis, settings, live.shown, spell)}\n")
            if settings.report:
                import matplotlib

                matplotlib.use("Agg")  # figures are for files: no window is opened
            files = command.write(analysis, settings, folder, live)
        except KeyboardInterrupt as stopped:
            if prints and isinstance(stopped, Unfinished):
                say(_unfinished(stopped, command.text(_spelled(stopped.analysis, spell), settings, live.shown, spell)))
            if command.pieces is None:
                raise click.Abort("stopped.") from None
            raise click.Abort(KeptWork(folder, command.pieces, command.n_pieces(settings)).stopped(live)) from None
    if settings.as_json:
        say_json(read_summary(folder) | {"folder": str(folder)})
    elif not settings.quiet:
        say(files_written(folder, files))


def _unfinished(stopped: Unfinished, text: str) -> str:
    """The text of a result that is not whole: what is missing comes first."""
    missing = f"Stopped before all was there. Missing: {listed(stopped.missing)}." if stopped.missing else "Stopped."
    return f"{fold(missing, None, 'UNFINISHED  ', ' ' * 12)}\n\n{text}\n"


def _spelled(analysis: Any, spell: Spelling) -> Any:
    """The analysis with notes and reasons in the words of the command line."""
    choice = replace(analysis.likelihood, reason=spelled(analysis.likelihood.reason, spell))
    return replace(analysis, notes=tuple(spelled_note(note, spell) for note in analysis.notes), likelihood=choice)


def files_written(folder: Path, files: list[Path]) -> str:
    """The folder and the files, figures counted; the report on a line of its own."""
    names = [str(path.relative_to(folder)) for path in files]
    plain_files = [name for name in names if "/" not in name]
    figures = len({name.rpartition(".")[0] for name in names if "/" in name})
    drawn = f", and {counted(figures, 'figure')} as PNG and SVG in figures/" if figures else ""
    report = f"\n{safe(str(files[0]))}" if names[0] == "report.html" else ""
    return fold(f"Written to {safe(str(folder))}: {', '.join(plain_files)}{drawn}.") + report


#: The address of `--dask` that stands for a cluster of processes on this machine.
LOCAL = "local"
#: Seconds until a cluster must have answered.
PATIENCE = 10.0


@contextmanager
def on_cluster(settings: Settings) -> Iterator[Settings]:
    """Within this, refits and rows go to the cluster at `settings.dask`, if it has one; gives the settings for there.

    Seeds belong to pieces of work, not to workers: the numbers are those of one machine. The scheduler repeats the work
    of a worker that is lost.
    """
    if settings.dask is None:
        yield settings
        return
    from joblib import parallel_config

    if settings.dask != LOCAL and settings.n_jobs is not None:
        raise InputError(
            Argument("n_jobs"),
            " is for this machine, and a cluster uses all its workers. Leave it out, or use ",
            Argument("dask", LOCAL),
            ".",
        )
    with _client(settings.dask, settings.n_jobs) as client, parallel_config(backend="dask", client=client):
        yield replace(settings, n_jobs=None, all_cores=False)


def _client(address: str, n_jobs: int | None) -> Any:
    """A connection; for "local" it starts the cluster too, and ends it."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("distributed", "distributed") from None
    from joblib import cpu_count

    # What a worker says when it is lost or the cluster is closed is not for the user of a command.
    for name in ("distributed", "distributed.nanny", "distributed.scheduler", "distributed.worker"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if address == LOCAL:
        workers = cpu_count() if n_jobs is None or n_jobs < 1 else n_jobs
        here = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}  # any free port: no warning beside another
        return Client(n_workers=workers, threads_per_worker=1, **here)
    try:
        return Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise InputError(
            Argument("dask"),
            f": no Dask cluster answers at {address!r} ({reason}). Give the address of a scheduler, such as "
            "tcp://10.0.0.1:8786, or use ",
            Argument("dask", LOCAL),
            ".",
        ) from None
