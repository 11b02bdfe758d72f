"""`assess`: cross-validation of a probabilistic model, in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._arguments import jobs, seed_sequence
from rsens._assess._assessment import Assessment
from rsens._assess._held_out import HeldOut, join_folds
from rsens._contents import own_order
from rsens._errors import Argument, InputError, RsensWarning
from rsens._progress import progress_of
from rsens._refits import (
    Fit,
    check_refit,
    given_splits,
    numbers_of,
    read_clusters,
    read_targets,
    refit_folds,
    rounds_of_folds,
    rows_with_levels,
    stratified,
    succeeded,
    warn_of_tight_clusters,
)


def assess(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    clusters: Any = None,
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
        clusters: Rows that belong together (of one person, one field): a label for each row. Folds are then made of
            whole clusters, so that the model is asked about new ones. They are not stratified.
        random_state: Seed of the folds, and of estimators whose own random_state is None: a whole number, a NumPy
            Generator, or None for a new one.
        n_jobs: How many folds run at once, as in joblib. It changes no result.
        refit: How to fit: a function (X, y) -> fitted model. By default `estimator` is cloned and fitted.
        progress: A progress bar: True, False, or None for one only in a terminal and only if it takes long.

    Returns:
        An `Assessment`: `print` it, read its `warnings`, or `plot` it.

    Example:
        >>> from sklearn.datasets import load_diabetes
        >>> import rsens
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> assessment = rsens.assess(rsens.BayesianLinearRegression(), X, y, random_state=0)
        >>> assessment.ok, assessment.phrase.partition(" (")[0]
        (True, 'explains about half of the variation on unseen rows')
    """
    check_refit(estimator, refit)
    seed, n_jobs, follow = seed_sequence(random_state), jobs(n_jobs), progress_of(progress)
    rows = rows_with_levels(None if refit is not None else estimator, X)
    targets = read_targets(y, len(rows))
    order = own_order(rows, targets, clusters=read_clusters(clusters, len(rows)))
    if order.clusters is None and isinstance(cv, int | np.integer):  # whoever gives splits knows the rows
        warn_of_tight_clusters(numbers_of(rows))
    splits = given_splits(cv, rows, targets, order.clusters)
    if splits is None:
        stratify = stratified(estimator, targets)
        splits = rounds_of_folds(1, int(cv), targets, stratify, seed, order.clusters, order.rows)[0]
    elif (times := np.bincount(np.concatenate([test for _, test in splits]))).max() > 1:
        raise InputError(
            Argument("cv"),
            f" holds row {times.argmax()} out {times.max()} times. Use folds that hold out every row at most once, "
            "without repetitions.",
        )
    [[seen]] = refit_folds(
        Fit(estimator, refit),
        rows,
        targets,
        [splits],
        [HeldOut(rows, targets)],
        n_jobs=n_jobs,
        seed=seed,
        progress=follow,
        silent=(RsensWarning,),  # the estimator need not have been fitted, so nothing was said of it
    )
    name = type(estimator).__name__ if estimator is not None else getattr(refit, "__name__", "model")
    return assessment_of(seen, name, rows, targets)


def assessment_of(seen: Sequence[Any], name: str, rows: Any, y: NDArray[Any]) -> Assessment:
    """The assessment of a model called `name`, from what `HeldOut` saw in each fold of one round."""
    parts = [succeeded(fold) for fold in seen]
    index = rows.index if isinstance(rows, pd.DataFrame) else pd.RangeIndex(len(y))
    return Assessment(join_folds(parts, name, index, y))
