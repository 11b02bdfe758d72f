"""How much of R-sens comes from which part of λ: "moves the prediction" against "moves the uncertainty"."""

from __future__ import annotations

import numpy as np

from rsens._typing import Array
from rsens.distributions import Distribution
from rsens.measures._local import check_alpha


def parts(distribution: Distribution, derivative: Array, *, alpha: float = 1.0) -> dict[str, Array]:
    """R-sens split over the orthogonal blocks of λ, by name; empty for families without such blocks.

    `derivative` is ∂λ (n, M, D), or ∂²λ (n, M, D, D) for R-sens₂; each part has the shape of the local values.
    With R_b the norm of block b alone, R² = Σ R_b², and the part is R_b²/R: the parts add up to R. Written as
    R · (R_b/R)², because R_b² need not fit in float64 where R does; 0 where R = 0.
    """
    root = np.sqrt(check_alpha(alpha))
    whole = distribution.fisher_norm(derivative)
    safe = np.where(whole > 0.0, whole, 1.0)
    result = {}
    for name, block in distribution.orthogonal_blocks.items():
        alone = np.zeros_like(derivative)
        alone[:, block] = derivative[:, block]
        result[name] = root * whole * (distribution.fisher_norm(alone) / safe) ** 2
    return result
