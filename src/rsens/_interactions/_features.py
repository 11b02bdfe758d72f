"""Features of a term, whose products with the features of another are the functions that an interaction is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rsens._typing import Array

#: A column of numbers enters as the first principal components of a smooth function of it.
COMPONENTS = 4
LENGTHSCALE = 1.5  # in standard deviations
KNOTS = 25
CLIP = 3.0
#: Levels beyond this many enter through the most frequent ones.
LEVEL_COMPONENTS = 24
#: Components with less than this part of the variance of the first are rounding.
LEAST = 1e-10


def term_features(rows: Array, members: Sequence[Sequence[int]], categorical: Mapping[int, int]) -> list[Array]:
    """Centred features (n, r) of every term; r = 0 where all its columns are constant.

    A group has the principal components of the features of its columns, at most `COMPONENTS` per column.
    """
    columns = [
        _of_levels(column, categorical[d]) if d in categorical else _of_numbers(column)
        for d, column in enumerate(rows.T)
    ]
    return [_joined([columns[d] for d in group]) for group in members]


def _joined(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else _components(np.concatenate(parts, axis=1), COMPONENTS * len(parts))


def _of_numbers(x: Array) -> Array:
    """Nyström's features of the EQ kernel: k(x, z) k(z, z)^{−½} at knots z, centred, as principal components u·s.

    A column of two values has only one centred function.
    """
    if not np.ptp(x) > 0.0:
        return np.empty((len(x), 0))
    x = np.ldexp(x, -int(np.frexp(np.abs(x).max())[1]))  # so that squares neither overflow nor vanish; exact
    x = np.clip((x - x.mean()) / x.std(), -CLIP, CLIP)
    z = np.unique(np.quantile(x, np.linspace(0.01, 0.99, KNOTS)))
    eigenvalues, U = np.linalg.eigh(_eq(z, z))
    keep = eigenvalues > LEAST * eigenvalues[-1]
    return _components(_eq(x, z) @ (U[:, keep] / np.sqrt(eigenvalues[keep])), COMPONENTS)


def _of_levels(codes: Array, n_levels: int) -> Array:
    """Centred indicators of the levels that occur, as principal components, with variance 1 in all."""
    indicators = (codes[:, None] == np.arange(n_levels)).astype(np.float64)
    components = _components(indicators, LEVEL_COMPONENTS)
    return components / (np.sqrt(components.var(axis=0).sum()) or 1.0)


def _components(features: Array, most: int) -> Array:
    """The first principal components u·s of the centred features."""
    u, s, _ = np.linalg.svd(features - features.mean(axis=0), full_matrices=False)
    r = min(most, int(np.count_nonzero(s**2 > LEAST * max(s[0] ** 2, np.finfo(float).tiny)))) if len(s) else 0
    return np.asarray(u[:, :r] * s[:r])


def _eq(x: Array, z: Array) -> Array:
    return np.asarray(np.exp(-0.5 * ((x[:, None] - z) / LENGTHSCALE) ** 2))
