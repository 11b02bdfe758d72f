"""Models fitted again to all rows but a fold, for every fold, with looks at each fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._arguments import child
from rsens._errors import Argument, InputError, Sentence
from rsens._files import Checkpoint
from rsens._progress import Progress
from rsens._refits._fit import FAILURES, Fit, quietly, reason_of
from rsens._refits._pieces import Kept, run_pieces
from rsens._refits._rows import are_labels, take_rows
from rsens._typing import Positions

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

    def by_look(seen: Sequence[list[Any]], number: int) -> list[list[Any]]:
        """The records of a round, [look][fold]."""
        return [[fold[look] for fold in seen[ends[number] : ends[number + 1]]] for look in range(len(looks))]

    def done(seen: list[Any]) -> None:
        nonlocal waiting
        if waiting and None not in seen[: ends[1]]:
            waiting = False
            first_round(by_look(seen, 0))

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
        done=done,
    )
    return [list(of_look) for of_look in zip(*(by_look(seen, k) for k in range(len(rounds))), strict=True)]


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

    with quietly(fit.silent):
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
    from sklearn.model_selection import check_cv

    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        return None
    needed = "Give a number of folds, a splitter of scikit-learn, or a list of (train, test), positions of rows."
    try:
        with warnings.catch_warnings():  # of splitters that take no notice of clusters
            warnings.filterwarnings("ignore", "The groups parameter is ignored")
            pairs = check_cv(cv).split(X, y, clusters)
            splits = [(_positions(train, len(y)), _positions(test, len(y))) for train, test in pairs]
    except (TypeError, ValueError) as error:
        raise InputError(CV, f" cannot split these rows ({error}); got {cv!r:.80}. {needed}") from error
    if not splits:
        raise InputError(CV, f" gives no folds. {needed}")
    for number, (train, test) in enumerate(splits, start=1):
        if (both := np.isin(test, train)).any():
            row = test[both.argmax()]
            raise InputError(CV, f": fold {number} both trains on row {row} and holds it out. Do one of the two.")
        if clusters is not None and (divided := np.isin(clusters[test], clusters[train])).any():
            raise InputError(
                CV,
                f": fold {number} holds row {test[divided.argmax()]} out and trains on other rows of its cluster. Give "
                "a number of folds, or folds of whole clusters, as GroupKFold makes them.",
            )
    return splits


def _positions(rows: Any, n: int) -> Positions:
    """Positions of rows, which may be given as a mask."""
    part = np.asarray(rows)
    if part.dtype == bool and part.shape == (n,):
        part = np.flatnonzero(part)
    if part.ndim != 1 or part.dtype.kind not in "iu" or not len(part) or part.min() < 0 or part.max() >= n:
        raise ValueError(f"each side of a fold needs positions from 0 to {n - 1}")
    return part.astype(np.intp)


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
    seeds = [child(seed, SPLITS, *([number] if number else [])) for number in range(n_rounds)]
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
