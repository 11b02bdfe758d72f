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


def check(given: Given, rtol: float = 1e-9) -> None:
    """The family has the parameters derived by hand, and the density that the other library computes."""
    family = rsens.as_family(given.obj)
    assert type(family) is type(given.family)
    assert ("logit" in family.fields()) == ("logit" in given.family.fields())
    got, want = family.checked(3), given.family.checked(3)
    np.testing.assert_allclose(got.parameters, want.parameters, rtol=1e-13)
    assert got.parameter_names == want.parameter_names
    grid = np.repeat(given.y[:, None], 3, axis=1)  # every y for every row: (values, 3), or (values, 3, 2) for vectors
    # The densities of other libraries lose a few digits in gammaln.
    np.testing.assert_allclose(got.log_prob(grid), given.log_prob(grid), rtol=rtol, atol=1e-11)


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


def of_torch_and_numpyro(D: Any, a: Any, AffineTransform: Any, ExpTransform: Any) -> dict[str, tuple[Any, Any, Array]]:
    """The distributions with one spelling in torch and NumPyro: how to make each, its family, and y.

    `a` makes an array of the library. Nothing is made before it is called.
    """
    geometric, share = rsens.NegativeBinomial((1.0 - P) / P, 1.0), POSITIVE / (POSITIVE + SHAPE)
    transformed = D.TransformedDistribution
    return {
        "Normal": (lambda: D.Normal(a(MEAN), a(SD)), NORMAL, REAL),
        "StudentT": (lambda: D.StudentT(a(DF), a(MEAN), a(SD)), STUDENT, REAL),
        "Cauchy": (lambda: D.Cauchy(a(MEAN), a(SD)), CAUCHY, REAL),
        "LogNormal": (lambda: D.LogNormal(a(MEAN), a(SD)), LOGNORMAL, ABOVE),
        "Gamma": (lambda: D.Gamma(a(SHAPE), a(SHAPE / POSITIVE)), GAMMA, ABOVE),
        "Chi2": (lambda: D.Chi2(a(POSITIVE)), rsens.Gamma(POSITIVE, POSITIVE / 2.0), ABOVE),
        "Exponential": (lambda: D.Exponential(a(1.0 / POSITIVE)), EXPONENTIAL, ABOVE),
        "Beta": (lambda: D.Beta(a(POSITIVE), a(SHAPE)), BETA, INSIDE),
        "Weibull": (lambda: D.Weibull(a(POSITIVE), a(SHAPE)), WEIBULL, ABOVE),
        "Bernoulli": (lambda: D.Bernoulli(a(P)), BERNOULLI, EVENTS),
        "Bernoulli-logits": (lambda: D.Bernoulli(logits=a(LOGIT)), BERNOULLI_LOGIT, EVENTS),
        "Binomial": (lambda: D.Binomial(9, a(P)), BINOMIAL, COUNTS),
        "Binomial-logits": (lambda: D.Binomial(9, logits=a(LOGIT)), BINOMIAL_LOGIT, COUNTS),
        "Poisson": (lambda: D.Poisson(a(POSITIVE)), POISSON, COUNTS),
        "NegativeBinomial": (lambda: D.NegativeBinomial(a(SHAPE), a(share)), NEGATIVE_BINOMIAL, COUNTS),
        "NegativeBinomial-logits": (
            lambda: D.NegativeBinomial(a(SHAPE), logits=a(np.log(POSITIVE / SHAPE))), NEGATIVE_BINOMIAL, COUNTS
        ),
        "Geometric": (lambda: D.Geometric(a(P)), geometric, COUNTS),
        "Geometric-logits": (lambda: D.Geometric(logits=a(np.log(P / (1.0 - P)))), geometric, COUNTS),
        "Categorical": (lambda: D.Categorical(a(CLASSES)), CATEGORICAL, CODES),
        "Categorical-logits": (lambda: D.Categorical(logits=a(3.0 + np.log(CLASSES))), CATEGORICAL, CODES),
        "MultivariateNormal": (lambda: D.MultivariateNormal(a(VECTOR), a(COVARIANCE)), MULTIVARIATE, PLANE),
        "MultivariateNormal-precision": (
            lambda: D.MultivariateNormal(a(VECTOR), precision_matrix=a(np.linalg.inv(COVARIANCE))), MULTIVARIATE, PLANE
        ),
        "LowRank": (
            lambda: D.LowRankMultivariateNormal(a(VECTOR), a(np.zeros((3, 2, 1))), a(SDS**2)), INDEPENDENT, PLANE
        ),
        "Independent": (lambda: D.Independent(D.Normal(a(VECTOR), a(SDS)), 1), INDEPENDENT, PLANE),
        "expanded": (lambda: D.Normal(a(0.3), a(1.3)).expand((3,)), rsens.Normal(0.3, 1.3**2), REAL),
        "MixtureSameFamily": (
            lambda: D.MixtureSameFamily(D.Categorical(a(np.tile(WEIGHTS, (3, 1)))), D.Normal(a(MEANS), a(SDS))),
            MIXTURE, REAL,
        ),
        "affine": (lambda: transformed(D.Normal(a(0.0), a(1.0)), [AffineTransform(a(MEAN), a(SD))]), NORMAL, REAL),
        "exp": (lambda: transformed(D.Normal(a(MEAN), a(SD)), [ExpTransform()]), LOGNORMAL, ABOVE),
    }  # fmt: skip
