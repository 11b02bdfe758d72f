"""Two classes through the normal distribution function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx, log_ndtr

from rsens._special import HALF_LOG_TWO_PI
from rsens._typing import Array
from rsens.likelihoods._base import in_latent, latent
from rsens.likelihoods._binary import BinaryLikelihood

_FAR = 2.0  # beyond it the continued fraction, before it the closed form, is right to 1e-13
_TERMS = 120


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
