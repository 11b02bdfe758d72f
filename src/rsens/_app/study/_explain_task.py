"""The task of `study` and `rsens explain`: what moves the predictions of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._app.study._check import PROBES, check_and_look, generator
from rsens._app.study._pipeline import Task
from rsens._app.study._result import Study
from rsens._app.study._settings import AUTO_PAIRS, AUTO_PAIRS_COLUMNS, Settings
from rsens._app.study._setup import ModelSetup
from rsens._app.study._two_valued import note_on_two_values
from rsens._app.tables import Note
from rsens._assess import Assessment
from rsens._errors import Argument, Sentence
from rsens._explain import Explanation, ValuesOfRefits, explain, with_refits
from rsens.adapters import two_valued_columns

#: What a study records as asked.
ARGUMENTS = (
    "likelihood",
    "model",
    "missing",
    "drop",
    "columns",
    "categorical",
    "numeric",
    "rows",
    "pairs",
    "inducing",
    "cv",
    "null",
    "seed",
)


def explain_task(settings: Settings) -> Task[Study]:
    """Explain the rows with a model that was just fitted, or with one from a file."""
    new = settings.model_file is None
    step = "explaining, and the null level" if new and settings.null else "explaining"
    arguments = settings.plain(*ARGUMENTS)
    if not new:
        return Task(step, _explain_again, Study, arguments)
    work = _ExplainNew()
    return Task(step, work.explain, Study, arguments, check=work.check)


class _ExplainNew:
    """A model that was just fitted: one set of refits serves its check and the intervals."""

    seen: list[list[Any]] | None = None

    def check(self, setup: ModelSetup) -> Assessment | None:
        def look(rows: Any, seed: np.random.SeedSequence) -> ValuesOfRefits:
            compared = two_valued_columns(rows, setup.numeric, tuple(map(str, rows.columns)))
            pairs = setup.settings.computes_pairs(rows.shape[1])
            return ValuesOfRefits.of(rows, pairs=pairs, compared=compared, seed=seed)

        assessment, self.seen = check_and_look(setup, look)
        return assessment

    def explain(self, setup: ModelSetup) -> Explanation:
        settings, table = setup.settings, setup.table
        found = explain(
            setup.model,
            table.X,
            table.y if settings.null else None,
            pairs=_pairs(setup),
            numeric=setup.numeric,
            clusters=setup.clusters,
            null="auto" if settings.null else False,
            intervals="rows",
            n_jobs=settings.n_jobs,
            random_state=generator(setup.seed, PROBES),
            progress=settings.progress,
        )
        return found if self.seen is None else with_refits(found, self.seen)


def _explain_again(setup: ModelSetup) -> Explanation:
    X = setup.table.X
    found = explain(
        setup.model,
        X,
        pairs=_pairs(setup),
        numeric=setup.numeric,
        null=False,
        random_state=setup.seed,
        progress=setup.settings.progress,
    )
    setup.notes.extend(note_on_two_values(found.two_valued))
    outside = int(found.extrapolation.sum())
    if outside:
        text = f"{outside:,} of {len(X):,} rows lie outside the data of the model: what it says there is extrapolation."
        setup.notes.append(Note("warning", (), text))
    return found


def _pairs(setup: ModelSetup) -> bool:
    """Whether pairs are computed; with a note if there are too many columns for it."""
    n_columns = setup.table.X.shape[1]
    if setup.settings.pairs == "auto" and n_columns > AUTO_PAIRS_COLUMNS:
        text = Sentence(
            f"Pairs were not computed, as there are {n_columns} columns; ",
            Argument("pairs", AUTO_PAIRS),
            " computes them.",
        )
        setup.notes.append(Note("skipped", (), text))
    return setup.settings.computes_pairs(n_columns)
