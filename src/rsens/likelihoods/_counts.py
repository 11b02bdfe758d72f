"""Likelihoods of counts with log link: E[y | f] = e^f."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, gammaincc, log_expit, ndtr

from rsens._errors import InputError
from rsens._special import HALF_LOG_TWO_PI, expm1mx, log1pmx, log_minus_digamma, stirling_error
from rsens._typing import Array
from rsens.distributions import NegativeBinomial, Poisson, beta_cdf
from rsens.likelihoods._base import DEVIATION, LogConcave, Target, in_latent, latent, real_target
from rsens.likelihoods._quadrature import NEGLIGIBLE, REACH, SMALLEST_VARIANCE, integral

# e^{yf − e^f} is a gamma density in log y: the trapezoid rule's error is |Γ(y + 2πi/step)|/Γ(y), below 1e-14 for y ≤ 3;
# for larger y the integrand is narrow, and the number of nodes decides.
_STEP = 0.25
#: The size of the negative binomial where the search starts, and that its weak prior expects.
USUAL_SIZE = 10.0


class CountLikelihood(LogConcave):
    """A count y with mean e^f. For an exposure, the caller adds its logarithm to f or m."""

    target: ClassVar[Target] = "counts"

    def checked_target(self, y: ArrayLike) -> Array:
        """y ≥ 0; it need not be whole."""
        target = real_target(type(self).__name__, y)
        if (target < 0.0).any():
            raise InputError(f"{type(self).__name__}: counts cannot be negative; got {target.min():g}.")
        return target

    def mean_rate(self, m: ArrayLike, v: ArrayLike) -> Array:
        """E[e^f] = exp(m + v/2) for f ~ N(m, v)."""
        mean, variance = latent(m, v)
        with np.errstate(over="ignore", under="ignore"):
            rate = np.exp(mean + 0.5 * variance)
        bad = np.flatnonzero((rate == 0.0) | np.isinf(rate))
        if bad.size:
            i = bad[0]
            raise InputError(
                f"{type(self).__name__}: the predicted rate exp(m + v/2) is beyond float64 at row {i}, "
                f"with m = {mean.flat[i]:g} and v = {variance.flat[i]:g}: the model does not know the log rate there. "
                "Predict nearer to the training data; if this row is in it, the model does not suit these counts."
            )
        return rate

    def predictive_derivatives(self, m: ArrayLike, v: ArrayLike, order: int) -> tuple[Array, Array | None]:
        rate = self.mean_rate(m, v)
        return in_latent(rate, 0.5 * rate, *((rate, 0.5 * rate, 0.25 * rate) if order == 2 else ()))

    @abstractmethod
    def _slope(self, y: Array, f: Array) -> Array:
        """∂ log p(y | f)/∂f, −inf where it overflows."""

    def log_predictive_density(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        mean, variance = latent(m, v)
        y, mean, variance = np.broadcast_arrays(np.asarray(y, dtype=np.float64), mean, variance)
        rows = y.ravel(), mean.ravel(), np.maximum(variance.ravel(), SMALLEST_VARIANCE)
        low, high = self._ends(*rows)
        return integral(self._log_integrand, low, high, _STEP, rows)[0].reshape(y.shape)

    def predictive_cdf(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        """E[P(Y ≤ y | f)] over f; or E[Φ((t − m)/√v)] over the threshold t that f must pass for Y to exceed y.

        P(Y ≤ y | f) falls from 1 to 0 as f grows: it is P(t > f) for a threshold t with the density
        −∂P(Y ≤ y | f)/∂f = (y + 1) p(y + 1 | f). The nodes follow the narrower of the two densities; the other factor
        is smooth there.
        """
        mean, variance = latent(m, v)
        y, mean, variance = np.broadcast_arrays(np.floor(np.asarray(y, dtype=np.float64)), mean, variance)
        rows = np.maximum(y.ravel(), 0.0), mean.ravel(), np.maximum(variance.ravel(), SMALLEST_VARIANCE)
        # the curvature of the log density of t at its summit, t = log(y + 1)
        curvature = self.curvature(rows[0] + 1.0, np.log(rows[0] + 1.0))[0]
        over_f = rows[2] * curvature < 1.0
        found = np.empty(len(over_f))
        reach, some = REACH * np.sqrt(rows[2][over_f]), tuple(row[over_f] for row in rows)  # nodes in d = f − m
        cdf = (lambda d, y, m, v: self._cdf(y, m + d),)
        found[over_f] = integral(lambda d, y, m, v: -0.5 * (d / np.sqrt(v)) ** 2, -reach, reach, _STEP, some, cdf)[1]
        # log p(t) falls by at least curvature · (e^{−s} − 1 + s) over s
        c, others = NEGLIGIBLE / curvature[~over_f], tuple(row[~over_f] for row in rows)
        summit, reach = np.log(others[0] + 1.0), c + np.sqrt(2.0 * c)
        ends = summit - reach, summit + reach
        below = (lambda t, y, m, v: ndtr((t - m) / np.sqrt(v)),)
        found[~over_f] = integral(lambda t, y, m, v: self.log_density(y + 1.0, t), *ends, _STEP, others, below)[1]
        return np.where(y < 0.0, 0.0, found.reshape(y.shape))

    @abstractmethod
    def _cdf(self, y: Array, f: Array) -> Array:
        """P(Y ≤ y | f) for whole y ≥ 0."""

    def _log_integrand(self, d: Array, y: Array, m: Array, v: Array) -> Array:
        """log p(y | m + d) N(d | 0, v); d = f − m keeps its digits as v → 0."""
        return self.log_density(y, m + d) - 0.5 * (d / np.sqrt(v)) ** 2 - 0.5 * np.log(v) - HALF_LOG_TWO_PI

    def _ends(self, y: Array, m: Array, v: Array) -> tuple[Array, Array]:
        """An interval of d outside which the integrand is negligible.

        Its summit has d = v ∂log p(y | m + d)/∂f. This slope falls in f, so d lies between 0 and v·slope(m). It also
        lies between 0 and log y − m, where the slope is 0; for y = 0 the slope is above −e^f, so f > min(0, m − v).
        The summit is at least as sharp as the Gaussian.
        """
        with np.errstate(divide="ignore"):
            flat = np.where(y > 0.0, np.log(y), np.minimum(np.minimum(0.0, m - v), m))
        with np.errstate(over="ignore"):
            pull = v * self._slope(y, m)
        summit = np.copysign(np.minimum(np.abs(flat - m), np.abs(pull)), pull)
        reach = REACH * np.sqrt(v)
        return np.minimum(summit, 0.0) - reach, np.maximum(summit, 0.0) + reach


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

    def predictive(self, m: ArrayLike, v: ArrayLike) -> Poisson:
        return Poisson(self.mean_rate(m, v)).checked()

    def _slope(self, y: Array, f: Array) -> Array:
        with np.errstate(over="ignore", under="ignore"):
            return y - np.exp(f)

    def _cdf(self, y: Array, f: Array) -> Array:
        with np.errstate(over="ignore", under="ignore"):
            return gammaincc(y + 1.0, np.exp(f))


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
        errors = stirling_error(x + k) - stirling_error(np.asarray(k)) - stirling_error(x)
        best = errors + 0.5 * (np.log(k) - np.log(x) - np.log(x + k)) - HALF_LOG_TWO_PI
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
        """λ = (mean, size): the size does not depend on the latent."""
        first, second = super().predictive_derivatives(m, v, order)
        first = np.concatenate([first, np.zeros_like(first)], axis=1)
        return first, None if second is None else np.concatenate([second, np.zeros_like(second)], axis=1)

    def _share(self, f: Array) -> Array:
        return expit(f - np.log(self.size))

    def _rest(self, f: Array) -> Array:
        return expit(np.log(self.size) - f)

    def _slope(self, y: Array, f: Array) -> Array:
        """(y − μ) k/(μ + k)."""
        return y * self._rest(f) - self.size * self._share(f)

    def _cdf(self, y: Array, f: Array) -> Array:
        return beta_cdf(np.asarray(self.size), y + 1.0, self._rest(f), self._share(f), upper=False)


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
