"""PyMC's likelihoods as our families: λ written in the parameters that PyMC's random variables hold.

These differ from the arguments that people write: Gamma holds (shape, scale), Exponential a scale, NegativeBinomial
(n, p).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rsens import distributions
from rsens._errors import InputError
from rsens.distributions import Distribution

#: The fields of our family from the parameters of the random variable, in its own order. Only arithmetic is done.
FIELDS: dict[str, tuple[type[Distribution], Callable[..., dict[str, Any]]]] = {
    "NormalRV": (distributions.Normal, lambda mu, sigma: {"mean": mu, "variance": sigma**2}),
    "StudentTRV": (
        distributions.StudentT,
        lambda nu, mu, sigma: {"location": mu, "scale2": sigma**2, "df": nu},
    ),
    "CauchyRV": (distributions.StudentT, lambda mu, scale: {"location": mu, "scale2": scale**2, "df": 1.0}),
    "LogNormalRV": (distributions.LogNormal, lambda mu, sigma: {"mu": mu, "sigma2": sigma**2}),
    "GammaRV": (distributions.Gamma, lambda shape, scale: {"mean": shape * scale, "shape": shape}),
    "ExponentialRV": (distributions.Exponential, lambda scale: {"mean": scale}),
    "BetaRV": (distributions.Beta, lambda a, b: {"a": a, "b": b}),
    "WeibullBetaRV": (distributions.Weibull, lambda shape, scale: {"shape": shape, "scale": scale}),
    "WeibullRV": (distributions.Weibull, lambda shape, scale: {"shape": shape, "scale": scale}),
    "BernoulliRV": (distributions.Bernoulli, lambda p: {"probability": p}),
    "BinomialRV": (distributions.Binomial, lambda n, p: {"n": n, "probability": p}),
    "CategoricalRV": (distributions.Categorical, lambda p: {"probabilities": p}),
    "PoissonRV": (distributions.Poisson, lambda rate: {"rate": rate}),
    "NegBinomialRV": (distributions.NegativeBinomial, lambda n, p: {"mean": n * (1.0 - p) / p, "size": n}),
}


def family_of(variable: Any) -> tuple[type[Distribution], dict[str, Any]]:
    """Our family of an observed variable, and its fields as graphs."""
    op = variable.owner.op
    name = type(op).__name__
    if name not in FIELDS:
        known = ", ".join(sorted({key.removesuffix("RV").removesuffix("Beta") or "Beta" for key in FIELDS}))
        raise InputError(
            f"the likelihood of {variable.name!r} is a {name.removesuffix('RV')} of PyMC, which is none of rsens' "
            f"families (known: {known}). Zero-inflated, truncated, censored and custom likelihoods are not. Write the "
            "prediction of one draw as a function that returns a family: from_draws(fn, draws)."
        )
    family, fields = FIELDS[name]
    return family, fields(*op.dist_params(variable.owner))
