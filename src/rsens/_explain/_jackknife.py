"""The delete-a-group jackknife."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rsens._typing import Array


def jackknife(rounds: Sequence[Array]) -> Array:
    """The standard error of each value, from (K, values) without each of K folds in every round.

    se² = (K − 1)/K Σ_k (v_k − v̄)², averaged over rounds. Since Σ_k (v_k − v̄)² = K · var, this is (K − 1) var.
    """
    return np.sqrt(np.mean([(len(v) - 1) * np.var(v, axis=0) for v in rounds], axis=0))
