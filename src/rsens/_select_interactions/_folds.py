"""The splits of a selection: several rounds of folds, or the splits that the user gives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._arguments import child
from rsens._errors import Argument, InputError
from rsens._refits import Splits, folds
from rsens._typing import Positions


def rounds_of_folds(
    count: int,
    repeats: int,
    y: NDArray[Any],
    classes: bool,
    seed: np.random.SeedSequence,
    clusters: Positions | None = None,
    rows: Positions | None = None,
) -> Splits:
    """`count` folds, `repeats` times: of whole clusters, or else with equal shares of the classes if there are any."""
    rounds = [np.random.default_rng(child(seed, repeat)) for repeat in range(repeats)]
    return [split for rng in rounds for split in folds(count, y, classes, rng, clusters, rows)]


def check_classes(splits: Splits, y: NDArray[Any]) -> None:
    """Every training set needs every class: a model gives no probability to others."""
    classes = np.unique(y)
    for train, _ in splits:
        missing = np.setdiff1d(classes, y[train])
        if len(missing):
            raise InputError(
                Argument("cv"),
                f": the class {missing.tolist()[0]!r} is rare, and missing in the training rows of a split. Leave it "
                "out, merge it with another, or give splits that hold some of its rows for training.",
            )
