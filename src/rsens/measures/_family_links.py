"""The natural link η = g(λ) of each family, for models that do not say on which scale they add up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, expit, gammaln, polygamma

from rsens._typing import Array
from rsens.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Distribution,
    Exponential,
    Gamma,
    LogNormal,
    MultivariateNormal,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
    Weibull,
)


@dataclass(frozen=True, eq=False)
class FamilyLink:
    """η (n, K), its derivatives in λ, (n, K, M) and (n, K, M, M), and J = ∂λ/∂η (n, M, K), the rest of λ held."""

    eta: Array
    first: Array
    second: Array
    jacobian: Array


def family_link(distribution: Distribution) -> FamilyLink | None:
    """The link of a checked distribution; None for families without one."""
    link = _LINKS.get(type(distribution))
    with np.errstate(all="ignore"):
        return None if link is None else link(distribution)


def _location(p: Distribution) -> FamilyLink:
    """The first entry of λ as it is: a mean, a location, the mean of log y."""
    λ = p.parameters
    return _alone(λ[:, 0], np.ones(len(λ)), np.zeros(len(λ)), λ.shape[1])


def _log_mean(p: Distribution) -> FamilyLink:
    """log of the first entry of λ, a mean."""
    λ = p.parameters
    return _alone(np.log(λ[:, 0]), 1.0 / λ[:, 0], -1.0 / λ[:, 0] ** 2, λ.shape[1])


def _logit(p: Distribution) -> FamilyLink:
    """logit π: with s = π(1 − π), ∂η/∂π = 1/s and ∂²η/∂π² = (2π − 1)/s² = tanh(η/2)/s²."""
    π, given = p.parameters[:, 0], p.fields()
    eta = given["logit"] if "logit" in given else np.log(π) - np.log1p(-π)
    slope = expit(eta) * expit(-eta)
    safe = np.where(slope > 0.0, slope, np.inf)  # beyond float64 nothing moves
    return _alone(eta, 1.0 / safe, np.tanh(0.5 * eta) / safe**2, 1, slope)


def _alone(eta: Array, first: Array, second: Array, size: int, slope: Array | None = None) -> FamilyLink:
    """A link of the first of `size` parameters; ∂λ_0/∂η is 1/(∂η/∂λ_0) unless it is given."""
    n = len(eta)
    link = FamilyLink(eta[:, None], np.zeros((n, 1, size)), np.zeros((n, 1, size, size)), np.zeros((n, size, 1)))
    link.first[:, 0, 0], link.second[:, 0, 0, 0] = first, second
    link.jacobian[:, 0, 0] = 1.0 / first if slope is None else slope
    return link


def _means(p: Distribution) -> FamilyLink:
    """The means of a vector y."""
    λ, (n, k) = p.parameters, p.mean.shape
    first = np.broadcast_to(np.eye(k, λ.shape[1]), (n, k, λ.shape[1]))
    return FamilyLink(λ[:, :k], first, np.zeros((n, k, *λ.shape[1:] * 2)), first.swapaxes(1, 2))


def _log_probabilities(p: Distribution) -> FamilyLink:
    """log p_k minus its mean over the classes: of a softmax of effects that add up, η adds up too.

    J = diag(p) − ppᵀ is the derivative of the softmax, and I_η = Jᵀ diag(1/p) J = diag(p) − ppᵀ.
    """
    π = np.maximum(p.parameters, np.finfo(float).tiny)
    k = π.shape[1]
    centring = np.eye(k) - 1.0 / k
    first = centring / π[:, None, :]
    second = np.zeros((*first.shape, k))
    second[:, :, range(k), range(k)] = -centring / π[:, None, :] ** 2
    log_p = np.log(π)
    jacobian = π[:, :, None] * (np.eye(k) - π[:, None, :])
    return FamilyLink(log_p - log_p.mean(axis=1, keepdims=True), first, second, jacobian)


def _logit_mean(p: Distribution) -> FamilyLink:
    """log a − log b of a Beta; η moves the mean a/(a + b) with a + b held: ∂a/∂η = ab/(a + b) = −∂b/∂η."""
    a, b = p.parameters.T
    zero = np.zeros_like(a)
    second = np.stack([np.stack([-1.0 / a**2, zero], -1), np.stack([zero, 1.0 / b**2], -1)], -2)
    moved = 1.0 / (1.0 / a + 1.0 / b)
    return FamilyLink(
        (np.log(a) - np.log(b))[:, None],
        np.stack([1.0 / a, -1.0 / b], -1)[:, None],
        second[:, None],
        np.stack([moved, -moved], -1)[:, :, None],
    )


def _log_weibull_mean(p: Distribution) -> FamilyLink:
    """log s + log Γ(1 + 1/k) of a Weibull (k, s); η moves the scale s with the shape k held."""
    k, s = p.parameters.T
    u, zero = 1.0 + 1.0 / k, np.zeros_like(k)
    bend = polygamma(1, u) / k**4 + 2.0 * digamma(u) / k**3
    second = np.stack([np.stack([bend, zero], -1), np.stack([zero, -1.0 / s**2], -1)], -2)
    return FamilyLink(
        (np.log(s) + gammaln(u))[:, None],
        np.stack([-digamma(u) / k**2, 1.0 / s], -1)[:, None],
        second[:, None],
        np.stack([zero, s], -1)[:, :, None],
    )


_LINKS: dict[type[Distribution], Callable[[Distribution], FamilyLink]] = {
    Normal: _location,
    StudentT: _location,
    LogNormal: _location,
    Gamma: _log_mean,
    Exponential: _log_mean,
    Poisson: _log_mean,
    NegativeBinomial: _log_mean,
    Bernoulli: _logit,
    Binomial: _logit,
    Categorical: _log_probabilities,
    MultivariateNormal: _means,
    Beta: _logit_mean,
    Weibull: _log_weibull_mean,
}
