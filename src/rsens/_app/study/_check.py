"""The check that every command makes: how good the model is on rows it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rsens._app.study._setup import ModelSetup
from rsens._app.tables import Note
from rsens._arguments import child, seed_sequence
from rsens._assess import Assessment, HeldOut, assessment_of
from rsens._contents import OwnOrder, own_order
from rsens._explain import LEAST_FOLDS, most_folds, rounds_for
from rsens._refits import Fit, read_clusters, read_targets, refit_folds, rounds_of_folds, rows_with_levels, stratified

#: What random numbers are for.
FOLDS, PROBES = range(2)
SKIPPED = "The model was not cross-validated: nobody knows how good it is."

#: What else is to be seen of each refit: made from the rows, a seed, and the rows' own order.
MakeLook = Callable[[Any, np.random.SeedSequence, OwnOrder], Any]


def generator(seed: int, purpose: int) -> np.random.Generator:
    """Random numbers for one purpose."""
    return np.random.default_rng(child(seed_sequence(seed), purpose))


def check_model(setup: ModelSetup) -> Assessment | None:
    """Cross-validation with at most as many folds as rows, with its notes; None if no folds were asked for."""
    return check_and_look(setup, None)[0]


def check_and_look(
    setup: ModelSetup, make_look: MakeLook | None, checked: Callable[[Assessment], object] = lambda assessment: None
) -> tuple[Assessment | None, list[list[Any]] | None]:
    """The check, and what a look for intervals saw of its refits, by round and fold; None where there are too few.

    The check is that of the first round, the same as without a look, and `checked` hears of it as soon as it is there.
    Refits are quick; see `Fit.quick`.
    """
    settings, table, notes = setup.settings, setup.table, setup.notes
    if not settings.cv:
        notes.append(Note("skipped", (), SKIPPED))
        return None, None
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
    assessment: Assessment | None = None

    def assess(seen: list[list[Any]]) -> None:
        nonlocal assessment
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
        text = f"The check has {units} folds, one for each {what}, and not {settings.cv}: there are no more {what}s."
        notes.append(Note("skipped", (), text))
    return assessment, others[0] if others else None
