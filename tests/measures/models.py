"""Models written out by hand, one for every family: each λ is a smooth function of a quadratic surface in x.

Values and derivatives are closed forms, so that laws are tested without the error of a derivative source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsens import distributions as ds
from rsens._typing import Array
from rsens.derivatives import Derivatives, Model
from rsens.distributions import Distribution

Jet = tuple[Array, Array, Array]  # value (n,), gradient (n, D), Hessian (n, D, D)

D = 3


@dataclass(frozen=True, eq=False)
class Surface:
    """a + bᵀx + ½ xᵀCx, then a function of it given by its value and two derivatives."""

    a: float
    b: Array
    c: Array
    link: Callable[[Array], tuple[Array, Array, Array]]

    def jet(self, x: Array) -> Jet:
        s = self.a + x @ self.b + 0.5 * np.einsum("nd,de,ne->n", x, self.c, x)
        slope = self.b + x @ self.c
        h, h1, h2 = self.link(s)
        first = h1[:, None] * slope
        second = h2[:, None, None] * slope[:, :, None] * slope[:, None, :] + h1[:, None, None] * self.c
        return h, first, second

    def through(self, matrix: Array) -> Surface:
        """The same surface in other inputs z, where x = matrix z."""
        return replace(self, b=matrix.T @ self.b, c=matrix.T @ self.c @ matrix)


def identity(s: Array) -> tuple[Array, Array, Array]:
    return s, np.ones_like(s), np.zeros_like(s)


def exponential(s: Array) -> tuple[Array, Array, Array]:
    return np.exp(s), np.exp(s), np.exp(s)


def logistic(s: Array) -> tuple[Array, Array, Array]:
    p = 1 / (1 + np.exp(-s))
    return p, p * (1 - p), p * (1 - p) * (1 - 2 * p)


def constant(s: Array) -> tuple[Array, Array, Array]:
    return np.full_like(s, 1.3), np.zeros_like(s), np.zeros_like(s)


@dataclass(frozen=True, eq=False)
class Written(Model):
    """A model from surfaces and what is built from their values; `rows` rows at once."""

    surfaces: Sequence[Surface]
    build: Callable[..., Distribution]
    arrange: Callable[[list[Array]], list[Array]] = list  # the surfaces' jets as columns of λ
    rows: int = 10**6

    def derivatives(self, X: Any, order: int) -> Derivatives:
        values, first, second = zip(*(s.jet(np.asarray(X, dtype=float)) for s in self.surfaces), strict=True)
        columns = np.stack(self.arrange(list(first)), axis=1)
        curves = np.stack(self.arrange(list(second)), axis=1) if order == 2 else None
        return Derivatives(self.build(*values), columns, curves)

    def predict_distribution(self, X: Any) -> Distribution:
        return self.build(*(s.jet(np.asarray(X, dtype=float))[0] for s in self.surfaces))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return self.rows

    def through(self, matrix: Array) -> Written:
        return replace(self, surfaces=[s.through(matrix) for s in self.surfaces])


def surface(seed: int, link: Callable[[Array], tuple[Array, Array, Array]] = identity, size: float = 1.0) -> Surface:
    rng = np.random.default_rng(seed)
    c = rng.normal(size=(D, D)) * 0.3 * size
    return Surface(0.2 * rng.normal(), 0.6 * size * rng.normal(size=D), c + c.T, link)


def _mvn(m0: Array, m1: Array, a: Array, b: Array, c: Array) -> Distribution:
    covariance = np.stack([np.stack([1.0 + a, 0.3 * c], -1), np.stack([0.3 * c, 1.0 + b], -1)], -1)
    return ds.MultivariateNormal(np.stack([m0, m1], -1), covariance)


def _thirds(p: Array, q: Array) -> Array:
    return np.stack([0.5 * p, 0.5 * q, 1 - 0.5 * p - 0.5 * q], -1)


def _third_columns(jets: list[Array]) -> list[Array]:
    p, q = jets
    return [0.5 * p, 0.5 * q, -0.5 * p - 0.5 * q]


f = surface(1)
rate = surface(2, exponential, 0.5)
other_rate = surface(3, exponential, 0.4)
chance = surface(4, logistic)
other_chance = surface(5, logistic)

MODELS: dict[str, Written] = {
    "Normal": Written([f, rate], ds.Normal),
    "StudentT": Written([f, rate], lambda m, s: ds.StudentT(m, s, 4.0)),
    "LogNormal": Written([f, other_rate], lambda m, s: ds.LogNormal(m, 0.2 * s), lambda j: [j[0], 0.2 * j[1]]),
    "Gamma": Written([rate, other_rate], ds.Gamma),
    "Exponential": Written([rate], ds.Exponential),
    "Beta": Written([rate, other_rate], ds.Beta),
    "Weibull": Written([other_rate, rate], ds.Weibull),
    "Bernoulli": Written([chance], ds.Bernoulli),
    "Binomial": Written([chance], lambda p: ds.Binomial(7, p)),
    "Categorical": Written([chance, other_chance], lambda *p: ds.Categorical(_thirds(*p)), _third_columns),
    "Histogram": Written(
        [chance, other_chance], lambda *p: ds.Histogram([-1.0, 0.5, 1.0, 4.0], _thirds(*p)), _third_columns
    ),
    "Poisson": Written([rate], ds.Poisson),
    "NegativeBinomial": Written([rate, other_rate], ds.NegativeBinomial),
    # λ = the two means, then the covariances 00, 10, 11.
    "MultivariateNormal": Written(
        [f, chance, rate, other_rate, other_chance], _mvn, lambda j: [j[0], j[1], j[2], 0.3 * j[4], j[3]]
    ),
    "Mixture": Written(
        [f, rate, surface(6)],
        lambda m0, v0, m1: ds.Mixture([ds.Normal(m0, v0), ds.Normal(m1, 0.5)], [0.3, 0.7]),
        lambda j: [*j, np.zeros_like(j[0])],
    ),
}


def rows(n: int = 7, seed: int = 0) -> Array:
    return 0.6 * np.random.default_rng(seed).normal(size=(n, D))
