"""Functions as black-box methods ask them, and rows to ask about."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from rsens._coding import Coding
from rsens.black_box import Predictor


def predictor_of(x, f: Callable, *, coding: Coding | None = None, log_densities: Callable | None = None) -> Predictor:
    """`f` takes blocks (…, D) and gives numbers (…), or (…, P)."""
    x = np.asarray(x, dtype=np.float64)

    def predictions(blocks):
        values = np.asarray(f(blocks))
        return values if values.ndim == blocks.ndim else values[..., None]

    return Predictor(x, predictions, log_densities, coding, tuple(f"x{d}" for d in range(x.shape[1])))


def linear(beta) -> Callable:
    return lambda blocks: blocks @ np.asarray(beta)


def curved(blocks):
    return np.sin(blocks[..., 0]) + blocks[..., 1] * blocks[..., 2] + blocks[..., 1] ** 2


def correlated(n: int, seed: int = 0, D: int = 3) -> np.ndarray:
    """Normal rows in different units, every pair of columns with the correlation 0.5."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, D)) + rng.normal(size=(n, 1))) * np.logspace(0, 1, D) / np.sqrt(2) + 3.0


def with_levels(n: int, seed: int = 0) -> tuple[np.ndarray, Coding]:
    """Three columns, of which x1 is categorical with levels a, b, c at the shares ½, ⅓, ⅙."""
    rng = np.random.default_rng(seed)
    labels = np.array(["a", "b", "c"])[rng.permutation(np.repeat([0, 1, 2], [n // 2, n // 3, n - n // 2 - n // 3]))]
    frame = pd.DataFrame({"x0": rng.normal(size=n), "x1": labels, "x2": rng.normal(size=n)})
    coding = Coding.of(frame)
    return coding.read(frame).values, coding


def of_levels(blocks):
    """f = x0 + (0, 1, 4)[x1]: nothing depends on x2."""
    return blocks[..., 0] + np.array([0.0, 1.0, 4.0])[blocks[..., 1].astype(int)]
