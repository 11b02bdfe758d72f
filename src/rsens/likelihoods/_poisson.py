"""Poisson counts with log link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincc

from rsens._errors import InputError
from rsens._special import HALF_LOG_TWO_PI, expm1mx, stirling_error
from rsens._typing import Array
from rsens.distributions import Poisson
from rsens.likelihoods._base import in_latent, no_hyperparameters
from rsens.likelihoods._counts import CountLikelihood


@dataclass(frozen=True)
class PoissonLikelihood(CountLikelihood):
    """y | f ~ Poisson(e^f); predictive Poisson(exp(m + v/2)), as in the paper's supplement.

    Example:
        >>> from rsens.likelihoods import PoissonLikelihood
        >>> PoissonLikelihood().predictive(m=[0.0], v=[2.0]).rate.round(4).tolist()  # e
        [2.7183]
    """

    name: ClassVar[str] = "poisson"
    label: ClassVar[str] = "Poisson counts"
    overdispersed: ClassVar[str | None] = "negative_binomial"

    def log_density(self, y: Array, f: Array) -> Array:
        # Loader's saddle-point form: y f − e^f − log y! without its cancellation at large counts.
        k = np.where(y > 0.0, y, 1.0)
        with np.errstate(over="ignore", under="ignore"):
            counted = -k * expm1mx(f - np.log(k)) - stirling_error(k) - 0.5 * np.log(k) - HALF_LOG_TWO_PI
            return np.where(y > 0.0, counted, -np.exp(f))

    def f_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        with np.errstate(over="ignore", under="ignore"):
            rate = np.exp(f)
        if np.isinf(rate).any():
            raise InputError(
                f"PoissonLikelihood: the rate e^f overflows at f = {np.max(f):g}. "
                "Call log_density first: it is −inf there."
            )
        return y - rate, -rate, -rate

    def theta_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        return no_hyperparameters(y, f)

    def predictive(self, m: ArrayLike, v: ArrayLike) -> Poisson:
        return Poisson(self.mean_rate(m, v)).checked()

    def predictive_derivatives(self, m: ArrayLike, v: ArrayLike, order: int) -> tuple[Array, Array | None]:
        rate = self.mean_rate(m, v)
        if order == 1:
            return in_latent(rate, 0.5 * rate)
        return in_latent(rate, 0.5 * rate, rate, 0.5 * rate, 0.25 * rate)

    def _slope(self, y: Array, f: Array) -> Array:
        with np.errstate(over="ignore", under="ignore"):
            return y - np.exp(f)

    def _cdf(self, y: Array, f: Array) -> Array:
        with np.errstate(over="ignore", under="ignore"):
            return gammaincc(y + 1.0, np.exp(f))
