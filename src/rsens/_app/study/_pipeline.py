"""The pipeline that `study` and all commands run, and their first task: to explain."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from rsens._app.study._model_table import new_warning, note_on_two_values
from rsens._app.study._settings import AUTO_PAIRS, AUTO_PAIRS_COLUMNS, Settings
from rsens._app.study._setup import Analysis, notes_on_fit, set_up
from rsens._app.tables import Note
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
from rsens._progress import Progress, StatusLine, bar
from rsens._refits import (
    Fit,
    read_clusters,
    read_targets,
    refit_folds,
    rounds_of_folds,
    rows_with_levels,
    stratified,
)

#: Purposes of random numbers.
FOLDS, PROBES = range(2)
#: The parts of an explanation that come after the ranking.
QUALITY, LEVEL, TESTS = "how good the model is", "the null level", "the tests of pairs"
INTERVALS = "intervals for new data"


class Listener(StatusLine):
    """Shows the current step on standard error, and nothing if that is not a terminal.

    `progress` is for the calls that the steps make: they add how far they are to the same line. A subclass also gets
    results, as soon as they are known.
    """

    def __init__(self, progress: bool | None = None) -> None:
        self._shows, self._step = progress, ""
        self._line: Any = None
        self.progress = Progress(self)

    @contextmanager
    def line(self) -> Iterator[None]:
        """Show the line within the block."""
        # disable=None: silent unless the output is a terminal.
        disable = None if self._shows is None else not self._shows
        self._line = bar(total=1, bar_format="{desc}", disable=disable, leave=False)
        try:
            yield
        finally:
            self._line.close()
            self._line = None

    def step(self, what: str) -> None:
        """Begin the next step."""
        self._step = what
        self.clear()

    def detail(self, what: str) -> None:
        """Show a part of the step."""
        if self._line is not None:
            self._line.set_description_str(f"{what} …")

    def show(self, words: str, share: float) -> None:
        """Show how far the step is."""
        self.detail(f"{self._step}, {words}")

    def clear(self) -> None:
        """Show the step alone: its countable part is done, and it may go on."""
        self.detail(self._step)

    def read(self, analysis: Analysis) -> None:
        """Called when the table is read, and the model for it is chosen."""

    def ranked(self, found: Explanation) -> None:
        """Called with the ranking; refits follow."""

    def checked(self, assessment: Assessment) -> None:
        """Called when it is known how good the model is; more refits follow."""

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Hide the line during a block, so that something else can be printed."""
        if self._line is not None:
            self._line.clear()
        yield
        if self._line is not None:
            self._line.refresh()


class Unfinished(KeyboardInterrupt):
    """Stopped with Ctrl-C after a part of the result was found: `analysis` has it, and the names of missing parts."""

    def __init__(self, analysis: Any) -> None:
        super().__init__()
        self.analysis = analysis


#: A context for work that keeps finished pieces; it gives the checkpoint for them.
Keep = Callable[[Analysis], AbstractContextManager[Checkpoint | None]]


@dataclass(frozen=True)
class Task:
    """A question about a model.

    run: Finds the answer and puts it into the analysis, given a listener and the checkpoint of finished pieces, if any.
    arguments: The arguments that the result records.
    result: The type of the result.
    fit: Whether the work needs a model that is fitted to all rows.
    """

    run: Callable[[Any, Listener, Checkpoint | None], None]
    arguments: Mapping[str, Any]
    result: type[Analysis] = Analysis
    fit: bool = True


def analyse(
    settings: Settings, task: Task, *, listener: Listener | None = None, keep: Keep = lambda analysis: nullcontext()
) -> Any:
    """Read the table, choose a model, fit it, and do the task in the context `keep`; returns an `Analysis`.

    A model from a file is not fitted. Ctrl-C is `Unfinished`, a KeyboardInterrupt, if there is a result by then.
    """
    listener = Listener() if listener is None else listener
    notes: list[Note] = []
    analysis: Any = None
    try:
        with listener.line(), _warnings_as_notes(notes):
            listener.step("reading")
            analysis = set_up(settings, task.arguments, notes, task.result)
            listener.read(analysis)
            with keep(analysis) as checkpoint:
                if settings.model_file is None and task.fit:
                    listener.step("fitting")
                    analysis.model.fit(analysis.X, analysis.y)
                    notes.extend(notes_on_fit(analysis.model, settings))
                task.run(analysis, listener, checkpoint)
    except KeyboardInterrupt:
        if analysis is None or analysis.found is None:
            raise
        raise Unfinished(analysis) from None
    return analysis


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
    for w in raised:
        if not isinstance(w.message, RsensWarning):
            warnings.warn_explicit(w.message, w.category, w.filename, w.lineno, source=w.source)


def generator(seed: Any, purpose: int) -> np.random.Generator:
    """Random numbers for one purpose."""
    return np.random.default_rng(child(seed_sequence(seed), purpose))


#: Makes a look at each refit, from the rows, a seed, and the rows' own order.
MakeLook = Callable[[Any, np.random.SeedSequence, OwnOrder], Any]


def check_model(
    analysis: Analysis, listener: Listener, checkpoint: Checkpoint | None, make_look: MakeLook | None = None
) -> list[list[Any]] | None:
    """Cross-validate; the values that a look for intervals takes from the refits, or None if there are too few folds.

    There are at most as many folds as rows. The check uses the first round, the same as without a look; the listener
    gets it when this round is finished. Refits are quick; see `Fit.quick`.
    """
    asked, notes, model = analysis.asked, analysis.notes, analysis.model
    if not asked.cv:
        notes.append(Note("skipped", (), "The model was not cross-validated: nobody knows how good it is."))
        return None
    rows, y = rows_with_levels(model, analysis.X), read_targets(analysis.y, len(analysis.X))
    order = own_order(rows, y, clusters=read_clusters(analysis.clusters, len(y)))
    clusters = order.clusters
    units, what = (len(y), "row") if clusters is None else (int(analysis.clusters.nunique()), "cluster")
    count, stratify = min(asked.cv, units), stratified(model, y)
    if make_look is not None and min(count, most_folds(y, stratify, clusters)[0]) < LEAST_FOLDS:
        text = f"Intervals hold only for which rows are explained: for new data they take {LEAST_FOLDS} folds"
        notes.append(Note("skipped", (), f"{text} of the check, with every class in each."))
        make_look = None
    seed = seed_sequence(generator(asked.seed, FOLDS))
    n_rounds = 1 if make_look is None else rounds_for(count, len(y))
    rounds = rounds_of_folds(n_rounds, count, y, stratify, seed, clusters, order.rows)
    looks = [HeldOut(rows, y)] + ([] if make_look is None else [make_look(rows, seed, order)])

    def assess(seen: list[list[Any]]) -> None:
        assessment = analysis.assessment = assessment_of(seen[0], type(model).__name__, rows, y)
        analysis.missing = tuple(each for each in analysis.missing if each != QUALITY)
        notes.extend([Note("warning", (), text) for text in assessment.notes])
        listener.checked(assessment)

    _, *others = refit_folds(
        Fit(model).quick(),
        rows,
        y,
        rounds,
        looks,
        n_jobs=asked.n_jobs,
        seed=seed,
        progress=listener.progress,
        keep=checkpoint,
        first_round=assess,
    )
    if asked.cv > units:
        text = f"The check has one fold for each of the {units} {what}s, and not {asked.cv} folds."
        notes.append(Note("skipped", (), text))
    return others[0] if others else None


# ---- to explain ------------------------------------------------------------------------------------------------------

#: The arguments that a study records.
ARGUMENTS = (
    "likelihood", "model", "missing", "drop", "columns", "categorical", "numeric", "groups", "rows", "pairs",
    "inducing", "cv", "null", "seed",
)  # fmt: skip


def explain_task(settings: Settings) -> Task:
    """Explain the rows with a model that was just fitted, or with one from a file."""
    from rsens._app.study._result import Study

    run = _explain_new if settings.model_file is None else _explain_again
    return Task(run, settings.plain(*ARGUMENTS), Study)


def _explain_new(analysis: Analysis, listener: Listener, checkpoint: Checkpoint | None) -> None:
    """Explain a model that was just fitted: the ranking first, then the refits, the quickest answer before the others.

    One set of refits serves the check of the model and the intervals.
    """
    asked = analysis.asked
    arguments = _arguments(
        analysis,
        listener,
        y=analysis.y,
        clusters=analysis.clusters,
        null="auto" if asked.null else False,
        intervals="rows",
        random_state=generator(asked.seed, PROBES),
    )

    def refits(context: Context) -> Sequence[Sequence[Any]] | None:
        return check_model(analysis, listener, checkpoint, partial(ValuesOfRefits.of, context))

    stages = explanations(replace(read(arguments), checkpoint=checkpoint), refits)
    listener.step("explaining")
    analysis.found = next(stages)
    marks = (LEVEL, *((TESTS,) if analysis.found.order == 2 else ())) if asked.null else ()
    analysis.missing = (QUALITY, *marks, INTERVALS) if asked.cv else marks
    if analysis.missing:
        listener.ranked(analysis.found)
    listener.step("checking the model")
    analysis.found, analysis.missing = next(stages), marks
    listener.step("null level" if asked.null else "intervals")
    analysis.notes.extend(_note_on_pairs(analysis))
    analysis.found, analysis.missing = next(stages), ()


def _explain_again(analysis: Analysis, listener: Listener, checkpoint: Checkpoint | None) -> None:
    listener.step("explaining")
    analysis.notes.extend(_note_on_pairs(analysis))
    *_, found = explanations(read(_arguments(analysis, listener, null=False, random_state=analysis.asked.seed)))
    analysis.found = found
    analysis.notes.extend(note_on_two_values(found._two_valued))
    outside = int(found.extrapolation.sum())
    if outside:
        text = f"{outside:,} of {found.n:,} rows lie outside the data of the model, where it extrapolates."
        analysis.notes.append(Note("warning", (), text))


def _arguments(analysis: Analysis, listener: Listener, **options: Any) -> Arguments:
    """The question to a model about its table."""
    return Arguments(
        analysis.model,
        analysis.X,
        pairs=analysis.asked.computes_pairs(analysis.X.shape[1]),
        groups=analysis.groups,
        numeric=analysis.numeric,
        by=analysis.division,
        n_jobs=analysis.asked.n_jobs,
        progress=listener.progress,
        **options,
    )


def _note_on_pairs(analysis: Analysis) -> list[Note]:
    """A note if there are too many columns for pairs."""
    n_columns = analysis.X.shape[1]
    if analysis.asked.pairs != "auto" or n_columns <= AUTO_PAIRS_COLUMNS:
        return []
    text = f"Pairs were not computed, as there are {n_columns} columns; "
    return [Note("skipped", (), Sentence(text, Argument("pairs", AUTO_PAIRS), " computes them."))]
