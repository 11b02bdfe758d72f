"""`select_interactions`, the call."""

from __future__ import annotations

import os
import warnings
from math import comb
from typing import Any

import numpy as np

from rsens._arguments import child, jobs, one_of, progress_bar, whole_number
from rsens._coding import Coding
from rsens._compare import resolved
from rsens._errors import InputError, RsensWarning
from rsens._files import Checkpoint, fingerprint
from rsens._refits import Splits, given_splits, read_targets
from rsens._select_interactions._fits import Terms, kind_of_terms
from rsens._select_interactions._folds import check_classes, dealt
from rsens._select_interactions._one_split import Task
from rsens._select_interactions._scores import Record
from rsens._select_interactions._selection import Selection
from rsens._table import Table
from rsens.black_box import Budget, budget_of
from rsens.models import GPClassifier, GPRegressor


def select_interactions(
    estimator: Any,
    X: Any,
    y: Any,
    k: int = 5,
    *,
    methods: Any = "rsens2",
    cv: Any = 5,
    repeats: int = 2,
    warm_start: bool = True,
    budget: str | Budget = "standard",
    folder: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = None,
    progress: bool | None = None,
) -> Selection:
    """How many pairwise interactions a data set needs, and which (paper, section 3.3).

    In every split of the rows, the estimator is fitted to the training rows, which makes the full model, and the pairs
    of columns are ranked by what it has learned. Then GPs of main effects and the first 0, 1, … k pairs are fitted,
    sums of a function of every column and a function of every pair, and all are scored by the log predictive density
    of the held-out rows.

    Args:
        estimator: A `GPRegressor` or `GPClassifier`, fitted or not. The reduced models have its settings, but kernels
            of their own: terms of the same kind if its kernel is a single EQ, Matérn or rational quadratic one, else
            EQ, and Categorical for categorical columns.
        X: Rows: a data frame or an array, of two columns at least.
        y: Targets.
        k: The most pairs to try; all pairs, if there are fewer.
        methods: What ranks the pairs: one name or several of "rsens2", "eah", "aeh", "shap", "pd", "h", or "all".
            Models with the same pairs are fitted once, whichever methods chose them.
        cv: The number of folds, which are random and have equal shares of the classes of a classifier; or a splitter
            of scikit-learn; or a list of (train, test) row positions. `ShuffleSplit(50, train_size=80)` is the paper's.
        repeats: How often the rows are dealt into folds anew, where `cv` is a number. Scores of a single round vary
            with the folds; two rounds of five are ten fits of each size.
        warm_start: Whether the hyperparameters of a model with pairs are searched for from two starts, the usual one
            and those of the model with one pair fewer, in place of the estimator's `n_restarts`. It finds what two
            random restarts find, and is quicker; fastest is warm_start=False with n_restarts=0.
        budget: How much black-box methods ("shap", "pd", "h") may ask of the model, as in `compare`.
        folder: Where finished splits are kept, one file each. The same call takes up interrupted work there.
        n_jobs: How many splits at once, as in joblib. It changes no result.
        random_state: Seed of the folds, of methods that draw, and of estimators whose own random_state is None: a whole
            number, a NumPy Generator, or None for a new one.
        progress: A progress bar: True, False, or None for one only in a terminal and only if it takes long.

    Returns:
        A `Selection`: `print` it, `plot` it, or ask for its `suggested` number of `pairs` and the `model` with them.
    """
    from joblib import Parallel, delayed

    _check_estimator(estimator)
    asked, n_jobs, bar = whole_number(k, "k", 0), jobs(n_jobs), progress_bar(progress)
    one_of(warm_start, "warm_start", (True, False))
    coding = Coding.of(X, estimator.categorical, keep_unused=True)
    table = coding.read(X)
    n, columns = table.values.shape
    if columns < 2:
        raise InputError("Interactions need at least two columns; X has one.")
    task = Task(
        estimator=_with_levels(estimator, coding),
        terms=Terms(columns, coding.categorical, kind_of_terms(estimator.kernel)),
        X=table.source,
        y=read_targets(y, n),
        k=min(asked, comb(columns, 2)),
        methods=tuple(resolved(methods, 2)),
        budget=budget_of(budget),
        warm=warm_start,
    )
    repeats, classes = whole_number(repeats, "repeats", 1), isinstance(estimator, GPClassifier)
    given = given_splits(cv, task.X, task.y)
    question = {} if folder is None else _question(task, given or (int(cv), repeats))
    checkpoint = Checkpoint.open(folder, question, random_state)
    found = given or dealt(int(cv), repeats, task.y, classes, child(checkpoint.seed, 0))
    if classes:
        check_classes(found, task.y)
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    all_rows = np.arange(n)
    work = [(f"split-{s}", train, test) for s, (train, test) in enumerate(found)]
    pieces = run(
        delayed(task.run)(key, train, test, checkpoint, number)
        for number, (key, train, test) in enumerate([*work, ("all-rows", all_rows, None)])
    )
    *of_splits, of_all = bar(pieces, total=len(work) + 1, desc="splits", unit="split")
    _warn([piece["warned"] for piece in (*of_splits, of_all)], sum(p["fits"] for p in (*of_splits, of_all)))
    record = _record(task, table, asked, found, of_splits, of_all)
    return Selection(record, estimator=task.estimator, X=task.X, y=task.y)


def _record(
    task: Task, table: Table, asked: int, found: Splits, of_splits: list[dict[str, Any]], of_all: dict[str, Any]
) -> Record:
    methods, S = task.methods, len(of_splits)
    return Record(
        columns=table.names,
        categorical=task.terms.categorical,
        kind=task.terms.kind,
        methods=methods,
        asked=asked,
        train=np.array([len(train) for train, _ in found]),
        test=np.array([len(test) for _, test in found]),
        scores=np.array([np.transpose([piece["scores"][method] for piece in of_splits]) for method in methods]),
        full=np.array([piece["full"] for piece in of_splits]),
        chosen=np.array([[piece["ranked"][m] for piece in of_splits] for m in methods], dtype=np.int64).reshape(
            len(methods), S, task.k
        ),
        pairs=np.array([of_all["ranked"][m] for m in methods], dtype=np.int64).reshape(len(methods), task.k),
        values=np.array([of_all["values"][m] for m in methods], dtype=np.float64).reshape(len(methods), task.k),
        fits=sum(piece["fits"] for piece in (*of_splits, of_all)),
    )


def _question(task: Task, cv: Splits | tuple[int, int]) -> dict[str, Any]:
    """What the pieces of work depend on, for a folder of them.

    Folds come from the seed. Splits that are given count themselves: a splitter without a seed of its own gives others
    the next time.
    """
    return {
        "verb": "select_interactions",
        "estimator": fingerprint(task.estimator),
        "X": fingerprint(task.X),
        "y": fingerprint(task.y),
        "k": task.k,
        "methods": task.methods,
        "cv": cv if isinstance(cv, tuple) else fingerprint(cv),
        "warm_start": task.warm,
        "budget": fingerprint(task.budget),
    }


def _check_estimator(estimator: Any) -> None:
    if isinstance(estimator, type):
        raise InputError(f"estimator is the class {estimator.__name__}; give an instance, {estimator.__name__}().")
    if not isinstance(estimator, GPRegressor | GPClassifier):
        raise InputError(
            "select_interactions needs a GPRegressor or GPClassifier, whose kernel can be a sum over chosen pairs; "
            f"got {type(estimator).__name__}."
        )


def _with_levels(estimator: Any, coding: Coding) -> Any:
    """The estimator, told all levels of its categorical columns: a training set may lack some."""
    from sklearn.base import clone

    levels = {column.position: list(column.labels) for column in coding.columns}
    return clone(estimator).set_params(categorical=levels) if levels else clone(estimator)


def _warn(warned: list[list[str]], fits: int) -> None:
    """One warning for all fits."""
    texts = [text for of_piece in warned for text in of_piece]
    if texts:
        warnings.warn(
            f"There were {len(texts)} warnings in {fits} fits, the first: {texts[0]}", RsensWarning, stacklevel=3
        )
