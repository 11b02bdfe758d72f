"""The Gaussian with the mean and covariance of the rows: distances without one column, and one column given the others.

With Λ the inverse of the covariance S and Δ the difference of two rows, one inverse serves every column:

    x_d | x_−d ~ N(x_d − (Λ(x − m))_d / Λ_dd,  1/Λ_dd)
    Δ_−dᵀ (S_−d,−d)⁻¹ Δ_−d = Δᵀ Λ Δ − (ΛΔ)_d² / Λ_dd.

For a group of columns given the others, the inverse of their block of Λ takes the place of 1/Λ_dd.

Columns are standardised first, and eigenvalues of their correlations are kept above 1e-10: where columns determine each
other, or do not vary, S has no inverse, and this is the limit that a pseudo-inverse of S_−d,−d gives as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import cdist

from rsens._table import column_scale
from rsens._typing import Array, Positions

#: Smaller eigenvalues of a correlation matrix may be rounding of 0.
LEAST_EIGENVALUE = 1e-10
#: A column that the others explain up to this share of its variance is determined by them.
LEAST_SHARE = 1e-8


@dataclass(frozen=True, eq=False)
class SampleGaussian:
    """The rows standardised, z (n, D), and whitened, w, so that distances are |w_i − w_j|² = ΔᵀΛΔ."""

    mean: Array
    scale: Array
    z: Array
    whitened: Array
    #: The diagonal of Λ, of standardised columns.
    precision: Array
    #: Λz, (n, D).
    weighted: Array
    #: A root of Λ, (D, D): root·rootᵀ = Λ.
    root: Array

    @classmethod
    def of(cls, values: Array) -> SampleGaussian:
        """The Gaussian of rows (n, D), n > 1."""
        mean, scale = values.mean(axis=0), column_scale(values)
        z = np.where(np.ptp(values, axis=0) > 0.0, values - mean, 0.0) / scale
        eigenvalues, vectors = eigh(z.T @ z / (len(z) - 1))
        root = vectors / np.sqrt(np.maximum(eigenvalues, LEAST_EIGENVALUE))  # Λ = root·rootᵀ
        whitened = z @ root
        return cls(mean, scale, z, whitened, (root**2).sum(axis=1), whitened @ root.T, root)

    def at(self, positions: Positions) -> SampleGaussian:
        """The same Gaussian, and some of the rows."""
        z, whitened, weighted = self.z[positions], self.whitened[positions], self.weighted[positions]
        return replace(self, z=z, whitened=whitened, weighted=weighted)

    def distances(self, j: int | None = None) -> Array:
        """ΔᵀΛΔ of all rows and row j (n, 1), or of all pairs of rows (n, n)."""
        return cdist(self.whitened, self.whitened if j is None else self.whitened[[j]], "sqeuclidean")

    def distances_in(self, d: int, j: int | None = None) -> Array:
        """The part (ΛΔ)_d²/Λ_dd of `distances` that column d adds to the others."""
        here = self.weighted[:, d]
        return (here[:, None] - (here if j is None else here[[j]])) ** 2 / self.precision[d]

    def conditional(self, columns: tuple[int, ...]) -> tuple[Array, Array]:
        """Means (n, columns) given the others, and directions (r, columns): x = mean + N(0, 1)^r · directions.

        Directions in which the others determine the columns are left out; r = 0 if they determine all.
        """
        chosen = list(columns)
        eigenvalues, vectors = eigh(self.root[chosen] @ self.root[chosen].T)  # of Λ_dd
        root = vectors / np.sqrt(eigenvalues)
        centre = self.z[:, chosen] - self.weighted[:, chosen] @ root @ root.T
        free = root[:, (root**2).sum(axis=0) > LEAST_SHARE]
        return self.mean[chosen] + self.scale[chosen] * centre, (self.scale[chosen][:, None] * free).T
