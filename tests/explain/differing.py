"""A difference of explanations whose every number is chosen."""

from __future__ import annotations

import numpy as np

from rsens import Difference
from rsens._explain._difference import Both, Compared


def _side(values, spread):
    return np.array([np.maximum(values - spread, 0.0), values + spread])


def differing(terms: list[str], names=("before", "after"), *, intervals: bool = True, seed: int = 0) -> Difference:
    """Values fall from term to term; every third one differs by a quarter of it."""
    rng = np.random.default_rng(seed)
    a = 2.0 * 0.9 ** np.arange(len(terms))
    b = a * np.where(np.arange(len(terms)) % 3 == 0, 0.75, 1.0 + rng.normal(0.0, 0.02, len(terms)))
    n_pairs = len(terms) * (len(terms) - 1) // 2
    pair_a, pair_b = rng.gamma(0.7, 0.3, n_pairs), rng.gamma(0.7, 0.3, n_pairs)

    def known(a, b):
        spread = 0.05 + 0.1 * a
        fields = {"value_a": a, "value_b": b}
        if intervals:
            fields |= {
                "interval_kind": "paired refits",
                "intervals_a": _side(a, spread),
                "intervals_b": _side(b, spread),
                "intervals": np.array([a - b - spread, a - b + spread]),
                "p_values": np.where(np.abs(a - b) > spread, 0.01, 0.5),
            }
        return Compared(**fields)

    both = Both(
        names=names,
        rows=(100, 100),
        same_rows=True,
        level=0.95,
        scale_kind="sd",
        terms=tuple(terms),
        units=np.ones(len(terms)),
        notes=(),
    )
    return Difference(both=both, of_terms=known(a, b), of_pairs=known(pair_a, pair_b) if n_pairs else None)
