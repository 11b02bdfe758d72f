"""The three sources, each with the array library its functions are written in, and functions for all of them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax.numpy as jnp
import numpy as np
import torch

from rsens import distributions as ds
from rsens.derivatives import from_function, from_jax, from_torch


@dataclass(frozen=True)
class Source:
    name: str
    wrap: Callable[..., Any]
    xp: Any
    #: Accuracy of first and second derivatives, relative to the largest value: rounding, and truncation of differences.
    first: float
    second: float

    def array(self, values):
        values = np.asarray(values, dtype=np.float64)
        return torch.tensor(values) if self.xp is torch else values

    @cache  # noqa: B019  (a handful of sources; JAX then compiles each function once)
    def model(self, case):
        """The model of a function that is written as case(source, X)."""
        return self.wrap(lambda X: case(self, X))

    def close(self, actual, expected):
        """Whether the first derivatives are those expected."""
        np.testing.assert_allclose(actual, expected, rtol=0, atol=self.first * max(1.0, np.abs(expected).max()))

    def close2(self, actual, expected):
        np.testing.assert_allclose(actual, expected, rtol=0, atol=self.second * max(1.0, np.abs(expected).max()))


JAX = Source("jax", from_jax, jnp, 1e-12, 1e-12)
TORCH = Source("torch", from_torch, torch, 1e-12, 1e-12)
# Default steps: truncation 4e-11 and rounding 4e-11 for first, 1.5e-8 and 1.5e-8 for second derivatives, times the size
# of third and fourth derivatives, which is up to 100 in the functions below.
DIFFERENCES = Source("differences", from_function, np, 1e-8, 1e-5)
SOURCES = (JAX, TORCH, DIFFERENCES)

COLUMNS = 3
WEIGHTS = np.random.default_rng(1).normal(size=(COLUMNS, 4))


def rows(n=7, columns=COLUMNS, seed=0):
    return np.random.default_rng(seed).normal(size=(n, columns))


def wave(source, X, k):
    """A smooth function of all columns, different for every k, with interactions."""
    xp = source.xp
    return xp.sin(X @ source.array(WEIGHTS[:, k])) + 0.3 * X[:, 0] * X[:, k % COLUMNS]


def positive(source, X, k):
    return source.xp.exp(0.5 * wave(source, X, k))


def softmax(source, X):
    e = source.xp.stack([positive(source, X, k) for k in range(3)], -1)
    return e / e.sum(-1)[:, None]


def covariance(source, X):
    """L Lᵀ of a lower triangle that depends on x."""
    a, b, c = positive(source, X, 0), wave(source, X, 1), positive(source, X, 2)
    xp = source.xp
    return xp.stack([xp.stack([a * a, a * b], -1), xp.stack([a * b, b * b + c * c], -1)], -2)


#: One function for every family, and for every way of giving it.
FAMILY_CASES = {
    "normal": lambda s, X: ds.Normal(wave(s, X, 0), positive(s, X, 1)),
    "normal with a number": lambda s, X: ds.Normal(wave(s, X, 0), 0.5),
    "student t": lambda s, X: ds.StudentT(wave(s, X, 0), positive(s, X, 1), 4.0),
    "log-normal": lambda s, X: ds.LogNormal(wave(s, X, 0), positive(s, X, 1)),
    "gamma": lambda s, X: ds.Gamma(positive(s, X, 0), positive(s, X, 1)),
    "exponential": lambda s, X: ds.Exponential(positive(s, X, 0)),
    "beta": lambda s, X: ds.Beta(positive(s, X, 0), positive(s, X, 1)),
    "weibull": lambda s, X: ds.Weibull(positive(s, X, 0), positive(s, X, 1)),
    "bernoulli": lambda s, X: ds.Bernoulli(1.0 / (1.0 + positive(s, X, 0))),
    "bernoulli by logit": lambda s, X: ds.Bernoulli(logit=3.0 * wave(s, X, 0)),
    "binomial": lambda s, X: ds.Binomial(7, 1.0 / (1.0 + positive(s, X, 0))),
    "binomial by logit": lambda s, X: ds.Binomial(7, logit=wave(s, X, 0)),
    "categorical": lambda s, X: ds.Categorical(softmax(s, X)),
    "histogram": lambda s, X: ds.Histogram(s.array([-1.0, 0.5, 1.0, 4.0]), softmax(s, X)),
    "poisson": lambda s, X: ds.Poisson(positive(s, X, 0)),
    "negative binomial": lambda s, X: ds.NegativeBinomial(positive(s, X, 0), positive(s, X, 1)),
    "multivariate normal": lambda s, X: ds.MultivariateNormal(
        s.xp.stack([wave(s, X, 0), wave(s, X, 3)], -1), covariance(s, X)
    ),
    "multivariate normal, one covariance": lambda s, X: ds.MultivariateNormal(X[:, :2] ** 3, s.array(np.eye(2))),
    "mixture": lambda s, X: ds.Mixture(
        [ds.Normal(wave(s, X, 0), positive(s, X, 1)), ds.Normal(wave(s, X, 2), 2.0)], s.array([0.3, 0.7])
    ),
    "mixture by logit": lambda s, X: ds.Mixture(
        [ds.Bernoulli(logit=wave(s, X, 0)), ds.Bernoulli(1.0 / (1.0 + positive(s, X, 1)))], s.array([0.5, 0.5])
    ),
}
