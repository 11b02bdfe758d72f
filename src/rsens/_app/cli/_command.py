"""A command, from its options to its output and files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from rsens._app.cli._options import ALL, DATA, SECTIONS, as_settings, spelling_of
from rsens._app.cli._terminal import complain, say, say_json
from rsens._errors import Argument, spelled_by
from rsens._text import counted, listed, safe

if TYPE_CHECKING:
    import pandas as pd

    from rsens._app.cli._work import KeptWork, Live
    from rsens._app.study import ModelSetup, Settings, Task, Unfinished
    from rsens._app.tables import Note
    from rsens._document import ShownTable

#: In the help of every command on a table.
DATA_AND_NAMES = [
    "DATA is a CSV, TSV or Parquet file, also packed with gzip, or - for standard input.",
    "The name of a column is taken literally; if there is no such column, it is split at its commas.",
]


class Command(click.Command):
    """A command of click, whose help has the options by section.

    Sentences speak of its options, or of the options of the command `like` which it is.
    """

    def __init__(
        self, *given: Any, examples: Sequence[str] = (), like: click.Command | None = None, **more: Any
    ) -> None:
        super().__init__(*given, **more)
        self.like = self if like is None else like
        if examples:
            self.epilog = "\n".join(["\b", "Examples:", *(f"  {line}" for line in examples)])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with spelled_by(spelling_of(self.like)):
            return super().invoke(ctx)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Its own help, and two sentences that all commands on a table share."""
        super().format_help_text(ctx, formatter)
        for text in DATA_AND_NAMES if DATA in self.params else []:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(text)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of this command alone, then the shared ones."""
        params = self.get_params(ctx)
        shared: list[click.Parameter] = [DATA, *ALL.values()]
        sections: dict[str, Sequence[click.Parameter]] = {
            "Options": [each for each in params if each not in shared],
            **SECTIONS,
        }
        for title, options in sections.items():
            records = [each.get_help_record(ctx) for each in options if each in params]
            if shown := [record for record in records if record is not None]:
                with formatter.section(title):
                    formatter.write_dl(shown)


class OutOfMemory(click.ClickException):
    """The system refused memory, or ended a worker process that asked for too much."""

    def show(self, file: Any = None) -> None:
        """One sentence to standard error."""
        complain(self.message)


class Work(ABC):
    """One run of a command.

    name: The name of the command.
    answers: The command whose question it answers, for the folder of results.
    pieces: The folder inside the folder of results for finished pieces of long work.
    n_pieces: How many pieces there are, where that is known before.
    tells: Whether the command prints a summary of the table before the result.
    """

    name: ClassVar[str]
    answers: ClassVar[str] = ""
    pieces: ClassVar[str | None] = None
    n_pieces: int = 0
    tells: ClassVar[bool] = True

    def __init__(self, **given: Any) -> None:
        self.given = given
        settings = self.read(given)
        self.settings = replace(settings, fits=self.n_fits(settings))
        self.folder = self.default_folder() if settings.out is None else settings.out

    def read(self, given: Mapping[str, Any]) -> Settings:
        """The options as settings, checked. A command with further options has a subclass of `Settings`."""
        from rsens._app.study import Settings

        return Settings(**as_settings(given))

    def n_fits(self, settings: Settings) -> int:
        """About how many fits the work amounts to, which decides whether several processes are worth it."""
        return settings.fits

    def default_folder(self) -> Path:
        """The folder of the results, unless the user names another."""
        from rsens._app.study._result import file_name

        return Path(f"rsens-{file_name(self.settings.data_name)}-{self.name}")

    @abstractmethod
    def question(self) -> dict[str, Any]:
        """Settings that make it another question on the same data: results of another one are not replaced."""

    @abstractmethod
    def task(self, live: Live) -> Task[Any]:
        """The work on the model."""

    @abstractmethod
    def text(self, analysis: Any, shown: Sequence[Note] | None) -> str:
        """The printed result; the heading and the notes in `shown` have been printed already, if it is not None."""

    @abstractmethod
    def write(self, analysis: Any, live: Live) -> list[Path]:
        """Write all files; their paths."""

    def run(self) -> None:
        """Analyse the table, print the answer, and write the files. The answer comes before the figures are drawn."""
        from rsens._app.cli._work import Live
        from rsens._app.study import Unfinished, analyse
        from rsens._files import check_folder, read_summary

        settings = self.settings
        question = {
            "command": self.answers or self.name,
            "data": settings.data_name,
            "target": settings.target,
            **self.question(),
            "where": list(settings.where or ()) or None,
        }
        check_folder(self.folder, settings.overwrite, self.pieces, question)
        prints = not (settings.quiet or settings.as_json)
        with on_cluster(settings) as settings, Live(settings, tells=self.tells, keeps=self.kept is not None) as live:
            try:
                analysis = analyse(settings, self.task(live), listener=live)
                if prints:
                    say(f"{self.text(analysis, live.shown)}\n")
                if settings.report:
                    import matplotlib

                    matplotlib.use("Agg")  # figures are for files: no window is opened
                files = self.write(analysis, live)
            except KeyboardInterrupt as stopped:
                if prints and isinstance(stopped, Unfinished):
                    say(unfinished(stopped, self.text(stopped.analysis, live.shown)))
                raise click.Abort(f"stopped.{self.how_to_resume(live)}") from None
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                what = "the system ended a worker process, as it does when memory runs out"
                what = "memory ran out" if isinstance(error, MemoryError) else what
                less = f"Use one process ({Argument('n_jobs', 1)}) or fewer rows ({Argument('rows')})."
                raise OutOfMemory(f"{what}. {less}{self.how_to_resume(live)}") from error
        if settings.as_json:
            say_json(read_summary(self.folder) | {"folder": str(self.folder)})
        elif not settings.quiet:
            say(files_written(self.folder, files))

    @property
    def kept(self) -> KeptWork | None:
        """Finished pieces of the work, if the command keeps any."""
        from rsens._app.cli._work import KeptWork

        return None if self.pieces is None else KeptWork(self.folder, self.pieces, self.n_pieces)

    def how_to_resume(self, live: Live) -> str:
        """A sentence on the finished pieces after an interruption; empty without any."""
        return "" if self.kept is None else self.kept.how_to_resume(live)


def on_cluster(settings: Settings) -> AbstractContextManager[Settings]:
    """The settings for the Dask cluster that they name, and the cluster at work within the block; or for here."""
    if settings.dask is None:
        return nullcontext(settings)
    from rsens._app.cli import _cluster

    return _cluster.on_cluster(settings, settings.dask)


def is_out_of_memory(error: Exception) -> bool:
    """Whether the system refused memory, or ended a worker process. (Dask raises its `KilledWorker`.)"""
    return isinstance(error, MemoryError | BrokenExecutor) or type(error).__name__ == "KilledWorker"


def unfinished(stopped: Unfinished, text: str) -> str:
    """The text of an incomplete result: what is missing comes first."""
    from rsens._document import fold

    missing = f"Interrupted. Not computed: {listed(stopped.missing)}." if stopped.missing else "Interrupted."
    return f"{fold(missing, None, 'UNFINISHED  ', ' ' * 12)}\n\n{text}\n"


def files_written(folder: Path, files: list[Path]) -> str:
    """The folder and the files, figures counted; the report on a separate line."""
    from rsens._document import fold

    names = [str(path.relative_to(folder)) for path in files]
    plain_files = [name for name in names if "/" not in name]
    figures = len({name.rpartition(".")[0] for name in names if "/" in name})
    drawn = f", and {counted(figures, 'figure')} as PNG and SVG in figures/" if figures else ""
    report = f"\n{safe(str(files[0]))}" if names[0] == "report.html" else ""
    return fold(f"Written to {safe(str(folder))}: {', '.join(plain_files)}{drawn}.") + report


@dataclass(frozen=True, kw_only=True)
class Views:
    """A result for readers: sentences and tables to print, tables for CSV files, figures, and entries for JSON."""

    answer: Sequence[str]
    details: Sequence[ShownTable]
    tables: Mapping[str, pd.DataFrame]
    figures: Mapping[str, Callable[[], Any]]
    content: Mapping[str, Any]


class Question(Work):
    """A command that makes one call of the library.

    step: The name of the work on the progress line.
    recorded: Settings that the result records in addition to the question, the model and the seed.
    fit: Whether the work needs a model fitted to all rows.
    """

    step: str
    recorded: ClassVar[tuple[str, ...]] = ()
    fit: ClassVar[bool] = True

    @abstractmethod
    def result(self, setup: ModelSetup) -> Any:
        """The result of the call; `setup.keep` has finished pieces, if the command has `pieces`."""

    @abstractmethod
    def views(self, found: Any, terms: Sequence[str]) -> Views:
        """The result for readers."""

    def piece_question(self) -> dict[str, Any]:
        """The part of the question that changes finished pieces."""
        return self.question()

    def task(self, live: Live) -> Task[Any]:
        """The work, with its finished pieces if it has any."""
        from rsens._app.study import Analysis, Task

        arguments = self.question() | self.settings.plain(*self.recorded, "model", "seed")
        task = Task(self.step, self.result, Analysis, arguments, self.fit)
        if (kept := self.kept) is None:
            return task
        return replace(task, keep=lambda setup: kept.resume(setup, live, self.piece_question()))

    def text(self, analysis: Any, shown: Sequence[Note] | None) -> str:
        """Warnings, the answer, the heading, notes, and the rest."""
        from rsens._app.study import with_heading

        views = self.views(analysis.found, analysis.terms)
        return with_heading(analysis, views.answer, views.details, shown).text()

    def write(self, analysis: Any, live: Live) -> list[Path]:
        """Tables, figures and the summary."""
        from rsens._app.study import figure_writers, head_as_dict, table_writers, write_folder

        views = self.views(analysis.found, analysis.terms)
        content = {**head_as_dict(analysis), **views.content, **({} if self.pieces is None else {"work": self.pieces})}
        writers = (*table_writers(views.tables), *figure_writers(views.figures.items()))
        return write_folder(self.folder, self.name, content, writers, listener=live)
