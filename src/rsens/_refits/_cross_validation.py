"""Cross-validation: a model fitted to all rows but a fold, again for every fold, and what is seen of each fit.

One set of refits can serve several purposes. A look is a function (model, training rows, held-out rows) -> what it
sees, with rows as positions in X; `refit_folds` takes any number of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from rsens._arguments import child
from rsens._errors import InputError, Sentence
from rsens._files import Checkpoint
from rsens._progress import Progress
from rsens._refits._fit import FAILURES, Fit, quiet, reason_of
from rsens._refits._pieces import Kept, run_pieces
from rsens._refits._rows import are_labels, take_rows
from rsens._refits._splits import Splits, folds
from rsens._threads import one_thread
from rsens._typing import Positions

#: What random numbers are for; those of looks are their own affair, as long as they have their own child.
SPLITS, FITS, LOOKS = range(3)


class Look(Protocol):
    """Looks at a model that was fitted to some of the rows; `sees` is the type of what it sees, a dataclass."""

    sees: ClassVar[type]

    def __call__(self, model: Any, train: Positions, test: Positions, /) -> Any:
        """What is seen, or None."""


@dataclass(frozen=True)
class Failed:
    """What stands in the place of what was to be seen, where the fit or the look failed."""

    sentence: Sentence
    error: Exception | None = None

    def __reduce__(self) -> tuple[Any, ...]:  # not every error can be sent to another process
        return Failed, (self.sentence,)


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
    """Rounds of `count` random folds (see `folds`). A further round leaves those before it as they are."""
    seeds = [child(seed, SPLITS), *(child(seed, SPLITS, number) for number in range(1, n_rounds))]
    return [folds(count, y, stratify, np.random.default_rng(each), clusters, rows) for each in seeds]


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
    silent: Sequence[type[Warning]] | None = None,
) -> list[list[list[Any]]]:
    """Fit to the training rows of every fold, and look: [look][round][fold], `Failed` where that was not possible.

    Every fold has a seed of its own, so neither `n_jobs` nor further rounds or looks change what is seen. What is seen
    of each fit is kept in `keep`, and read from there. `first_round` is called with [look][fold] as soon as the first
    round is there. `silent` are the warnings that are not passed on; None: those that were given when the model was
    fitted to all rows.
    """
    tasks = [(k, len(splits), *split) for splits in rounds for k, split in enumerate(splits, start=1)]
    waiting = True

    def of_each_look(seen: Sequence[list[Any]]) -> list[list[Any]]:
        return [[fold[number] for fold in seen] for number in range(len(looks))]

    def tell_of_first_round(seen: list[Any]) -> None:
        nonlocal waiting
        first = seen[: len(rounds[0])]
        if waiting and None not in first:
            waiting = False
            first_round(of_each_look(first))

    def arguments(number: int) -> Sequence[Any]:
        return *tasks[number], child(seed, FITS, number + 1)

    seen = run_pieces(
        _refit_fold,
        len(tasks),
        arguments,
        shared=(fit, X, y, looks, quiet() if silent is None else silent),
        n_jobs=n_jobs,
        progress=progress,
        noun="refit",
        stage="folds",
        kept=None if keep is None else Kept(keep, "refit-fold", tuple(look.sees for look in looks), required=False),
        done=tell_of_first_round,
    )
    ends = np.cumsum([len(splits) for splits in rounds])
    by_round = [of_each_look(seen[end - len(splits) : end]) for end, splits in zip(ends, rounds, strict=True)]
    return [[part[number] for part in by_round] for number in range(len(looks))]


def succeeded(seen: Any) -> Any:
    """What was seen; an `InputError` if that failed."""
    if isinstance(seen, Failed):
        raise InputError(seen.sentence) from seen.error
    return seen


def _refit_fold(
    fit: Fit,
    X: Any,
    y: Any,
    looks: Sequence[Look],
    silent: Sequence[type[Warning]],
    fold: int,
    n_folds: int,
    train: Positions,
    test: Positions,
    seed: np.random.SeedSequence,
) -> list[Any]:
    def failed(error: Exception) -> Failed:
        where = f"Fold {fold} of {n_folds} ({len(train)} training rows, {len(test)} held out)"
        reason = error.sentence if isinstance(error, InputError) else reason_of(error)
        return Failed(Sentence(f"{where} failed: ", reason), error)

    with one_thread(), warnings.catch_warnings():
        for category in silent:
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
