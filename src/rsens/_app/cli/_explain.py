"""`rsens explain`, and `rsens demo`, which explains a table that comes with scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rsens._app.cli._command import Command, Work
from rsens._app.cli._options import ALL, as_settings, next_command, option, table_options
from rsens._app.cli._questions import select, stability

if TYPE_CHECKING:
    from rsens._app.cli._work import Live
    from rsens._app.study import Settings, Study, Task, Writer
    from rsens._app.tables import Note


class Explain(Work):
    """Explain a table, or new rows with a saved model: the same work, text and files as in Python."""

    name = "explain"
    pieces = "refits"

    def default_folder(self) -> Path:
        """Named after the data alone: this is the main command."""
        return Path(super().default_folder().name.removesuffix(f"-{self.name}"))

    def question(self) -> dict[str, Any]:
        """A model file asks another question than a fit."""
        file = self.settings.model_file
        return {"model_file": None if file is None else os.path.basename(file)}

    def task(self, live: Live) -> Task[Study]:
        """Keep finished refits until all is written."""
        from rsens._app.cli._work import KeptWork
        from rsens._app.study import explain_task

        return explain_task(self.settings, lambda setup: KeptWork(self.folder).resume(setup, live, {}))

    def text(self, analysis: Study, shown: Sequence[Note] | None) -> str:
        """Hints on the next question are commands."""
        from rsens._app.study import Hints, document_of

        given = self.for_next_command()
        hints = Hints(*("" if given is None else next_command(each, given) for each in (select, stability)))
        return document_of(analysis, hints=hints, printed=shown).text()

    def for_next_command(self) -> dict[str, Any] | None:
        """The options that hints keep; None where no question follows."""
        return self.given if self.settings.model_file is None else None

    def write(self, analysis: Study, live: Live) -> list[Path]:
        """Finished refits are not needed afterwards."""
        from rsens._app.cli._work import KeptWork
        from rsens._app.study import write_study

        report, overwrite = self.settings.report, self.settings.overwrite
        files = write_study(
            analysis, self.folder, report=report, overwrite=overwrite, listener=live, also=self.more_files()
        )
        KeptWork(self.folder).forget()
        return files

    def more_files(self) -> list[Writer]:
        """Further files of the folder."""
        return []


@click.command(
    cls=Command,
    params=table_options(),
    short_help="Rank columns by how far they move the prediction.",
    examples=[
        "rsens explain data.csv --target price",
        "rsens explain data.csv --target price --drop id --drop 'name, full' --out results",
        "rsens explain data.csv --target rings --likelihood poisson --rows 500 --json",
        "rsens explain data.csv --target price --by region",
        "rsens explain new.csv --model-file rsens-data/model.rsens",
    ],
)
@option("--pairs", type=int, metavar="K", help="Show K pairs.  [default: 10, or 0 above 60 columns]")
@option(
    "--by",
    metavar="COLUMN",
    help="Rank within subgroups of rows too, and mark where one differs from the other rows; numbers are cut into "
    "ranges.",
)
@option("--model-file", type=click.Path(), metavar="FILE", help="Explain new rows with a model saved before.")
@option("--no-null", "null", sets=False, otherwise=True, help="Skip the refits that measure the null level.")
@option(
    "--no-report",
    "report",
    sets=False,
    otherwise=True,
    help="Skip the report and the figures, which take longer than the rest.",
)
def explain(**given: Any) -> None:
    """Rank the columns of a table by how far they move the prediction of one of them.

    Prints how good the model is, then variables and pairs by R-sens, and writes a report, tables, figures and the
    model.
    """
    Explain(**given).run()


class Demo(Explain):
    """Explain the diabetes data."""

    name = "demo"
    answers = "explain"
    tells = False

    def read(self, given: Mapping[str, Any]) -> Settings:
        """All defaults, on the diabetes data."""
        from sklearn.datasets import load_diabetes

        from rsens._app.study import Settings

        frame = load_diabetes(as_frame=True, scaled=False).frame.rename(columns={"target": "progression"})
        return Settings(data=frame, target="progression", name="diabetes", **as_settings(given))

    def default_folder(self) -> Path:
        """Named after the command, as the data have no file."""
        return Path("rsens-demo")

    @property
    def table(self) -> Path:
        """The file of the data among the results, so that the next command can be tried on it."""
        return self.folder / "diabetes.csv"

    def for_next_command(self) -> dict[str, Any]:
        """On the table that is written with the results."""
        return {"data": self.table, "target": self.settings.target}

    def more_files(self) -> list[Writer]:
        """The table."""
        from rsens._files import write_csv

        name = self.table.name
        return [(f"writing {name}", lambda place: write_csv(self.settings.data, place / name))]


@click.command(
    cls=Command,
    like=explain,
    params=[ALL[name] for name in ("out", "overwrite", "quiet", "traceback")],
    short_help="Explain the diabetes data of scikit-learn.",
)
def demo(**given: Any) -> None:
    """Explain the diabetes data that come with scikit-learn: ten measurements of 442 patients, and how far the disease
    has progressed a year later.

    Does what `rsens explain` does, in a few seconds.
    """
    Demo(**given).run()
