"""Commands: their options, their work, and the views of their results.

A command is a record or a small class in this folder and an entry in `COMMANDS`. It imports what it needs when it runs,
so that help appears at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rsens._app.cli._options import (
    DATE_FORMAT,
    Flag,
    command_line,
    options_of,
    read_by_column,
    read_groups,
    words_of,
)
from rsens._app.cli._say import complain
from rsens._errors import InputError, Spelling, spelled

if TYPE_CHECKING:
    import pandas as pd

    from rsens._app.cli._live import Live
    from rsens._app.study import Analysis, ModelSetup, Settings, Task
    from rsens._app.tables import Note
    from rsens._document import ShownTable

DATA = "DATA is a CSV, TSV or Parquet file, also packed with gzip, or - for standard input."
NAMES = "The name of a column is taken as it is; if there is no such column, as a list with commas between."
#: Options that belong to one command and its result, not to the table and the model.
OF_ONE_COMMAND = (
    *("pairs", "by", "methods", "order", "null", "report", "model_file"),
    *("out", "overwrite", "as_json", "quiet"),
)


class BadInput(click.ClickException):
    """An input error in the words of the command line."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """One sentence to standard error."""
        complain(self.message)


def default_settings(given: Mapping[str, Any]) -> Settings:
    """The options as settings, checked."""
    from rsens._app.study import Settings

    return Settings(**from_click(given))


def from_click(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, as arguments of `Settings`. Without --n-jobs, all cores are used where it helps."""
    chosen = {name: value for name, value in given.items() if value not in (None, ())}
    if "groups" in chosen:
        chosen["groups"] = read_groups(chosen["groups"])
    if "date" in chosen:
        chosen["date"] = read_by_column(chosen["date"], "date", DATE_FORMAT)
    return chosen | {"all_cores": True, "progress": False if given["quiet"] else None}


@dataclass(frozen=True, kw_only=True)
class Command(ABC):
    """A command that analyses a table.

    name, summary, paragraphs, examples: Its help; the summary is its line in `rsens --help`.
    options: Named like the fields of `Settings`.
    question: Settings that make it another question on the same data: results of another one are not replaced.
    settings: Makes checked settings of the options. A command with further options has a subclass of `Settings`.
    n_fits: About how many fits the work amounts to, which decides whether several processes are worth it.
    takes: Whether a value that another command was given makes sense here too.
    pieces: The folder inside the folder of results that keeps finished pieces of long work.
    n_pieces: How many pieces there are when all are finished; 0 if that shows only later.
    answers: The command whose question it answers, for the folder of results; by default its own name.
    tells: Whether the user is told at once what was read, before the result is there.
    """

    name: str
    summary: str
    paragraphs: tuple[str, ...]
    options: tuple[click.Parameter, ...]
    question: Callable[[Settings], dict[str, Any]]
    examples: tuple[str, ...] = ()
    settings: Callable[[Mapping[str, Any]], Settings] = default_settings
    n_fits: Callable[[Settings], int] = lambda settings: settings.fits
    takes: Callable[[str, Any], bool] = lambda option, value: True
    pieces: str | None = None
    n_pieces: Callable[[Settings], int] = lambda settings: 0
    answers: str = ""
    tells: bool = True

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

    def follow_up(self, settings: Settings) -> str:
        """The command on the table of another one: it keeps every option that it has too, and that is not default."""
        words: list[Any] = ["rsens", self.name, settings.data]
        defaults = {each.name: None if each.default is MISSING else each.default for each in fields(settings)}
        for option in self.options:
            name = str(option.name)
            if not isinstance(option, click.Option) or name not in defaults or name in OF_ONE_COMMAND:
                continue
            value = getattr(settings, name)
            if isinstance(option, Flag):
                words += [option.opts[0]] if value == option.sets != defaults[name] else []
            elif value not in (None, (), {}, defaults[name]) and self.takes(name, value):
                words += words_of(option.opts[0], value)
        return command_line(*words)

    def folder(self, settings: Settings) -> Path:
        """The folder of the results, unless the user names another."""
        from rsens._app.study._result import file_name

        return Path(f"rsens-{file_name(settings.data_name)}-{self.name}")

    @abstractmethod
    def task(self, settings: Settings, folder: Path, live: Live) -> Task[Any]:
        """The work on the model."""

    @abstractmethod
    def text(self, analysis: Any, settings: Settings, shown: Sequence[Note] | None, spell: Spelling) -> str:
        """The printed result; the heading and the notes in `shown` have been printed already, if it is not None."""

    @abstractmethod
    def write(self, analysis: Any, settings: Settings, folder: Path, live: Live) -> list[Path]:
        """Write all files; their paths."""


@dataclass(frozen=True, kw_only=True)
class TableCommand(Command):
    """A command whose result is an answer in a sentence, text, tables, figures, and entries of the JSON document.

    step: The name of the work on the progress line.
    work: Computes the result; its second argument is the folder of finished pieces, if the command has `pieces`.
    answer: One sentence or several.
    details: The tables to print, from the result and the analysis.
    tables: Data frames by name, for CSV files.
    figures: Functions that draw, by name.
    to_dict: The result as plain values, ready for JSON.
    recorded: Settings that the result records, besides the question, the model and the seed.
    fit: Whether the work needs a model fitted to all rows.
    work_question: What finished pieces depend on besides the table and the model; by default the question.
    """

    step: Callable[[Settings], str]
    work: Callable[[ModelSetup, Path | None], Any]
    answer: Callable[[Any], Sequence[str]]
    details: Callable[[Any, Analysis[Any]], Sequence[ShownTable]]
    tables: Callable[[Any], dict[str, pd.DataFrame]]
    figures: Callable[[Any], dict[str, Callable[[], Any]]]
    to_dict: Callable[[Any], dict[str, Any]]
    recorded: tuple[str, ...] = ()
    fit: bool = True
    work_question: Callable[[Settings], dict[str, Any]] | None = None

    def task(self, settings: Settings, folder: Path, live: Live) -> Task[Any]:
        """The work, within its folder of finished pieces if it has one."""
        from rsens._app.cli._kept_work import KeptWork
        from rsens._app.study import Analysis, Task

        arguments = self.question(settings) | settings.plain(*self.recorded, "model", "seed")
        task = Task(self.step(settings), lambda setup: self.work(setup, None), Analysis, arguments, self.fit)
        if self.pieces is None:
            return task
        kept = KeptWork(folder, self.pieces, self.n_pieces(settings))
        question = (self.work_question or self.question)(settings)
        return replace(
            task,
            work=lambda setup: self.work(setup, kept.folder),
            keep=lambda setup: kept.resume(setup, question, live),
        )

    def text(self, analysis: Any, settings: Settings, shown: Sequence[Note] | None, spell: Spelling) -> str:
        """Warnings, the answer, the heading, notes, and the rest."""
        from rsens._app.study import with_heading

        answers = [spelled(each, spell) for each in self.answer(analysis.found)]
        return with_heading(analysis, answers, self.details(analysis.found, analysis), shown).text()

    def write(self, analysis: Any, settings: Settings, folder: Path, live: Live) -> list[Path]:
        """Tables, figures and the summary."""
        from rsens._app.study import figure_writers, head_as_dict, table_writers, write_folder

        found = analysis.found
        content = head_as_dict(analysis) | self.to_dict(found)
        writers = (*table_writers(self.tables(found)), *figure_writers(self.figures(found).items()))
        kept = {} if self.pieces is None else {"work": self.pieces}
        return write_folder(folder, self.name, content | kept, writers, listener=live)
