"""Counts whose mean is the softplus of f, log(1 + e^f), as GPyTorch has them; ours have e^f."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from rsens._typing import Array
from rsens.distributions import Distribution, NegativeBinomial, Poisson
from rsens.likelihoods import LogitLikelihood

#: Standard deviations of f beyond which its density is negligible.
REACH = 9.0
#: Softplus has its nearest poles at ±iπ, so the trapezoid rule with this step is exact to rounding; a Gaussian needs a
#: quarter of its standard deviation.
STEP, GAUSSIAN_STEP = 0.35, 0.25
_BLOCK = 2**20  # nodes in memory at once


@dataclass(frozen=True)
class SoftplusCounts:
    """Poisson counts, or negative binomial ones with size = ratio·mean; the mean is factor·E[softplus(f)].

    Softplus' is the logistic function σ. So with π = E[σ(f)], h the mean and v the variance of f: ∂h/∂m = π,
    ∂h/∂v = ½ ∂π/∂m, and likewise for the second derivatives; π and its derivatives are those of our logit.
    """

    ratio: float | None = None
    factor: float = 1.0

    def predictive(self, m: ArrayLike, v: ArrayLike) -> Distribution:
        mean = self.factor * mean_softplus(np.asarray(m, dtype=np.float64), np.asarray(v, dtype=np.float64))
        return Poisson(mean).checked() if self.ratio is None else NegativeBinomial(mean, self.ratio * mean).checked()

    def predictive_derivatives(self, m: ArrayLike, v: ArrayLike, order: int) -> tuple[Array, Array | None]:
        logit = LogitLikelihood()
        probability = logit.predictive(m, v).parameters[:, 0]
        by_z, by_zz = logit.predictive_derivatives(m, v, order)
        first = np.stack([probability, 0.5 * by_z[:, 0, 0]], -1)
        second = None
        if by_zz is not None:
            rows = [
                np.stack([by_z[:, 0, 0], by_z[:, 0, 1]], -1),
                np.stack([by_z[:, 0, 1], 0.5 * by_zz[:, 0, 0, 1]], -1),
            ]
            second = np.stack(rows, -2)
        factors = self.factor * np.array([1.0] if self.ratio is None else [1.0, self.ratio])
        return (
            factors[:, None] * first[:, None],
            None if second is None else factors[:, None, None] * second[:, None],
        )


def mean_softplus(m: Array, v: Array) -> Array:
    """E[log(1 + e^f)] for f ~ N(m, v), with all its digits where it is small."""
    deviation = np.sqrt(v)
    low, high = -REACH * deviation, v + REACH * deviation  # far down softplus is e^f, which tilts the Gaussian by v
    step = np.minimum(STEP, GAUSSIAN_STEP * deviation)
    with np.errstate(divide="ignore", invalid="ignore"):
        counts = np.where(v > 0.0, np.ceil((high - low) / step), 0.0).astype(int) + 1
    results = np.empty(len(m))
    for rows in np.array_split(np.argsort(counts), 1 + int(counts.sum()) // _BLOCK):
        K = counts[rows].max()
        d = low[rows, None] + (high - low)[rows, None] * np.linspace(0.0, 1.0, K)
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            log_density = np.where(v[rows, None] > 0.0, -0.5 * d**2 / v[rows, None], 0.0)
            log_value = np.log(np.logaddexp(0.0, m[rows, None] + d))
            results[rows] = np.exp(logsumexp(log_density + log_value, axis=1) - logsumexp(log_density, axis=1))
    return results
