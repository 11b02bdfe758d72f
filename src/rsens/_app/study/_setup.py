"""The start of an analysis: a table and a model to fit to it, or new rows and a model from a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pandas as pd

from rsens._app.study._model_table import (
    ColumnGroups,
    collinear_notes,
    compared_columns,
    from_metadata,
    merged_groups,
    note_on_two_values,
    numeric_columns,
    provenance,
    read_new_rows,
    read_table,
)
from rsens._app.study._settings import Settings
from rsens._app.study._subgroups import division_of
from rsens._app.tables import AS_ASKED, CLASSES, Choice, ModelTable, Note, TableReader
from rsens._assess import Assessment
from rsens._errors import Argument, InputError, Sentence
from rsens._explain import Division, check_pair_columns
from rsens._refits import tight_clusters
from rsens.likelihoods import target_of
from rsens.measures import Terms
from rsens.models import (
    BayesianLinearRegression,
    BayesianPoissonRegression,
    BayesianProbitRegression,
    GPClassifier,
    GPRegressor,
    load_model,
)

#: The most rows of an exact Gaussian process. A study makes about 25 fits. With this many rows, each takes a second on
#: one core; with twice as many, four to eight.
EXACT_ROWS = 1_000
#: Above, it is built on this number of rows, the inducing inputs, and all rows enter: the work grows with their number,
#: not with its cube.
INDUCING = 300
#: The linear models, by likelihood. The weak prior, worth one row, keeps collinear columns from being an error.
LINEAR: dict[str, Callable[[], Any]] = {
    "gaussian": partial(BayesianLinearRegression, prior_precision=1.0, standardize=True),
    "poisson": BayesianPoissonRegression,
    CLASSES: BayesianProbitRegression,
}


def model_for(settings: Settings, choice: Choice, n_rows: int) -> tuple[Any, Choice, list[Note]]:
    """The estimator, not fitted, the likelihood that it has, and notes on it.

    A Gaussian process is exact while that is quick, and has inducing inputs above. The search for its hyperparameters
    starts once: on real tables further starts found nothing better, and the search is repeated in every fold and for
    every probe.
    """
    if settings.model == "linear":
        return _linear(choice)
    inducing = settings.inducing
    if inducing is None:
        # More than two classes take one process for each, and all share the time.
        n_processes = len(choice.classes or ()) if len(choice.classes or ()) > 2 else 1
        inducing = None if n_processes * n_rows**3 <= EXACT_ROWS**3 else INDUCING
    options: dict[str, Any] = {"n_restarts": 0, "inducing": inducing, "random_state": settings.seed}
    if choice.kind == CLASSES:
        return GPClassifier(**options), choice, []
    return GPRegressor(likelihood=choice.kind, **options), choice, []


def _linear(choice: Choice) -> tuple[Any, Choice, list[Note]]:
    if choice.kind in LINEAR:
        return LINEAR[choice.kind](), choice, []
    process = Argument("model", "gp")
    if target_of(choice.kind) != "counts" or choice.reason == AS_ASKED:
        wrong = f"a linear model has no {choice.kind.replace('_', ' ')} likelihood. Choose another "
        raise InputError(wrong, Argument("likelihood"), ", or use ", process, ".")
    text = "The linear model of counts is Poisson, and these vary more: its intervals may be too narrow. A Gaussian "
    note = Note("model", (), Sentence(f"{text}process (", process, ") can be negative binomial."))
    return LINEAR["poisson"](), replace(choice, kind="poisson"), [note]


def notes_on_fit(model: Any, settings: Settings) -> list[Note]:
    """Notes on decisions of the fit that nobody asked for."""
    n_inducing = getattr(model, "n_inducing", None)  # only Gaussian processes have inducing inputs
    if n_inducing is None or settings.inducing is not None:
        return []
    text = f"There are many rows, so the Gaussian process is built on {n_inducing:,} of them (inducing inputs)"
    check = model.inducing_check()
    if check is None or check.passed:
        return [Note("model", (), f"{text}." if check is None else f"{text}: {check}")]
    return [Note("model", (), f"{text}."), Note("warning", (), check.advice)]


#: Cross-validation with fewer rows has no information about unseen ones.
LEAST_ROWS = 10
#: Seconds of work for which it is worth starting processes.
WORTH_PROCESSES = 5.0
#: Settings that every command records, where they were given.
RECORDED = ("cluster", "by", "groups", "where", "date")


@dataclass(eq=False, repr=False, kw_only=True)
class Analysis:
    """A table, the model for it, and the results so far: what every command has. `Study` documents more of it.

    asked: The settings, without the data.
    numeric: Columns with two numbers that are to have slopes.
    groups: Columns that are explained together, by the name of the group.
    division: Subgroups of rows, if any.
    found: The result of the command; None until it is there.
    missing: The parts of the result that are not computed yet, in words.
    """

    asked: Settings
    table: ModelTable
    model: Any
    settings: dict[str, Any]
    notes: list[Note]
    numeric: tuple[str, ...] = ()
    groups: ColumnGroups = field(default_factory=dict)
    division: Division | None = None
    assessment: Assessment | None = None
    found: Any = None
    missing: tuple[str, ...] = ()

    @property
    def X(self) -> pd.DataFrame:
        """The rows that were explained."""
        return self.table.X

    @property
    def y(self) -> Any:
        """Their targets; None for new rows without."""
        return self.table.y

    @property
    def likelihood(self) -> Choice:
        """The distribution of the target, and the reason for it."""
        choice: Choice = self.table.likelihood
        return choice

    @property
    def reader(self) -> TableReader:
        """How the columns are read."""
        return self.table.reader

    @property
    def clusters(self) -> Any:
        """The label of each row's cluster, for `clusters=`; None without a column of clusters."""
        return self.table.clusters

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of the ranking: the columns, and groups in the place of theirs."""
        return Terms.of(self.groups, tuple(map(str, self.X.columns))).names


def set_up(
    settings: Settings, arguments: Mapping[str, Any], notes: list[Note], result: type[Analysis] = Analysis
) -> Analysis:
    """Read the table and choose the model; or read the model, and the table as its own data were read."""
    origin: dict[str, Any] = {}
    if settings.model_file is None:
        table = read_table(settings)
        model, choice, on_model = model_for(settings, table.likelihood, len(table.X))
        table = replace(table, likelihood=choice)
        if settings.cv and len(table.X) < LEAST_ROWS:
            few = (
                f"there are only {len(table.X)} rows, too few to check a model on rows it has not seen. Give more, or "
            )
            raise InputError(few, "go on without a check: ", Argument("cv", 0), ".")
        if settings.pairs != "auto" and settings.n_pairs > 0:
            check_pair_columns(table.X.shape[1], Argument("pairs", settings.n_pairs))
    else:
        model, table, origin, on_model = _model_from_file(settings, settings.model_file)
    numeric = numeric_columns(settings.numeric, table.X)
    groups = merged_groups(settings.groups or {}, table)
    given = {name: value for name, value in settings.plain(*RECORDED).items() if value}
    if settings.model_file is not None:
        given["model_file"] = os.path.basename(settings.model_file)
    notes += [*on_model, *table.notes]
    if settings.model_file is None:
        compared = [str(table.X.columns[d]) for d in compared_columns(table.X, numeric, groups)]
        notes += [*note_on_two_values(compared)]
        if table.clusters is None and (text := tight_clusters(table.X, argument="cluster")) is not None:
            notes.append(Note("clusters", (), text, severe=True))
        notes += collinear_notes(table, groups)
    division = None
    if settings.by is not None:
        division, on_division = division_of(table.by, settings.by)
        notes += on_division
    return result(
        asked=replace(settings, data="", n_jobs=_jobs(settings, len(table.X))),
        table=table,
        model=model,
        settings=provenance(table, {**arguments, **given}) | origin,
        notes=notes,
        numeric=numeric,
        groups=groups,
        division=division,
    )


def _jobs(settings: Settings, rows: int) -> int | None:
    """How many fits run at once: unless that was asked for, one per core if the processes save more than their start.

    The start takes one to two seconds. A Gaussian process is fitted to 500 rows in about a tenth of a second, which
    grows with the cube of the rows while it is exact; a linear model in hundredths.
    """
    seconds = settings.fits * max(0.01, 0.1 * (rows / 500) ** 3)
    processes = settings.n_jobs is None and settings.model == "gp" and seconds > WORTH_PROCESSES
    return -1 if processes and settings.model_file is None else settings.n_jobs


def _model_from_file(settings: Settings, path: str | os.PathLike[str]) -> tuple[Any, ModelTable, Any, list[Note]]:
    """The model, new rows for it, entries for the record, and a note."""
    reader, likelihood, data, cluster = from_metadata(path)
    if settings.target not in (None, reader.target):
        wrong = f"{path} predicts {reader.target!r}, not {settings.target!r}. Leave out "
        raise InputError(wrong, Argument("target"), ".")
    model, name = load_model(path), os.path.basename(path)
    text = (
        f"The model comes from {name} and was fitted to {len(model.training_inputs_):,} rows of {data!r}. It was not "
        "fitted again: no check of the model, no null level."
    )
    table = replace(read_new_rows(settings, reader, cluster), likelihood=likelihood)
    return model, table, {"model_of": data}, [Note("skipped", (), text)]
