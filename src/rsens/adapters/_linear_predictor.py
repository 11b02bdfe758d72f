"""Models with a linear predictor η = xβ + offset, β ~ N(β̂, C): their prediction and its derivatives in closed form."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy.special import softmax
from scipy.stats import norm

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._adapter import Described
from rsens.derivatives import AsGiven, Derivatives, Description, Finding, chain_rule, result_bytes
from rsens.distributions import Categorical, Distribution, LogNormal, Normal, StudentT
from rsens.likelihoods import GaussianLikelihood, Likelihood
from rsens.posteriors import Latent


class Response(Protocol):
    """The distribution of an observation, given η ~ N(m, v), (n,) each. Every likelihood of rsens is one.

    The derivatives of λ in (m, v) are (n, M, 2) and, for order 2, (n, M, 2, 2).
    """

    def predictive(self, m: Array, v: Array) -> Distribution: ...

    def predictive_derivatives(self, m: Array, v: Array, order: int) -> tuple[Array, Array | None]: ...


def through_response(response: Response, latent: Latent) -> Derivatives:
    """λ with its derivatives in x, by the chain rule; of first order where `latent` has no second derivatives."""
    assert latent.first is not None
    outer = response.predictive_derivatives(latent.mean, latent.variance, 1 if latent.second is None else 2)
    distribution = response.predictive(latent.mean, latent.variance)
    return Derivatives(distribution, *chain_rule(latent.first, latent.second, *outer))


def in_units(latent: Latent, shift: float, scale: float) -> Latent:
    """The moments of shift + scale·f, from the moments of f."""
    factors = np.array([scale, scale**2])
    return Latent(
        shift + scale * latent.mean,
        scale**2 * latent.variance,
        None if latent.first is None else latent.first * factors[:, None],
        None if latent.second is None else latent.second * factors[:, None, None],
    )


@dataclass(frozen=True, eq=False)
class LinearPredictor:
    """One linear predictor: m = xβ̂ + offset and v = xCxᵀ, then the response. C = 0 takes β̂ for the truth."""

    coefficients: Array
    covariance: Array
    response: Response
    offset: float = 0.0

    def moments(self, design: Array) -> tuple[Array, Array]:
        """m and v, (n,) each."""
        v = np.einsum("np,np->n", design @ self.covariance, design)
        return design @ self.coefficients + self.offset, np.maximum(v, 0.0)  # rounding may leave v below 0

    def predict(self, design: Array) -> Distribution:
        return self.response.predictive(*self.moments(design))

    def derivatives(self, design: Array, order: int) -> Derivatives:
        m, v = self.moments(design)
        n, columns = design.shape
        first = np.stack([np.broadcast_to(self.coefficients, (n, columns)), 2.0 * design @ self.covariance], axis=1)
        bends = np.stack([np.zeros((columns, columns)), 2.0 * self.covariance])
        second = np.broadcast_to(bends, (n, *bends.shape)) if order == 2 else None
        return through_response(self.response, Latent(m, v, first, second))

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        return 2 * result_bytes(n_columns, order)


#: Draws of the coefficients of a multinomial model.
DRAWS = 512


@dataclass(frozen=True, eq=False)
class MultinomialPredictor:
    """Classes 0 … K − 1 with η_k = xβ_k, η_0 = 0 and p = softmax(η), averaged over draws of all β.

    E[softmax(η)] has no closed form, so it is the average over fixed draws `coefficients` (S, P, K − 1): smooth in x,
    and its derivatives are exact. One draw is the prediction at the estimate.
    """

    coefficients: Array

    @classmethod
    def drawn(cls, estimate: Array, covariance: Array | None) -> MultinomialPredictor:
        """From the estimate (P, K − 1), and the covariance of its columns, one after the other; None for no draws.

        The draws are quasi-random and antithetic, so that their mean is the estimate.
        """
        if covariance is None:
            return cls(estimate[None])
        from scipy.stats import qmc

        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        uniform = qmc.Sobol(len(covariance), seed=0).random(DRAWS // 2)
        normal = norm.ppf(np.clip(uniform, 1e-12, 1.0 - 1e-12))
        deviations = (np.concatenate([normal, -normal]) @ root.T).reshape(DRAWS, *estimate.T.shape)
        return cls(estimate + np.swapaxes(deviations, 1, 2))

    @property
    def _by_class(self) -> Array:
        """The coefficients of all K classes, (S, K, P)."""
        free = np.swapaxes(self.coefficients, 1, 2)
        return np.concatenate([np.zeros_like(free[:, :1]), free], axis=1)

    def _probabilities(self, design: Array) -> Array:
        """p of every draw, (n, S, K)."""
        return softmax(np.einsum("np,skp->nsk", design, self._by_class), axis=2)

    def predict(self, design: Array) -> Categorical:
        return Categorical(self._probabilities(design).mean(axis=1))

    def derivatives(self, design: Array, order: int) -> Derivatives:
        """With b_k the coefficients of class k in a draw and b̄ = Σ_k p_k b_k: ∂p_k = p_k (b_k − b̄), and

        ∂²p_k = p_k [(b_k − b̄)(b_k − b̄)ᵀ − Σ_j p_j b_j b_jᵀ + b̄b̄ᵀ].
        """
        p, b = self._probabilities(design), self._by_class
        draws = len(b)
        mean = np.einsum("nsk,skd->nsd", p, b)
        first = (np.einsum("nsk,skd->nkd", p, b) - np.einsum("nsk,nsd->nkd", p, mean)) / draws
        distribution = Categorical(p.mean(axis=1))
        if order == 1:
            return Derivatives(distribution, first)
        inner = 2.0 * mean[..., :, None] * mean[..., None, :] - np.einsum("nsk,skd,ske->nsde", p, b, b, optimize=True)
        second = np.einsum("nsk,nsde->nkde", p, inner, optimize=True)
        second += np.einsum("nsk,skd,ske->nkde", p, b, b, optimize=True)
        cross = np.einsum("nsk,skd,nse->nkde", p, b, mean, optimize=True)
        return Derivatives(distribution, first, (second - cross - np.swapaxes(cross, -1, -2)) / draws)

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        draws, _, other = self.coefficients.shape
        return 8 * draws * (3 * (other + 1) + (4 * n_columns**2 if order == 2 else 2 * n_columns))


@dataclass(frozen=True, eq=False)
class OnLinearPredictor(Described, AsGiven):
    """Base of models whose prediction comes from a design; η = m is the scale on which effects add up."""

    predictor: LinearPredictor | MultinomialPredictor
    label: str
    about: Description
    findings: tuple[Finding, ...] = ()

    @abstractmethod
    def design_at(self, X: Any) -> Array:
        """The design (n, P) at the rows X."""

    def predict_distribution(self, X: Any) -> Distribution:
        return self.predictor.predict(self.design_at(X)).checked()

    @property
    def link_derivatives(self) -> Callable[[Any, int], tuple[Array, Array | None, Array | None]] | None:
        """The function (X, order) -> η (n, 1) with its derivatives (n, 1, D), (n, 1, D, D); None for several η."""
        return self._link_derivatives if isinstance(self.predictor, LinearPredictor) else None

    def _link_derivatives(self, X: Any, order: int) -> tuple[Array, Array | None, Array | None]:
        assert isinstance(self.predictor, LinearPredictor)
        if order == 0:
            return self.predictor.moments(self.design_at(X))[0][:, None], None, None
        eta = MeanResponse(identity_mean, lambda μ: Normal(μ, np.ones_like(μ)), (1.0, 0.0))
        latent = replace(self.predictor, covariance=np.zeros_like(self.predictor.covariance), response=eta)
        record = replace(self, predictor=latent).derivatives(X, order)
        second = None if record.second is None else record.second[:, :1]
        return record.distribution.mean[:, None], record.first[:, :1], second

    def link_jacobian(self, X: Any) -> tuple[Distribution, Array]:
        """The predictive distribution at the rows X, and ∂λ/∂η (n, M, 1) with the variance of η held."""
        assert isinstance(self.predictor, LinearPredictor)
        m, v = self.predictor.moments(self.design_at(X))
        response = self.predictor.response
        return response.predictive(m, v), response.predictive_derivatives(m, v, 1)[0][:, :, :1]


@dataclass(frozen=True)
class LocationResponse:
    """y = η + noise: Normal(m, v + σ²), LogNormal for log y, or StudentT with ν in `more`. σ² may be 0 if v has it."""

    family: type[Normal] | type[LogNormal] | type[StudentT]
    noise_variance: float
    more: tuple[float, ...] = ()

    def predictive(self, m: Array, v: Array) -> Distribution:
        return self.family(m, v + self.noise_variance, *self.more).checked(len(m))

    def predictive_derivatives(self, m: Array, v: Array, order: int) -> tuple[Array, Array | None]:
        return GaussianLikelihood().predictive_derivatives(m, v, order)


#: E[h(η)], the mean of an observation over η ~ N(m, v): (n,), its gradient (n, 2) and its Hessian (n, 2, 2) in (m, v).
MeanMap = Callable[[Array, Array], tuple[Array, Array, Array]]


@dataclass(frozen=True)
class MeanResponse:
    """A family whose parameters are linear in the mean: λ = `slopes` μ + what does not depend on η."""

    mean: MeanMap
    family: Callable[[Array], Distribution]
    slopes: tuple[float, ...]

    def predictive(self, m: Array, v: Array) -> Distribution:
        μ, _, _ = self.mean(m, v)
        return self.family(μ).checked(len(m))

    def predictive_derivatives(self, m: Array, v: Array, order: int) -> tuple[Array, Array | None]:
        _, gradient, hessian = self.mean(m, v)
        slopes = np.array(self.slopes)
        first = slopes[:, None] * gradient[:, None, :]
        return first, slopes[:, None, None] * hessian[:, None] if order == 2 else None


def identity_mean(m: Array, v: Array) -> tuple[Array, Array, Array]:
    """h(η) = η."""
    return m, np.tile([1.0, 0.0], (len(m), 1)), np.zeros((len(m), 2, 2))


def log_mean(m: Array, v: Array) -> tuple[Array, Array, Array]:
    """h(η) = e^η: the mean is exp(m + v/2)."""
    with np.errstate(over="ignore"):
        μ = np.exp(m + 0.5 * v)
    if np.isinf(μ).any():
        raise InputError(f"the mean exp(m + v/2) overflows at a linear predictor of {np.max(m):g}. Check the rows.")
    direction = np.array([1.0, 0.5])
    return μ, μ[:, None] * direction, μ[:, None, None] * np.outer(direction, direction)


def probability_mean(likelihood: Likelihood, m: Array, v: Array) -> tuple[Array, Array, Array]:
    """The probability that a likelihood of two classes gives."""
    first, second = likelihood.predictive_derivatives(m, v, 2)
    assert second is not None
    return likelihood.predictive(m, v).mean, first[:, 0], second[:, 0]


def plug_in_mean(link: Any, m: Array, v: Array) -> tuple[Array, Array, Array]:
    """h(m), with an inverse link of statsmodels: the coefficients are taken for the truth, so v does not matter."""
    gradient, hessian = np.zeros((len(m), 2)), np.zeros((len(m), 2, 2))
    gradient[:, 0] = link.inverse_deriv(m)
    hessian[:, 0, 0] = link.inverse_deriv2(m)
    return np.asarray(link.inverse(m)), gradient, hessian
