"""Random functions that return every family, with parameters up to the ends of what float64 can hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rsens
from fuzz._tables import FuzzTable, Rng


def _numpy() -> Any:
    return np


def _jax() -> Any:
    import jax.numpy

    return jax.numpy


def _torch() -> Any:
    import torch

    return torch


LIBRARIES: dict[str, Callable[[], Any]] = {"numpy": _numpy, "jax": _jax, "torch": _torch}


def _families(xp: Any, steep: float, large: float) -> dict[str, Callable[[Any], Any]]:
    """Families of a score f(x): `steep` drives probabilities to their ends, `large` sets the scale of the rest."""

    def positive(f: Any) -> Any:
        return large * xp.exp(xp.tanh(f))

    def probability(f: Any) -> Any:
        return 0.5 * (1.0 + xp.tanh(steep * f))

    def classes(f: Any) -> Any:
        first = probability(f)
        return xp.stack([0.5 * first, 0.5 * first, 1.0 - first], -1)

    return {
        "Normal": lambda f: rsens.Normal(large * f, positive(f)),
        "Normal, constant variance": lambda f: rsens.Normal(large * f, positive(0.0 * f)),
        "StudentT": lambda f: rsens.StudentT(large * f, positive(f), 4.0),
        "LogNormal": lambda f: rsens.LogNormal(steep * f, positive(f)),
        "Gamma": lambda f: rsens.Gamma(positive(f), positive(-f)),
        "Exponential": lambda f: rsens.Exponential(positive(f)),
        "Beta": lambda f: rsens.Beta(positive(f), positive(-f)),
        "Weibull": lambda f: rsens.Weibull(positive(f), positive(-f)),
        "Bernoulli": lambda f: rsens.Bernoulli(probability(f)),
        "Bernoulli, logit": lambda f: rsens.Bernoulli(logit=steep * f),
        "Binomial": lambda f: rsens.Binomial(7, probability(f)),
        "Categorical": lambda f: rsens.Categorical(classes(f)),
        "Poisson": lambda f: rsens.Poisson(positive(f)),
        "NegativeBinomial": lambda f: rsens.NegativeBinomial(positive(f), positive(-f)),
        "Mixture": lambda f: rsens.Mixture(
            [rsens.Normal(large * f, positive(f)), rsens.Normal(-large * f, positive(-f))], [0.3, 0.7]
        ),
    }


def random_function(rng: Rng, table: FuzzTable, library: str = "numpy") -> Any:
    """A model from a function of rows: a smooth score, and a family of it."""
    xp = LIBRARIES[library]()
    of_score = _random_family(rng, xp)
    weights = rng.normal(size=len(table.kinds)) * 10.0 ** rng.uniform(-2, 2)
    shape = ("linear", "sine", "square", "flat")[rng.integers(4)]

    def function(X: Any) -> Any:
        with np.errstate(all="ignore"):  # overflow of a user's function is the user's affair
            return of_score(_score(xp, X @ _as(xp, weights), shape))

    wrap = {"numpy": rsens.from_function, "jax": rsens.from_jax, "torch": rsens.from_torch}[library]
    return wrap(function)


def random_draws(rng: Rng, table: FuzzTable) -> Any:
    """A model from draws of the weights of such a function."""
    of_score = _random_family(rng, np)
    draws = rng.normal(size=(int(rng.integers(1, 6)), len(table.kinds))) * 10.0 ** rng.uniform(-3, 3)

    def function(parameters: Any, X: Any) -> Any:
        with np.errstate(all="ignore"):
            return of_score(_score(np, X @ parameters["w"], "linear"))

    return rsens.from_draws(function, {"w": draws})


def _random_family(rng: Rng, xp: Any) -> Callable[[Any], Any]:
    steep = 10.0 ** rng.uniform(-2, 3)
    large = 1.0 if rng.random() < 0.4 else 10.0 ** rng.uniform(-12, 12)
    families = _families(xp, steep, large)
    return families[str(rng.choice(list(families)))]


def _score(xp: Any, s: Any, shape: str) -> Any:
    match shape:
        case "sine":
            return xp.sin(s)
        case "square":
            return xp.tanh(s * s)
        case "flat":
            return 0.0 * s
    return s


def _as(xp: Any, values: np.ndarray) -> Any:
    return xp.tensor(values) if xp.__name__ == "torch" else xp.asarray(values)
