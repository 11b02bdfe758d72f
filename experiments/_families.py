"""The models of Section 3.1 with other predictive distributions, built from the same f(x) and V(x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from experiments._simulated import NOISE, Simulated
from rsens._typing import Array
from rsens.derivatives import Derivatives, Model, chain_rule
from rsens.distributions import Distribution, Normal, StudentT
from rsens.likelihoods import LogitLikelihood

FAMILIES = ("normal", "student_t", "logit")
DF = 4.0  # degrees of freedom of the Student-t family
SPAN = 2.0  # standard deviation of the latent mean of the logit family: probabilities mostly between 0.02 and 0.98
LOGIT = LogitLikelihood()


@dataclass(frozen=True, eq=False)
class InFamily(Model):
    """Normal(m, V), StudentT(m, V, 4), or Bernoulli(E[σ(z)]) with z ~ N(m, V), where m(x) = scale · f(x)."""

    family: str
    simulated: Simulated
    scale: float = 1.0

    def predict_distribution(self, X: Any) -> Distribution:
        return self._predictive(self.scale * self.simulated.f(X), self.simulated.variance(X))

    def derivatives(self, X: Any, order: int) -> Derivatives:
        record = self.simulated.derivatives(X, order)
        m, V = self.scale * record.distribution.mean, record.distribution.variance
        first = np.array([[self.scale], [1.0]]) * record.first
        if self.family == "logit":
            first, _ = chain_rule(first, None, LOGIT.predictive_derivatives(m, V, 1)[0])
        return Derivatives(self._predictive(m, V), first, None)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return 10**4

    def _predictive(self, m: Array, V: Array) -> Distribution:
        if self.family == "normal":
            return Normal(m, V)
        return StudentT(m, V, DF) if self.family == "student_t" else LOGIT.predictive(m, V)


def in_family(family: str, simulated: Simulated, X: Array, rng: np.random.Generator) -> tuple[InFamily, Array]:
    """The model, and targets y for permutation importance: f plus noise from the family, or draws of 0 and 1."""
    f = simulated.f(X)
    sd = f.std(ddof=1)
    if family == "logit":
        model = InFamily(family, simulated, SPAN / sd)
        return model, (rng.random(len(f)) < expit(model.scale * f)).astype(float)
    noise = rng.standard_normal(len(f)) if family == "normal" else rng.standard_t(DF, len(f))
    return InFamily(family, simulated), f + NOISE * sd * noise
