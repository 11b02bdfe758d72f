"""A command, from its options to its output and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rsens._app.cli._cluster import on_cluster
from rsens._app.cli._options import DATA, SECTIONS, spelling_of
from rsens._app.cli._terminal import complain, say, say_json
from rsens._errors import Argument, spelled_by
from rsens._text import counted, listed, safe

if TYPE_CHECKING:
    import pandas as pd

    from rsens._app.cli._work import KeptWork, Live
    from rsens._app.study import Settings, Task
    from rsens._app.tables import Note
    from rsens._document import ShownTable

#: At the end of the help of every command on a table.
DATA_AND_NAMES = """DATA is a CSV, TSV or Parquet file, also packed with gzip, or - for standard input. The name of a
column is taken literally; if there is no such column, it is split at its commas."""


class Command(click.Command):
    """A command of click, whose help has the options by section, and whose sentences name its options."""

    def __init__(self, *given: Any, examples: Sequence[str] = (), **more: Any) -> None:
        super().__init__(*given, **more)
        if examples:
            self.epilog = "\n".join(["\b", "Examples:", *(f"  {line}" for line in examples), "", DATA_AND_NAMES])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with spelled_by(spelling_of(self)):
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of this command alone, then the shared ones."""
        shared = [DATA, *(each for options in SECTIONS.values() for each in options)]
        own = [each for each in self.get_params(ctx) if each not in shared]
        sections: dict[str, Sequence[click.Parameter]] = {"Options": own, **SECTIONS}
        for title, options in sections.items():
            records = [each.get_help_record(ctx) for each in options if each in self.get_params(ctx)]
            if shown := [record for record in records if record is not None]:
                with formatter.section(title):
                    formatter.write_dl(shown)


class OutOfMemory(click.ClickException):
    """The system refused memory, or ended a worker process that asked for too much."""

    def show(self, file: Any = None) -> None:
        """One sentence to standard error."""
        complain(self.message)


@dataclass(frozen=True, kw_only=True)
class Work:
    """One run of a command.

    given: The options as click has them.
    question: The command and settings that make it another question on the same data: results of another one are not
        replaced.
    text: The printed result; with notes, these and the heading have been printed already.
    write: Writes all files; gives their paths.
    kept: Finished pieces of the work, if the command keeps any.
    early: Whether to print messages before the result.
    """

    given: Mapping[str, Any]
    settings: Settings
    folder: Path
    question: Mapping[str, Any]
    task: Task
    text: Callable[[Any, Sequence[Note] | None], str]
    write: Callable[[Any, Live], list[Path]]
    kept: KeptWork | None = None
    early: bool = True

    def run(self) -> None:
        """Analyse the table, print the answer, and write the files. The answer comes before the figures are drawn."""
        from rsens._app.cli._work import Live
        from rsens._app.study import Unfinished, analyse
        from rsens._files import check_folder, read_summary

        given, settings, kept = self.given, self.settings, self.kept
        overwrite, as_json = bool(given["overwrite"]), given.get("as_json")
        question = {"data": settings.data_name, "target": settings.target, **self.question}
        question |= {"where": list(settings.where or ()) or None}
        check_folder(self.folder, overwrite, None if kept is None else kept.name, question)
        prints = not (given["quiet"] or as_json)
        live = Live(given, early=self.early, keeps=kept is not None)
        keep = {} if kept is None else {"keep": lambda analysis: kept.resume(analysis, live, overwrite)}
        with on_cluster(settings, given.get("dask")) as settings:
            try:
                analysis = analyse(settings, self.task, listener=live, **keep)
                if prints:
                    say(f"{self.text(analysis, live.printed)}\n")
                if given.get("report") is not False:
                    import matplotlib

                    matplotlib.use("Agg")  # figures are for files: no window is opened
                files = self.write(analysis, live)
            except KeyboardInterrupt as stopped:
                if prints and isinstance(stopped, Unfinished):
                    text = self.text(stopped.analysis, live.printed)
                    say(f"{_unfinished(stopped.analysis.missing)}\n\n{text}\n")
                raise click.Abort(f"stopped.{kept.how_to_resume(live) if kept else ''}") from None
            except Exception as error:
                # Dask raises its `KilledWorker`.
                ended = isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"
                if not ended and not isinstance(error, MemoryError):
                    raise
                what = "the system ended a worker process, as it does when memory runs out"
                less = f"Use one process ({Argument('n_jobs', 1)}) or fewer rows ({Argument('rows')})."
                resume = kept.how_to_resume(live) if kept else ""
                raise OutOfMemory(f"{what if ended else 'memory ran out'}. {less}{resume}") from error
        if as_json:
            say_json(read_summary(self.folder) | {"folder": str(self.folder)})
        elif prints:
            say(files_written(self.folder, files))


def folder_of(given: Mapping[str, Any], settings: Settings, *command: str) -> Path:
    """The folder of the results: the one that was asked for, or one named after the data and the command."""
    from rsens._app.study import file_name

    folder: Path | None = given["out"]
    return Path("-".join(["rsens", file_name(settings.data_name), *command])) if folder is None else folder


def _unfinished(missing: Sequence[str]) -> str:
    """The first lines of an incomplete result."""
    from rsens._document import fold

    text = f"Interrupted. Not computed: {listed(missing)}." if missing else "Interrupted."
    return fold(text, None, "UNFINISHED  ", " " * 12)


def files_written(folder: Path, files: list[Path]) -> str:
    """The folder and the files, figures counted; the report on a separate line."""
    from rsens._document import fold

    names = [str(path.relative_to(folder)) for path in files]
    plain_files = [name for name in names if "/" not in name]
    figures = len({name.rpartition(".")[0] for name in names if "/" in name})
    drawn = f", and {counted(figures, 'figure')} as PNG and SVG in figures/" if figures else ""
    report = f"\n{safe(str(files[0]))}" if names[0] == "report.html" else ""
    return fold(f"Written to {safe(str(folder))}: {', '.join(plain_files)}{drawn}.") + report


# ---- commands that make one call of the library ----------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Views:
    """A result for readers: sentences and tables to print, tables for CSV files, figures, and entries for JSON."""

    answer: Sequence[str]
    details: Sequence[ShownTable]
    tables: Mapping[str, pd.DataFrame]
    figures: Mapping[str, Callable[[], Any]]
    content: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Question:
    """A command that makes one call of the library.

    step: The name of the work on the progress line.
    asked: Settings that make it another question; `recorded` are further ones for the result to record.
    find: The call, given the analysis, the listener, and the checkpoint of finished pieces.
    views: The result for readers, given the result and the terms of the ranking.
    fit: Whether the call needs a model fitted to all rows.
    pieces: The folder of finished pieces, of which there are `n_pieces`.
    """

    name: str
    step: str
    asked: Mapping[str, Any]
    find: Callable[..., Any]
    views: Callable[[Any, Sequence[str]], Views]
    recorded: Mapping[str, Any] = field(default_factory=dict)
    fit: bool = True
    pieces: str = ""
    n_pieces: int = 0

    def run(self, given: Mapping[str, Any], settings: Settings) -> None:
        """Check a model, make the call, print and write its result."""
        from rsens._app.cli._work import KeptWork
        from rsens._app.study import (
            Task,
            check_model,
            figure_writers,
            head_as_dict,
            table_writers,
            with_heading,
            write_folder,
        )

        def work(analysis: Any, listener: Any, checkpoint: Any) -> None:
            listener.step("checking the model")
            check_model(analysis, listener, checkpoint)
            listener.step(self.step)
            analysis.found = self.find(analysis, listener, checkpoint)

        def text(analysis: Any, printed: Sequence[Note] | None) -> str:
            views = self.views(analysis.found, analysis.terms)
            return with_heading(analysis, views.answer, views.details, printed).text()

        def write(analysis: Any, live: Live) -> list[Path]:
            views = self.views(analysis.found, analysis.terms)
            content = {**head_as_dict(analysis), **views.content, **({"work": self.pieces} if self.pieces else {})}
            writers = (*table_writers(views.tables), *figure_writers(views.figures.items()))
            return write_folder(folder, self.name, content, writers, listener=live)

        folder = folder_of(given, settings, self.name)
        of_piece = {name: value for name, value in self.asked.items() if name != "samples"}  # not on their number
        Work(
            given=given,
            settings=settings,
            folder=folder,
            question={"command": self.name, **self.asked},
            task=Task(work, {**self.asked, **self.recorded, **settings.plain("model", "seed")}, fit=self.fit),
            text=text,
            write=write,
            kept=KeptWork(folder, self.pieces, self.n_pieces, of_piece) if self.pieces else None,
        ).run()
