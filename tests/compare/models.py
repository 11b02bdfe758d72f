"""Functions whose answers are known, as models with constant noise: only their mean depends on x."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rsens._compare import find_methods
from rsens._typing import Array
from rsens.derivatives import Model, from_function
from rsens.distributions import Normal

NOISE = 0.5


def noisy(f: Callable[[Array], Array]) -> Model:
    """Normal(f(x), 0.25), differentiated by central differences."""
    return from_function(lambda X: Normal(f(X), NOISE**2))


def ishigami(X: Array) -> Array:
    """sin x0 + 7 sin² x1 + 0.1 x2⁴ sin x0, for inputs uniform on (−π, π): one interaction, x0:x2."""
    return np.sin(X[:, 0]) + 7.0 * np.sin(X[:, 1]) ** 2 + 0.1 * X[:, 2] ** 4 * np.sin(X[:, 0])


def uniform_grid(points: int, columns: int = 3) -> Array:
    """All combinations of midpoints of (−π, π): means over these rows are means over the uniform distribution."""
    axis = np.pi * (2.0 * (np.arange(points) + 0.5) / points - 1.0)
    return np.stack(np.meshgrid(*[axis] * columns, indexing="ij"), axis=-1).reshape(-1, columns)


def mirrored(X: Array) -> Array:
    """The rows with every combination of signs of the first two columns: symmetric about 0 in both."""
    signs = np.ones((4, X.shape[1]))
    signs[:, :2] = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    return np.concatenate([X * sign for sign in signs])


def resolved(methods: object, order: int) -> list[str]:
    """The names of the methods asked for."""
    return [method.name for method in find_methods(methods, order)]
