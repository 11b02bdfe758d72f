"""Results with chosen numbers, without a fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rsens._stability import Stability
from rsens._stability._result import Rankings, ranks_of


def result_of(
    values: np.ndarray,
    terms: Sequence[str],
    methods: Sequence[str] = ("rsens",),
    *,
    order: int = 1,
    failures: Sequence[tuple[int, str | None, str]] = (),
) -> Stability:
    """The result with these values (methods, samples, terms), NaN where a method failed; of ties the first leads."""
    values = np.array(values, dtype=np.float64)
    ranks = np.where(np.isnan(values), 0, ranks_of(values, np.arange(len(terms))))
    rankings = Rankings(
        order=order, terms=tuple(terms), methods=tuple(methods), rows=50, replace=False, scale="sd",
        values=values, ranks=ranks, failures=tuple(failures),
    )  # fmt: skip
    return Stability(rankings)


def noisy(terms: Sequence[str], *, samples: int = 100, seed: int = 0) -> Stability:
    """Terms whose values fall evenly, in a shuffled order, with some noise: neighbours trade places."""
    rng = np.random.default_rng(seed)
    level = rng.permutation(-0.8 * np.arange(len(terms)) * min(1.0, 6.0 / len(terms)))
    values = np.exp(level + 0.4 * rng.standard_normal((2, samples, len(terms))))
    return result_of(values, terms, ("rsens", "ead"))
