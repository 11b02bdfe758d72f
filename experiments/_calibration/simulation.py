"""Pieces of simulated data: inputs, what moves the target, and how the target is drawn.

A latent function f(x) is a sum of main effects and products, so that which variables matter and which pairs interact
*on the scale where the model adds up* is known: f itself for real y, the logit for classes, the log rate for counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: (rng, rows, columns) -> inputs
Inputs = Callable[[np.random.Generator, int, int], Array]
#: inputs -> the latent function
Latent = Callable[[Array], Array]
#: (rng, inputs, latent values) -> the target
Target = Callable[[np.random.Generator, Array, Array], Any]

#: Noise of real targets.
NOISE = 0.5


# ---- inputs ----------------------------------------------------------------------------------------------------------


def independent(rng: np.random.Generator, n: int, d: int) -> Array:
    """Independent standard normal columns."""
    return rng.standard_normal((n, d))


def correlated(rho: float) -> Inputs:
    """Standard normal columns, each two with correlation rho: x_j = √ρ z + √(1 − ρ) z_j."""

    def draw(rng: np.random.Generator, n: int, d: int) -> Array:
        return np.sqrt(rho) * rng.standard_normal((n, 1)) + np.sqrt(1.0 - rho) * rng.standard_normal((n, d))

    return draw


def autoregressive(rho: float) -> Inputs:
    """Standard normal columns in a chain: x_j = ρ x_{j−1} + √(1 − ρ²) z_j."""

    def draw(rng: np.random.Generator, n: int, d: int) -> Array:
        X = rng.standard_normal((n, d))
        for j in range(1, d):
            X[:, j] = rho * X[:, j - 1] + np.sqrt(1.0 - rho**2) * X[:, j]
        return X

    return draw


def twins(pairs: Sequence[tuple[int, int]], rho: float) -> Inputs:
    """Standard normal columns, independent but for some pairs with correlation rho."""

    def draw(rng: np.random.Generator, n: int, d: int) -> Array:
        X = rng.standard_normal((n, d))
        for i, j in pairs:
            X[:, j] = rho * X[:, i] + np.sqrt(1.0 - rho**2) * X[:, j]
        return X

    return draw


def student_t(rng: np.random.Generator, n: int, d: int) -> Array:
    """Independent t₃ columns."""
    return rng.standard_t(3.0, (n, d))


def lognormal(rng: np.random.Generator, n: int, d: int) -> Array:
    """Independent lognormal columns, with mean 0 and variance 1."""
    return (np.exp(rng.standard_normal((n, d))) - np.exp(0.5)) / np.sqrt((np.e - 1.0) * np.e)


# ---- what moves the target -------------------------------------------------------------------------------------------


def additive(x2: float = 0.5) -> Latent:
    """f = x₀ + sin 1.5x₁ + ½x₂, or another coefficient of x₂."""
    return lambda X: X[:, 0] + np.sin(1.5 * X[:, 1]) + x2 * X[:, 2]


def linear(X: Array) -> Array:
    """f = x₀ + 0.6x₁ + 0.3x₂."""
    return X[:, 0] + 0.6 * X[:, 1] + 0.3 * X[:, 2]


def nothing(X: Array) -> Array:
    """f = 0."""
    return np.zeros(len(X))


def plus(f: Latent, products: dict[tuple[int, int], float]) -> Latent:
    """f + Σ c x_i x_j."""
    return lambda X: f(X) + sum(c * X[:, i] * X[:, j] for (i, j), c in products.items())


def plus_effects(f: Latent, effects: dict[int, float]) -> Latent:
    """f + Σ c x_j."""
    return lambda X: f(X) + sum(c * X[:, j] for j, c in effects.items())


def times(c: float, f: Latent) -> Latent:
    """c·f."""
    return lambda X: c * f(X)


# ---- the target ------------------------------------------------------------------------------------------------------


def normal(rng: np.random.Generator, X: Array, f: Array) -> Array:
    """y = f + ½ε."""
    return f + NOISE * rng.standard_normal(len(f))


def heavy_tailed(rng: np.random.Generator, X: Array, f: Array) -> Array:
    """y = f + ½ε, where ε is t₃ with variance 1."""
    return f + NOISE * rng.standard_t(3.0, len(f)) / np.sqrt(3.0)


def x_dependent(rng: np.random.Generator, X: Array, f: Array) -> Array:
    """y = f + ½ e^{x₀/2 − 1/4} ε: the same mean variance as `normal`, since E e^{x₀} = e^{1/2}."""
    return f + NOISE * np.exp(X[:, 0] / 2.0 - 0.25) * rng.standard_normal(len(f))


def binary(rng: np.random.Generator, X: Array, f: Array) -> NDArray[np.int64]:
    """y = 1 with probability 1/(1 + e^{−f})."""
    return (rng.random(len(f)) < 1.0 / (1.0 + np.exp(-f))).astype(np.int64)


def counts(rng: np.random.Generator, X: Array, f: Array) -> NDArray[np.int64]:
    """y ~ Poisson(e^f)."""
    return rng.poisson(np.exp(f))


def three_classes(rng: np.random.Generator, X: Array, f: Array) -> NDArray[np.str_]:
    """One of three classes with logits 2x₀, 2 sin 1.5x₁ and x₂; f is not used."""
    logits = np.stack([2.0 * X[:, 0], 2.0 * np.sin(1.5 * X[:, 1]), X[:, 2]], axis=1)
    return np.array(["a", "b", "c"])[np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)]


def by_person(rng: np.random.Generator, X: Array, f: Array) -> Array:
    """y = f + ½u + ½ε with one u for every four rows in a row, which belong to one person."""
    return f + NOISE * np.repeat(rng.standard_normal(len(f) // 4), 4) + NOISE * rng.standard_normal(len(f))


def persons(rng: np.random.Generator, n: int, d: int) -> Array:
    """Four rows per person: standard normal columns whose variance is 0.9 between persons and 0.1 within."""
    between = np.repeat(rng.standard_normal((n // 4, d)), 4, axis=0)
    return np.sqrt(0.9) * between + np.sqrt(0.1) * rng.standard_normal((n, d))


# ---- columns with levels ---------------------------------------------------------------------------------------------


def levels(rng: np.random.Generator, n: int, shares: Sequence[float]) -> NDArray[np.int64]:
    """Codes of levels with these shares; every level occurs at least twice."""
    while True:
        codes = rng.choice(len(shares), n, p=np.asarray(shares))
        if np.bincount(codes, minlength=len(shares)).min() >= 2:
            return codes


def table(X: Array, categories: Sequence[int]) -> pd.DataFrame:
    """A data frame with columns x0, x1, …, where the codes of these columns are letters."""
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    for j in categories:
        frame[f"x{j}"] = np.array(list("abcdef"))[X[:, j].astype(int)]
    return frame
