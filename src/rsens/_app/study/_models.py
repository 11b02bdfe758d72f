"""The model that suits a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from rsens._app.study._settings import Settings
from rsens._app.tables import AS_ASKED as AS_ASKED
from rsens._app.tables import CLASSES, Choice, Note
from rsens._errors import Argument, InputError, Sentence
from rsens.likelihoods import target_of
from rsens.models import (
    BayesianLinearRegression,
    BayesianPoissonRegression,
    BayesianProbitRegression,
    GPClassifier,
    GPRegressor,
)

#: The most rows of an exact Gaussian process. A study makes about 25 fits. With this many rows, each takes a second on
#: one core; with twice as many, four to eight.
EXACT_ROWS = 1_000
#: Above, it is built on so many rows, the inducing inputs, and all rows enter: the work grows with their number, not
#: with its cube.
INDUCING = 300
#: The linear models, by likelihood. The weak prior, one pseudo-row, keeps collinear columns from being an error.
LINEAR: dict[str, Callable[[], Any]] = {
    "gaussian": partial(BayesianLinearRegression, prior_precision=1.0, standardize=True),
    "poisson": BayesianPoissonRegression,
    CLASSES: BayesianProbitRegression,
}


def model_for(settings: Settings, choice: Choice, n_rows: int) -> tuple[Any, Choice, list[Note]]:
    """The estimator, not fitted, the likelihood that it has, and notes on it.

    A Gaussian process is exact while that is quick, and has inducing inputs above.

    The search for the hyperparameters of a Gaussian process starts once: on real tables further starts found nothing
    better, and the search is repeated in every fold and for every probe.
    """
    if settings.model == "linear":
        return _linear(choice)
    options: dict[str, Any] = {
        "n_restarts": 0,
        "inducing": _inducing(choice, n_rows) if settings.inducing is None else settings.inducing,
        "random_state": settings.seed,
    }
    if choice.kind == CLASSES:
        return GPClassifier(**options), choice, []
    return GPRegressor(likelihood=choice.kind, **options), choice, []


def _inducing(choice: Choice, n_rows: int) -> int | None:
    """None for the exact Gaussian process. More than two classes take one for each, and all share the time."""
    n_processes = len(choice.classes or ()) if len(choice.classes or ()) > 2 else 1
    return None if n_processes * n_rows**3 <= EXACT_ROWS**3 else INDUCING


def _linear(choice: Choice) -> tuple[Any, Choice, list[Note]]:
    if choice.kind in LINEAR:
        return LINEAR[choice.kind](), choice, []
    if target_of(choice.kind) != "counts" or choice.reason == AS_ASKED:
        raise InputError(
            f"a linear model has no {choice.kind.replace('_', ' ')} likelihood. Choose another ",
            Argument("likelihood"),
            ", or use ",
            Argument("model", "gp"),
            ".",
        )
    text = Sentence(
        "The linear model of counts is Poisson, and these vary more: its intervals may be too narrow. A Gaussian "
        "process (",
        Argument("model", "gp"),
        ") can be negative binomial.",
    )
    return LINEAR["poisson"](), replace(choice, kind="poisson"), [Note("model", (), text)]


def notes_on_fit(model: Any, settings: Settings) -> list[Note]:
    """What the fit did that nobody asked for."""
    n_inducing = getattr(model, "n_inducing", None)  # only Gaussian processes have inducing inputs
    if n_inducing is None or settings.inducing is not None:
        return []
    text = f"There are many rows, so the Gaussian process is built on {n_inducing:,} of them (inducing inputs)"
    check = model.inducing_check()
    if check is None or check.passed:
        return [Note("model", (), f"{text}." if check is None else f"{text}: {check}")]
    return [Note("model", (), f"{text}."), Note("warning", (), check.advice)]


def name_of(model: Any) -> str:
    """What a model is called at the beginning of a sentence."""
    return str(model.description)
