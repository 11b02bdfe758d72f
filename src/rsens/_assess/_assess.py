"""`assess`: cross-validation of a probabilistic model, in one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from rsens._arguments import child, jobs, progress_bar, seed_sequence
from rsens._assess._assessment import Assessment
from rsens._assess._folds import read_folds
from rsens._assess._held_out import join_folds
from rsens._assess._one_fold import FoldAnalysis
from rsens._refits import Fit, are_labels, check_refit, read_targets, rows_with_levels

#: What random numbers are for.
SPLITS, FITS = range(2)


def assess(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    refit: Callable[[Any, Any], Any] | None = None,
    progress: bool | None = None,
) -> Assessment:
    """How good a model is, by cross-validation: its log score against a constant, and whether its probabilities hold.

    Sensitivities that take uncertainty into account are only as good as that uncertainty (paper, section 2.3), so look
    at this first.

    Args:
        estimator: A model that can be fitted again, fitted or not: anything with `fit` and `get_params` whose
            predictive distribution rsens knows.
        X: Rows: a data frame or an array.
        y: Targets: numbers, counts, or class labels.
        cv: The number of folds; or a splitter of scikit-learn; or a list of (train, test) positions that hold out every
            row at most once. Numbered folds are random, and have the same share of every class.
        random_state: Seed of the folds, and of estimators whose own random_state is None: a whole number, a NumPy
            Generator, or None for a new one.
        n_jobs: How many folds run at once, as in joblib. It changes no result.
        refit: How to fit: a function (X, y) -> fitted model. By default `estimator` is cloned and fitted.
        progress: A progress bar: True, False, or None for one only in a terminal and only if it takes long.

    Returns:
        An `Assessment`: `print` it, read its `warnings`, or `plot` it.
    """
    from joblib import Parallel, delayed

    check_refit(estimator, refit)
    seed, n_jobs, bar = seed_sequence(random_state), jobs(n_jobs), progress_bar(progress)
    rows = rows_with_levels(None if refit is not None else estimator, X)
    targets = read_targets(y, len(rows))
    splits = read_folds(cv, rows, targets, _stratified(estimator, targets), child(seed, SPLITS))
    analysis = FoldAnalysis(Fit(estimator, refit), rows, targets, len(splits))
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    folds = run(
        delayed(analysis.run)(number, train, test, child(seed, FITS, number))
        for number, (train, test) in enumerate(splits, start=1)
    )
    parts = list(bar(folds, total=len(splits), desc="folds", unit="fold"))
    index = rows.index if isinstance(rows, pd.DataFrame) else pd.RangeIndex(len(targets))
    name = type(estimator).__name__ if estimator is not None else getattr(refit, "__name__", "model")
    return Assessment(join_folds(parts, name, index, targets))


def _stratified(estimator: Any, y: Any) -> bool:
    """Whether folds share the classes evenly: for classifiers, labels that are not numbers, and two values."""
    from sklearn.base import is_classifier

    known = callable(getattr(estimator, "get_params", None)) and is_classifier(estimator)
    return bool(known or are_labels(y) or len(np.unique(y)) == 2)
