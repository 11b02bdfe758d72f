"""Which rows lie outside the cloud of data: there a model answers from its prior, and its sensitivities say little.

Distance is Mahalanobis, in the span of the cloud (its columns may be collinear, or more than its rows):

    d²(x) = (x − m)ᵀ S⁺ (x − m),        m, S mean and covariance of the cloud.

* The training inputs are known: a row is outside when it leaves their span, or is farther than the farthest of them
  (the ellipsoid rule for hidden extrapolation in regression).
* They are not: each row is judged against the others. For a Gaussian cloud of rank r, with d²₍ᵢ₎ the distance of row i
  in the mean and covariance of the n − 1 others,

    d²₍ᵢ₎ (n − 1)(n − 1 − r) / (n r (n − 2))  ~  F(r, n − 1 − r),

  and a row is outside beyond the quantile 1 − 0.01/n: one chance in a hundred that a Gaussian cloud of any size has a
  flag at all. With n ≤ r + 1 rows, each row is a direction of its own: nothing can be compared, and none is flagged.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsens._table import column_deviations
from rsens._typing import Array

CHANCE_OF_A_FLAG = 0.01
OFF_SPAN = 1e-6  # of the length of the row, in standard deviations


def outside(rows: Array, training: Array | None) -> NDArray[np.bool_]:
    """True for the rows that lie outside the training inputs or, without them, away from the other rows."""
    if training is None:
        return _away_from_the_others(rows)
    cloud = _Cloud.of(training)
    # Rounding must not flag the farthest training row itself.
    farthest = float(cloud.distance2(training).max()) * (1.0 + 1e-9)
    return np.asarray(cloud.distance2(rows) > farthest) | cloud.leaves_span(rows)


def _away_from_the_others(rows: Array) -> NDArray[np.bool_]:
    from scipy.stats import f

    cloud = _Cloud.of(rows)
    n, rank = len(rows), cloud.rank
    if rank == 0 or n <= rank + 1:
        return np.zeros(n, dtype=np.bool_)
    # Leverage without the mean, h = d²/(n − 1) ≤ 1 − 1/n, gives the distance from the others without refitting.
    h = np.minimum(cloud.distance2(rows) / (n - 1), 1.0 - 1.0 / n)
    with np.errstate(divide="ignore"):
        others = (n - 2) * (n / (n - 1)) ** 2 * h / (1.0 - h * n / (n - 1))
    statistic = others * (n - 1) * (n - 1 - rank) / (n * rank * (n - 2))
    return np.asarray(statistic > f.isf(CHANCE_OF_A_FLAG / n, rank, n - 1 - rank), dtype=np.bool_)


@dataclass(frozen=True)
class _Cloud:
    """Mean, and principal directions with their standard deviations, of columns brought to unit spread."""

    mean: Array
    spread: Array
    directions: Array  # (D, rank)
    deviations: Array  # (rank,)

    @classmethod
    def of(cls, rows: Array) -> _Cloud:
        mean, spread = rows.mean(axis=0), column_deviations(rows)
        # A constant column has no spread of its own; its size decides what counts as leaving it.
        constant = spread <= 1e-12 * np.abs(mean)
        spread = np.where(constant, np.maximum(np.abs(mean), 1.0), spread)
        z = np.where(constant, 0.0, (rows - mean) / spread)
        # The triangle of a QR factorisation has the singular values of z, and is small however many rows there are.
        triangle = np.linalg.qr(z, mode="r")
        _, singular, directions = np.linalg.svd(triangle, full_matrices=False)
        kept = singular > max(rows.shape) * 1e-13 * max(singular.max(initial=0.0), 1e-300)
        return cls(mean, spread, directions[kept].T, singular[kept] / np.sqrt(max(len(rows) - 1, 1)))

    @property
    def rank(self) -> int:
        return len(self.deviations)

    def distance2(self, rows: Array) -> Array:
        z = (rows - self.mean) / self.spread
        return np.asarray((((z @ self.directions) / self.deviations) ** 2).sum(axis=1), dtype=np.float64)

    def leaves_span(self, rows: Array) -> NDArray[np.bool_]:
        z = (rows - self.mean) / self.spread
        rest = z - (z @ self.directions) @ self.directions.T
        return np.asarray(np.linalg.norm(rest, axis=1) > OFF_SPAN * (1.0 + np.linalg.norm(z, axis=1)), dtype=np.bool_)
