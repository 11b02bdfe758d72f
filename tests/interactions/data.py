"""Data whose truth is known."""

from __future__ import annotations

import numpy as np

from rsens._interactions import Target
from rsens._progress import progress_of
from rsens.likelihoods import GaussianLikelihood

SILENT = progress_of(False)
SEED = np.random.SeedSequence(0)


def singles(n_columns: int) -> list[tuple[int, ...]]:
    return [(d,) for d in range(n_columns)]


def additive(n: int, D: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and y = x₀ + sin 1.5x₁ + 0.5x₂ + noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, D))
    return X, X[:, 0] + np.sin(1.5 * X[:, 1]) + 0.5 * X[:, 2] + 0.5 * rng.standard_normal(n)


def gaussian(y: np.ndarray) -> Target:
    return Target((y - y.mean()) / y.std(), GaussianLikelihood(0.1), "identity")
