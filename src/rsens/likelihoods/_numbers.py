"""Likelihoods of real numbers: y is f plus noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from rsens._errors import Argument, InputError
from rsens._special import HALF_LOG_TWO_PI, expm1mx, log_gamma_half_step, stirling_error
from rsens._typing import Array
from rsens.distributions import Normal, StudentT, gaussian_log_prob
from rsens.likelihoods._base import DEVIATION, Likelihood, LogConcave, Target, latent, positive, real_target
from rsens.likelihoods._quadrature import NEGLIGIBLE, integral

#: The noise variance that the weak prior expects, as a share of the variance of y.
NOISE_SHARE = 0.04


class NoisyLikelihood(Likelihood):
    """y = f + noise; the squared scale of the noise is the first field and the only hyperparameter."""

    target: ClassVar[Target] = "numbers"

    @classmethod
    def start(cls, noise_variance: float) -> Self:
        return cls(noise_variance)  # type: ignore[call-arg]

    def priors(self, output_scale: float) -> list[tuple[float, float]]:
        """Keeps the noise of small data above zero."""
        return [(np.log(NOISE_SHARE * output_scale**2), DEVIATION)]

    @property
    def noise(self) -> float:
        return getattr(self, self.hyperparameter_names[0])

    def in_units(self, variance: float) -> Self:
        return replace(self, **{self.hyperparameter_names[0]: self.noise * variance})  # type: ignore[type-var]

    def checked_target(self, y: ArrayLike) -> Array:
        return real_target(type(self).__name__, y)

    @property
    def share(self) -> float:
        """∂λ₂/∂v, of the squared scale of y in the variance of f."""
        return 1.0

    def predictive_derivatives(self, m: ArrayLike, v: ArrayLike, order: int) -> tuple[Array, Array | None]:
        mean, _ = latent(m, v)
        first = np.broadcast_to(np.diag([1.0, self.share]), (*mean.shape, 2, 2)).copy()
        return first, np.zeros((*mean.shape, 2, 2, 2)) if order == 2 else None


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

    def log_predictive_density(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        mean, variance = latent(m, v)
        with np.errstate(over="ignore"):
            return gaussian_log_prob(y, mean, variance + self.noise_variance)

    def predictive_cdf(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        mean, variance = latent(m, v)
        return ndtr((y - mean) / np.sqrt(variance + self.noise_variance))


@dataclass(frozen=True)
class StudentTLikelihood(NoisyLikelihood):
    """y | f ~ StudentT(f, s², ν); predictive StudentT(m, s² + v(ν − 2)/ν, ν), which has the right variance.

    The log density is not concave: W is the expected information (ν + 1)/((ν + 3)s²), never negative (Laplace–Fisher).
    The degrees of freedom ν > 2 are given, not learned. Below, tan φ = (y − f)/(s√ν).

    Example:
        >>> from rsens.likelihoods import StudentTLikelihood
        >>> StudentTLikelihood(scale2=1.0, df=4.0).predictive(m=[1.0], v=[2.0]).scale2.tolist()
        [2.0]
    """

    scale2: float = 1.0
    df: float = 4.0
    name: ClassVar[str] = "student_t"
    label: ClassVar[str] = "Student-t noise"
    hyperparameter_names: ClassVar[tuple[str, ...]] = ("scale2",)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "df", positive("StudentTLikelihood", "df", self.df))
        if self.df <= 2.0:
            raise InputError(
                "StudentTLikelihood: ",
                Argument("df"),
                f" must be above 2, so that the variance is finite; got {self.df:g}. Use df=4.",
            )

    @property
    def share(self) -> float:
        """The squared scale of a t with unit variance."""
        return (self.df - 2.0) / self.df

    def log_density(self, y: Array, f: Array) -> Array:
        # log p = c − (ν + 1) log sec φ; c as a difference of log-gammas would have no digits left at ν = 1e8.
        tangent = np.abs(y - f) / np.sqrt(self.scale2 * self.df)
        near, far = 0.5 * np.log1p(np.minimum(tangent, 1.0) ** 2), np.log(np.hypot(1.0, tangent))
        log_secant = np.where(tangent < 1.0, near, far)
        constant = log_gamma_half_step(np.asarray(0.5 * self.df)) - 0.5 * np.log(np.pi * self.df * self.scale2)
        return constant - (self.df + 1.0) * log_secant

    def f_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        sine, cosine, unit = self._angle(y, f)
        scale = self.df + 1.0
        return (
            scale / unit * sine * cosine,
            scale / unit**2 * cosine**2 * (sine**2 - cosine**2),
            2.0 * scale / unit**3 * sine * cosine**3 * (sine**2 - 3.0 * cosine**2),
        )

    def curvature(self, y: Array, f: Array) -> tuple[Array, Array]:
        shape = np.broadcast_shapes(np.shape(y), np.shape(f))
        return np.full(shape, (self.df + 1.0) / (self.df + 3.0) / self.scale2), np.zeros(shape)

    def theta_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        sine, cosine, unit = self._angle(y, f)
        by_log_density = 0.5 * ((self.df + 1.0) * sine**2 - 1.0)
        by_f = -(self.df + 1.0) / unit * sine * cosine**3
        return by_log_density[None], by_f[None], -self.curvature(y, f)[0][None]

    def predictive(self, m: ArrayLike, v: ArrayLike) -> StudentT:
        mean, variance = latent(m, v)
        return StudentT(mean, self.scale2 + variance * self.share, self.df).checked()

    def log_predictive_density(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        """A t is a normal with random precision τ/s², τ ~ Gamma(ν/2, ν/2): log ∫ N(y | m, v + s²/τ) p(τ) dτ.

        In t = log τ the integrand is smooth on the scale of 1 (of √(2/ν) for large ν), however different s² and v are.
        """
        rows, shape = self._in_units_of_scale(y, m, v)
        log_integral = integral(self._log_integrand, *self._ends(*rows), self._step(), rows)[0]
        return (log_integral - 0.5 * np.log(self.scale2)).reshape(shape)

    def predictive_cdf(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        """E[Φ((y − m)/√(v + s²/τ))] over t = log τ, as in `log_predictive_density`."""
        rows, shape = self._in_units_of_scale(y, m, v)
        low, high = self._ends(np.zeros_like(rows[0]), rows[1])  # all of p(τ), for any y

        def cdf_given_t(t: Array, gap: Array, v: Array) -> Array:
            with np.errstate(divide="ignore", over="ignore", under="ignore"):
                return ndtr(gap * np.exp(-0.5 * np.logaddexp(np.log(v), -t)))

        return integral(self._log_density_of_t, low, high, self._step(), rows, (cdf_given_t,))[1].reshape(shape)

    def _in_units_of_scale(self, y: Array, m: ArrayLike, v: ArrayLike) -> tuple[tuple[Array, Array], tuple[int, ...]]:
        """(y − m)/s and v/s² as vectors, and the shape of the result."""
        mean, variance = latent(m, v)
        gap, variance = np.broadcast_arrays(np.asarray(y, dtype=np.float64) - mean, variance)
        return (gap.ravel() / np.sqrt(self.scale2), variance.ravel() / self.scale2), gap.shape

    def _step(self) -> float:
        return float(min(0.2, 0.4 * np.sqrt(2.0 / self.df)))

    def _ends(self, gap: Array, v: Array) -> tuple[Array, Array]:
        """An interval of t = log τ outside which the integrand is negligible.

        Compared with t = 0, N gains at most gap²/(2(v + 1)) and t/2, while p(τ) loses ν/2 · (e^t − 1 − t). Below both
        τ = 1 and τ = (s/(y − m))² the integrand falls at least as τ^{ν/2}, ν > 2.
        """
        with np.errstate(over="ignore"):
            loss = 2.0 * (NEGLIGIBLE + 6.0 + 0.5 * gap**2 / (v + 1.0)) / self.df
        low = -2.0 * np.log(np.maximum(np.abs(gap), 1.0)) - NEGLIGIBLE
        return np.maximum(low, -loss - np.sqrt(2.0 * loss)), np.minimum(12.0, np.sqrt(2.0 * loss))

    def _log_integrand(self, t: Array, gap: Array, v: Array) -> Array:
        """Log density of t = log τ plus the log density of y, in units of s."""
        log_p = self._log_density_of_t(t, gap, v)
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            log_variance = np.logaddexp(np.log(v), -t)
            return log_p - 0.5 * (gap * np.exp(-0.5 * log_variance)) ** 2 - 0.5 * log_variance - HALF_LOG_TWO_PI

    def _log_density_of_t(self, t: Array, gap: Array, v: Array) -> Array:
        """Log density of t = log τ for τ ~ Gamma(ν/2, ν/2); it is the same for all rows."""
        half = 0.5 * self.df
        return -half * expm1mx(t) - stirling_error(np.asarray(half)) + 0.5 * np.log(half) - HALF_LOG_TWO_PI

    def _angle(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        """sin φ, cos φ and the unit s√ν."""
        unit = np.sqrt(self.scale2 * self.df)
        tangent = np.asarray(y - f) / unit
        secant = np.hypot(1.0, tangent)
        return tangent / secant, 1.0 / secant, unit
