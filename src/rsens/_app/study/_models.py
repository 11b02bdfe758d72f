"""The model that suits a target, and how many rows it is quick with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rsens._app.tables import Choice, Note
from rsens._arguments import one_of, whole_number
from rsens._errors import InputError
from rsens.models import (
    BayesianLinearRegression,
    BayesianPoissonRegression,
    BayesianProbitRegression,
    GPClassifier,
    GPRegressor,
)

#: The most rows of an exact Gaussian process. There are about ten fits, each of 2 to 3 s on one core with so many rows,
#: and of 15 s with twice as many.
EXACT_ROWS = 1_000
#: The most rows of models whose cost grows with the number of rows, not with its cube.
CHEAP_ROWS = 20_000
KINDS = ("gp", "linear")
#: The reason of a likelihood that nobody had to choose.
AS_ASKED = "as asked for"


def check_model(model: Any, inducing: Any) -> None:
    """An `InputError` unless the two name a model."""
    one_of(model, "model", KINDS)
    if inducing is not None:
        whole_number(inducing, "inducing", 1)
        if model == "linear":
            raise InputError("inducing inputs are those of a Gaussian process; a linear model has none. Leave it out.")


def row_limit(model: str, choice: Choice, inducing: int | None) -> int:
    """How many rows a model is fitted to unless the user says so: N of one Gaussian process, N/K^⅓ of K of them."""
    if model == "linear" or inducing is not None:
        return CHEAP_ROWS
    classes = len(choice.classes or ())
    return round(EXACT_ROWS / (classes if classes > 2 else 1) ** (1 / 3))


def model_of(kind: str, choice: Choice, inducing: int | None, seed: int) -> tuple[Any, Choice, list[Note]]:
    """The estimator, not fitted, the likelihood that it has, and what is to be said about it.

    The search for the hyperparameters of a Gaussian process starts once: on real tables, further starts have found
    nothing better, and it is repeated in every fold and for every probe.
    """
    if kind == "linear":
        return _linear(choice)
    if choice.kind == "classification":
        return GPClassifier(n_restarts=0, inducing=inducing, random_state=seed), choice, []
    return GPRegressor(likelihood=choice.kind, n_restarts=0, inducing=inducing, random_state=seed), choice, []


def _linear(choice: Choice) -> tuple[Any, Choice, list[Note]]:
    if choice.kind == "classification":
        return BayesianProbitRegression(), choice, []
    if choice.kind == "poisson":
        return BayesianPoissonRegression(), choice, []
    if choice.kind == "gaussian":
        # The weak prior, one pseudo-row, keeps collinear columns from being an error.
        return BayesianLinearRegression(prior_precision=1.0, standardize=True), choice, []
    if choice.kind == "student_t" or choice.reason == AS_ASKED:
        name = choice.kind.replace("_", " ")
        raise InputError(f"a linear model has no {name} likelihood. Choose another one, or model 'gp'.")
    text = (
        "The linear model of counts is Poisson, and these vary more: its intervals may be too narrow. A Gaussian "
        "process (model 'gp') can be negative binomial."
    )
    return BayesianPoissonRegression(), replace(choice, kind="poisson"), [Note("model", (), text)]


def n_inducing(model: Any) -> int | None:
    """How many inducing inputs a fitted Gaussian process has, or one that is not fitted will have; None if exact."""
    if not hasattr(model, "inducing_inputs_"):
        return getattr(model, "inducing", None)
    inputs = model.inducing_inputs_
    each = inputs if isinstance(inputs, tuple) else (inputs,)
    return max((len(one) for one in each if one is not None), default=None)


def name_of(model: Any) -> str:
    """What a model is called at the beginning of a sentence."""
    kind = type(model).__name__
    if kind.startswith("GP"):
        return "Gaussian process" if n_inducing(model) is None else "Sparse Gaussian process"
    return "Bayesian linear model" if kind == "BayesianLinearRegression" else "Bayesian generalised linear model"
