"""bambi's families as ours, from the draws of their parameters that `Model.predict` returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rsens._errors import InputError
from rsens.adapters._bambi_columns import response_term
from rsens.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    Distribution,
    Exponential,
    Gamma,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
)

#: By the name of bambi's family; arguments are its parameters by name.
FAMILIES: dict[str, Callable[..., Distribution]] = {
    "gaussian": lambda mu, sigma: Normal(mu, sigma**2),
    "t": lambda mu, sigma, nu: StudentT(mu, sigma**2, nu),
    "bernoulli": lambda p: Bernoulli(p),
    "categorical": lambda p: Categorical(p),
    "poisson": lambda mu: Poisson(mu),
    "negativebinomial": lambda mu, alpha: NegativeBinomial(mu, alpha),
    "gamma": lambda mu, alpha: Gamma(mu, alpha),
    "exponential": lambda mu: Exponential(mu),
    "beta": lambda mu, kappa: Beta(mu * kappa, (1.0 - mu) * kappa),
}


def family_named(model: Any) -> Callable[..., Distribution]:
    """How to build our family from the parameters of a bambi model's family."""
    name = model.family.name
    if name not in FAMILIES:
        raise InputError(
            f"the family {name!r} of bambi is none of rsens' families; known are {', '.join(map(repr, FAMILIES))}. "
            "Write the prediction of one draw as a function: from_draws(fn, draws)."
        )
    response = response_term(model)
    for kind in ("censored", "truncated"):
        if getattr(response, f"is_{kind}", False):
            raise InputError(
                f"the response of the model is {kind}, so its family is not that of an observation. Write the "
                "prediction of one draw as a function: from_draws(fn, draws)."
            )
    return FAMILIES[name]
