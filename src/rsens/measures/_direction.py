"""Which way the prediction goes with a variable, and whether it always goes that way."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._typing import Array

UP, DOWN, BOTH = "▲", "▼", "±"
#: Below this consistency a variable counts as moving the prediction both ways. With U the movement up and V that down,
#: |U − V|/(U + V) < ½ says that more than a quarter of all movement is against the rest.
MIXED = 0.5


def consistency(mean: Array, mean_size: Array) -> Array:
    """|mean ∂f| / mean |∂f|, in [0, 1]: 1 where ∂f never changes its sign; NaN where f does not move or has no ∂f."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.minimum(np.abs(mean) / mean_size, 1.0)  # rounding may leave 1 + 1e-16


def arrows(direction: Any, consistency: Any) -> list[str]:
    """An arrow up or down, or ±, for each mean derivative and its consistency; "" where nothing moves."""
    pairs = zip(np.asarray(direction).ravel(), np.asarray(consistency).ravel(), strict=True)
    return [_arrow(float(slope), float(share)) for slope, share in pairs]


def _arrow(slope: float, share: float) -> str:
    if not np.isfinite(share) or not np.isfinite(slope):
        return ""
    return BOTH if share < MIXED or slope == 0.0 else UP if slope > 0.0 else DOWN
