"""The families in 60 digits, one row at a time.

Each class takes the constructor arguments of the family of the same name as floats and turns them into the exact real
numbers they stand for. Divergences are in exact_renyi.py.
"""

from __future__ import annotations

from typing import Any

from tests.distributions.exact_base import Exact
from tests.distributions.exact_continuous import (
    Beta,
    Exponential,
    Gamma,
    LogNormal,
    MultivariateNormal,
    Normal,
    StudentT,
    Weibull,
)
from tests.distributions.exact_discrete import Bernoulli, Binomial, Categorical, NegativeBinomial, Poisson
from tests.distributions.precision import exact, mp


class Mixture(Exact):
    """Components of one family, with fixed weights; λ stacks the components' λ, component by component."""

    def __init__(self, components: list[Exact], weights: list[float]) -> None:
        self.components, self.weights = components, [exact(w) for w in weights]
        self.support = components[0].support
        self.parameters = tuple(f"{name}_{s}" for s, c in enumerate(components) for name in c.parameters)

    def log_prob(self, y: Any) -> Any:
        terms = [mp.log(w) + c.log_prob(y) for w, c in zip(self.weights, self.components, strict=True) if w > 0]
        peak = max(terms, key=mp.re)
        return peak if mp.isinf(peak) else peak + mp.log(mp.fsum(mp.exp(t - peak) for t in terms))

    def score(self, y: Any) -> list[Any]:
        total = self.log_prob(y)
        shares = [w * mp.exp(c.log_prob(y) - total) for w, c in zip(self.weights, self.components, strict=True)]
        return [r * s for r, c in zip(shares, self.components, strict=True) for s in c.score(y)]

    def where(self) -> list[Any]:
        return sorted({y for c in self.components for y in c.where()})


FAMILIES: dict[str, type[Exact]] = {
    family.__name__: family
    for family in (
        Normal, StudentT, LogNormal, Gamma, Exponential, Beta, Weibull, Bernoulli, Binomial, Categorical, Poisson,
        NegativeBinomial, MultivariateNormal, Mixture,
    )
}  # fmt: skip
