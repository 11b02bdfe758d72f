"""Assessments of given numbers, without a model behind them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from rsens._assess import Assessment
from rsens._assess._assessment import HeldOutRows


def of_numbers(u: Any, gains: Any = 1.0, **changes: Any) -> Assessment:
    """A model of numbers with these PIT values; it gains 1 nat per row over the constant unless told otherwise."""
    u = np.asarray(u, dtype=np.float64)
    n = len(u)
    gains = np.broadcast_to(np.asarray(gains, dtype=np.float64), n)
    rng = np.random.default_rng(0)
    found = {
        "kind": "numbers",
        "log_density": gains - 1.5,
        "baseline": np.full(n, -1.5),
        "prediction": np.zeros(n),
        "lower": u,
        "upper": u,
        "probabilities": np.empty((n, 0)),
        "y": rng.normal(size=n),
        "classes": (),
        "fold": np.arange(n) % 5 + 1,
    } | changes
    y, classes, fold, kind = (found.pop(name) for name in ("y", "classes", "fold", "kind"))
    rows = np.flatnonzero(fold)
    held_out = HeldOutRows(rows, kind, **{name: values[rows] for name, values in found.items()})
    return Assessment("Made", 5, kind, classes, pd.RangeIndex(n), y, fold, held_out)


def of_classes(probabilities: Any, codes: Any, **changes: Any) -> Assessment:
    """A model of classes a, b, … with these probabilities."""
    p, codes = np.asarray(probabilities, dtype=np.float64), np.asarray(codes)
    labels = np.array(list("abcdef"[: p.shape[1]]))
    fields = {
        "kind": "classes",
        "y": labels[codes],
        "classes": tuple(labels.tolist()),
        "log_density": np.log(p[np.arange(len(p)), codes]),
        "baseline": np.full(len(p), np.log(1.0 / p.shape[1])),
        "prediction": p.argmax(axis=1).astype(np.float64),
        "probabilities": p,
    }
    return of_numbers(np.full(len(p), np.nan), **(fields | changes))


def drawn_numbers(n: int = 200, spread: float = 1.0) -> Assessment:
    """A model whose standard deviation is `spread` times that of the normal y."""
    return of_numbers(norm.cdf(np.random.default_rng(1).normal(size=n) / spread))


def drawn_classes(n: int = 400, k: int = 2) -> Assessment:
    """A model whose probabilities are right."""
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(k), size=n)
    return of_classes(p, (rng.random(n)[:, None] > np.cumsum(p, axis=1)).sum(axis=1))
