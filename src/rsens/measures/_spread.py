"""How uncertain one number y is: the standard deviation of the predictive, and its derivatives in x.

sd = √V with V(λ) the variance of the family, so ∂sd = V_λ ∂λ / (2 sd). Classes and vectors have no single spread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import digamma, gamma

from rsens._typing import Array
from rsens.derivatives import Derivatives
from rsens.distributions import (
    Beta,
    Binomial,
    Distribution,
    Exponential,
    Gamma,
    Histogram,
    LogNormal,
    Mixture,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
    Weibull,
    is_event,
)


def has_spread(distribution: Distribution) -> bool:
    """Whether the standard deviation and its derivative are known: of one number that is not a class."""
    if isinstance(distribution, Mixture):
        return not is_event(distribution) and all(kind in _VARIANCE_GRADIENTS for kind in distribution.kinds)
    return type(distribution) in _VARIANCE_GRADIENTS


def spread_of(distribution: Distribution) -> Array:
    """The standard deviation, shape (n,), of a family that `has_spread`; infinite or NaN where it does not exist."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.sqrt(np.asarray(distribution.checked().variance, dtype=np.float64))


def first_of_spread(derivatives: Derivatives) -> Array:
    """∂sd = V_λ ∂λ / (2 sd), shape (n, D); 0 in categorical columns, NaN where the variance is not finite."""
    distribution = derivatives.distribution
    with np.errstate(all="ignore"):
        slope = np.einsum("nm,nmd->nd", variance_gradient(distribution), derivatives.first)
        slope = slope / (2.0 * spread_of(distribution))[:, np.newaxis]
    return np.where(np.isfinite(slope), slope, np.nan)


def variance_gradient(distribution: Distribution) -> Array:
    """V_λ, shape (n, M)."""
    p: Any = distribution.checked()
    if isinstance(p, Mixture):
        return _of_mixture(p)
    columns = np.broadcast_arrays(p.mean, *_VARIANCE_GRADIENTS[type(p)](p))[1:]
    return np.stack(columns, axis=-1)


def _of_mixture(p: Mixture) -> Array:
    """V = Σ w_s (V_s + (μ_s − μ)²), so ∂V/∂λ_s = w_s (∂V_s + 2 (μ_s − μ) ∂μ_s)."""
    mean, gradient = p.mean, np.empty(p.parameters.shape)
    for group in p.groups:  # arrays (S, n)
        c: Any = group.family
        own = np.stack(np.broadcast_arrays(c.mean, *_VARIANCE_GRADIENTS[type(c)](c))[1:], axis=-1)
        each = own + 2.0 * (c.mean - mean)[..., np.newaxis] * c.prediction_gradient()[..., 0, :]
        gradient[:, group.columns] = group.weights[..., np.newaxis] * np.moveaxis(each, 0, 1)
    return gradient


def _of_weibull(p: Weibull) -> tuple[Array, Array]:
    """V = s² (Γ(1 + 2x) − Γ(1 + x)²), x = 1/k, dx/dk = −x²."""
    x = 1.0 / p.shape
    one, two = gamma(1.0 + x), gamma(1.0 + 2.0 * x)
    by_x = 2.0 * two * digamma(1.0 + 2.0 * x) - 2.0 * one**2 * digamma(1.0 + x)
    return -(p.scale**2) * by_x * x**2, 2.0 * p.variance / p.scale


def _of_beta(p: Beta) -> tuple[Array, Array]:
    """log V = log a + log b − 2 log c − log(c + 1), c = a + b."""
    c = p.a + p.b
    rest = 2.0 / c + 1.0 / (c + 1.0)
    return p.variance * (1.0 / p.a - rest), p.variance * (1.0 / p.b - rest)


def _of_student_t(p: StudentT) -> tuple[Any, Array]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return 0.0, np.where(p.df > 2.0, p.df / (p.df - 2.0), np.nan)


def _of_histogram(p: Histogram) -> tuple[Array, ...]:
    """V = Σ p_k (width_k²/12 + (middle_k − mean)²), and moving the mean does not change V; for changes with Σ∂p = 0."""
    middles = p.borders[..., :-1] + 0.5 * np.diff(p.borders)
    return tuple(np.moveaxis((middles - p.mean[..., np.newaxis]) ** 2 + np.diff(p.borders) ** 2 / 12.0, -1, 0))


#: ∂V/∂λ by column of λ. A family that is not here has no effect on its spread.
_VARIANCE_GRADIENTS: dict[type[Distribution], Callable[[Any], tuple[Any, ...]]] = {
    Normal: lambda p: (0.0, 1.0),
    StudentT: _of_student_t,
    LogNormal: lambda p: (2.0 * p.variance, p.variance + p.mean**2 * np.exp(p.sigma2)),
    Gamma: lambda p: (2.0 * p.mean / p.shape, -((p.mean / p.shape) ** 2)),
    Exponential: lambda p: (2.0 * p.mean,),
    Beta: _of_beta,
    Weibull: _of_weibull,
    Binomial: lambda p: (p.n * (1.0 - 2.0 * p.mean / p.n),),
    Poisson: lambda p: (1.0,),
    Histogram: _of_histogram,
    NegativeBinomial: lambda p: (1.0 + 2.0 * p.mean / p.size, -((p.mean / p.size) ** 2)),
}
