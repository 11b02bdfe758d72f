"""Models fitted again: to all rows but a fold, for every fold, with looks at each fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._arguments import child
from rsens._errors import Argument, InputError, MissingExtraError, RsensWarning, Sentence
from rsens._files import Checkpoint
from rsens._progress import Progress
from rsens._refits._pieces import Kept, run_pieces
from rsens._refits._rows import are_labels, take_rows
from rsens._threads import one_thread
from rsens._typing import Positions

Refit = Callable[[Any, Any], Any]

#: Errors that fitting or predicting may raise because of some rows; others end the run.
FAILURES = (ValueError, TypeError, ArithmeticError, LookupError, RuntimeError, AttributeError, AssertionError)
#: A step of the search that gains less than this ends it, in refits: at 1,000 rows it saves a fifth of the time against
#: 1e-5, and leaves R-sens the same to three digits.
QUICK_TOLERANCE = 1e-4
#: The most rows for the search of a sparse GP, in refits: with 8,760 rows it takes half of the time of 5,000.
QUICK_SEARCH_ROWS = 2_000


@dataclass(frozen=True)
class Fit:
    """fit(X, y, seed) -> fitted model. It is a class and not a closure, so that it can be sent to other processes."""

    estimator: Any
    refit: Refit | None = None
    silent: tuple[type[Warning], ...] | None = None  # warnings of folds that are not shown; None for `quiet`
    few_rows: bool = False  # whether a sparse GP learns from QUICK_SEARCH_ROWS at most

    def __call__(self, X: Any, y: Any, seed: np.random.SeedSequence) -> Any:
        if self.refit is not None:
            return self.refit(X, y)
        estimator = with_seed(self.estimator, seed)
        if self.few_rows and is_gp(estimator):
            estimator.search_rows = min(estimator.search_rows, QUICK_SEARCH_ROWS)
        return estimator.fit(X, y)

    def for_columns(self, X: Any, y: Any, origin: Sequence[int]) -> Fit:
        """How to fit to rows X with further columns, where column k is made, and taken, like column `origin[k]`."""
        from rsens.adapters import widened

        return self if self.refit is not None else replace(self, estimator=widened(self.estimator, X, y, origin))

    def quick(self) -> Fit:
        """How to fit quickly; see `quick`. A function of the user is not changed."""
        return self if self.refit is not None else Fit(quick(self.estimator), few_rows=True)


def with_seed(estimator: Any, seed: np.random.SeedSequence) -> Any:
    """A copy with a number for every random_state that is None, so that the same seed gives the same model."""
    from sklearn.base import clone

    copy = clone(estimator)
    params = copy.get_params(deep=True)
    unset = [name for name in sorted(params) if name.split("__")[-1] == "random_state" and params[name] is None]
    numbers = (int(word) & 0x7FFFFFFF for word in seed.generate_state(len(unset)))
    return copy.set_params(**dict(zip(unset, numbers, strict=True)))


def is_gp(estimator: Any) -> bool:
    """Whether the estimator is a Gaussian process of ours."""
    from rsens.models import GPClassifier, GPRegressor

    return isinstance(estimator, GPRegressor | GPClassifier)


def quick(estimator: Any) -> Any:
    """A copy that searches once, from its usual start: where the model ended, columns have already fitted the noise."""
    from sklearn.base import clone

    copy = clone(estimator)
    if is_gp(copy):
        return copy.set_params(n_restarts=0, tolerance=max(copy.tolerance, QUICK_TOLERANCE))
    restarts = [name for name in copy.get_params() if name.split("__")[-1] == "n_restarts_optimizer"]  # scikit-learn's
    return copy.set_params(**dict.fromkeys(restarts, 0))


def quiet() -> tuple[type[Warning], ...]:
    """Warnings that every refit would repeat after the fit to all rows."""
    from sklearn.exceptions import ConvergenceWarning

    return RsensWarning, ConvergenceWarning


def reason_of(error: BaseException) -> str:
    """The reason of an error, on one line; with the type of error unless the text is ours."""
    text = " ".join(str(error).split())
    name = type(error).__name__
    return text if isinstance(error, InputError | MissingExtraError) else f"{name}: {text}" if text else name


def check_refit(estimator: Any, refit: Any) -> None:
    """Either a function (X, y) -> fitted model, or an estimator that can be cloned and fitted."""
    if refit is not None:
        if not callable(refit):
            raise InputError(
                Argument("refit"), f" must be a function (X, y) -> fitted model; got {type(refit).__name__}."
            )
        return
    if isinstance(estimator, type):
        raise InputError(
            Argument("estimator"), f" is the class {estimator.__name__}; give an instance, {estimator.__name__}(…)."
        )
    if not (callable(getattr(estimator, "fit", None)) and callable(getattr(estimator, "get_params", None))):
        raise InputError(
            Argument("estimator"),
            f" must have fit and get_params; got {type(estimator).__name__}. Otherwise give a function "
            "(X, y) -> fitted model.",
        )


#: Purposes of random numbers; `LOOKS` is for looks.
SPLITS, FITS, LOOKS = range(3)
#: Positions of (training rows, held-out rows).
Splits = list[tuple[Positions, Positions]]
CV = Argument("cv")


class Look(Protocol):
    """Looks at a model that was fitted to some of the rows; `sees` is the type of its record, a dataclass."""

    sees: ClassVar[type]

    def __call__(self, model: Any, train: Positions, test: Positions, /) -> Any:
        """The record, or None."""


@dataclass(frozen=True)
class Failed:
    """Placeholder for a fold whose fit or look failed."""

    sentence: Sentence
    error: Exception | None = None

    def __reduce__(self) -> tuple[Any, ...]:  # not every error can be sent to another process
        return Failed, (self.sentence,)


def refit_folds(
    fit: Fit,
    X: Any,
    y: Any,
    rounds: Sequence[Splits],
    looks: Sequence[Look],
    *,
    n_jobs: int | None,
    seed: np.random.SeedSequence,
    progress: Progress,
    keep: Checkpoint | None = None,
    first_round: Callable[[list[list[Any]]], object] = lambda seen: None,
) -> list[list[list[Any]]]:
    """Fit to the training rows of every fold, and look: [look][round][fold], `Failed` where that was not possible.

    Every fold has its own seed, so neither `n_jobs` nor further rounds or looks change a record.
    """
    tasks = [(f"Fold {k} of {len(splits)}", *split) for splits in rounds for k, split in enumerate(splits, start=1)]
    ends = np.cumsum([0, *(len(splits) for splits in rounds)])
    waiting = True

    def of_round(seen: Sequence[list[Any]], number: int) -> list[list[Any]]:
        """The records of a round, [look][fold]."""
        of_folds = seen[ends[number] : ends[number + 1]]
        return [[fold[look] for fold in of_folds] for look in range(len(looks))]

    def tell_of_first_round(seen: list[Any]) -> None:
        nonlocal waiting
        if waiting and None not in seen[: ends[1]]:
            waiting = False
            first_round(of_round(seen, 0))

    seen = run_pieces(
        _refit,
        len(tasks),
        lambda number: (*tasks[number], child(seed, FITS, number + 1)),
        shared=(fit, X, y, looks),
        n_jobs=n_jobs,
        progress=progress,
        noun="refit",
        stage="folds",
        kept=None if keep is None else Kept(keep, "refit-fold", tuple(look.sees for look in looks), required=False),
        done=tell_of_first_round,
    )
    return [list(by_round) for by_round in zip(*(of_round(seen, number) for number in range(len(rounds))), strict=True)]


def succeeded(seen: Any) -> Any:
    """The record of a look; an `InputError` if it failed."""
    if isinstance(seen, Failed):
        raise InputError(seen.sentence) from seen.error
    return seen


def _refit(
    fit: Fit,
    X: Any,
    y: Any,
    looks: Sequence[Look],
    where: str,
    train: Positions,
    test: Positions,
    seed: np.random.SeedSequence,
) -> list[Any]:
    """Fit to the training rows, and look; `where` is the name of the fold."""

    def failed(error: Exception) -> Failed:
        reason = error.sentence if isinstance(error, InputError) else reason_of(error)
        return Failed(Sentence(f"{where} ({len(train)} training rows, {len(test)} held out) failed: ", reason), error)

    with one_thread(), warnings.catch_warnings():
        for category in quiet() if fit.silent is None else fit.silent:
            warnings.simplefilter("ignore", category)
        try:
            model = fit(take_rows(X, train), take_rows(y, train), seed)
        except FAILURES as error:
            return [failed(error)] * len(looks)
        seen: list[Any] = []
        for look in looks:
            try:
                seen.append(look(model, train, test))
            except FAILURES as error:
                seen.append(failed(error))
        return seen


def given_splits(cv: Any, X: Any, y: NDArray[Any], clusters: Positions | None = None) -> Splits | None:
    """The splits that `cv` gives, a splitter of scikit-learn or a list; None where it is a number of folds."""
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        return None
    if callable(getattr(cv, "split", None)) and not isinstance(cv, str):
        pairs = _from_splitter(cv, X, y, clusters)
    elif isinstance(cv, Iterable) and not isinstance(cv, str | bytes):
        pairs = list(cv)
    else:
        raise InputError(
            CV, f" must be a number of folds, a splitter of scikit-learn, or a list of (train, test); got {cv!r}."
        )
    if not pairs:
        raise InputError(CV, " gives no folds; at least one is needed.")
    splits = [_read_split(pair, len(y), number) for number, pair in enumerate(pairs, start=1)]
    if clusters is not None:
        _check_whole_clusters(splits, clusters)
    return splits


def stratified(estimator: Any, y: NDArray[Any]) -> bool:
    """Whether folds share the classes evenly: for classifiers, labels that are not numbers, and two values."""
    from sklearn.base import is_classifier

    known = callable(getattr(estimator, "get_params", None)) and is_classifier(estimator)
    return bool(known or are_labels(y) or len(np.unique(y)) == 2)


def rounds_of_folds(
    n_rounds: int,
    count: int,
    y: NDArray[Any],
    stratify: bool,
    seed: np.random.SeedSequence,
    clusters: Positions | None = None,
    rows: Positions | None = None,
) -> list[Splits]:
    """Rounds of `count` random folds (see `folds`). A further round does not change those before it."""
    seeds = [child(seed, SPLITS), *(child(seed, SPLITS, number) for number in range(1, n_rounds))]
    return [folds(count, y, stratify, np.random.default_rng(each), clusters, rows) for each in seeds]


def folds(
    count: int,
    y: NDArray[Any],
    stratify: bool,
    rng: np.random.Generator,
    clusters: Positions | None = None,
    rows: Positions | None = None,
) -> Splits:
    """Random folds; `stratify` gives all the same shares of classes, and the largest `clusters` are dealt out first."""
    n = len(y)
    sizes = np.ones(n, dtype=np.intp) if clusters is None else np.bincount(clusters)
    if not 2 <= count <= len(sizes):
        units = "rows of X" if clusters is None else "clusters"
        raise InputError(CV, f" must be a number of folds from 2 to the {len(sizes)} {units}; got {count}.")
    dealt = rng.permutation(len(sizes))
    fold = np.empty(len(sizes), dtype=np.intp)
    if clusters is None:
        rows = np.arange(n) if rows is None else rows
        if stratify:
            classes = pd.factorize(y[rows])[0]
            dealt = dealt[np.argsort(classes[dealt], kind="stable")]
        fold[rows[dealt]] = np.arange(n) % count
    else:
        filled = np.zeros(count, dtype=np.intp)
        for cluster in dealt[np.argsort(-sizes[dealt], kind="stable")]:
            fold[cluster] = filled.argmin()
            filled[fold[cluster]] += sizes[cluster]
        fold = fold[clusters]
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(count)]


def _from_splitter(splitter: Any, X: Any, y: NDArray[Any], clusters: Positions | None) -> list[Any]:
    with warnings.catch_warnings():
        # KFold and the like warn that they take no notice of groups. If they divide a cluster, that is our error.
        warnings.filterwarnings("ignore", "The groups parameter is ignored")
        try:
            return list(splitter.split(X, y) if clusters is None else splitter.split(X, y, clusters))
        except ValueError as error:
            without = " It may need clusters." if clusters is None else ""
            raise InputError(CV, f": {type(splitter).__name__} cannot split these rows ({error}).{without}") from error


def _check_whole_clusters(splits: Splits, clusters: Positions) -> None:
    for number, (train, test) in enumerate(splits, start=1):
        divided = np.isin(clusters[test], clusters[train])
        if divided.any():
            raise InputError(
                CV,
                f": fold {number} holds row {test[divided.argmax()]} out and trains on other rows of its cluster. Give "
                "a number of folds, or folds of whole clusters, as GroupKFold makes them.",
            )


def _read_split(pair: Any, n: int, number: int) -> tuple[Positions, Positions]:
    try:
        train, test = (np.asarray(part) for part in pair)
    except (TypeError, ValueError):
        raise InputError(
            CV, f": fold {number} must be a pair (train, test) of row positions; got {pair!r:.80}."
        ) from None
    parts = []
    for name, part in (("training", train), ("held-out", test)):
        if part.dtype == bool and part.shape == (n,):
            part = np.flatnonzero(part)
        if part.ndim != 1 or part.dtype.kind not in "iu" or not len(part) or part.min() < 0 or part.max() >= n:
            raise InputError(CV, f": fold {number} needs {name} rows, positions from 0 to {n - 1}; got {part!r:.80}.")
        parts.append(part.astype(np.intp))
    both = np.intersect1d(parts[0], parts[1])
    if len(both):
        raise InputError(CV, f": fold {number} both trains on row {both[0]} and holds it out. Do one of the two.")
    return parts[0], parts[1]
