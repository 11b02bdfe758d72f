"""Models with a linear predictor η = xβ + offset, β ~ N(β̂, C): their prediction and its derivatives in closed form."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy.special import softmax
from scipy.stats import norm

from rsens._typing import Array
from rsens.derivatives import Derivatives, chain_rule, result_bytes
from rsens.distributions import Categorical, Distribution, Normal


class Response(Protocol):
    """What an observation is, given η ~ N(m, v). Every likelihood of rsens is one."""

    def predictive(self, m: Array, v: Array) -> Distribution:
        """The predictive family at m and v, (n,) each."""
        ...

    def predictive_derivatives(self, m: Array, v: Array, order: int) -> tuple[Array, Array | None]:
        """Derivatives of λ in (m, v): (n, M, 2) and, for order 2, (n, M, 2, 2)."""
        ...


class DesignPredictor(Protocol):
    """The prediction at rows of the design, (n, P)."""

    def predict(self, design: Array) -> Distribution:
        """The predictive distribution."""
        ...

    def derivatives(self, design: Array, order: int) -> Derivatives:
        """λ with its derivatives in the columns of the design."""
        ...

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        """Working memory for one row."""
        ...


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
        second = None
        if order == 2:
            second = np.zeros((n, 2, columns, columns))
            second[:, 1] = 2.0 * self.covariance
        outer = self.response.predictive_derivatives(m, v, order)
        return Derivatives(self.response.predictive(m, v), *chain_rule(first, second, *outer))

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        return 2 * result_bytes(n_columns, order)


@dataclass(frozen=True)
class _Itself:
    """η itself in place of an observation."""

    def predictive(self, m: Array, v: Array) -> Normal:
        return Normal(m, np.ones_like(m)).checked(len(m))

    def predictive_derivatives(self, m: Array, v: Array, order: int) -> tuple[Array, Array | None]:
        first = np.zeros((len(m), 2, 2))
        first[:, 0, 0] = 1.0
        return first, np.zeros((len(m), 2, 2, 2)) if order == 2 else None


class OnLinearPredictor:
    """What models with a linear predictor know of the scale on which their effects add up: η = m.

    It is a dataclass with the field `predictor`.
    """

    predictor: DesignPredictor

    @abstractmethod
    def design_at(self, X: Any) -> Array:
        """The design (n, P) at the rows X."""

    @property
    def link_derivatives(self) -> Callable[[Any, int], tuple[Array, Array | None, Array | None]] | None:
        """The function (X, order) -> η (n, 1) with its derivatives (n, 1, D), (n, 1, D, D); None for several η."""
        return self._link_derivatives if isinstance(self.predictor, LinearPredictor) else None

    def _link_derivatives(self, X: Any, order: int) -> tuple[Array, Array | None, Array | None]:
        assert isinstance(self.predictor, LinearPredictor)
        if order == 0:
            return self.predictor.moments(self.design_at(X))[0][:, None], None, None
        latent = replace(self.predictor, covariance=np.zeros_like(self.predictor.covariance), response=_Itself())
        record = replace(self, predictor=latent).derivatives(X, order)  # type: ignore[type-var, attr-defined]
        second = None if record.second is None else record.second[:, :1]
        return record.distribution.mean[:, None], record.first[:, :1], second

    def link_jacobian(self, X: Any) -> tuple[Distribution, Array]:
        """The predictive distribution at the rows X, and ∂λ/∂η (n, M, 1) with the variance of η held."""
        assert isinstance(self.predictor, LinearPredictor)
        m, v = self.predictor.moments(self.design_at(X))
        response = self.predictor.response
        return response.predictive(m, v), response.predictive_derivatives(m, v, 1)[0][:, :, :1]


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

        The draws are quasi-random and antithetic: their mean is the estimate, whatever the covariance is.
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
