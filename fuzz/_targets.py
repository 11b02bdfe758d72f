"""Random targets: numbers, classes and counts, of every scale, and in the containers that people have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fuzz._tables import FuzzTable, Rng, numbers


def random_target(rng: Rng, table: FuzzTable, kind: str) -> Any:
    """Targets of a kind: numbers, classes or counts. One in eight is of another kind, or cannot be used."""
    n = table.n
    if rng.random() < 0.125:
        kind = str(rng.choice(["numbers", "classes", "counts", "constant", "missing", "short", "text", "huge"]))
    return _contained(rng, _values(rng, n, kind), n)


def _values(rng: Rng, n: int, kind: str) -> Any:
    match kind:
        case "numbers":
            return numbers(rng, n) + (0.0 if rng.random() < 0.7 else 10.0 ** rng.uniform(0, 12))
        case "classes":
            count = int(rng.choice([2, 2, 2, 3, 4]))
            labels = [list(range(count)), [-1, 1, 2, 3], ["a", "b", "\x1b[1m", "d" * 3_000], [False, True, 2, 3]]
            chosen = labels[rng.integers(len(labels))][:count]
            codes = np.r_[np.arange(count), rng.integers(count, size=max(0, n - count))][:n]
            return np.array([chosen[code] for code in rng.permutation(codes)])
        case "counts":
            return rng.poisson(10.0 ** rng.uniform(-1, 4), size=n)
        case "constant":
            return np.full(n, rng.choice([0.0, 1.0, 1e12]))
        case "missing":
            return np.where(np.arange(n) == 0, np.nan, rng.normal(size=n))
        case "short":
            return rng.normal(size=max(0, n - 1))
        case "huge":
            return rng.normal(size=n) * 1e300
    return rng.choice(["p", "q"], size=n)


def _contained(rng: Rng, values: Any, n: int) -> Any:
    match rng.choice(["array", "series", "list", "column", "frame", "polars", "nullable"], p=CHANCES):
        case "series":
            return pd.Series(values, name="y")
        case "list":
            return values.tolist()
        case "column":
            return values[:, None]
        case "frame":
            return pd.DataFrame({"y": values})
        case "polars":
            import polars as pl

            return pl.Series("y", values.tolist())
        case "nullable":
            return pd.Series(values).convert_dtypes()
    return values


CHANCES = [0.5, 0.2, 0.1, 0.05, 0.05, 0.05, 0.05]
