"""Gaussian noise: y = f + N(0, noise_variance)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from rsens._typing import Array
from rsens.distributions import Normal, gaussian_log_prob
from rsens.likelihoods._base import LogConcave, latent
from rsens.likelihoods._noise import NoisyLikelihood


@dataclass(frozen=True)
class GaussianLikelihood(NoisyLikelihood, LogConcave):
    """y | f ~ N(f, σ²); predictive Normal(m, v + σ²).

    Example:
        >>> from rsens.likelihoods import GaussianLikelihood
        >>> GaussianLikelihood(noise_variance=0.5).predictive(m=[1.0], v=[2.0]).variance.tolist()
        [2.5]
    """

    noise_variance: float = 1.0
    name: ClassVar[str] = "gaussian"
    label: ClassVar[str] = "Gaussian noise"
    hyperparameter_names: ClassVar[tuple[str, ...]] = ("noise_variance",)

    def log_density(self, y: Array, f: Array) -> Array:
        with np.errstate(over="ignore"):
            return gaussian_log_prob(y, f, np.asarray(self.noise_variance))

    def f_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        residual = np.asarray(y - f)
        return residual / self.noise_variance, np.full(residual.shape, -1.0 / self.noise_variance), 0.0 * residual

    def theta_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        residual = np.asarray(y - f)[None]
        by_f = residual / self.noise_variance
        return 0.5 * (residual * by_f - 1.0), -by_f, np.full(residual.shape, -1.0 / self.noise_variance)

    def predictive(self, m: ArrayLike, v: ArrayLike) -> Normal:
        mean, variance = latent(m, v)
        return Normal(mean, variance + self.noise_variance).checked()

    def predictive_derivatives(self, m: ArrayLike, v: ArrayLike, order: int) -> tuple[Array, Array | None]:
        mean, _ = latent(m, v)
        first = np.broadcast_to(np.eye(2), (*mean.shape, 2, 2)).copy()
        return first, np.zeros((*mean.shape, 2, 2, 2)) if order == 2 else None

    def log_predictive_density(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        mean, variance = latent(m, v)
        with np.errstate(over="ignore"):
            return gaussian_log_prob(y, mean, variance + self.noise_variance)

    def predictive_cdf(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        mean, variance = latent(m, v)
        return ndtr((y - mean) / np.sqrt(variance + self.noise_variance))
