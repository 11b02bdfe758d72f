"""One table of ordinary cases for the laws that hold for every family: how to build it from λ, and where y lives.

A case names its family as text, so that it can be listed before the family is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from rsens import distributions
from rsens._typing import Array

Grid = tuple[Array, Array]


@dataclass(frozen=True, eq=False)
class Case:
    """A family with three rows: λ, another λ' nearby, and independent ways to sum over y."""

    name: str
    family: str
    build: Callable[[Array], Any]
    near: Array
    far: Array
    names: tuple[str, ...]
    grid: Callable[[Any], Grid]
    scipy: Callable[[Array], Any] | None = None
    blocks: dict[str, slice] = field(default_factory=dict)
    mean: Callable[[Array], Array] | None = None

    @property
    def distribution(self) -> Any:
        return self.build(self.near)

    @property
    def other(self) -> Any:
        return self.build(self.far)

    @property
    def adds_up(self) -> bool:
        """Whether λ is made of probabilities that add up to one, three at a time."""
        return "Categorical" in self.name or "Histogram" in self.name

    @property
    def tangent(self) -> Array:
        """Directions in which λ may move, one per row: all of them, except that class probabilities add up to one."""
        m = self.near.shape[1]
        if not self.adds_up:
            return np.eye(m)
        return np.kron(np.eye(m // 3), [[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])

    def __str__(self) -> str:
        return self.name


# ---- sums over y: nodes (nodes, rows[, K]) and weights (nodes, rows). Trapezoid rules in a coordinate t in which
# ---- densities fall off exponentially converge faster than any power of the step.


def shared(y: Array, weights: Array, rows: int) -> Grid:
    return np.repeat(y[:, None], rows, axis=1), np.repeat(weights[:, None], rows, axis=1)


def line(distribution: Any) -> Grid:
    t = np.arange(-14.0, 14.0, 0.02)
    return shared(4.0 * np.sinh(t), 0.02 * 4.0 * np.cosh(t), len(distribution.parameters))


def positive(distribution: Any) -> Grid:
    t = np.arange(-60.0, 12.0, 0.01)
    return shared(np.exp(t), 0.01 * np.exp(t), len(distribution.parameters))


def unit(distribution: Any) -> Grid:
    t = np.arange(-60.0, 30.0, 0.01)
    y = 1 / (1 + np.exp(-t))
    return shared(y, 0.01 * y / (1 + np.exp(t)), len(distribution.parameters))


def counts(distribution: Any, largest: int = 1500) -> Grid:
    y = np.arange(largest + 1.0)
    return shared(y, np.ones_like(y), len(distribution.parameters))


def up_to(largest: int) -> Callable[[Any], Grid]:
    return lambda distribution: counts(distribution, largest)


def bins(distribution: Any) -> Grid:
    """Gauss's rule of two points in 500 cells of each bin: exact for parabolas in each."""
    inside = (np.arange(500)[:, None] + 0.5 + np.array([-1.0, 1.0]) / np.sqrt(12.0)).ravel() / 500
    y = BORDERS[:-1, None] + np.diff(BORDERS)[:, None] * inside
    return shared(y.ravel(), np.repeat(np.diff(BORDERS) / 1000, 1000), len(distribution.parameters))


def space(distribution: Any) -> Grid:
    """A lattice of ±9 standard deviations in the coordinates z of y = mean + L z."""
    covariance = np.asarray(distribution.covariance)
    k = covariance.shape[-1]
    step = 0.3 if k <= 2 else 0.4
    axis = np.arange(-9.0, 9.0 + step / 2, step)
    z = np.stack(np.meshgrid(*[axis] * k, indexing="ij"), -1).reshape(-1, k)
    factor = np.linalg.cholesky(covariance)
    y = np.asarray(distribution.mean) + np.einsum("nij,sj->sni", factor, z)
    return y, np.broadcast_to(step**k * np.linalg.det(factor), y.shape[:2])


# ---- the table ------------------------------------------------------------------------------------------------------


def columns(family: str, *names: str, **fixed: Any) -> Callable[[Array], Any]:
    """Build a family whose arguments are the columns of λ."""
    return lambda rows: getattr(distributions, family)(**{name: rows[..., i] for i, name in enumerate(names)}, **fixed)


def multivariate(k: int) -> Callable[[Array], Any]:
    lower = np.tril_indices(k)

    def build(rows: Array) -> Any:
        covariance = np.zeros((*rows.shape[:-1], k, k))
        covariance[..., lower[0], lower[1]] = rows[..., k:]
        covariance[..., lower[1], lower[0]] = rows[..., k:]
        return distributions.MultivariateNormal(rows[..., :k], covariance)

    return build


def mixture(component: Callable[[Array], Any], weights: list[float]) -> Callable[[Array], Any]:
    s = len(weights)

    def build(rows: Array) -> Any:
        blocks = np.split(rows, s, axis=-1)
        return distributions.Mixture([component(block) for block in blocks], np.array(weights))

    return build


def a(*rows: list[float]) -> Array:
    return np.array(rows, dtype=np.float64)


CLASSES_NEAR = a([0.25, 0.25, 0.5], [0.125, 0.625, 0.25], [0.5, 0.375, 0.125])
CLASSES_FAR = a([0.125, 0.375, 0.5], [0.25, 0.5, 0.25], [0.375, 0.375, 0.25])
BORDERS = np.array([-1.0, 0.5, 1.0, 4.0])
MIDDLES = np.array([-0.25, 0.75, 2.5])
NORMAL = columns("Normal", "mean", "variance")

CASES = [
    Case(
        "Normal", "Normal", NORMAL, a([0.3, 1.7], [-1.0, 0.6], [4.0, 3.0]), a([-0.5, 2.5], [-1.2, 0.9], [5.0, 4.0]),
        ("mean", "variance"), line, lambda p: stats.norm(p[0], np.sqrt(p[1])),
        {"mean": slice(0, 1), "variance": slice(1, 2)}, lambda p: p[:, :1],
    ),
    Case(
        "StudentT", "StudentT", columns("StudentT", "location", "scale2", df=4.0),
        a([0.3, 1.7], [-1.0, 0.6], [4.0, 3.0]), a([-0.5, 2.5], [-1.2, 0.9], [5.0, 4.0]),
        ("location", "scale2"), line, lambda p: stats.t(4.0, p[0], np.sqrt(p[1])),
        {"location": slice(0, 1), "scale2": slice(1, 2)}, lambda p: p[:, :1],
    ),
    Case(
        "LogNormal", "LogNormal", columns("LogNormal", "mu", "sigma2"),
        a([0.3, 0.7], [-1.0, 0.1], [2.0, 0.4]), a([0.1, 0.9], [-1.2, 0.2], [2.2, 0.5]),
        ("mu", "sigma2"), positive, lambda p: stats.lognorm(np.sqrt(p[1]), scale=np.exp(p[0])),
        {"mu": slice(0, 1), "sigma2": slice(1, 2)}, lambda p: np.exp(p[:, :1] + p[:, 1:] / 2),
    ),
    Case(
        "Gamma", "Gamma", columns("Gamma", "mean", "shape"),
        a([2.0, 1.5], [0.3, 0.9], [20.0, 12.0]), a([2.5, 1.2], [0.4, 0.8], [21.0, 11.0]),
        ("mean", "shape"), positive, lambda p: stats.gamma(p[1], scale=p[0] / p[1]),
        {"mean": slice(0, 1), "shape": slice(1, 2)}, lambda p: p[:, :1],
    ),
    Case(
        "Exponential", "Exponential", columns("Exponential", "mean"), a([2.0], [0.3], [20.0]), a([2.5], [0.4], [24.0]),
        ("mean",), positive, lambda p: stats.expon(scale=p[0]), {}, lambda p: p,
    ),
    Case(
        "Beta", "Beta", columns("Beta", "a", "b"),
        a([2.0, 3.0], [0.8, 1.6], [12.0, 7.0]), a([1.7, 2.8], [0.7, 1.5], [11.0, 6.5]),
        ("a", "b"), unit, lambda p: stats.beta(p[0], p[1]), {}, lambda p: p[:, :1] / p.sum(1, keepdims=True),
    ),
    Case(
        "Weibull", "Weibull", columns("Weibull", "shape", "scale"),
        a([1.5, 2.0], [0.8, 0.3], [4.0, 10.0]), a([1.3, 2.4], [0.7, 0.35], [3.5, 11.0]),
        ("shape", "scale"), positive, lambda p: stats.weibull_min(p[0], scale=p[1]), {},
        lambda p: p[:, 1:] * np.array([[stats.weibull_min(k).mean()] for k in p[:, 0]]),
    ),
    Case(
        "Bernoulli", "Bernoulli", columns("Bernoulli", "probability"), a([0.3], [0.9], [0.04]), a([0.4], [0.8], [0.05]),
        ("probability",), up_to(1), lambda p: stats.bernoulli(p[0]), {}, lambda p: p,
    ),
    Case(
        "Binomial", "Binomial", columns("Binomial", "probability", n=9.0),
        a([0.3], [0.9], [0.04]), a([0.4], [0.8], [0.05]),
        ("probability",), up_to(9), lambda p: stats.binom(9, p[0]), {}, lambda p: 9.0 * p,
    ),
    Case(
        "Categorical", "Categorical", lambda rows: distributions.Categorical(rows), CLASSES_NEAR, CLASSES_FAR,
        ("p0", "p1", "p2"), up_to(2),
        lambda p: stats.rv_discrete(values=(np.arange(3), p)), {}, lambda p: p,
    ),
    Case(
        "Histogram", "Histogram", lambda rows: distributions.Histogram(BORDERS, rows), CLASSES_NEAR, CLASSES_FAR,
        ("p0", "p1", "p2"), bins, lambda p: stats.rv_histogram((p, BORDERS), density=False), {},
        lambda p: p @ MIDDLES[:, None],
    ),
    Case(
        "Poisson", "Poisson", columns("Poisson", "rate"), a([2.5], [0.3], [60.0]), a([3.0], [0.4], [66.0]),
        ("rate",), counts, lambda p: stats.poisson(p[0]), {}, lambda p: p,
    ),
    Case(
        "NegativeBinomial", "NegativeBinomial", columns("NegativeBinomial", "mean", "size"),
        a([2.5, 1.5], [0.3, 0.9], [30.0, 12.0]), a([3.0, 1.2], [0.4, 0.8], [32.0, 11.0]),
        ("mean", "size"), counts, lambda p: stats.nbinom(p[1], p[1] / (p[0] + p[1])),
        {"mean": slice(0, 1), "size": slice(1, 2)}, lambda p: p[:, :1],
    ),
    Case(
        "MultivariateNormal2", "MultivariateNormal", multivariate(2),
        a([0.0, 1.0, 1.0, 0.3, 2.0], [2.0, -1.0, 0.5, -0.4, 0.6], [0.0, 0.0, 3.0, 0.0, 1.0]),
        a([0.2, 0.9, 1.2, 0.2, 2.4], [2.1, -1.2, 0.6, -0.4, 0.8], [0.5, 0.5, 3.5, 0.1, 1.3]),
        ("mean0", "mean1", "covariance0,0", "covariance1,0", "covariance1,1"), space,
        lambda p: stats.multivariate_normal(p[:2], [[p[2], p[3]], [p[3], p[4]]]),
        {"mean": slice(0, 2), "covariance": slice(2, None)}, lambda p: p[:, :2],
    ),
    Case(
        "MultivariateNormal3", "MultivariateNormal", multivariate(3),
        a([0.0, 1.0, -1.0, 1.0, 0.3, 2.0, -0.2, 0.1, 0.5]), a([0.1, 0.8, -1.1, 1.2, 0.3, 2.2, -0.2, 0.1, 0.7]),
        ("mean0", "mean1", "mean2", *(f"covariance{i},{j}" for i in range(3) for j in range(i + 1))), space,
        lambda p: stats.multivariate_normal(p[:3], [[p[3], p[4], p[6]], [p[4], p[5], p[7]], [p[6], p[7], p[8]]]),
        {"mean": slice(0, 3), "covariance": slice(3, None)}, lambda p: p[:, :3],
    ),
]  # fmt: skip


def weighted(weights: list[float], k: int) -> Callable[[Array], Array]:
    """The mean of a mixture whose components have their mean in column 0 (or in all k columns)."""
    return lambda p: sum(w * block[:, :k] for w, block in zip(weights, np.split(p, len(weights), axis=1), strict=True))


MIXTURES = [
    Case(
        "Mixture-Normal", "Mixture", mixture(NORMAL, [0.25, 0.75]),
        a([0.0, 1.0, 3.0, 0.6], [-1.0, 2.0, -1.5, 0.6], [0.0, 0.5, 6.0, 0.8]),
        a([0.1, 1.2, 3.2, 0.8], [-1.2, 2.1, -1.4, 0.7], [0.1, 0.6, 6.2, 0.9]),
        ("mean", "variance") * 2, line, None, {}, weighted([0.25, 0.75], 1),
    ),
    Case(
        "Mixture-Poisson", "Mixture", mixture(columns("Poisson", "rate"), [0.5, 0.25, 0.25]),
        a([1.0, 4.0, 20.0], [0.5, 0.6, 30.0], [3.0, 3.5, 9.0]), a([1.2, 4.5, 22.0], [0.6, 0.7, 31.0], [3.3, 3.6, 10.0]),
        ("rate",) * 3, counts, None, {}, weighted([0.5, 0.25, 0.25], 1),
    ),
    Case(
        "Mixture-Bernoulli", "Mixture", mixture(columns("Bernoulli", "probability"), [0.25, 0.75]),
        a([0.3, 0.9], [0.5, 0.04], [0.2, 0.6]), a([0.4, 0.8], [0.6, 0.05], [0.3, 0.5]),
        ("probability",) * 2, up_to(1), None, {}, weighted([0.25, 0.75], 1),
    ),
    Case(
        "Mixture-Categorical", "Mixture", mixture(lambda rows: distributions.Categorical(rows), [0.25, 0.75]),
        np.hstack([CLASSES_NEAR, CLASSES_NEAR[::-1]]), np.hstack([CLASSES_FAR, CLASSES_FAR[::-1]]),
        ("p0", "p1", "p2") * 2, up_to(2), None, {}, weighted([0.25, 0.75], 3),
    ),
    Case(
        "Mixture-Histogram", "Mixture", mixture(lambda rows: distributions.Histogram(BORDERS, rows), [0.25, 0.75]),
        np.hstack([CLASSES_NEAR, CLASSES_NEAR[::-1]]), np.hstack([CLASSES_FAR, CLASSES_FAR[::-1]]),
        ("p0", "p1", "p2") * 2, bins, None, {},
        lambda p: 0.25 * p[:, :3] @ MIDDLES[:, None] + 0.75 * p[:, 3:] @ MIDDLES[:, None],
    ),
    Case(
        "Mixture-Gamma", "Mixture", mixture(columns("Gamma", "mean", "shape"), [0.5, 0.5]),
        a([2.0, 1.5, 4.0, 6.0], [0.3, 0.9, 1.0, 5.0], [20.0, 12.0, 15.0, 4.0]),
        a([2.2, 1.4, 4.4, 5.5], [0.4, 0.8, 1.1, 4.5], [21.0, 11.0, 16.0, 3.5]),
        ("mean", "shape") * 2, positive, None, {}, weighted([0.5, 0.5], 1),
    ),
]  # fmt: skip

CASES += MIXTURES


# ---- derivatives of a function of one number ------------------------------------------------------------------------


def derivative(f: Callable[[Array], Array], step: Array) -> Array:
    """f'(0) by central differences at h, h/2 and h/4: error O(h⁶)."""
    return richardson([(f(step / k) - f(-step / k)) / (2 * step / k) for k in (1, 2, 4)])


def second_derivative(f: Callable[[float], Array]) -> Array:
    """f''(0) where f(0) = f'(0) = 0, by steps 1, 1/2, 1/4."""
    return richardson([(f(h) + f(-h)) / h**2 for h in (1.0, 0.5, 0.25)])


def richardson(d: list[Array]) -> Array:
    first = [(4 * d[1] - d[0]) / 3, (4 * d[2] - d[1]) / 3]
    return (16 * first[1] - first[0]) / 15
