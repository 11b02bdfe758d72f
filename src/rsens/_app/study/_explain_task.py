"""The task of `study` and `rsens explain`: what moves the predictions of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._app.study._model_table import compared_columns, note_on_two_values
from rsens._app.study._pipeline import PROBES, Keep, SoFar, Task, check_and_look, generator, keep_nothing
from rsens._app.study._result import Study
from rsens._app.study._settings import AUTO_PAIRS, AUTO_PAIRS_COLUMNS, Settings
from rsens._app.study._setup import ModelSetup
from rsens._app.tables import Note
from rsens._assess import Assessment
from rsens._contents import OwnOrder
from rsens._errors import Argument, Sentence
from rsens._explain import Explanation, Marking, ValuesOfRefits, explain, marking_of, with_marks, with_refits

#: What a study records as asked.
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

    `keep` is for the refits of a new model: within it they run, and it gives where finished ones are kept.
    """
    arguments = settings.plain(*ARGUMENTS)
    if settings.model_file is not None:
        return Task("explaining", _explain_again, Study, arguments)
    work = _ExplainNew()
    return Task(
        "null level" if settings.null else "intervals",
        work.mark,
        Study,
        arguments,
        keep=keep,
        check=work.check,
        first=("explaining", work.rank),
        so_far=work.so_far,
    )


class _ExplainNew:
    """A model that was just fitted. The ranking comes first, then the refits, the quickest answer before the others.

    One set of refits serves the check of the model and the intervals.
    """

    found: Explanation | None = None
    assessment: Assessment | None = None
    marking: Marking | None = None
    #: What the refits of the check say about the values, by round and fold.
    seen: list[list[Any]] | None = None

    def rank(self, setup: ModelSetup) -> None:
        """The values, with intervals for rows."""
        settings = setup.settings
        self.found = _values(setup, intervals="rows", random_state=generator(setup.seed, PROBES))
        if settings.null:
            self.marking = marking_of(
                self.found,
                setup.table.y,
                clusters=setup.clusters,
                n_jobs=settings.n_jobs,
                random_state=generator(setup.seed, PROBES),
                progress=setup.listener.progress,
                keep=setup.keep,
            )
            self.marking.expect()
        if settings.cv or settings.null:
            setup.listener.ranked(self.found)

    def check(self, setup: ModelSetup) -> Assessment | None:
        """How good the model is, and how far the values vary."""

        def look(rows: Any, seed: np.random.SeedSequence, order: OwnOrder) -> ValuesOfRefits:
            compared = compared_columns(rows, setup.numeric, setup.groups)
            pairs = setup.settings.computes_pairs(rows.shape[1])
            asked: dict[str, Any] = {"compared": compared, "groups": setup.groups, "division": setup.division}
            return ValuesOfRefits.of(rows, pairs=pairs, seed=seed, order=order, **asked)

        def checked(assessment: Assessment) -> None:
            self.assessment = assessment
            setup.listener.checked(assessment)

        assessment, self.seen = check_and_look(setup, look, checked)
        return assessment

    def mark(self, setup: ModelSetup) -> Explanation:
        """The null level, the tests of pairs, and intervals for new data."""
        assert self.found is not None
        setup.notes.extend(_note_on_pairs(setup))
        if self.marking is not None:
            self.found, self.marking = with_marks(self.found, self.marking), None
        return self._with_intervals(self.found)

    def so_far(self, setup: ModelSetup) -> SoFar | None:
        """The ranking, with what is there of the rest."""
        if self.found is None:
            return None
        lacks = {
            "how good the model is": bool(setup.settings.cv) and self.assessment is None,
            "the null level": self.marking is not None,
            "the tests of pairs": self.marking is not None and self.found.order == 2,
            "intervals for new data": bool(setup.settings.cv) and self.seen is None,
        }
        missing = tuple(what for what, lacking in lacks.items() if lacking)
        return self._with_intervals(self.found), self.assessment, missing

    def _with_intervals(self, found: Explanation) -> Explanation:
        return found if self.seen is None else with_refits(found, self.seen)


def _explain_again(setup: ModelSetup) -> Explanation:
    setup.notes.extend(_note_on_pairs(setup))
    found = _values(setup, random_state=setup.seed)
    setup.notes.extend(note_on_two_values(found.two_valued))
    outside = int(found.extrapolation.sum())
    if outside:
        text = (
            f"{outside:,} of {found.n:,} rows lie outside the data of the model: what it says there is extrapolation."
        )
        setup.notes.append(Note("warning", (), text))
    return found


def _values(setup: ModelSetup, **options: Any) -> Explanation:
    """The values without a null level, for everything that was asked."""
    X = setup.table.X
    return explain(
        setup.model,
        X,
        pairs=setup.settings.computes_pairs(X.shape[1]),
        groups=setup.groups,
        numeric=setup.numeric,
        by=setup.division,
        null=False,
        n_jobs=setup.settings.n_jobs,
        progress=setup.listener.progress,  # type: ignore[arg-type]
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
