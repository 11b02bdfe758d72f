"""The check that every command makes: how good the model is on rows it has not seen."""

from __future__ import annotations

import numpy as np

from rsens._app.study._setup import ModelSetup
from rsens._app.tables import Note
from rsens._arguments import child, seed_sequence
from rsens._assess import Assessment, assess

#: What random numbers are for.
FOLDS, PROBES = range(2)
SKIPPED = "The model was not cross-validated: nobody knows how good it is."


def generator(seed: int, purpose: int) -> np.random.Generator:
    """Random numbers for one purpose."""
    return np.random.default_rng(child(seed_sequence(seed), purpose))


def check_model(setup: ModelSetup) -> Assessment | None:
    """Cross-validation with at most as many folds as rows, with its notes; None if no folds were asked for."""
    settings, rows = setup.settings, len(setup.table.X)
    if not settings.cv:
        setup.notes.append(Note("skipped", (), SKIPPED))
        return None
    assessment = assess(
        setup.model,
        setup.table.X,
        setup.table.y,
        cv=min(settings.cv, rows),
        n_jobs=settings.n_jobs,
        random_state=generator(setup.seed, FOLDS),
        progress=settings.progress,
    )
    setup.notes.extend([Note("warning", (), text) for text in assessment.notes])
    if settings.cv > rows:
        text = f"The check has {rows} folds, one for each row, and not {settings.cv}: there are no more rows."
        setup.notes.append(Note("skipped", (), text))
    return assessment
