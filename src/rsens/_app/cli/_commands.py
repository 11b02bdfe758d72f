"""The commands. Each imports what it needs when it runs."""

from __future__ import annotations

from pathlib import Path

import click

from rsens._app.cli._options import GP, TRACEBACK, AtLeast, Request, data_options
from rsens._errors import InputError

DATA = "DATA is a CSV, TSV or Parquet file, also packed with gzip, or - for standard input."
NAMES = "The name of a column is taken as it is; if there is no such column, as a list with commas between."
METHODS = click.option("--methods", metavar="NAMES", help="Methods, with commas between.  [default: all]")
ORDER = click.option("--order", type=click.Choice(("1", "2")), default="1", help="1 for variables, 2 for pairs.")
CHECK = click.option(
    "--cv", type=AtLeast(0), metavar="K", help="Folds of the check of the model, 0 for none.  [default: 5]"
)
#: Of the check.
FOLDS = 5


def _help(*paragraphs: str) -> str:
    return "\n\n".join(paragraphs)


def _examples(*lines: str) -> str:
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


@click.command(
    short_help="Rank columns by how far they move the prediction.",
    help=_help(
        "Rank the columns of a table by how far they move the prediction of one of them.",
        DATA,
        "Prints how good the model is, then variables and pairs by R-sens, and writes a report, tables, figures and "
        "the model.",
        NAMES,
    ),
    epilog=_examples(
        "rsens explain data.csv --target price",
        "rsens explain data.csv --target price --drop id --drop 'name, full' --out results",
        "rsens explain data.csv --target rings --likelihood poisson --rows 500 --json",
        "rsens explain new.csv --model-file rsens-data/model.rsens",
    ),
)
@data_options("rsens-NAME")
@click.option("--pairs", type=AtLeast(0), metavar="K", help="Show K pairs.  [default: 10, or 0 above 60 columns]")
@CHECK
@click.option("--no-null", is_flag=True, help="Skip the refits for the level of an irrelevant variable.")
@click.option("--no-report", is_flag=True, help="Skip report and figures, which take longer than the rest.")
@click.option("--model-file", type=click.Path(), metavar="FILE", help="Explain new rows with a model saved before.")
def explain(
    request: Request, pairs: int | None, cv: int | None, no_null: bool, no_report: bool, model_file: str | None
) -> None:
    """Rank the columns of a table."""
    from rsens._app.cli._explain import run

    if model_file is not None and cv is not None:
        raise InputError("--cv is for models that are fitted; a model file is not checked anew. Leave it out.")
    run(
        request,
        report=not no_report,
        pairs="auto" if pairs is None else pairs,
        cv=FOLDS if cv is None else cv,
        null=not no_null,
        model_file=model_file,
    )


@click.command(
    short_help="Rank by R-sens and other methods, side by side.",
    help=_help("Rank the columns of a table by R-sens and by other methods, side by side.", DATA, NAMES),
    epilog=_examples(
        "rsens compare data.csv --target price",
        "rsens compare data.csv --target price --methods rsens,pfi,shap --budget full",
        "rsens compare data.csv --target price --order 2",
    ),
)
@data_options("rsens-NAME-compare")
@METHODS
@ORDER
@click.option(
    "--budget",
    type=click.Choice(("paper", "standard", "full")),
    default="standard",
    help="How many predictions methods may ask for.  [default: standard]",
)
@CHECK
def compare(request: Request, methods: str | None, order: str, budget: str, cv: int | None) -> None:
    """Rank by several methods."""
    from rsens._app.cli._compare import run

    run(request, methods=methods or "all", order=int(order), budget=budget, cv=FOLDS if cv is None else cv)


@click.command(
    short_help="Say whether the ranking holds on other samples.",
    help=_help(
        "Say how far rankings depend on the rows: the model is fitted to many samples of them.",
        DATA,
        "Finished samples are kept in the folder, and the same command goes on where it was stopped.",
        NAMES,
    ),
    epilog=_examples(
        "rsens stability data.csv --target price",
        "rsens stability data.csv --target price --samples 100 --methods rsens,ead --n-jobs -1",
    ),
)
@data_options("rsens-NAME-stability")
@click.option("--samples", type=AtLeast(2), default=50, metavar="N", help="How many samples.  [default: 50]")
@click.option("--methods", metavar="NAMES", help="Methods, with commas between.  [default: those that are cheap]")
@ORDER
@CHECK
def stability(request: Request, samples: int, methods: str | None, order: str, cv: int | None) -> None:
    """Rank on many samples."""
    from rsens._app.cli._stability import run

    run(request, samples=samples, methods=methods or "cheap", order=int(order), cv=FOLDS if cv is None else cv)


@click.command(
    short_help="Say how many interactions the data need.",
    help=_help(
        "Say how many interactions of columns the data need, and which, by cross-validation.",
        DATA,
        "Finished splits are kept in the folder, and the same command goes on where it was stopped.",
        NAMES,
    ),
    epilog=_examples(
        "rsens select data.csv --target price",
        "rsens select data.csv --target price --pairs 8 --n-jobs -1",
    ),
)
@data_options("rsens-NAME-select", GP)
@click.option("--pairs", type=AtLeast(0), default=5, metavar="K", help="Try 0 to K pairs.  [default: 5]")
@click.option("--methods", metavar="NAMES", help="What ranks the pairs, with commas between.  [default: rsens2]")
@click.option("--cv", type=AtLeast(2), default=5, metavar="K", help="Folds.  [default: 5]")
@click.option("--repeats", type=AtLeast(1), default=2, metavar="N", help="Rounds of folds.  [default: 2]")
@click.option("--no-check", is_flag=True, help="Skip the check of the model with all pairs.")
def select(request: Request, pairs: int, methods: str | None, cv: int, repeats: int, no_check: bool) -> None:
    """Choose interactions."""
    from rsens._app.cli._select import run

    run(request, pairs=pairs, methods=methods or "rsens2", cv=cv, repeats=repeats, check_folds=0 if no_check else FOLDS)


@click.command(
    short_help="Explain the diabetes data of scikit-learn.",
    help=_help(
        "Explain the diabetes data that come with scikit-learn: ten measurements of 442 patients, and how far the "
        "disease has progressed a year later.",
        "Does what `rsens explain` does, in a few seconds.",
    ),
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("rsens-demo"),
    metavar="DIR",
    help="Where files are written.  [default: rsens-demo]",
)
@click.option("--overwrite", is_flag=True, help="Replace other results in DIR.")
@click.option("--quiet", is_flag=True, help="Print only errors.")
@TRACEBACK
def demo(out: Path, overwrite: bool, quiet: bool) -> None:
    """Explain the diabetes data."""
    from rsens._app.cli._explain import run_demo

    run_demo(out, overwrite=overwrite, quiet=quiet)
