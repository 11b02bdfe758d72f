"""The start of an analysis: a table and a model to fit to it, or new rows and a model from a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

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
from rsens._app.tables import AS_ASKED, CLASSES, Choice, ModelTable, Note
from rsens._assess import Assessment
from rsens._errors import Argument, InputError, Sentence
from rsens._explain import Division, Explanation, check_pair_columns
from rsens._files import Checkpoint
from rsens._progress import Progress, StatusLine, bar
from rsens.likelihoods import target_of
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
    if target_of(choice.kind) != "counts" or choice.reason == AS_ASKED:
        raise InputError(
            f"a linear model has no {choice.kind.replace('_', ' ')} likelihood. Choose another ",
            Argument("likelihood"),
            ", or use ",
            Argument("model", "gp"),
            ".",
        )
    text = Sentence(
        "The linear model of counts is Poisson, and these vary more: its intervals may be too narrow. A Gaussian "
        "process (",
        Argument("model", "gp"),
        ") can be negative binomial.",
    )
    return LINEAR["poisson"](), replace(choice, kind="poisson"), [Note("model", (), text)]


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


class Listener(StatusLine):
    """Shows the current step on standard error, and nothing if that is not a terminal.

    `progress` is for the calls that the steps make: they add how far they are to the same line. A subclass also hears
    of results, as soon as they are known.
    """

    def __init__(self, progress: bool | None = None) -> None:
        self._shows = progress
        self._line: Any = None
        self._called = ""
        self._total = self._number = 0
        self.progress = Progress(self)

    @contextmanager
    def steps(self, total: int) -> Iterator[None]:
        """Show the line during a block of `total` steps."""
        # disable=None: silent unless the output is a terminal.
        disable = None if self._shows is None else not self._shows
        self._line = bar(total=total, bar_format="{desc}", disable=disable, leave=False)
        self._total, self._number = total, 0
        try:
            yield
        finally:
            self._line.close()
            self._line = None

    def step(self, what: str) -> str:
        """Begin the next step, and return its name."""
        self._number += 1
        self._called = what if self._total == 1 else f"step {self._number} of {self._total}: {what}"
        self.clear()
        return self._called

    def detail(self, what: str) -> None:
        """Show a part of the step."""
        if self._line is not None:
            self._line.set_description_str(f"{what} …")

    def show(self, words: str, share: float) -> None:
        """Show how far the step is."""
        self.detail(f"{self._called}, {words}")

    def clear(self) -> None:
        """Show the step alone: its countable part is done, and it may go on."""
        self.detail(self._called)

    def read(self, setup: ModelSetup) -> None:
        """Hear that the table is read, and the model for it is chosen."""

    def ranked(self, found: Explanation) -> None:
        """Hear of the ranking; refits follow."""

    def checked(self, assessment: Assessment) -> None:
        """Hear how good the model is; more refits follow."""

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Hide the line during a block, so that something else can be printed."""
        if self._line is not None:
            self._line.clear()
        yield
        if self._line is not None:
            self._line.refresh()


#: Cross-validation with fewer rows has no information about unseen ones.
LEAST_ROWS = 10
#: Seconds of work for which it is worth starting processes.
WORTH_PROCESSES = 5.0
#: Settings that every command records, where they were given.
RECORDED = ("cluster", "by", "groups", "where", "date")


@dataclass(frozen=True, eq=False)
class ModelSetup:
    """A table that is read, the model for it, and the notes so far, to which the next steps add theirs."""

    settings: Settings
    table: ModelTable
    model: Any
    provenance: dict[str, Any]
    notes: list[Note]
    #: Columns with two numbers that are to have slopes.
    numeric: tuple[str, ...] = ()
    #: Columns that are explained together, by the name of the group.
    groups: ColumnGroups = field(default_factory=dict)
    #: Subgroups of rows, if any.
    division: Division | None = None
    #: Shows the steps, and hears of results.
    listener: Listener = field(default_factory=Listener)
    #: The place where finished refits are kept, and read from.
    keep: Checkpoint | None = None

    @property
    def clusters(self) -> Any:
        """The label of each row's cluster, for `clusters=`; None without a column of clusters."""
        return self.table.clusters

    @property
    def most_folds(self) -> int:
        """One for each cluster; without clusters, one for each row."""
        return len(self.table.X) if self.clusters is None else int(self.clusters.nunique())

    @property
    def likelihood(self) -> Choice:
        """The likelihood of the model, and why."""
        choice: Choice = self.table.likelihood
        return choice

    @property
    def seed(self) -> int:
        """The seed of everything random."""
        assert isinstance(self.settings.seed, int)
        return self.settings.seed


def set_up(settings: Settings, arguments: Mapping[str, Any], notes: list[Note]) -> ModelSetup:
    """Read the table and choose the model; or read the model, and the table as the model's own data were read."""
    origin: dict[str, Any] = {}
    if settings.model_file is None:
        table = read_table(settings)
        model, choice, on_model = model_for(settings, table.likelihood, len(table.X))
        table = replace(table, likelihood=choice)
        if settings.cv and len(table.X) < LEAST_ROWS:
            raise InputError(
                f"there are only {len(table.X)} rows, too few to check a model on rows it has not seen. Give more, or "
                "go on without a check: ",
                Argument("cv", 0),
                ".",
            )
        if settings.pairs != "auto" and settings.n_pairs > 0:
            check_pair_columns(table.X.shape[1], Argument("pairs", settings.n_pairs))
        settings = replace(settings, n_jobs=_jobs(settings, len(table.X)))
    else:
        model, table, origin, on_model = _model_from_file(settings, settings.model_file)
    numeric = numeric_columns(settings.numeric, table.X)
    groups, on_groups = merged_groups(settings.groups or {}, table)
    asked = {name: value for name, value in settings.plain(*RECORDED).items() if value}
    if settings.model_file is not None:
        asked["model_file"] = os.path.basename(settings.model_file)
    record = provenance(table, {**arguments, **asked}) | origin
    notes += [*on_model, *table.notes, *on_groups]
    if settings.model_file is None:
        compared = [str(table.X.columns[d]) for d in compared_columns(table.X, numeric, groups)]
        notes += [*note_on_two_values(compared), *collinear_notes(table, groups)]
    division = None
    if settings.by is not None:
        division, on_division = division_of(table.by, settings.by)
        notes += on_division
    return ModelSetup(settings, table, model, record, notes, numeric, groups, division)


def _jobs(settings: Settings, rows: int) -> int | None:
    """How many fits run at once. With `all_cores` one per core, if processes save more time than their start takes.

    The start takes one to two seconds. A Gaussian process is fitted to 500 rows in about a tenth of a second, which
    grows with the cube of the rows while it is exact; a linear model in hundredths.
    """
    if settings.n_jobs is not None or not settings.all_cores:
        return settings.n_jobs
    seconds = settings.fits * max(0.01, 0.1 * (rows / 500) ** 3)
    return -1 if settings.model == "gp" and seconds > WORTH_PROCESSES else None


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
