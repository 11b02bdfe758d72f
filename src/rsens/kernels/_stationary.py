"""Stationary kernels: a profile g(s) of the squared scaled distance s = Σ_d (x_d − z_d)²/l_d²."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from rsens._typing import Array
from rsens.kernels._base import KernelAt, KernelOn
from rsens.kernels._condensed import LeafOnPairs, StationaryOnPairs
from rsens.kernels._leaf import ConstantDiagonal, Positive, times
from rsens.kernels._stationary_at import AtStationary
from rsens.kernels._stationary_on import OnStationary


class Stationary(ConstantDiagonal):
    """k(x, z) = g(s), s = Σ_d Δ_d²/l_d², Δ = x − z. A kernel is its profile g; everything else follows, with u = Δ/l²:

    ∂k/∂x = 2g'u,  ∂²k/∂x∂xᵀ = 4g''uuᵀ + 2g'·diag(1/l²),  ∂k/∂log l_d = −2g'·Δ_d²/l_d².
    """

    per_column: ClassVar[tuple[str, ...]] = ("lengthscale",)
    on_pairs: ClassVar[type[LeafOnPairs] | None] = StationaryOnPairs
    lengthscale: Positive
    #: c, if g' = c·g: then a fit needs no array for g'.
    slope_ratio: ClassVar[float | None] = None
    #: False if ∂k/∂x does not exist at x = z.
    differentiable: ClassVar[bool] = True

    @abstractmethod
    def profile(self, s: Array) -> tuple[Array, ...]:
        """g(s), g'(s), and ∂g/∂log of every hyperparameter after the length-scale. May overwrite s."""

    @abstractmethod
    def curvature(self, s: Array) -> Array:
        """g''(s); 0 if it is infinite at s = 0, since u = 0 there, and 4g''uuᵀ → 0."""

    def scaled(self, X: Array) -> Array:
        """X/l."""
        return X / np.asarray(self.lengthscale)

    def on(self, X: Array, Z: Array | None = None) -> KernelOn:
        return OnStationary(self, *self.seen_pair(X, Z))

    def at(self, X: Array, Z: Array) -> KernelAt:
        return AtStationary(self, *self.seen_rows(X, Z), self.active(X))

    def active_in_units(self, columns: Array, variance: float) -> Self:
        """Further hyperparameters have no unit: they shape g."""
        lengthscale = times(self.lengthscale, columns)
        return replace(self, variance=self.variance * variance, lengthscale=lengthscale)  # type: ignore[type-var]

    def prior(self, field: str, value: float, size: float, q: int, output_scale: float) -> tuple[float, float]:
        if field == "lengthscale":  # distances between rows grow with √q
            return np.log(size * np.sqrt(q)), 1.0
        return super().prior(field, value, size, q, output_scale)

    def active_rates(self, rows: Array) -> Array:
        """1/l."""
        return 1.0 / np.asarray(self.lengthscale)

    def arrays_at(self, n_columns: int) -> int:
        # all the time: s, g, g'; for a moment: three for the profile or for g'' and its weights, u and a product with u
        return 6 + 2 * (n_columns if self.dims is None else len(self.dims))
