"""What a command is: its options, its work, and the views of its result.

A command is one file in this folder and one line in `COMMANDS`. Its file imports what it needs when it runs, so that
help appears at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from rsens._app.cli._options import DATE_FORMAT, DATE_PARTS, options_of, read_by_column, read_groups
from rsens._app.cli._say import complain
from rsens._errors import InputError, Spelling, spelled

if TYPE_CHECKING:
    import pandas as pd

    from rsens._app.cli._live import Live
    from rsens._app.study import Analysis, ModelSetup, Settings, Task
    from rsens._app.tables import Note

DATA = "DATA is a CSV, TSV or Parquet file, also packed with gzip, or - for standard input."
NAMES = "The name of a column is taken as it is; if there is no such column, as a list with commas between."


class BadInput(click.ClickException):
    """Something given is wrong; the text says what, in the words of the command line."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """One sentence to standard error."""
        complain(self.message)


class Command(ABC):
    """A command that analyses a table."""

    #: Its name, its line in `rsens --help`, the paragraphs of its own help, and examples.
    name: ClassVar[str]
    summary: ClassVar[str]
    paragraphs: ClassVar[tuple[str, ...]]
    examples: ClassVar[tuple[str, ...]] = ()
    #: Its options, called like the fields of `Settings`.
    options: ClassVar[tuple[click.Parameter, ...]]
    #: The folder inside the folder of results that keeps finished pieces of long work.
    pieces: ClassVar[str | None] = None
    #: The command whose question it answers, for the folder of results; by default its own name.
    answers: ClassVar[str] = ""
    #: Whether the user is told at once what was read, before the result is there.
    tells: ClassVar[bool] = True

    def for_click(self) -> click.Command:
        """The command as click runs it."""
        examples = "\n".join(f"  {line}" for line in self.examples)
        command = click.Command(
            self.name,
            params=[*self.options],
            help="\n\n".join(self.paragraphs),
            short_help=self.summary,
            epilog=f"\b\nExamples:\n{examples}" if examples else None,
        )
        spell = options_of(command)
        command.callback = lambda **given: self._run(given, spell)
        return command

    def _run(self, given: dict[str, Any], spell: Spelling) -> None:
        from rsens._app.cli._run import run

        try:
            settings = self.settings(given)
            run(self, replace(settings, fits=self.n_fits(settings)), spell)
        except InputError as error:
            raise BadInput(spelled(error.sentence, spell)) from error

    # ---- the question ------------------------------------------------------------------------------------------------

    def settings(self, given: Mapping[str, Any]) -> Settings:
        """The options as settings, checked. A command with options of its own makes a subclass of `Settings`."""
        from rsens._app.study import Settings

        return Settings(**from_click(given))

    def takes(self, option: str, value: Any) -> bool:
        """Whether a value that another command was given makes sense here too."""
        return True

    def folder(self, settings: Settings) -> Path:
        """Where the results go, unless the user says otherwise."""
        from rsens._app.study._result import plain

        return Path(f"rsens-{plain(settings.data_name)}-{self.name}")

    def n_fits(self, settings: Settings) -> int:
        """How many fits the work amounts to, roughly: whether it is worth several processes depends on it."""
        return settings.fits

    @abstractmethod
    def question(self, settings: Settings) -> dict[str, Any]:
        """What makes it another question on the same data and target: results of another one are not replaced."""

    # ---- the work ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def task(self, settings: Settings, folder: Path, live: Live) -> Task[Any]:
        """What is asked of the model."""

    def stopped(self, folder: Path, live: Live) -> str:
        """What is said after Ctrl-C: what is kept, if anything is."""
        return "stopped."

    # ---- the views ---------------------------------------------------------------------------------------------------

    @abstractmethod
    def text(self, analysis: Any, settings: Settings, shown: Sequence[Note] | None, spell: Spelling) -> str:
        """What is printed; the heading and the notes in `shown` have been printed already, if it is not None."""

    @abstractmethod
    def write(self, analysis: Any, settings: Settings, folder: Path, live: Live) -> list[Path]:
        """Write all files; their paths."""


class TableCommand(Command):
    """A command whose result is an answer in a sentence, text, tables, figures, and entries of the JSON document."""

    #: Whether its work needs a model fitted to all rows.
    fit: ClassVar[bool] = True

    @abstractmethod
    def step(self, settings: Settings) -> str:
        """What the work is called on the progress line."""

    @abstractmethod
    def work(self, setup: ModelSetup, folder: Path | None) -> Any:
        """Compute what is found; `folder` keeps finished pieces, if the command has `pieces`."""

    def n_pieces(self, settings: Settings) -> int:
        """How many pieces there are when all are finished."""
        return 0

    def arguments(self, settings: Settings) -> dict[str, Any]:
        """What the result records as asked."""
        return self.question(settings) | settings.plain("model", "seed")

    @abstractmethod
    def answer(self, found: Any) -> Sequence[str]:
        """The answer, one sentence or several."""

    @abstractmethod
    def details(self, found: Any, analysis: Analysis[Any]) -> str:
        """The rest of the text."""

    @abstractmethod
    def tables(self, found: Any) -> dict[str, pd.DataFrame]:
        """Tables by name, for CSV files."""

    @abstractmethod
    def figures(self, found: Any) -> dict[str, Callable[[], Any]]:
        """What draws each figure, by name."""

    @abstractmethod
    def to_dict(self, found: Any) -> dict[str, Any]:
        """What was found as plain values, ready for JSON."""

    # ---- what follows from these -------------------------------------------------------------------------------------

    def task(self, settings: Settings, folder: Path, live: Live) -> Task[Any]:
        """The work, within its folder of finished pieces if it has one."""
        from rsens._app.cli._kept_work import KeptWork
        from rsens._app.study import Analysis, Task

        step, arguments = self.step(settings), self.arguments(settings)
        if self.pieces is None:
            return Task(step, lambda setup: self.work(setup, None), Analysis, arguments, self.fit)
        kept = KeptWork(folder, self.pieces, self.n_pieces(settings))
        return Task(
            step,
            lambda setup: self.work(setup, kept.folder),
            Analysis,
            arguments,
            self.fit,
            lambda setup: kept.resume(setup, self.work_question(settings), live),
        )

    def work_question(self, settings: Settings) -> dict[str, Any]:
        """What finished pieces of work depend on, besides the table and the model."""
        return self.question(settings)

    def text(self, analysis: Any, settings: Settings, shown: Sequence[Note] | None, spell: Spelling) -> str:
        """Warnings, the answer, the heading, notes, and the rest."""
        from rsens._app.study import heading_of, notes_of, paragraph, warnings_of

        left = [note for note in analysis.notes if shown is None or note not in shown]
        blocks = [
            warnings_of(left, analysis.assessment),
            "\n".join(paragraph(spelled(each, spell)) for each in self.answer(analysis.found)),
            heading_of(analysis.settings, analysis.model, analysis.likelihood) if shown is None else "",
            notes_of(left),
            self.details(analysis.found, analysis),
        ]
        return "\n\n".join(block for block in blocks if block)

    def write(self, analysis: Any, settings: Settings, folder: Path, live: Live) -> list[Path]:
        """Tables, figures and the summary."""
        from rsens._app.study import figure_writers, head_as_dict, table_writers, write_folder

        found = analysis.found
        content = head_as_dict(analysis) | self.to_dict(found)
        writers = (*table_writers(self.tables(found)), *figure_writers(self.figures(found).items()))
        kept = {} if self.pieces is None else {"work": self.pieces}
        return write_folder(folder, self.name, content | kept, writers, listener=live)


def from_click(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, as arguments of `Settings`. Without --n-jobs, all cores are used where it helps."""
    chosen = {name: value for name, value in given.items() if value not in (None, ())}
    if "groups" in chosen:
        chosen["groups"] = read_groups(chosen["groups"])
    for name, metavar in (("date", DATE_FORMAT), ("date_parts", DATE_PARTS)):
        if name in chosen:
            chosen[name] = read_by_column(chosen[name], name, metavar)
    return chosen | {"all_cores": True, "progress": False if given["quiet"] else None}
