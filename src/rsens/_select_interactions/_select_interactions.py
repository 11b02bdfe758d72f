"""`select_interactions`: the call, and the analysis of one split."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens import _refits as refits
from rsens._arguments import child, jobs, whole_number
from rsens._compare import ComparisonSettings, method_values
from rsens._contents import inverse, own_order
from rsens._errors import Argument, InputError, RsensWarning, warn
from rsens._files import Checkpoint, fingerprint
from rsens._progress import progress_of
from rsens._select_interactions._reduced_models import KernelTerms, ReducedModels, fit_kernel, kind_of_terms
from rsens._select_interactions._selection import Scores, Selection
from rsens._threads import one_thread
from rsens._typing import Positions
from rsens.adapters import two_valued
from rsens.models import GPClassifier, GPRegressor

#: Purposes of the random numbers of a split.
ESTIMATOR, METHODS = range(2)


def select_interactions(
    estimator: Any,
    X: Any,
    y: Any,
    k: int = 5,
    *,
    cv: Any = 5,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    clusters: Any = None,
    progress: bool | None = None,
) -> Selection:
    """Choose how many pairwise interactions a data set needs, and which (paper, section 3.3).

    In every split, the estimator is fitted to the training rows. This is the full model, and its R-sens₂ ranks the
    pairs of columns. Then GPs with main effects and the first 0, 1, … k pairs are fitted: sums of a function of every
    column and a function of every pair. All models are scored by the log predictive density of the held-out rows.

    Args:
        estimator: A `GPRegressor` or `GPClassifier`, fitted or not. The reduced models have its settings, but other
            kernels: terms of the same kind if its kernel is a single EQ, Matérn or rational quadratic one, else
            EQ, and Categorical for categorical columns.
        X: Rows: a data frame or an array, of two columns at least.
        y: Targets.
        k: The most pairs to try; all pairs, if there are fewer.
        cv: The number of folds, which are random and have equal shares of the classes of a classifier, in two rounds,
            as the scores of a single one vary with the folds; or a splitter of scikit-learn; or a list of (train, test)
            row positions. `ShuffleSplit(50, train_size=80)` is the paper's.
        random_state: Seed of the folds, of methods that draw, and of estimators whose own random_state is None: a whole
            number, a NumPy Generator, or None for a new one.
        n_jobs: How many splits run at once, as in joblib. It changes no result.
        folder: Where finished splits are kept, one file each. The same call continues interrupted work from there.
        clusters: Rows that belong together (of one person, one field): a label for each row. Folds are then made of
            whole clusters, and are not stratified. A splitter gets them as its groups; splits that divide a cluster are
            an `InputError`.
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
        >>> selection = rsens.select_interactions(model, X, y, k=1, cv=2, random_state=0)
        >>> int(selection.suggested), selection.pairs[["first", "second"]].to_dict("list")
        (1, {'first': ['x1'], 'second': ['x2']})
    """
    return select(
        estimator,
        X,
        y,
        k,
        cv,
        clusters=clusters,
        random_state=random_state,
        n_jobs=n_jobs,
        folder=folder,
        progress=progress,
    )


@dataclass(frozen=True, eq=False)
class SplitAnalysis:
    """The analysis that is repeated in every split of the rows."""

    estimator: Any
    terms: KernelTerms
    X: Any
    y: Any
    k: int
    settings: ComparisonSettings
    #: Which of two pairs with equal values leads.
    pair_ranks: Positions

    def run(self, train: Positions, test: Positions | None, seed: np.random.SeedSequence) -> dict[str, Any]:
        """The ranked pairs, their values, fits and warnings; with rows to score, mean log predictive densities too."""
        X, y = refits.take_rows(self.X, train), refits.take_rows(self.y, train)
        with one_thread(), warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            estimator = refits.with_seed(self.estimator, child(seed, ESTIMATOR))
            full = fit_kernel(estimator, None, X, y)
            from_fits = len(raised)
            piece = self._rank(full, X, y, child(seed, METHODS))
            del raised[from_fits:]  # a column may be constant in a split: it scores 0 there
            reduced = ReducedModels(estimator, self.terms, X, y)
            if test is not None:
                held_out = refits.take_rows(self.X, test), refits.take_rows(self.y, test)
                piece["full"] = _score(full, *held_out)
                piece["scores"] = {name: self._scores(reduced, of, *held_out) for name, of in piece["ranked"].items()}
        ours = [str(warning.message) for warning in raised if issubclass(warning.category, RsensWarning)]
        return piece | {"fits": 1 + len(reduced.models), "warned": ours}

    def _rank(self, model: Any, X: Any, y: Any, seed: np.random.SeedSequence) -> dict[str, Any]:
        """The numbers of the k leading pairs, and their values, by method."""
        piece: dict[str, Any] = {key: {name: [] for name in self.settings.names} for key in ("ranked", "values")}
        for result in method_values(model, X, y, self.settings, seed) if self.k else ():
            if result.values is None:
                raise InputError(f"the method {result.method!r} cannot rank the pairs: {result.status}")
            order = np.lexsort((self.pair_ranks, -result.values))[: self.k]
            piece["ranked"][result.method], piece["values"][result.method] = (
                order.tolist(),
                result.values[order].tolist(),
            )
        return piece

    def _scores(self, reduced: ReducedModels, ranked: list[int], X: Any, y: Any) -> list[float]:
        """The scores of the models with the first 0, 1, … k pairs."""
        pairs = list(combinations(range(self.terms.n_columns), 2))
        chosen = [frozenset(pairs[number] for number in ranked[:k]) for k in range(len(ranked) + 1)]
        return [_score(reduced.model(now, before), X, y) for now, before in zip(chosen, [None, *chosen], strict=False)]


def select(
    estimator: Any,
    X: Any,
    y: Any,
    k: Any,
    cv: Any,
    repeats: int = 2,
    *,
    clusters: Any = None,
    numeric: Any = (),
    random_state: Any = None,
    **work: Any,
) -> Selection:
    """`select_interactions` with the options of its command: numeric columns, and how many rounds of numbered folds.

    `work` are n_jobs, folder and progress.
    """
    if not isinstance(estimator, GPRegressor | GPClassifier):
        why = " must be a GPRegressor or GPClassifier, whose kernel can be a sum over chosen pairs; "
        raise InputError(Argument("estimator"), f"{why}got {estimator!r:.80}.")
    asked, repeats, folder = whole_number(k, "k", 0), whole_number(repeats, "repeats", 1), work.get("folder")
    n_jobs, progress = jobs(work.get("n_jobs")), progress_of(work.get("progress"))
    found = refits.read_for_estimator(estimator, X)
    assert found is not None  # a Gaussian process of ours
    coding, table = found
    n, columns = table.values.shape
    if columns < 2:
        raise InputError("Interactions need at least two columns; X has one.")
    y = refits.read_targets(y, n)
    if clusters is None:
        refits.warn_of_tight_clusters(table.values, coding.categorical)
    order = own_order(table.values, y, clusters=refits.read_clusters(clusters, n), names=table.names)
    analysis = SplitAnalysis(
        refits.with_levels(estimator, coding),
        KernelTerms(columns, coding.categorical, kind_of_terms(estimator.kernel)),
        table.source,
        y,
        min(asked, comb(columns, 2)),
        ComparisonSettings.read("rsens2", 2, "standard", two_valued=two_valued(table, numeric=numeric)),
        inverse(order.of_pairs([(d,) for d in range(columns)])),
    )
    splits = refits.given_splits(cv, analysis.X, y, order.clusters)
    question = (
        {}
        if folder is None
        else {  # the given splits too, as a splitter may draw
            "verb": "select_interactions",
            "estimator": fingerprint(analysis.estimator),
            "X": fingerprint(analysis.X),
            "y": fingerprint(y),
            "k": analysis.k,
            "cv": (int(cv), repeats) if splits is None else fingerprint(splits),
            "clusters": None if order.clusters is None else fingerprint(order.clusters),
            "two_valued": analysis.settings.two_valued,
        }
    )
    checkpoint = Checkpoint.open(folder, question, random_state)
    classes = isinstance(estimator, GPClassifier)
    if splits is None:
        rounds = [np.random.default_rng(child(checkpoint.seed, 0, repeat)) for repeat in range(repeats)]
        folds = (refits.folds(int(cv), y, classes, rng, order.clusters, order.rows) for rng in rounds)
        splits = list(chain.from_iterable(folds))
    if classes:
        _check_classes(splits, y)
    tasks = [*splits, (np.arange(n), None)]  # the last one ranks the pairs on all rows
    *pieces, whole = refits.run_pieces(
        SplitAnalysis.run,
        len(tasks),
        lambda number: (*tasks[number], child(checkpoint.seed, 1, number)),
        shared=(analysis,),
        n_jobs=n_jobs,
        progress=progress,
        noun="split",
        kept=refits.Kept(checkpoint, "split"),
    )
    scores = Scores(
        columns=table.names,
        categorical=coding.categorical,
        kind=analysis.terms.kind,
        asked=asked,
        train=np.array([len(train) for train, _ in splits]),
        test=np.array([len(test) for _, test in splits]),
        scores=np.transpose([piece["scores"]["rsens2"] for piece in pieces]).copy(),
        full=np.array([piece["full"] for piece in pieces]),
        chosen=np.array([piece["ranked"]["rsens2"] for piece in pieces], dtype=np.int64),
        pairs=np.array(whole["ranked"]["rsens2"], dtype=np.int64),
        values=np.array(whole["values"]["rsens2"], dtype=np.float64),
        fits=sum(piece["fits"] for piece in [*pieces, whole]),
    )
    if warned := [text for piece in [*pieces, whole] for text in piece["warned"]]:
        warn(f"There were {len(warned)} warnings in {scores.fits} fits, the first: {warned[0]}")
    return Selection(scores, estimator=analysis.estimator, X=analysis.X, y=y)


def _check_classes(splits: refits.Splits, y: NDArray[Any]) -> None:
    """Every training set needs every class: a model gives no probability to others."""
    missing = [label for train, _ in splits for label in np.setdiff1d(y, y[train]).tolist()]
    if missing:
        raise InputError(
            Argument("cv"),
            f": the class {missing[0]!r} is rare, and missing in the training rows of a split. Leave it out, merge it "
            "with another, or give splits that hold some of its rows for training.",
        )


def _score(model: Any, X: Any, y: Any) -> float:
    """The mean log predictive density of the rows."""
    score = float(np.mean(model.log_predictive_density(X, y)))
    if not np.isfinite(score):
        raise InputError(
            f"the log predictive density of held-out rows is {score:g}. Look for extreme values in y, or use a "
            "likelihood with heavier tails."
        )
    return score
