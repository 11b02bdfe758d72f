"""Overdispersed counts with log link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit

from rsens._special import HALF_LOG_TWO_PI, expm1mx, log1pmx, log_minus_digamma, stirling_error
from rsens._typing import Array
from rsens.distributions import NegativeBinomial, beta_cdf
from rsens.likelihoods._base import DEVIATION, in_latent
from rsens.likelihoods._counts import CountLikelihood

#: Where the search for the size starts, and what its weak prior expects.
USUAL_SIZE = 10.0


@dataclass(frozen=True)
class NegativeBinomialLikelihood(CountLikelihood):
    """y | f ~ NegativeBinomial(mean e^f, size k), variance μ + μ²/k; predictive mean exp(m + v/2), the size stays k.

    With a = f − log k, the share μ/(μ + k) is σ(a), and nothing below overflows.

    Example:
        >>> from rsens.likelihoods import NegativeBinomialLikelihood
        >>> predictive = NegativeBinomialLikelihood(size=2.0).predictive(m=[0.0], v=[2.0])
        >>> predictive.mean.round(4).tolist(), predictive.size.tolist()
        ([2.7183], [2.0])
    """

    size: float = 1.0
    name: ClassVar[str] = "negative_binomial"
    label: ClassVar[str] = "negative binomial counts"
    hyperparameter_names: ClassVar[tuple[str, ...]] = ("size",)

    @classmethod
    def start(cls, noise_variance: float) -> Self:
        return cls(USUAL_SIZE)

    def priors(self, output_scale: float) -> list[tuple[float, float]]:
        return [(np.log(USUAL_SIZE), DEVIATION)]

    def log_density(self, y: Array, f: Array) -> Array:
        # The largest value over f, in Loader's saddle-point form, minus half the deviance from f = log y.
        k = self.size
        x = np.where(y > 0.0, y, 1.0)
        best = (
            stirling_error(x + k)
            - stirling_error(np.asarray(k))
            - stirling_error(x)
            + 0.5 * (np.log(k) - np.log(x) - np.log(x + k))
            - HALF_LOG_TWO_PI
        )
        return np.where(y > 0.0, best - _half_deviance(x, f - np.log(x), k), k * log_expit(np.log(k) - f))

    def f_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        information = (y + self.size) * self._share(f) * self._rest(f)
        return self._slope(y, f), -information, information * np.tanh(0.5 * (f - np.log(self.size)))

    def theta_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        k = self.size
        share, rest = self._share(f), self._rest(f)
        # ψ(y + k) − ψ(k) − log(1 + μ/k) − w with w = (y − μ)/(μ + k), so that 1 + w = (1 + y/k) σ(−a).
        w = y / k * rest - share
        far = np.abs(w) >= 0.5
        log_one_plus_w = np.log1p(y / k) + log_expit(np.log(k) - f)
        gap = np.where(far, log_one_plus_w - w, log1pmx(np.where(far, 0.0, w)))
        by_log_size = k * (gap + log_minus_digamma(np.asarray(k)) - log_minus_digamma(y + k))
        by_f = self._slope(y, f) * share
        by_curvature = share * rest * (2.0 * k * share + y * np.tanh(0.5 * (f - np.log(k))))
        return by_log_size[None], by_f[None], by_curvature[None]

    def predictive(self, m: ArrayLike, v: ArrayLike) -> NegativeBinomial:
        return NegativeBinomial(self.mean_rate(m, v), self.size).checked()

    def predictive_derivatives(self, m: ArrayLike, v: ArrayLike, order: int) -> tuple[Array, Array | None]:
        rate = self.mean_rate(m, v)
        if order == 1:
            first, second = in_latent(rate, 0.5 * rate)
        else:
            first, second = in_latent(rate, 0.5 * rate, rate, 0.5 * rate, 0.25 * rate)
        return with_fixed_size(first), None if second is None else with_fixed_size(second)

    def _share(self, f: Array) -> Array:
        return expit(f - np.log(self.size))

    def _rest(self, f: Array) -> Array:
        return expit(np.log(self.size) - f)

    def _slope(self, y: Array, f: Array) -> Array:
        """(y − μ) k/(μ + k)."""
        return y * self._rest(f) - self.size * self._share(f)

    def _cdf(self, y: Array, f: Array) -> Array:
        return beta_cdf(np.asarray(self.size), y + 1.0, self._rest(f), self._share(f), upper=False)


def with_fixed_size(by_mean: Array) -> Array:
    """λ = (mean, size): the size does not depend on the latent."""
    return np.concatenate([by_mean, np.zeros_like(by_mean)], axis=1)


def _half_deviance(y: Array, d: Array, k: float) -> Array:
    """y log(y/μ) − (y + k) log((y + k)/(μ + k)) ≥ 0 for y > 0, from d = log μ/y.

    It is (y + k) [log(1 + p(e^d − 1)) − p d] with p = y/(y + k), and the same with (1 − p, −d) for (p, d): the form
    with the smaller share does not cancel.
    """
    d = np.where(y <= k, d, -d)
    p = np.minimum(y, k) / (y + k)
    small, middle = np.clip(d, -0.5, 0.5), np.minimum(d, 30.0)
    with np.errstate(under="ignore"):
        near = log1pmx(p * np.expm1(small)) + p * expm1mx(small)
        far = np.where(d < 30.0, np.log1p(p * np.expm1(middle)), np.logaddexp(np.log1p(-p), np.log(p) + d))
        return (y + k) * np.where(np.abs(d) < 0.5, near, far - p * d)
