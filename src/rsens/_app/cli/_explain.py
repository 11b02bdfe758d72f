"""`rsens explain`, and `rsens demo`, which explains data that are always there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rsens._app.cli._command import DATA, NAMES, Command, from_click
from rsens._app.cli._options import CHECK, OVERWRITE, QUIET, TRACEBACK, flag, folder_option, option, table_options
from rsens._errors import Spelling

if TYPE_CHECKING:
    from rsens._app.cli._live import Live
    from rsens._app.study import Hints, Settings, Study, Task, Writer
    from rsens._app.tables import Note

#: The folder of the demo, and its data among the results.
DEMO_FOLDER, DEMO_TABLE = "rsens-demo", "diabetes.csv"


class ExplainCommand(Command):
    """Explain a table, or new rows with a saved model."""

    def folder(self, settings: Settings) -> Path:
        """Named after the data alone: this is the main command."""
        return Path(super().folder(settings).name.removesuffix(f"-{self.name}"))

    def task(self, settings: Settings, folder: Path, live: Live) -> Task[Study]:
        """The same as in `rsens.study`, with finished refits kept until all is written."""
        from rsens._app.cli._kept_work import KeptWork
        from rsens._app.study import explain_task

        return explain_task(settings, lambda setup: KeptWork(folder).resume_refits(setup, live))

    def text(self, analysis: Study, settings: Settings, shown: Sequence[Note] | None, spell: Spelling) -> str:
        """The same as in Python, with commands as hints on what to ask next."""
        from rsens._app.study import document_of

        return document_of(analysis, hints=self.hints(settings), printed=shown).text()

    def write(self, analysis: Study, settings: Settings, folder: Path, live: Live) -> list[Path]:
        """The same files as in Python."""
        from rsens._app.cli._kept_work import KeptWork
        from rsens._app.study import write_study

        overwrite, also = settings.overwrite, self.also(settings)
        files = write_study(analysis, folder, report=settings.report, overwrite=overwrite, listener=live, also=also)
        KeptWork(folder).forget()
        return files

    def also(self, settings: Settings) -> list[Writer]:
        """Further files of the folder."""
        return []

    def hints(self, settings: Settings) -> Hints:
        """Commands to run next."""
        from rsens._app.cli._questions import SELECT, STABILITY
        from rsens._app.study import Hints

        if settings.model_file is not None:
            return Hints("", "")
        return Hints(SELECT.follow_up(settings), STABILITY.follow_up(settings))


def _question(settings: Settings) -> dict[str, Any]:
    """A model file asks another question than a fit."""
    return {"model_file": None if settings.model_file is None else os.path.basename(settings.model_file)}


EXPLAIN = ExplainCommand(
    name="explain",
    summary="Rank columns by how far they move the prediction.",
    paragraphs=(
        "Rank the columns of a table by how far they move the prediction of one of them.",
        DATA,
        "Prints how good the model is, then variables and pairs by R-sens, and writes a report, tables, figures and "
        "the model.",
        NAMES,
    ),
    examples=(
        "rsens explain data.csv --target price",
        "rsens explain data.csv --target price --drop id --drop 'name, full' --out results",
        "rsens explain data.csv --target rings --likelihood poisson --rows 500 --json",
        "rsens explain data.csv --target price --by region",
        "rsens explain new.csv --model-file rsens-data/model.rsens",
    ),
    options=table_options(
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
    ),
    question=_question,
    pieces="refits",
)


class DemoCommand(ExplainCommand):
    """Explain data that are always there."""

    def folder(self, settings: Settings) -> Path:
        """Named after the command, as the data have no file."""
        return Path(DEMO_FOLDER)

    def also(self, settings: Settings) -> list[Writer]:
        """The table, so that the next command can be tried on it."""
        from rsens._files import write_csv

        return [(f"writing {DEMO_TABLE}", lambda place: write_csv(settings.data, place / DEMO_TABLE))]

    def hints(self, settings: Settings) -> Hints:
        """On the table that is written with the results."""
        folder = self.folder(settings) if settings.out is None else settings.out
        return super().hints(replace(settings, data=folder / DEMO_TABLE, name=None))


def _demo_settings(given: Mapping[str, Any]) -> Settings:
    """All defaults, on the diabetes data."""
    from sklearn.datasets import load_diabetes

    from rsens._app.study import Settings

    frame = load_diabetes(as_frame=True, scaled=False).frame.rename(columns={"target": "progression"})
    return Settings(data=frame, target="progression", name="diabetes", **from_click(given))


DEMO = DemoCommand(
    name="demo",
    summary="Explain the diabetes data of scikit-learn.",
    paragraphs=(
        "Explain the diabetes data that come with scikit-learn: ten measurements of 442 patients, and how far the "
        "disease has progressed a year later.",
        "Does what `rsens explain` does, in a few seconds.",
    ),
    options=(folder_option(DEMO_FOLDER), OVERWRITE, QUIET, TRACEBACK),
    question=_question,
    settings=_demo_settings,
    pieces="refits",
    answers="explain",
    tells=False,
)
