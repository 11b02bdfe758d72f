"""The folds of an assessment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import Argument, InputError
from rsens._refits import Splits, given_splits, rounds_of_folds
from rsens._typing import Positions


def read_folds(
    cv: Any,
    X: Any,
    y: NDArray[Any],
    stratify: bool,
    seed: np.random.SeedSequence,
    clusters: Positions | None = None,
    rows: Positions | None = None,
) -> Splits:
    """Random folds, or the splits that `cv` gives, which may hold out every row at most once and divide no cluster.

    `rows` are the rows in an order of their own (see `folds`).
    """
    splits = given_splits(cv, X, y, clusters)
    if splits is None:
        return rounds_of_folds(1, int(cv), y, stratify, seed, clusters, rows)[0]
    times = np.bincount(np.concatenate([test for _, test in splits]), minlength=len(y))
    if times.max() > 1:
        raise InputError(
            Argument("cv"),
            f" holds row {int(times.argmax())} out {int(times.max())} times. Use folds that hold out every row at most "
            "once, without repetitions.",
        )
    return splits
