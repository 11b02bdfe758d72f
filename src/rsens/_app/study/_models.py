"""The model that suits a target, and how many rows it can handle quickly."""

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

#: The most rows of an exact Gaussian process. A study makes about ten fits. With this many rows, each takes 2 to 3 s on
#: one core; with twice as many, 15 s.
EXACT_ROWS = 1_000
#: The most rows of models whose cost grows with the number of rows, not with its cube.
CHEAP_ROWS = 20_000
#: The linear models, by likelihood. The weak prior, one pseudo-row, keeps collinear columns from being an error.
LINEAR: dict[str, Callable[[], Any]] = {
    "gaussian": partial(BayesianLinearRegression, prior_precision=1.0, standardize=True),
    "poisson": BayesianPoissonRegression,
    CLASSES: BayesianProbitRegression,
}


def row_limit(settings: Settings, choice: Choice) -> int:
    """How many rows a model is fitted to by default: N for one Gaussian process, N/K^⅓ for K of them."""
    if settings.model == "linear" or settings.inducing is not None:
        return CHEAP_ROWS
    classes = len(choice.classes or ())
    return round(EXACT_ROWS / (classes if classes > 2 else 1) ** (1 / 3))


def model_for(settings: Settings, choice: Choice) -> tuple[Any, Choice, list[Note]]:
    """The estimator, not fitted, the likelihood that it has, and notes on it.

    The search for the hyperparameters of a Gaussian process starts once: on real tables further starts found nothing
    better, and the search is repeated in every fold and for every probe.
    """
    if settings.model == "linear":
        return _linear(choice)
    options: dict[str, Any] = {"n_restarts": 0, "inducing": settings.inducing, "random_state": settings.seed}
    if choice.kind == CLASSES:
        return GPClassifier(**options), choice, []
    return GPRegressor(likelihood=choice.kind, **options), choice, []


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
    text = f"There are many rows, so the Gaussian process is built on {n_inducing:,} of them (inducing inputs)."
    return [Note("model", (), text)]


def name_of(model: Any) -> str:
    """What a model is called at the beginning of a sentence."""
    return str(model.description)
