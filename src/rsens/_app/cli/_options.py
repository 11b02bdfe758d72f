"""The options that the commands share. What is not given is left to the defaults of `Settings`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rsens._app.cli._spelling import Flag


def option(*names: str, **settings: Any) -> click.Option:
    """An option with a value."""
    return click.Option(list(names), **settings)


def flag(*names: str, **settings: Any) -> Flag:
    """An option without a value; `sets` and `otherwise` are what it stands for if given and if not."""
    return Flag(list(names), **settings)


class LikelihoodOption(click.Option):
    """Lists the likelihoods when its help is asked for: they are not loaded before."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The names, with the help."""
        from rsens.likelihoods import likelihood_names

        names = ", ".join(likelihood_names())
        self.help = f"{names}, classification, or auto, which picks one and says why.  [default: auto]"
        return super().get_help_record(ctx)


OVERWRITE = flag("--overwrite", help="Replace other results in DIR; forget unfinished work.")
QUIET = flag("--quiet", help="Print only errors.")
TRACEBACK = flag("--traceback", expose_value=False, help="Show where a failure happened.")
ORDER = option("--order", type=int, metavar="[1|2]", help="1 for variables, 2 for pairs.  [default: 1]")
CHECK = option("--cv", type=int, metavar="K", help="Folds for checking the model, 0 for no check.  [default: 5]")
GROUP = option(
    "--group",
    "groups",
    multiple=True,
    metavar="NAME=A,B",
    help="Columns that belong together and are ranked as one; may be repeated.",
)
#: What options about dates look like.
DATE_FORMAT, DATE_PARTS = "COLUMN=FORMAT", "COLUMN=PARTS"
DATES = (
    option(
        "--date",
        multiple=True,
        metavar=DATE_FORMAT,
        help="How the dates of a column are written: day-first, month-first, year-first, or a format such as "
        "%d/%m/%Y; may be repeated.",
    ),
    option(
        "--date-parts",
        multiple=True,
        metavar=DATE_PARTS,
        help="What to make of the dates of a column: some of days,year,weekday,hour; may be repeated.  [default: what "
        "pays]",
    ),
)
#: The kinds of models, and what they are.
MODELS = {
    "gp|linear": "A Gaussian process, or a Bayesian (generalised) linear model.  [default: gp]",
    "gp": "A Gaussian process.",
}


def folder_option(default: str) -> click.Option:
    """Where files are written."""
    text = f"Where files are written.  [default: {default}]"
    return option("--out", type=click.Path(path_type=Path), metavar="DIR", help=text)


def table_options(
    folder: str, *own: click.Option, models: str = "gp|linear", groups: bool = True
) -> tuple[click.Parameter, ...]:
    """The options of every command on a table, and its own; `folder` is where its files go by default.

    `groups`: whether what it ranks can be groups of columns.
    """
    return (
        click.Argument(["data"], metavar="DATA"),
        option("--target", metavar="COLUMN", help="The column to predict."),
        LikelihoodOption(["--likelihood"], metavar="NAME"),
        option("--model", metavar=f"[{models}]", help=MODELS[models]),
        option(
            "--missing",
            metavar="[drop|error]",
            help="Leave out rows with missing values, or refuse them.  [default: drop]",
        ),
        flag(
            "--no-header",
            "header",
            sets=False,
            otherwise=True,
            help="The first line of DATA is a row: call columns x0, x1.",
        ),
        option("--drop", multiple=True, metavar="COLUMN", help="Leave out a column; may be repeated."),
        option("--columns", multiple=True, metavar="COLUMN", help="Use only these columns; may be repeated."),
        option(
            "--categorical", multiple=True, metavar="COLUMN", help="A column whose numbers are codes; may be repeated."
        ),
        option(
            "--numeric",
            multiple=True,
            metavar="COLUMN",
            help="A column with two numbers that is to have a slope; may be repeated.",
        ),
        *([GROUP] if groups else []),
        *DATES,
        option("--cluster", metavar="COLUMN", help="A column that says which rows belong together, such as person."),
        option(
            "--where",
            multiple=True,
            metavar="CONDITION",
            help="Use the rows where COLUMN=VALUE (in quotes; also != < <= > >=); may be repeated.",
        ),
        option("--rows", type=int, metavar="N", help="Use N rows, drawn at random.  [default: all]"),
        option("--inducing", type=int, metavar="M", help="Use a sparse Gaussian process with M inducing inputs."),
        option("--seed", type=int, metavar="N", help="Seed of everything random.  [default: 0]"),
        option("--n-jobs", type=int, metavar="N", help="How many fits at once.  [default: one per core]"),
        option("--dask", metavar="ADDRESS", help="Work on the Dask cluster at ADDRESS; 'local' starts one here."),
        folder_option(f"{folder}, with the name of DATA"),
        OVERWRITE,
        flag("--json", "as_json", help="Print one JSON document instead of tables."),
        QUIET,
        *own,
        TRACEBACK,
    )
