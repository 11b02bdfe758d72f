"""`select_interactions`, the call."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from math import comb
from typing import Any

import numpy as np

from rsens._arguments import child, jobs, one_of, whole_number
from rsens._compare import ComparisonSettings
from rsens._contents import inverse, own_order
from rsens._errors import Argument, InputError, RsensWarning
from rsens._files import Checkpoint, fingerprint
from rsens._progress import progress_of
from rsens._refits import (
    Kept,
    Splits,
    given_splits,
    read_clusters,
    read_for_estimator,
    read_targets,
    run_pieces,
    warn_of_tight_clusters,
    with_levels,
)
from rsens._select_interactions._folds import check_classes, rounds_of_folds
from rsens._select_interactions._one_split import SplitAnalysis
from rsens._select_interactions._reduced_models import KernelTerms, kind_of_terms
from rsens._select_interactions._scores import Scores
from rsens._select_interactions._selection import Selection
from rsens._typing import Positions
from rsens.adapters import two_valued
from rsens.black_box import Budget
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
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    clusters: Any = None,
    warm_start: bool = True,
    numeric: Iterable[str | int] = (),
    budget: str | Budget = "standard",
    progress: bool | None = None,
) -> Selection:
    """How many pairwise interactions a data set needs, and which (paper, section 3.3).

    In every split, the estimator is fitted to the training rows. This is the full model, and the methods rank the pairs
    of columns by what it has learned. Then GPs with main effects and the first 0, 1, … k pairs are fitted: sums of a
    function of every column and a function of every pair. All models are scored by the log predictive density of the
    held-out rows.

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
        repeats: How many rounds of folds, where `cv` is a number. The scores of a single round vary with the folds; two
            rounds of five are ten fits of each size.
        random_state: Seed of the folds, of methods that draw, and of estimators whose own random_state is None: a whole
            number, a NumPy Generator, or None for a new one.
        n_jobs: How many splits run at once, as in joblib. It changes no result.
        folder: Where finished splits are kept, one file each. The same call continues interrupted work from there.
        clusters: Rows that belong together (of one person, one field): a label for each row. Folds are then made of
            whole clusters, and are not stratified. A splitter gets them as its groups; splits that divide a cluster are
            an `InputError`.

    Rarely needed:
        warm_start: Whether the search for the hyperparameters of a model with pairs has two starts, the usual one and
            the model with one pair fewer, in place of the estimator's `n_restarts`. It finds what two random restarts
            find, and is quicker; fastest is warm_start=False with n_restarts=0.
        numeric: Names or positions of numeric columns with two values that are to have derivatives all the same; by
            default rankings compare the two values, as in `explain`.
        budget: How many predictions black-box methods ("shap", "pd", "h") may ask for, as in `compare`.
        progress: A progress bar: True, False, or None for one only in a terminal and only if it takes long.

    Returns:
        A `Selection`: `print` it, `plot` it, or ask for its `suggested` number of `pairs` and the `model` with them.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(40, 3))
        >>> y = X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=40)
        >>> model = rsens.GPRegressor(n_restarts=0, random_state=0)
        >>> selection = rsens.select_interactions(model, X, y, k=1, cv=2, repeats=1, random_state=0)
        >>> int(selection.suggested), selection.pairs[["first", "second"]].to_dict("list")
        (1, {'first': ['x1'], 'second': ['x2']})
    """
    _check_estimator(estimator)
    asked, n_jobs, follow = whole_number(k, "k", 0), jobs(n_jobs), progress_of(progress)
    one_of(warm_start, "warm_start", (True, False))
    found = read_for_estimator(estimator, X)
    assert found is not None  # a Gaussian process of ours
    coding, table = found
    n, columns = table.values.shape
    if columns < 2:
        raise InputError("Interactions need at least two columns; X has one.")
    targets = read_targets(y, n)
    order = own_order(table.values, targets, clusters=read_clusters(clusters, n), names=table.names)
    together = order.clusters
    analysis = SplitAnalysis(
        estimator=with_levels(estimator, coding),
        terms=KernelTerms(columns, coding.categorical, kind_of_terms(estimator.kernel)),
        X=table.source,
        y=targets,
        k=min(asked, comb(columns, 2)),
        settings=ComparisonSettings.read(methods, 2, budget, two_valued=two_valued(table, numeric=numeric)),
        warm=warm_start,
        pair_ranks=inverse(order.of_pairs([(d,) for d in range(columns)])),
    )
    repeats, classes = whole_number(repeats, "repeats", 1), isinstance(estimator, GPClassifier)
    if together is None:
        warn_of_tight_clusters(table.values, coding.categorical)
    given = given_splits(cv, analysis.X, analysis.y, together)
    question = {} if folder is None else _question(analysis, given or (int(cv), repeats), together)
    checkpoint = Checkpoint.open(folder, question, random_state)
    seed = child(checkpoint.seed, 0)
    splits = given or rounds_of_folds(int(cv), repeats, analysis.y, classes, seed, together, order.rows)
    if classes:
        check_classes(splits, analysis.y)
    work = [*splits, (np.arange(n), None)]  # the last one ranks the pairs on all rows
    *of_splits, of_all = run_pieces(
        SplitAnalysis.run,
        len(work),
        lambda number: (*work[number], child(checkpoint.seed, 1, number)),
        shared=(analysis,),
        n_jobs=n_jobs,
        progress=follow,
        noun="split",
        kept=Kept(checkpoint, "split"),
    )
    scores = _scores(analysis, table.names, asked, splits, of_splits, of_all)
    _warn([text for piece in (*of_splits, of_all) for text in piece["warned"]], scores.fits)
    return Selection(scores, estimator=analysis.estimator, X=analysis.X, y=analysis.y)


def _scores(
    analysis: SplitAnalysis,
    columns: tuple[str, ...],
    asked: int,
    splits: Splits,
    of_splits: list[dict[str, Any]],
    of_all: dict[str, Any],
) -> Scores:
    methods, k, S = analysis.settings.names, analysis.k, len(of_splits)
    chosen = np.array([[piece["ranked"][m] for piece in of_splits] for m in methods], dtype=np.int64)
    return Scores(
        columns=columns,
        categorical=analysis.terms.categorical,
        kind=analysis.terms.kind,
        methods=methods,
        asked=asked,
        train=np.array([len(train) for train, _ in splits]),
        test=np.array([len(test) for _, test in splits]),
        scores=np.array([np.transpose([piece["scores"][method] for piece in of_splits]) for method in methods]),
        full=np.array([piece["full"] for piece in of_splits]),
        chosen=chosen.reshape(len(methods), S, k),
        pairs=np.array([of_all["ranked"][m] for m in methods], dtype=np.int64).reshape(len(methods), k),
        values=np.array([of_all["values"][m] for m in methods], dtype=np.float64).reshape(len(methods), k),
        fits=sum(piece["fits"] for piece in (*of_splits, of_all)),
    )


def _question(analysis: SplitAnalysis, cv: Splits | tuple[int, int], clusters: Positions | None) -> dict[str, Any]:
    """What the pieces of work depend on, for a folder of them.

    Folds come from the seed. Splits that the user gives are part of the question: a splitter without a seed gives
    others the next time.
    """
    return {
        "verb": "select_interactions",
        "estimator": fingerprint(analysis.estimator),
        "X": fingerprint(analysis.X),
        "y": fingerprint(analysis.y),
        "k": analysis.k,
        "methods": analysis.settings.names,
        "cv": cv if isinstance(cv, tuple) else fingerprint(cv),
        "clusters": None if clusters is None else fingerprint(clusters),
        "warm_start": analysis.warm,
        "budget": fingerprint(analysis.settings.budget),
        "two_valued": analysis.settings.two_valued,
    }


def _check_estimator(estimator: Any) -> None:
    if isinstance(estimator, type):
        raise InputError(
            Argument("estimator"), f" is the class {estimator.__name__}; give an instance, {estimator.__name__}()."
        )
    if not isinstance(estimator, GPRegressor | GPClassifier):
        raise InputError(
            "select_interactions needs a GPRegressor or GPClassifier, whose kernel can be a sum over chosen pairs; "
            f"got {type(estimator).__name__}."
        )


def _warn(texts: list[str], fits: int) -> None:
    """One warning for all fits."""
    if texts:
        warnings.warn(
            f"There were {len(texts)} warnings in {fits} fits, the first: {texts[0]}", RsensWarning, stacklevel=3
        )
