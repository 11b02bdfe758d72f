"""A model fitted again: the only place where `explain` and the checks of a model fit one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError, MissingExtraError, RsensWarning
from rsens._threads import one_thread

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
    """fit(X, y, seed) -> fitted model; a class and not a closure, so that it can be sent to other processes.

    Every refit of `explain`, `assess` and `stability` is a call of this. A cluster or a time per row, which some
    estimators fit to, belongs here.
    """

    estimator: Any
    refit: Refit | None = None
    silent: tuple[type[Warning], ...] | None = None  # warnings of folds that are not shown; None: see `quietly`
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


@contextmanager
def quietly(silent: tuple[type[Warning], ...] | None = None) -> Iterator[None]:
    """One thread, and no `silent` warnings: by default those that every refit would repeat."""
    from sklearn.exceptions import ConvergenceWarning

    with one_thread(), warnings.catch_warnings():
        for category in (RsensWarning, ConvergenceWarning) if silent is None else silent:
            warnings.simplefilter("ignore", category)
        yield


def reason_of(error: BaseException) -> str:
    """The reason of an error, on one line; with the type of error unless the text is ours."""
    text = " ".join(str(error).split())
    name = type(error).__name__
    return text if isinstance(error, InputError | MissingExtraError) else f"{name}: {text}" if text else name


def check_refit(estimator: Any, refit: Any) -> None:
    """Either a function (X, y) -> fitted model, or an estimator that can be cloned and fitted."""
    if refit is not None:
        if not callable(refit):
            got = type(refit).__name__
            raise InputError(Argument("refit"), f" must be a function (X, y) -> fitted model; got {got}.")
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
