"""How good a model is on rows that it has not seen: the check that every command makes."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._app.study._gather import Gathered
from rsens._app.tables import Note
from rsens._arguments import child, seed_sequence
from rsens._assess import Assessment, assess
from rsens._errors import InputError

#: What random numbers are for.
FOLDS, PROBES = range(2)
#: Of cross-validation: fewer rows tell nothing of those that were not seen.
LEAST_ROWS = 10
SKIPPED = "The model was not cross-validated: nobody knows how good it is."


def generator(seed: int, purpose: int) -> np.random.Generator:
    """Random numbers for one purpose."""
    return np.random.default_rng(child(seed_sequence(seed), purpose))


def check_folds(cv: int, rows: int | None = None) -> None:
    """An `InputError` if there cannot be so many folds, of so many rows."""
    if cv == 1:
        raise InputError("cv must be at least 2 folds, or 0 for no cross-validation; got 1.")
    if cv and rows is not None and rows < LEAST_ROWS:
        raise InputError(
            f"there are only {rows} rows, too few to check a model on rows that it has not seen. Give more, or cv=0 to "
            "go on without a check."
        )


def checked(
    model: Any, table: Gathered, *, cv: int, seed: int, n_jobs: int | None, progress: bool | None
) -> tuple[Assessment | None, list[Note]]:
    """Cross-validation with at most as many folds as rows, and what is to be said; no assessment if cv is 0."""
    if not cv:
        return None, [Note("skipped", (), SKIPPED)]
    rows = len(table.X)
    assessment = assess(
        model,
        table.X,
        table.y,
        cv=min(cv, rows),
        n_jobs=n_jobs,
        random_state=generator(seed, FOLDS),
        progress=progress,
    )
    notes = [Note("warning", (), text) for text in assessment.notes]
    if cv > rows:
        text = f"The check has {rows} folds, one for each row, and not {cv}: there are no more rows."
        notes.append(Note("skipped", (), text))
    return assessment, notes
