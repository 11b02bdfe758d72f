"""Pairs on the link scale: the scale on which a model adds up, such as the logit or the log rate.

A probability bends even if nothing interacts: π(x) = σ(β₁x₁ + β₂x₂) has ∂²π/∂x₁∂x₂ ≠ 0. On the scale of η = logit π it
is 0. There R-sens₂ of a pair is

    sqrt(α ∂²ηᵀ I_η ∂²η),   I_η = Jᵀ I(λ) J,   J = ∂λ/∂η,

with I_η the Fisher information of the observation about η: π(1 − π) for a logit, the rate for a log rate, 1/variance
for the mean of a Normal. For our models η is the mean of the latent f, for others the natural link of the family.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import digamma, expit, gammaln, polygamma

from rsens import distributions as ds
from rsens._errors import Argument, InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.adapters import as_model
from rsens.derivatives import Around, Derivatives, Model, chain_rule
from rsens.distributions import Distribution


@dataclass(frozen=True, eq=False)
class Linked(Distribution):
    """A predictive family with η (n, K) in place of λ; `given` makes the distribution and J = ∂λ/∂η (n, M, K)."""

    eta: Any
    given: Callable[[], tuple[Distribution, Array]]
    domains: ClassVar[dict[str, Any]] = {}
    support: ClassVar[Literal["vector"]] = "vector"

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(f"eta{k}" for k in range(self.eta.shape[1]))

    @property
    def parameters(self) -> Array:
        return self.eta

    def checked(self, n: int | None = None) -> Self:
        if not np.isfinite(self.eta).all():
            raise InputError("η, the prediction on the link scale, is not finite in some rows. Leave these rows out.")
        return self

    @cached_property
    def _given(self) -> tuple[Distribution, Array]:
        return self.given()

    def _whiten(self, u: Array, row: Callable[[Array], Array]) -> list[Array]:
        distribution, jacobian = self._given
        return list(np.moveaxis(distribution.whiten(np.einsum("nmk,kn...->nm...", jacobian, u)), 1, 0))

    def _renyi(self, other: Self, alpha: float) -> Array:
        return self._given[0].renyi(other._given[0], alpha)

    def _score(self, y: Array) -> Array:
        distribution, jacobian = self._given
        return np.einsum("...nm,nmk->...nk", distribution.score(y), jacobian)

    def _log_prob(self, y: Array) -> Array:
        return self._given[0].log_prob(y)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return self._given[0].sample(rng, *size)

    def _prediction(self) -> Array:
        return self._given[0].prediction()

    def _prediction_gradient(self) -> Array:
        distribution, jacobian = self._given
        return distribution.prediction_gradient() @ jacobian


class OnLink(Around):
    """A model whose λ is η. `latent` is an estimator that knows its η: it has `link_derivatives`, `link_jacobian`."""

    def __init__(self, source: Model, latent: Any = None) -> None:
        super().__init__(source)
        self.latent, self.takes_codes, self.takes_many_levels = latent, False, False

    def derivatives(self, X: Any, order: int) -> Derivatives:
        if self.latent is not None:
            return Derivatives(*self._of_latent(X, order))
        record = super().derivatives(X, order)
        record = record.for_pairs if order == 2 else record
        link = family_link(record.distribution)
        first, second = chain_rule(record.first, record.second, link.first, link.second)
        return Derivatives(Linked(link.eta, lambda: (record.distribution, link.jacobian)), first, second)

    def predict_distribution(self, X: Any) -> Linked:
        if self.latent is not None:
            return self._of_latent(X, 0)[0]
        distribution = super().predict_distribution(X).checked()
        link = family_link(distribution)
        return Linked(link.eta, lambda: (distribution, link.jacobian))

    def _of_latent(self, X: Any, order: int) -> tuple[Linked, Array, Array | None]:
        rows = X.source if isinstance(X, Table) else X
        eta, first, second = self.latent.link_derivatives(rows, order)
        return Linked(eta, lambda: self.latent.link_jacobian(rows)), first, second

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return max(1, super().rows_per_chunk(n_columns, order) // 2)

    def coded(self, X: Any, weights: Any = None) -> OnLink:
        return OnLink(self._model.coded(X, weights), self.latent)

    def prepared(self, X: Any) -> OnLink:
        return OnLink(self._model.prepared(X), self.latent)


def on_link(model: Any, source: Model) -> OnLink:
    """The model on its link scale; `source` is the same model as the measures see it."""
    knowing = (each for each in (model, as_model(model)) if callable(getattr(each, "link_derivatives", None)))
    return OnLink(source.for_pairs, next(knowing, None))


@dataclass(frozen=True, eq=False)
class FamilyLink:
    """η (n, K), its derivatives in λ, (n, K, M) and (n, K, M, M), and J = ∂λ/∂η (n, M, K), the rest of λ held."""

    eta: Array
    first: Array
    second: Array
    jacobian: Array


def family_link(distribution: Distribution) -> FamilyLink:
    """The link of a checked distribution; an error for families without one."""
    link = _LINKS.get(type(distribution))
    if link is None:
        raise InputError(
            Argument("pairs", "link"),
            f" needs a scale on which effects may add up, and rsens knows none for a {type(distribution).__name__}. "
            "Use pairs=True.",
        )
    with np.errstate(all="ignore"):
        return link(distribution)


def _apart(eta: Array, first: tuple[Any, ...], bends: tuple[Any, ...], moved: tuple[Any, ...]) -> FamilyLink:
    """A scalar link that does not mix parameters: ∂η, the diagonal of ∂²η, and ∂λ/∂η, one entry per parameter."""
    slopes, curved, jacobian = (np.stack(np.broadcast_arrays(*each, eta)[:-1], -1) for each in (first, bends, moved))
    second, diagonal = np.zeros((len(eta), 1, len(first), len(first))), range(len(first))
    second[:, 0, diagonal, diagonal] = curved
    return FamilyLink(eta[:, None], slopes[:, None], second, jacobian[..., None])


def _location(p: Distribution) -> FamilyLink:
    """The first entry of λ: a mean, a location, the mean of log y."""
    λ, rest = p.parameters, (0.0,) * (p.parameters.shape[1] - 1)
    return _apart(λ[:, 0], (1.0, *rest), (0.0, *rest), (1.0, *rest))


def _log_mean(p: Distribution) -> FamilyLink:
    """log of the first entry of λ, a mean."""
    mean, rest = p.parameters[:, 0], (0.0,) * (p.parameters.shape[1] - 1)
    return _apart(np.log(mean), (1.0 / mean, *rest), (-1.0 / mean**2, *rest), (mean, *rest))


def _logit(p: Distribution) -> FamilyLink:
    """logit π: with s = π(1 − π), ∂η/∂π = 1/s and ∂²η/∂π² = (2π − 1)/s² = tanh(η/2)/s²."""
    π, given = p.parameters[:, 0], p.fields()
    eta = given["logit"] if "logit" in given else np.log(π) - np.log1p(-π)
    slope = expit(eta) * expit(-eta)
    safe = np.where(slope > 0.0, slope, np.inf)  # beyond float64 nothing moves
    return _apart(eta, (1.0 / safe,), (np.tanh(0.5 * eta) / safe**2,), (slope,))


def _logit_mean(p: Distribution) -> FamilyLink:
    """log a − log b of a Beta; η moves the mean a/(a + b) with a + b held: ∂a/∂η = ab/(a + b) = −∂b/∂η."""
    a, b = p.parameters.T
    moved = 1.0 / (1.0 / a + 1.0 / b)
    return _apart(np.log(a) - np.log(b), (1.0 / a, -1.0 / b), (-1.0 / a**2, 1.0 / b**2), (moved, -moved))


def _log_weibull_mean(p: Distribution) -> FamilyLink:
    """log s + log Γ(1 + 1/k) of a Weibull (k, s); η moves the scale s with the shape k held."""
    k, s = p.parameters.T
    u = 1.0 + 1.0 / k
    bends = (polygamma(1, u) / k**4 + 2.0 * digamma(u) / k**3, -1.0 / s**2)
    return _apart(np.log(s) + gammaln(u), (-digamma(u) / k**2, 1.0 / s), bends, (0.0, s))


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


_LINKS: dict[type[Distribution], Callable[[Distribution], FamilyLink]] = {
    ds.Normal: _location,
    ds.StudentT: _location,
    ds.LogNormal: _location,
    ds.Gamma: _log_mean,
    ds.Exponential: _log_mean,
    ds.Poisson: _log_mean,
    ds.NegativeBinomial: _log_mean,
    ds.Bernoulli: _logit,
    ds.Binomial: _logit,
    ds.Categorical: _log_probabilities,
    ds.MultivariateNormal: _means,
    ds.Beta: _logit_mean,
    ds.Weibull: _log_weibull_mean,
}
