"""The task of `study` and `rsens explain`: which columns move the predictions of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rsens._app.study._model_table import note_on_two_values
from rsens._app.study._pipeline import PROBES, Findings, Keep, Task, check_model, generator, keep_nothing
from rsens._app.study._result import Study
from rsens._app.study._settings import AUTO_PAIRS, AUTO_PAIRS_COLUMNS, Settings
from rsens._app.study._setup import ModelSetup
from rsens._app.tables import Note
from rsens._assess import Assessment
from rsens._errors import Argument, Sentence
from rsens._explain import Arguments, Context, Explanation, ValuesOfRefits, explanations, read

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


def explain_task(settings: Settings, keep: Keep = keep_nothing) -> Task[Study]:
    """Explain the rows with a model that was just fitted, or with one from a file.

    `keep` is for the refits of a new model: they run in it, and it gives the checkpoint that keeps finished ones.
    """
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
