"""`rsens explain`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from rsens._app.cli._command import DATA, NAMES, Command
from rsens._app.cli._options import CHECK, flag, option, table_options
from rsens._errors import Spelling

if TYPE_CHECKING:
    from rsens._app.cli._live import Live
    from rsens._app.study import Hints, Settings, Study, Task, Writer
    from rsens._app.tables import Note


class ExplainCommand(Command):
    """Explain a table, or new rows with a saved model."""

    name = "explain"
    summary = "Rank columns by how far they move the prediction."
    paragraphs: ClassVar[tuple[str, ...]] = (
        "Rank the columns of a table by how far they move the prediction of one of them.",
        DATA,
        "Prints how good the model is, then variables and pairs by R-sens, and writes a report, tables, figures and "
        "the model.",
        NAMES,
    )
    examples: ClassVar[tuple[str, ...]] = (
        "rsens explain data.csv --target price",
        "rsens explain data.csv --target price --drop id --drop 'name, full' --out results",
        "rsens explain data.csv --target rings --likelihood poisson --rows 500 --json",
        "rsens explain data.csv --target price --by region",
        "rsens explain new.csv --model-file rsens-data/model.rsens",
    )
    options: ClassVar[tuple[click.Parameter, ...]] = table_options(
        "rsens-NAME",
        option("--pairs", type=int, metavar="K", help="Show K pairs.  [default: 10, or 0 above 60 columns]"),
        option(
            "--by",
            metavar="COLUMN",
            help="Rank within subgroups of rows too, and mark where one differs from the other rows; numbers are cut "
            "into ranges.",
        ),
        CHECK,
        flag("--no-null", "null", sets=False, otherwise=True, help="Skip the refits that measure the null level."),
        flag(
            "--no-report",
            "report",
            sets=False,
            otherwise=True,
            help="Skip the report and the figures, which take longer than the rest.",
        ),
        option("--model-file", type=click.Path(), metavar="FILE", help="Explain new rows with a model saved before."),
    )

    pieces = "refits"

    def folder(self, settings: Settings) -> Path:
        """Named after the data alone: this is the main command."""
        from rsens._app.study._result import plain

        return Path(f"rsens-{plain(settings.data_name)}")

    def question(self, settings: Settings) -> dict[str, Any]:
        """A model file asks another question than a fit."""
        file = settings.model_file
        return {"model_file": None if file is None else os.path.basename(file)}

    def task(self, settings: Settings, folder: Path, live: Live) -> Task[Study]:
        """The same as in `rsens.study`, with finished refits kept until all is written."""
        from rsens._app.cli._kept_work import KeptWork
        from rsens._app.study import explain_task

        return explain_task(settings, lambda setup: KeptWork(folder).resume_refits(setup, live))

    def text(self, analysis: Study, settings: Settings, shown: Sequence[Note] | None, spell: Spelling) -> str:
        """The same as in Python, with commands as hints on what to ask next."""
        from rsens._app.study import text_of

        return text_of(analysis, hints=self.hints(settings), told=shown)

    def write(self, analysis: Study, settings: Settings, folder: Path, live: Live) -> list[Path]:
        """The same files as in Python."""
        from rsens._app.cli._kept_work import KeptWork
        from rsens._app.study import write_study

        overwrite, also = settings.overwrite, self.also(settings)
        files = write_study(analysis, folder, report=settings.report, overwrite=overwrite, listener=live, also=also)
        KeptWork(folder).forget()
        return files

    def also(self, settings: Settings) -> list[Writer]:
        """What is written beside them."""
        return []

    def stopped(self, folder: Path, live: Live) -> str:
        """How many refits are kept."""
        from rsens._app.cli._kept_work import KeptWork

        return KeptWork(folder).stopped(live)

    def hints(self, settings: Settings) -> Hints:
        """What to ask next, as commands."""
        from rsens._app.cli._follow_up import follow_up
        from rsens._app.cli._select import SelectCommand
        from rsens._app.cli._stability import StabilityCommand
        from rsens._app.study import Hints

        if settings.model_file is not None:
            return Hints("", "")
        return Hints(*(follow_up(command, settings) for command in (SelectCommand(), StabilityCommand())))
