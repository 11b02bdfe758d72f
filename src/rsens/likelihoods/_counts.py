"""What the count likelihoods with log link share: E[y | f] = e^f."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from rsens._errors import InputError
from rsens._special import HALF_LOG_TWO_PI
from rsens._typing import Array
from rsens.likelihoods._base import LogConcave, Target, latent, real_target
from rsens.likelihoods._quadrature import NEGLIGIBLE, REACH, SMALLEST_VARIANCE, integral

# e^{yf − e^f} is a gamma density in log y: the trapezoid rule's error is |Γ(y + 2πi/step)|/Γ(y), below 1e-14 for y ≤ 3;
# for larger y the integrand is narrow, and the number of nodes decides.
_STEP = 0.25


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
        curvature = self._threshold_curvature(rows[0])
        over_f = rows[2] * curvature < 1.0
        found = np.empty(len(curvature))
        found[over_f] = self._expected_over_f(*(row[over_f] for row in rows))
        found[~over_f] = self._expected_over_t(*(row[~over_f] for row in rows))
        return np.where(y < 0.0, 0.0, found.reshape(y.shape))

    def _expected_over_f(self, y: Array, m: Array, v: Array) -> Array:
        """The first of the two integrals, with nodes in d = f − m."""

        def log_density(d: Array, y: Array, m: Array, v: Array) -> Array:
            return -0.5 * (d / np.sqrt(v)) ** 2

        def cdf(d: Array, y: Array, m: Array, v: Array) -> Array:
            return self._cdf(y, m + d)

        reach = REACH * np.sqrt(v)
        return integral(log_density, -reach, reach, _STEP, (y, m, v), (cdf,))[1]

    def _expected_over_t(self, y: Array, m: Array, v: Array) -> Array:
        """The second of the two integrals, with nodes in t.

        At a distance s from its summit, the log density bends by at least curvature · e^{−s}. So it has fallen by 60
        where curvature · (e^{−s} − 1 + s) ≥ 60.
        """

        def log_density(t: Array, y: Array, m: Array, v: Array) -> Array:
            return self.log_density(y + 1.0, t)

        def below(t: Array, y: Array, m: Array, v: Array) -> Array:
            return ndtr((t - m) / np.sqrt(v))

        c = NEGLIGIBLE / self._threshold_curvature(y)
        summit, reach = np.log(y + 1.0), c + np.sqrt(2.0 * c)
        return integral(log_density, summit - reach, summit + reach, _STEP, (y, m, v), (below,))[1]

    def _threshold_curvature(self, y: Array) -> Array:
        """The curvature of the log density of t at its summit, t = log(y + 1)."""
        return self.curvature(y + 1.0, np.log(y + 1.0))[0]

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
