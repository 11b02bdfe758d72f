"""How much of R-sens comes from which part of λ: "moves the prediction" against "moves the uncertainty"."""

from __future__ import annotations

import numpy as np

from rsens._typing import Array
from rsens.derivatives import Derivatives
from rsens.distributions import Distribution
from rsens.measures._contrasts import contrast_parts
from rsens.measures._local import check_alpha
from rsens.measures._terms import Terms


def parts_of(
    derivatives: Derivatives, alpha: float, units: Array | None = None, terms: Terms | None = None
) -> dict[str, Array]:
    """The parts of `rsens_of`, (n, T) each, by name: contrasts are split as the squared norm of λ(x_l) − λ(x) is."""
    n_columns = derivatives.first.shape[-1]
    units, terms = np.ones(n_columns) if units is None else units, terms or Terms.single(n_columns)
    family = derivatives.distribution
    if not family.orthogonal_blocks:
        return {}
    by_part = parts(family, terms.along(derivatives.first * units, family), alpha=alpha)
    for column, split in contrast_parts(derivatives, alpha):
        for name, part in split.items():
            by_part[name][:, terms.of_column(column)] = part * units[column]
    return by_part


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
