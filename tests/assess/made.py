"""Assessments of given numbers, without a model behind them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm

from rsens._assess import Assessment, assessment_of
from rsens._assess._assessment import HeldOutRows


def of_numbers(u: Any, gains: Any = 1.0, *, left_out: int = 0, y: Any = None, **changes: Any) -> Assessment:
    """A model with these PIT values, which by default gains 1 nat per row; the first `left_out` rows are left out."""
    u = np.asarray(u, dtype=np.float64)
    n = len(u)
    gains = np.broadcast_to(np.asarray(gains, dtype=np.float64), n)
    found = {
        "prediction": np.zeros(n),
        "log_density": gains - 1.5,
        "baseline_log_density": np.full(n, -1.5),
        "pit_lower": u,
        "pit_upper": u,
        "probabilities": np.empty((n, 0)),
    } | changes
    kind = found.pop("kind", "numbers")
    part = HeldOutRows(np.arange(left_out, n), kind, **{name: each[left_out:] for name, each in found.items()})
    y = np.random.default_rng(0).normal(size=n) if y is None else y
    return assessment_of([part], "Made", np.zeros((n, 1)), y)


def of_classes(probabilities: Any, codes: Any) -> Assessment:
    """A model of classes a, b, … with these probabilities."""
    p, codes = np.asarray(probabilities, dtype=np.float64), np.asarray(codes)
    fields = {
        "kind": "classes",
        "y": np.array(list("abcdef"[: p.shape[1]]))[codes],
        "log_density": np.log(p[np.arange(len(p)), codes]),
        "baseline_log_density": np.full(len(p), np.log(1.0 / p.shape[1])),
        "prediction": p.argmax(axis=1).astype(np.float64),
        "probabilities": p,
    }
    return of_numbers(np.full(len(p), np.nan), **fields)


def drawn_numbers(n: int = 200, spread: float = 1.0) -> Assessment:
    """A model whose standard deviation is `spread` times that of the normal y."""
    return of_numbers(norm.cdf(np.random.default_rng(1).normal(size=n) / spread))


def drawn_classes(n: int = 400, k: int = 2) -> Assessment:
    """A model whose probabilities are right."""
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(k), size=n)
    return of_classes(p, (rng.random(n)[:, None] > np.cumsum(p, axis=1)).sum(axis=1))
