"""Standardised data, and the way back: kernels, likelihoods and latent values in the units of the data."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rsens.distributions._base import Array
from rsens.kernels import Categorical, Constant, Kernel, Linear, Periodic, Product, Sum
from rsens.kernels._leaf import Leaf, Positive
from rsens.kernels._stationary import Stationary
from rsens.likelihoods import GaussianLikelihood, Likelihood, StudentTLikelihood
from rsens.models._posterior import Latent


@dataclass(frozen=True, eq=False)
class Standard:
    """x̃ = (x − input_mean)/input_scale and f = output_mean + output_scale·f̃, where ~ is what the GP works with."""

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
        """The kernel of f on x − input_mean, from that of f̃ on x̃."""
        return _in_units(kernel, self.input_scale, self.output_scale**2)

    def likelihood(self, likelihood: Likelihood) -> Likelihood:
        """p(y | f), from p(ỹ | f̃)."""
        if isinstance(likelihood, GaussianLikelihood):
            return replace(likelihood, noise_variance=likelihood.noise_variance * self.output_scale**2)
        if isinstance(likelihood, StudentTLikelihood):
            return replace(likelihood, scale2=likelihood.scale2 * self.output_scale**2)
        return likelihood

    def latent(self, latent: Latent) -> Latent:
        """(m, v) of f with derivatives in x, from those of f̃ in x̃."""
        factors = np.array([self.output_scale, self.output_scale**2])[:, None] / self.input_scale
        first, second = latent.first, latent.second
        return Latent(
            self.output_mean + self.output_scale * latent.mean,
            self.output_scale**2 * latent.variance,
            None if first is None else first * factors,
            None if second is None else second * factors[:, :, None] / self.input_scale,
        )


def _in_units(kernel: Kernel, scale: Array, variance: float) -> Kernel:
    """The kernel with its variance multiplied, and with columns that are `scale` times as large."""
    if isinstance(kernel, Sum):
        return Sum(tuple(_in_units(part, scale, variance) for part in kernel.parts))
    if isinstance(kernel, Product):
        first, *others = kernel.parts
        return Product((_in_units(first, scale, variance), *(_in_units(part, scale, 1.0) for part in others)))
    if not isinstance(kernel, Leaf):
        return kernel
    columns = scale if kernel.dims is None else scale[list(kernel.dims)]
    match kernel:
        case Linear():
            return replace(kernel, variance=_times(kernel.variance, variance / columns**2))
        case Periodic():  # its length-scale has no unit
            return replace(kernel, variance=kernel.variance * variance, period=_times(kernel.period, columns))
        case Stationary():
            lengthscale = _times(kernel.lengthscale, columns)
            return replace(kernel, variance=kernel.variance * variance, lengthscale=lengthscale)  # type: ignore[type-var]
        case Constant() | Categorical():
            return replace(kernel, variance=kernel.variance * variance)
    return kernel


def _times(value: Positive, factors: Array) -> Positive:
    """One value per column, or still one for all if the factors are the same for all."""
    product = np.asarray(value) * factors
    if not isinstance(value, tuple) and np.all(product == product[0]):
        return float(product[0])
    return tuple(product.tolist())
