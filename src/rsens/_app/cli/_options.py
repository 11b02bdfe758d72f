"""The options that the commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click

LIKELIHOODS = ("auto", "gaussian", "student_t", "poisson", "negative_binomial", "classification")


@dataclass(frozen=True)
class Request:
    """What was asked for, by the names of the options."""

    data: str
    target: str | None
    likelihood: str
    model: str
    missing: str
    drop: tuple[str, ...]
    columns: tuple[str, ...]
    categorical: tuple[str, ...]
    rows: int | None
    inducing: int | None
    seed: int
    n_jobs: int | None
    out: Path | None
    overwrite: bool
    as_json: bool
    quiet: bool

    @property
    def progress(self) -> bool | None:
        """Only in a terminal; never if quiet."""
        return False if self.quiet else None

    @property
    def table(self) -> dict[str, Any]:
        """How the table is read, as arguments of `study` and `gather`."""
        return {
            "likelihood": self.likelihood,
            "missing": self.missing,
            "drop": self.drop,
            "columns": self.columns or None,
            "categorical": self.categorical,
            "rows": self.rows,
        }


class AtLeast(click.ParamType):  # type: ignore[type-arg] # generic from click 8.5 on
    """A whole number of at least `least`."""

    name = "number"

    def __init__(self, least: int) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, or a sentence."""
        try:
            number = int(value)
        except ValueError:
            number = self.least - 1
        if number < self.least:
            self.fail(f"must be a whole number of at least {self.least}; got {value!r}.", param, ctx)
        return number


TRACEBACK = click.option("--traceback", is_flag=True, expose_value=False, help="Show where a failure happened.")
#: The kinds of models, and what they are.
GP = {"gp": "A Gaussian process"}
MODELS = GP | {"linear": "a Bayesian (generalised) linear model.  [default: gp]"}


def data_options(folder: str, models: dict[str, str] = MODELS) -> Callable[..., Any]:
    """Give a command the options that all have; it gets them as one `Request`, and its own as arguments.

    `folder` is the one where files go, for the help; `models` are those that the command can do with.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**given: Any) -> None:
            request = Request(**{field.name: given.pop(field.name) for field in fields(Request)})
            command(request, **given)

        shared: Callable[..., None] = TRACEBACK(run)
        for option in reversed(_options(folder, models)):
            shared = option(shared)
        return shared

    return decorate


def _options(folder: str, models: dict[str, str]) -> tuple[Callable[..., Any], ...]:
    return (
        click.argument("data", metavar="DATA"),
        click.option("--target", metavar="COLUMN", help="The column to predict."),
        click.option(
            "--likelihood",
            type=click.Choice(LIKELIHOODS),
            default="auto",
            metavar="NAME",
            help=f"{', '.join(LIKELIHOODS[1:])}, or auto, which picks one and says why.  [default: auto]",
        ),
        click.option("--model", type=click.Choice(tuple(models)), default="gp", help=" or ".join(models.values())),
        click.option(
            "--missing",
            type=click.Choice(("drop", "error")),
            default="drop",
            help="Leave out rows with missing values, or refuse them.  [default: drop]",
        ),
        click.option("--drop", multiple=True, metavar="COLUMN", help="Leave out a column; may be repeated."),
        click.option("--columns", multiple=True, metavar="COLUMN", help="Use only these columns; may be repeated."),
        click.option(
            "--categorical", multiple=True, metavar="COLUMN", help="A column whose numbers are codes; may be repeated."
        ),
        click.option(
            "--rows", type=AtLeast(1), metavar="N", help="Use N rows, drawn at random.  [default: at most 1,000]"
        ),
        click.option("--inducing", type=AtLeast(1), metavar="M", help="A sparse process on M inducing inputs."),
        click.option("--seed", type=AtLeast(0), default=0, metavar="N", help="For everything random.  [default: 0]"),
        click.option("--n-jobs", type=int, metavar="N", help="How many fits at once; -1 for one on each core."),
        click.option(
            "--out",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help=f"Where files are written.  [default: {folder}, with the name of DATA]",
        ),
        click.option("--overwrite", is_flag=True, help="Replace other results in DIR; forget unfinished work."),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON document in place of tables."),
        click.option("--quiet", is_flag=True, help="Print only errors."),
    )
