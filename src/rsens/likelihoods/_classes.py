"""Likelihoods of two classes: y in {0, 1}, p(y = 1 | f) = h(f) with h(−f) = 1 − h(f)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx, expit, log_expit, log_ndtr

from rsens._errors import InputError
from rsens._special import HALF_LOG_TWO_PI
from rsens._typing import Array
from rsens.distributions import Bernoulli
from rsens.likelihoods._base import LogConcave, Target, in_latent, latent, real_target
from rsens.likelihoods._quadrature import NEGLIGIBLE, REACH, SMALLEST_VARIANCE, integral

_STEP = 0.4  # σ has its nearest poles at ±iπ: the trapezoid rule's error for σ'''' is (2π/0.4)⁵ e^{−2π²/0.4} ≈ 1e-16
_WIDE = 4.0  # the variance from which the logistic is the narrower of the two factors
_FAR = 2.0  # of probit: beyond it the continued fraction, before it the closed form, is right to 1e-13
_TERMS = 120


class BinaryLikelihood(LogConcave):
    """A symmetric inverse link h; predictive Bernoulli with π = E[h(f)], given by its logit so that no tail is lost."""

    label: ClassVar[str] = "classes"
    target: ClassVar[Target] = "classes"

    def checked_target(self, y: ArrayLike) -> Array:
        target = real_target(type(self).__name__, y)
        if not np.isin(target, (0.0, 1.0)).all():
            wrong = target[~np.isin(target, (0.0, 1.0))].flat[0]
            raise InputError(f"{type(self).__name__}: the target must be 0 or 1; got {wrong:g}. Encode the classes.")
        return target

    @abstractmethod
    def _log_tail(self, m: Array, v: Array) -> Array:
        """log E[h(f)] for m ≤ 0, so that it is at most log ½."""

    def predictive(self, m: ArrayLike, v: ArrayLike) -> Bernoulli:
        mean, variance = latent(m, v)
        log_tail = self._log_tail(-np.abs(mean), variance)
        return Bernoulli(logit=np.copysign(log_complement(log_tail) - log_tail, mean)).checked()

    def log_predictive_density(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        mean, variance = latent(m, v)
        log_tail = self._log_tail(-np.abs(mean), variance)
        against = (mean > 0.0) != (np.asarray(y) == 1.0)
        return np.where(against, log_tail, log_complement(log_tail))

    def predictive_cdf(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        return self.predictive(m, v).cdf(y)  # the Bernoulli distribution is the exact predictive


def log_complement(log_p: Array) -> Array:
    """log(1 − p) for p ≤ ½."""
    with np.errstate(under="ignore"):
        return np.log1p(-np.exp(log_p))


@dataclass(frozen=True)
class LogitLikelihood(BinaryLikelihood):
    """p(y = 1 | f) = σ(f) = 1/(1 + e^{−f}); predictive π = E[σ(f)].

    Example:
        >>> from rsens.likelihoods import LogitLikelihood
        >>> LogitLikelihood().predictive(m=[0.0, 1.0], v=[2.0, 2.0]).mean.round(4).tolist()
        [0.5, 0.6751]
    """

    name: ClassVar[str] = "logit"

    def log_density(self, y: Array, f: Array) -> Array:
        return log_expit(np.where(y == 1.0, f, -f))

    def f_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        sign = np.where(y == 1.0, 1.0, -1.0)
        slope = expit(f) * expit(-f)
        return sign * expit(-sign * f), -slope, slope * np.tanh(0.5 * f)

    def predictive_derivatives(self, m: ArrayLike, v: ArrayLike, order: int) -> tuple[Array, Array | None]:
        """E[h''], E[h'''] and E[h''''] are means under h' N ≥ 0 times E[h'], and so keep their digits in both tails."""
        mean, variance = latent(m, v)
        rows = mean, np.maximum(variance, SMALLEST_VARIANCE)
        log_slope, *moments = integral(
            lambda d, m, v: _log_slope(m + d) + _log_gaussian(d, v),
            *_slope_ends(*rows),
            _STEP,
            rows,
            (_second, _third, _fourth)[: 2 * order - 1],
        )
        with np.errstate(under="ignore"):
            slope = np.exp(log_slope)
            second, *higher = (slope * moment for moment in moments)
        return in_latent(slope, 0.5 * second, *((second, 0.5 * higher[0], 0.25 * higher[1]) if higher else ()))

    def _log_tail(self, m: Array, v: Array) -> Array:
        m, v = np.broadcast_arrays(m, np.maximum(v, SMALLEST_VARIANCE))
        log_tail = np.empty(m.shape)
        wide = v >= _WIDE
        log_tail[~wide] = _log_tail_narrow(m[~wide], v[~wide])
        log_tail[wide] = _log_tail_wide(m[wide], v[wide])
        return np.minimum(log_tail, np.log(0.5))


def _log_gaussian(d: Array, v: Array) -> Array:
    return -0.5 * (d / np.sqrt(v)) ** 2 - 0.5 * np.log(v) - HALF_LOG_TWO_PI


def _log_slope(f: Array) -> Array:
    """log σ'(f), without overflow."""
    return -np.abs(f) - 2.0 * np.log1p(np.exp(-np.abs(f)))


def _log_tail_narrow(m: Array, v: Array) -> Array:
    """log ∫ σ(m + d) N(d | 0, v) dd: the summit has 0 ≤ d ≤ v and is at least as sharp as the Gaussian."""
    reach = REACH * np.sqrt(v)
    return integral(lambda d, m, v: log_expit(m + d) + _log_gaussian(d, v), -reach, v + reach, _STEP, (m, v))[0]


def _log_tail_wide(m: Array, v: Array) -> Array:
    """log ∫ σ'(u) Φ((m + u)/√v) du: the probability that f exceeds a logistic variable −u, at few nodes for any v.

    The summit has 0 ≤ u ≤ 1 − m, beyond which σ' falls as e^{−|u|}.
    """
    low, high = np.full(m.shape, -NEGLIGIBLE - 1.0), 2.0 - m + NEGLIGIBLE
    return integral(lambda u, m, v: _log_slope(u) + log_ndtr((m + u) / np.sqrt(v)), low, high, _STEP, (m, v))[0]


def _slope_ends(m: Array, v: Array) -> tuple[Array, Array]:
    """An interval of d outside which the integrand is negligible: its summit has m + d between m and 0, and |d| ≤ v."""
    summit = -np.copysign(np.minimum(np.abs(m), v), m)
    reach = np.minimum(REACH * np.sqrt(v), NEGLIGIBLE + 2.0 + np.abs(m))
    return np.minimum(summit, 0.0) - reach, np.maximum(summit, 0.0) + reach


# With T = tanh(f/2): h'' = −T h', h''' = ½(3T² − 1) h', h'''' = T(2 − 3T²) h'. Over a wide Gaussian these average out
# and lose their digits; there we differentiate the Gaussian instead (partial integration), with z = d/√v:
# E[h''] = E[h' z]/√v, E[h'''] = E[h' (z² − 1)]/v, E[h''''] = E[h' (z³ − 3z)]/v^{3/2}.


def _second(d: Array, m: Array, v: Array) -> Array:
    return np.where(v < _WIDE, -np.tanh(0.5 * (m + d)), d / np.maximum(v, _WIDE))


def _third(d: Array, m: Array, v: Array) -> Array:
    tilt = d / np.maximum(v, _WIDE)
    return np.where(v < _WIDE, 0.5 * (3.0 * np.tanh(0.5 * (m + d)) ** 2 - 1.0), tilt**2 - 1.0 / np.maximum(v, _WIDE))


def _fourth(d: Array, m: Array, v: Array) -> Array:
    t, tilt = np.tanh(0.5 * (m + d)), d / np.maximum(v, _WIDE)
    return np.where(v < _WIDE, t * (2.0 - 3.0 * t**2), tilt * (tilt**2 - 3.0 / np.maximum(v, _WIDE)))


@dataclass(frozen=True)
class ProbitLikelihood(BinaryLikelihood):
    """p(y = 1 | f) = Φ(f); predictive π = Φ(m/√(1 + v)).

    Example:
        >>> from rsens.likelihoods import ProbitLikelihood
        >>> ProbitLikelihood().predictive(m=[0.0, 1.0], v=[2.0, 2.0]).mean.round(4).tolist()
        [0.5, 0.7181]
    """

    name: ClassVar[str] = "probit"

    def log_density(self, y: Array, f: Array) -> Array:
        return log_ndtr(np.where(y == 1.0, f, -f))

    def f_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        sign = np.where(y == 1.0, 1.0, -1.0)
        first, second, third = _log_ndtr_derivatives(sign * f)
        return sign * first, second, sign * third

    def predictive_derivatives(self, m: ArrayLike, v: ArrayLike, order: int) -> tuple[Array, Array | None]:
        # With s = 1 + v and z = m/√s: ∂π = φ(z) ∂z and ∂²π = φ(z) [∂²z − z ∂z ∂zᵀ]. The supplement prints ∂²π with a
        # wrong sign and a wrong power (docs/errata.md).
        m, v = latent(m, v)
        s = 1.0 + v
        z = m / np.sqrt(s)
        with np.errstate(under="ignore"):
            by_m = np.exp(-0.5 * z**2 - HALF_LOG_TWO_PI) / np.sqrt(s)
            by_v = -0.5 * m / s * by_m
            if order == 1:
                return in_latent(by_m, by_v)
            return in_latent(by_m, by_v, -m / s * by_m, 0.5 * (z**2 - 1.0) / s * by_m, 0.5 * (z**2 - 3.0) / s * by_v)

    def _log_tail(self, m: Array, v: Array) -> Array:
        return log_ndtr(m / np.sqrt(1.0 + v))


def _log_ndtr_derivatives(t: Array) -> tuple[Array, Array, Array]:
    """First three derivatives of log Φ: r, −r(t + r) and r[(t + r)(t + 2r) − 1] with r = φ/Φ.

    For t ≪ 0 these cancel. There r = x + k₁, x = −t, with Laplace's continued fraction k_j = j/(x + k_{j+1}), and
    t + r = k₁, (t + r)(t + 2r) − 1 = k₁² k₂ (k₃ − k₂), where nothing does.
    """
    near = np.maximum(t, -_FAR)
    with np.errstate(under="ignore"):
        r = np.sqrt(2.0 / np.pi) / erfcx(-near / np.sqrt(2.0))
        first, second, third = r, -r * (near + r), r * ((near + r) * (near + 2.0 * r) - 1.0)
    far = t < -_FAR
    x = -t[far]
    k1 = k2 = k3 = np.zeros_like(x)
    for j in range(_TERMS if len(x) else 0, 0, -1):
        k1, k2, k3 = j / (x + k1), k1, k2
    first[far], second[far], third[far] = x + k1, -(x + k1) * k1, (x + k1) * k1**2 * k2 * (k3 - k2)
    return first, second, third
