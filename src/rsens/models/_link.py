"""The link scale of our models: the mean η of the latent f, on which an additive model adds up.

λ depends on x through the mean m and the variance v of the latent f. Effects add up in η = m; a probability, or a rate
exp(m + v/2), bends even if they do. Three or more classes have one η each.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.distributions import Distribution
from rsens.likelihoods import Likelihood

#: m at n rows (n,), with its first (n, D) and second (n, D, D) derivatives in x, or None.
Mean = tuple[Array, Array | None, Array | None]


class LatentLink:
    """A model with a latent Gaussian f, or one for each of K classes."""

    @abstractmethod
    def _rows(self, X: Any) -> Array: ...

    @abstractmethod
    def predict_distribution(self, X: Any) -> Distribution: ...

    @property
    @abstractmethod
    def _categorical(self) -> list[int]: ...

    @abstractmethod
    def _latent_means(self, rows: Array, order: int) -> list[Mean]:
        """The mean of each f at the rows, with derivatives up to this order (0, 1 or 2)."""

    @abstractmethod
    def _by_latent_mean(self, rows: Array) -> list[Array]:
        """∂λ/∂m (n, M) with v held, of the prediction that each f makes by itself."""

    @abstractmethod
    def _combination_variances(self, rows: Array, weights: Iterable[Array]) -> list[Array]:
        """The variances (g,) of Σ_i w_gi f(x_i) over the rows, for each f and its weights (g, n)."""

    def prediction_variances(self, X: Any, weights: Array) -> Array:
        """How unsure the fit is of combinations Σ_i w_gi E[y | x_i] of predictions at the rows X: variances (g, P).

        `weights` is (g, n); there are P outputs. Predictions follow f through their slope ∂E[y]/∂η (the delta method):
        exact where E[y] is f itself. The hyperparameters of the kernel count as known.
        """
        distribution, jacobian = self.link_jacobian(X)
        slopes = np.einsum("npm,nmk->kpn", distribution.prediction_gradient(), jacobian)
        size, (_, outputs, n) = len(weights), slopes.shape
        of_each = ((slope * weights[:, None]).reshape(size * outputs, n) for slope in slopes)
        return np.sum(self._combination_variances(self._rows(X), of_each), axis=0).reshape(size, outputs)

    def link_derivatives(self, X: Any, order: int) -> Mean:
        """η (n, K) at the rows X, with its first (n, K, D) and second (n, K, D, D) derivatives up to this order."""
        etas, firsts, seconds = zip(*self._latent_means(self._rows(X), order), strict=True)
        first, second = (None if each[0] is None else np.stack(each, axis=1) for each in (firsts, seconds))
        for derivative, axes in ((first, (2,)), (second, (2, 3))):  # a kernel may have looked at level codes
            for axis in axes:
                if derivative is not None and self._categorical:
                    np.moveaxis(derivative, axis, -1)[..., self._categorical] = 0.0
        return np.stack(etas, axis=1), first, second

    def link_jacobian(self, X: Any) -> tuple[Distribution, Array]:
        """The predictive distribution at the rows X, and ∂λ/∂η (n, M, K) with the variance of f held."""
        distribution, alone = self.predict_distribution(X), self._by_latent_mean(self._rows(X))
        if len(alone) == 1:
            return distribution, alone[0][:, :, None]
        # p_k = π_k/Σ_j π_j, so ∂p_k/∂m_j = p_k (δ_kj − p_j) ∂ log π_j/∂m_j
        p, slopes = distribution.parameters, np.concatenate(alone, axis=1)
        return distribution, (p[:, :, None] * (np.eye(p.shape[1]) - p[:, None, :])) * slopes[:, None, :]


def by_mean(likelihood: Likelihood, m: Array, v: Array, *, of_log: bool = False) -> Array:
    """∂λ/∂m (n, M) of a prediction; of log λ where λ is a probability that will be normalised."""
    slope = likelihood.predictive_derivatives(m, v, 1)[0][:, :, 0]
    if not of_log:
        return slope
    log_slope = np.zeros_like(slope)
    pi = likelihood.predictive(m, v).parameters
    return np.divide(slope, pi, out=log_slope, where=pi > 0.0)
