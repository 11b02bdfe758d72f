"""Standardised data, and the way back: kernels, likelihoods and latent values in the units of the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsens._typing import Array
from rsens.kernels import Kernel
from rsens.likelihoods import Likelihood
from rsens.posteriors import Latent, LatentPosterior


@dataclass(frozen=True, eq=False)
class Standard:
    """x̃ = (x − input_mean)/input_scale and f = output_mean + output_scale·f̃; the GP works with x̃ and f̃."""

    input_mean: Array
    input_scale: Array
    output_mean: float = 0.0
    output_scale: float = 1.0

    def inputs(self, X: Array) -> Array:
        return (X - self.input_mean) / self.input_scale

    def original(self, inputs: Array) -> Array:
        """x, from x̃."""
        return self.input_mean + self.input_scale * inputs

    def kernel(self, kernel: Kernel) -> Kernel:
        """The kernel of f on x − input_mean, from the kernel of f̃ on x̃."""
        return kernel.in_units(self.input_scale, self.output_scale**2)

    def likelihood(self, likelihood: Likelihood) -> Likelihood:
        """p(y | f), from p(ỹ | f̃)."""
        return likelihood.in_units(self.output_scale**2)

    def latent(self, latent: Latent) -> Latent:
        """(m, v) of f with derivatives in x, from (m, v) of f̃ with derivatives in x̃."""
        factors = np.array([self.output_scale, self.output_scale**2])[:, None] / self.input_scale
        first, second = latent.first, latent.second
        return Latent(
            self.output_mean + self.output_scale * latent.mean,
            self.output_scale**2 * latent.variance,
            None if first is None else first * factors,
            None if second is None else second * factors[:, :, None] / self.input_scale,
        )

    def latent_mean(self, posterior: LatentPosterior, X: Array, order: int) -> tuple[Array, Array | None, Array | None]:
        """The mean of f at the rows X, with derivatives in x up to this order (0, 1 or 2)."""
        if order == 0:
            return self.output_mean + self.output_scale * posterior.means(self.inputs(X)), None, None
        mean, first, second = posterior.mean_derivatives(self.inputs(X), order)
        factors = self.output_scale / self.input_scale
        return (
            self.output_mean + self.output_scale * mean,
            first * factors,
            None if second is None else second * factors[:, None] / self.input_scale,
        )
