"""The pipeline that `study` and all commands run, and their first task: to explain."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd

from rsens._app.study._model_table import new_warning, note_on_two_values
from rsens._app.study._settings import AUTO_PAIRS, AUTO_PAIRS_COLUMNS, Settings
from rsens._app.study._setup import Listener, ModelSetup, notes_on_fit, set_up
from rsens._app.tables import Choice, Note, TableReader
from rsens._arguments import child, seed_sequence
from rsens._assess import Assessment, HeldOut, assessment_of
from rsens._contents import OwnOrder, own_order
from rsens._errors import Argument, RsensWarning, Sentence
from rsens._explain import (
    LEAST_FOLDS,
    Arguments,
    Context,
    Explanation,
    ValuesOfRefits,
    explanations,
    most_folds,
    read,
    rounds_for,
)
from rsens._files import Checkpoint
from rsens._refits import (
    Fit,
    read_clusters,
    read_targets,
    refit_folds,
    rounds_of_folds,
    rows_with_levels,
    stratified,
)
from rsens.measures import Terms

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Analysis(Generic[Found]):
    """The result of every command. Text, JSON and files are views of it; `Study` documents the fields.

    Only `found` differs from command to command.
    """

    model: Any
    assessment: Assessment | None
    notes: tuple[Note, ...]
    likelihood: Choice
    X: pd.DataFrame
    y: Any
    settings: dict[str, Any]
    reader: TableReader
    found: Found
    clusters: Any = None
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of the ranking: the columns, and groups in the place of theirs."""
        return Terms.of(self.groups, tuple(map(str, self.X.columns))).names


#: Purposes of random numbers.
FOLDS, PROBES = range(2)
SKIPPED = "The model was not cross-validated: nobody knows how good it is."

#: Makes a look at each refit, from the rows, a seed, and the rows' own order.
MakeLook = Callable[[Any, np.random.SeedSequence, OwnOrder], Any]


def generator(seed: int, purpose: int) -> np.random.Generator:
    """Random numbers for one purpose."""
    return np.random.default_rng(child(seed_sequence(seed), purpose))


def check_model(
    setup: ModelSetup, checked: Callable[[Assessment], object], make_look: MakeLook | None = None
) -> list[list[Any]] | None:
    """Cross-validate; the values that a look for intervals takes from the refits, or None if there are too few folds.

    There are at most as many folds as rows. The check uses the first round, the same as without a look; `checked`
    gets it when this round is finished. Refits are quick; see `Fit.quick`.
    """
    settings, table, notes = setup.settings, setup.table, setup.notes
    if not settings.cv:
        notes.append(Note("skipped", (), SKIPPED))
        return None
    rows, y = rows_with_levels(setup.model, table.X), read_targets(table.y, len(table.X))
    order = own_order(rows, y, clusters=read_clusters(setup.clusters, len(y)))
    clusters = order.clusters
    units, what = setup.most_folds, "row" if clusters is None else "cluster"
    count, stratify = min(settings.cv, units), stratified(setup.model, y)
    if make_look is not None and min(count, most_folds(y, stratify, clusters)[0]) < LEAST_FOLDS:
        text = f"Intervals hold only for which rows are explained: for new data they take {LEAST_FOLDS} folds"
        notes.append(Note("skipped", (), f"{text} of the check, with every class in each."))
        make_look = None
    seed = seed_sequence(generator(setup.seed, FOLDS))
    n_rounds = 1 if make_look is None else rounds_for(count, len(y))
    rounds = rounds_of_folds(n_rounds, count, y, stratify, seed, clusters, order.rows)
    looks = [HeldOut(rows, y)] + ([] if make_look is None else [make_look(rows, seed, order)])

    def assess(seen: list[list[Any]]) -> None:
        assessment = assessment_of(seen[0], type(setup.model).__name__, rows, y)
        notes.extend([Note("warning", (), text) for text in assessment.notes])
        checked(assessment)

    _, *others = refit_folds(
        Fit(setup.model).quick(),
        rows,
        y,
        rounds,
        looks,
        n_jobs=settings.n_jobs,
        seed=seed,
        progress=setup.listener.progress,
        keep=setup.keep,
        first_round=assess,
    )
    if settings.cv > units:
        text = f"The check has one fold for each of the {units} {what}s, and not {settings.cv} folds."
        notes.append(Note("skipped", (), text))
    return others[0] if others else None


Result = TypeVar("Result", bound=Analysis[Any])


#: A context for work that keeps finished pieces; it gives the checkpoint for refits, if they are kept.
Keep = Callable[[ModelSetup], AbstractContextManager[Checkpoint | None]]


def keep_nothing(_: ModelSetup) -> AbstractContextManager[None]:
    """A context that keeps nothing."""
    return nullcontext()


class Unfinished(KeyboardInterrupt):
    """Stopped with Ctrl-C after a part of the result was finished.

    Attributes:
        analysis: The result without what is missing.
        missing: The missing parts, in words.
    """

    def __init__(self, analysis: Any, missing: tuple[str, ...]) -> None:
        super().__init__()
        self.analysis, self.missing = analysis, missing


@dataclass
class Findings:
    """The result of the work so far, the check of the model, and the missing parts, in words."""

    found: Any = None
    assessment: Assessment | None = None
    missing: tuple[str, ...] = ()

    def checked(self, assessment: Assessment) -> None:
        """The check is finished."""
        self.assessment = assessment


@dataclass(frozen=True)
class Task(Generic[Result]):
    """A question about a model.

    step: The name of the work on the progress line.
    work: Computes the result.
    result: The type of the result.
    arguments: The arguments that the result records.
    fit: Whether the work needs a model that is fitted to all rows.
    keep: A context in which the work runs, for work that keeps finished pieces.
    run: Checks a new model and does the work in its own steps, one more than usual.
    """

    step: str
    work: Callable[[ModelSetup], Any]
    result: type[Result]
    arguments: Mapping[str, Any]
    fit: bool = True
    keep: Keep = keep_nothing
    run: Callable[[ModelSetup, Findings], object] | None = None


def analyse(settings: Settings, task: Task[Result], *, listener: Listener | None = None) -> Result:
    """Read the table, choose a model, fit it, check it, and do the task.

    A model from a file is neither fitted nor checked. Ctrl-C is `Unfinished`, a KeyboardInterrupt, if there is a result
    by then.
    """
    listener = Listener(settings.progress) if listener is None else listener
    notes: list[Note] = []
    new, outcome = settings.model_file is None, Findings()
    setup: ModelSetup | None = None
    try:
        steps = 2 + new * (1 + task.fit) + (task.run is not None)
        with listener.steps(steps), _warnings_as_notes(notes):
            listener.step("reading")
            setup = replace(set_up(settings, task.arguments, notes), listener=listener)
            listener.read(setup)
            with task.keep(setup) as keep:
                setup = replace(setup, keep=keep)
                if new and task.fit:
                    listener.step("fitting")
                    setup.model.fit(setup.table.X, setup.table.y)
                    notes.extend(notes_on_fit(setup.model, settings))
                if task.run is not None:
                    task.run(setup, outcome)
                else:
                    if new:
                        listener.step("checking the model")
                        check_model(setup, outcome.checked)
                    listener.step(task.step)
                    outcome.found = task.work(setup)
    except KeyboardInterrupt:
        if setup is None or outcome.found is None:
            raise
        raise Unfinished(_result(setup, task, outcome), outcome.missing) from None
    return _result(setup, task, outcome)


def _result(setup: ModelSetup, task: Task[Result], outcome: Findings) -> Result:
    return task.result(
        model=setup.model,
        assessment=outcome.assessment,
        notes=tuple(setup.notes),
        likelihood=setup.likelihood,
        X=setup.table.X,
        y=setup.table.y,
        settings=setup.provenance,
        reader=setup.table.reader,
        clusters=setup.clusters,
        groups=setup.groups,
        found=outcome.found,
    )


@contextmanager
def _warnings_as_notes(notes: list[Note]) -> Iterator[None]:
    """Turns warnings of rsens in the block into notes, each once; other warnings stay warnings."""
    raised: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always", RsensWarning)
            yield
    finally:
        ours = [warning.message for warning in raised if isinstance(warning.message, RsensWarning)]
        left = [message for each in ours if (message := new_warning(each, notes)) is not None]
        new = dict.fromkeys(Note("warning", (), message.sentence) for message in left)
        notes.extend(note for note in new if note not in notes)
    for warning in raised:
        if not isinstance(warning.message, RsensWarning):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno, source=warning.source
            )


#: The arguments that a study records.
ARGUMENTS = (
    "likelihood",
    "model",
    "missing",
    "drop",
    "columns",
    "categorical",
    "numeric",
    "groups",
    "rows",
    "pairs",
    "inducing",
    "cv",
    "null",
    "seed",
)


def explain_task(settings: Settings, keep: Keep = keep_nothing) -> Task[Any]:
    """Explain the rows with a model that was just fitted, or with one from a file.

    `keep` is for the refits of a new model: they run in it, and it gives the checkpoint that keeps finished ones.
    """
    from rsens._app.study._result import Study

    arguments = settings.plain(*ARGUMENTS)
    if settings.model_file is not None:
        return Task("explaining", _explain_again, Study, arguments)
    return Task("explaining", _explain_again, Study, arguments, keep=keep, run=_explain_new)


def _explain_new(setup: ModelSetup, outcome: Findings) -> None:
    """Explain a model that was just fitted: the ranking first, then the refits, the quickest answer before the others.

    One set of refits serves the check of the model and the intervals.
    """
    settings, listener = setup.settings, setup.listener
    asked = _asked(setup, y=setup.table.y, clusters=setup.clusters, null="auto" if settings.null else False)
    asked = replace(asked, intervals="rows", random_state=generator(setup.seed, PROBES))
    context = replace(read(asked), checkpoint=setup.keep)

    def checked(assessment: Assessment) -> None:
        outcome.checked(assessment)
        outcome.missing = tuple(each for each in outcome.missing if each != QUALITY)
        listener.checked(assessment)

    def refits(context: Context) -> Sequence[Sequence[Any]] | None:
        return check_model(setup, checked, partial(ValuesOfRefits.of, context))

    stages = explanations(context, refits)
    listener.step("explaining")
    outcome.found = next(stages)
    pairs = [TESTS] if outcome.found.order == 2 else []
    marks, of_check = [LEVEL, *pairs] if settings.null else [], [QUALITY, INTERVALS] if settings.cv else []
    outcome.missing = tuple(each for each in (QUALITY, LEVEL, TESTS, INTERVALS) if each in (*marks, *of_check))
    if outcome.missing:
        listener.ranked(outcome.found)
    listener.step("checking the model")
    outcome.found, outcome.missing = next(stages), tuple(marks)
    listener.step("null level" if settings.null else "intervals")
    setup.notes.extend(_note_on_pairs(setup))
    outcome.found, outcome.missing = next(stages), ()


#: The parts of the result that come after the ranking.
QUALITY, LEVEL, TESTS = "how good the model is", "the null level", "the tests of pairs"
INTERVALS = "intervals for new data"


def _explain_again(setup: ModelSetup) -> Explanation:
    setup.notes.extend(_note_on_pairs(setup))
    *_, found = explanations(read(_asked(setup, null=False, random_state=setup.seed)))
    setup.notes.extend(note_on_two_values(found.two_valued))
    outside = int(found.extrapolation.sum())
    if outside:
        text = f"{outside:,} of {found.n:,} rows lie outside the data of the model, where it extrapolates."
        setup.notes.append(Note("warning", (), text))
    return found


def _asked(setup: ModelSetup, **options: Any) -> Arguments:
    """The question to a model about its table."""
    X = setup.table.X
    return Arguments(
        setup.model,
        X,
        pairs=setup.settings.computes_pairs(X.shape[1]),
        groups=setup.groups,
        numeric=setup.numeric,
        by=setup.division,
        n_jobs=setup.settings.n_jobs,
        progress=setup.listener.progress,
        **options,
    )


def _note_on_pairs(setup: ModelSetup) -> list[Note]:
    """A note if there are too many columns for pairs."""
    n_columns = setup.table.X.shape[1]
    if setup.settings.pairs != "auto" or n_columns <= AUTO_PAIRS_COLUMNS:
        return []
    text = Sentence(
        f"Pairs were not computed, as there are {n_columns} columns; ",
        Argument("pairs", AUTO_PAIRS),
        " computes them.",
    )
    return [Note("skipped", (), text)]
