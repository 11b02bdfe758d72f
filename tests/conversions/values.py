"""Three rows of parameters for every family, and where y lives: the same numbers for every library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import rsens
from rsens._typing import Array

MEAN, SD = np.array([0.3, -1.0, 4.0]), np.array([1.3, 0.6, 2.0])
POSITIVE, SHAPE = np.array([2.0, 0.3, 20.0]), np.array([1.5, 0.9, 12.0])
P, LOGIT = np.array([0.3, 0.9, 0.04]), np.array([-1.2, 40.0, 0.5])
CLASSES = np.array([[0.25, 0.25, 0.5], [0.125, 0.625, 0.25], [0.5, 0.375, 0.125]])
VECTOR = np.array([[0.0, 1.0], [2.0, -1.0], [0.5, 0.5]])
COVARIANCE = np.array([[[1.0, 0.3], [0.3, 2.0]], [[0.5, -0.4], [-0.4, 0.6]], [[3.0, 0.0], [0.0, 1.0]]])
MEANS, SDS, WEIGHTS = np.stack([MEAN, MEAN + 2.0], 1), np.stack([SD, 2.0 * SD], 1), np.array([0.25, 0.75])
DF = 4.0

REAL = np.array([-2.0, 0.1, 1.7, 5.0])
ABOVE = np.array([0.05, 0.4, 1.7, 9.0])
INSIDE = np.array([0.05, 0.4, 0.7, 0.93])
COUNTS = np.array([0.0, 1.0, 4.0, 9.0])
EVENTS = np.array([0.0, 1.0])
CODES = np.array([0.0, 1.0, 2.0])
PLANE = np.array([[0.2, 0.7], [-1.0, 3.0]])


@dataclass(frozen=True)
class Given:
    """A distribution of another library, the family it must become, and its own log density at y (…, rows)."""

    name: str
    obj: Any
    family: rsens.distributions.Distribution
    log_prob: Any
    y: Array

    def __str__(self) -> str:
        return self.name

    @property
    def grid(self) -> Array:
        """Every y for every row, shape (values, 3), or (values, 3, 2) for vectors."""
        return np.repeat(self.y[:, None], 3, axis=1)


def check(given: Given, rtol: float = 1e-9) -> None:
    """The family has the parameters derived by hand, and the density that the other library computes.

    Those densities lose a few digits themselves, in gammaln.
    """
    family = rsens.as_family(given.obj)
    assert type(family) is type(given.family)
    assert ("logit" in family.fields()) == ("logit" in given.family.fields())
    got, want = family.checked(3), given.family.checked(3)
    np.testing.assert_allclose(got.parameters, want.parameters, rtol=1e-13)
    assert got.parameter_names == want.parameter_names
    np.testing.assert_allclose(got.log_prob(given.grid), given.log_prob(given.grid), rtol=rtol, atol=1e-11)


NORMAL = rsens.Normal(MEAN, SD**2)
STUDENT = rsens.StudentT(MEAN, SD**2, DF)
CAUCHY = rsens.StudentT(MEAN, SD**2, 1.0)
LOGNORMAL = rsens.LogNormal(MEAN, SD**2)
GAMMA = rsens.Gamma(POSITIVE, SHAPE)
EXPONENTIAL = rsens.Exponential(POSITIVE)
BETA = rsens.Beta(POSITIVE, SHAPE)
WEIBULL = rsens.Weibull(SHAPE, POSITIVE)
BERNOULLI = rsens.Bernoulli(P)
BERNOULLI_LOGIT = rsens.Bernoulli(logit=LOGIT)
BINOMIAL = rsens.Binomial(9.0, P)
BINOMIAL_LOGIT = rsens.Binomial(9.0, logit=LOGIT)
CATEGORICAL = rsens.Categorical(CLASSES)
POISSON = rsens.Poisson(POSITIVE)
NEGATIVE_BINOMIAL = rsens.NegativeBinomial(POSITIVE, SHAPE)
MULTIVARIATE = rsens.MultivariateNormal(VECTOR, COVARIANCE)
INDEPENDENT = rsens.MultivariateNormal(VECTOR, np.stack([np.diag(variances) for variances in SDS**2]))
MIXTURE = rsens.Mixture([rsens.Normal(MEANS[:, s], SDS[:, s] ** 2) for s in range(2)], WEIGHTS)
