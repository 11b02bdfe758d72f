"""MultivariateNormal: λ = the mean and the lower triangle of the covariance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np

from rsens._special import HALF_LOG_TWO_PI
from rsens._typing import Array
from rsens.distributions._base import Distribution, Domain, Link, RowShaper
from rsens.distributions._jensen import exponential_renyi


@dataclass(frozen=True, eq=False)
class MultivariateNormal(Distribution):
    """MultivariateNormal(mean, covariance): y is a vector of K numbers.

    λ = (mean, covariance[i, j] for j ≤ i), K + K(K + 1)/2 parameters; uᵀIu = |L⁻¹dμ|² + ½|L⁻¹ dΣ L⁻ᵀ|² with Σ = LLᵀ.
    `variance` has one entry for each component of y.

    Args:
        mean: Shape (n, K), or (K,) for all rows.
        covariance: Σ, symmetric and positive definite; shape (n, K, K), or (K, K) for all rows.

    Example:
        >>> from rsens import MultivariateNormal
        >>> MultivariateNormal(mean=[[0.0, 1.0]], covariance=[[4.0, 1.0], [1.0, 9.0]]).variance.tolist()
        [[4.0, 9.0]]
    """

    mean: Any
    covariance: Any
    support: ClassVar[Literal["vector"]] = "vector"
    matched_by_average: ClassVar[bool] = False
    additive_on: ClassVar[Literal["identity"]] = "identity"
    domains: ClassVar[dict[str, Domain]] = {"mean": Domain(event_ndim=1), "covariance": Domain(event_ndim=2)}

    @property
    def _size(self) -> int:
        return int(self.mean.shape[-1])

    @property
    def _triangle(self) -> list[tuple[int, int]]:
        return [(i, j) for i in range(self._size) for j in range(i + 1)]

    @property
    def parameter_names(self) -> tuple[str, ...]:
        means = tuple(f"mean{k}" for k in range(self._size))
        return means + tuple(f"covariance{i},{j}" for i, j in self._triangle)

    @property
    def orthogonal_blocks(self) -> dict[str, slice]:  # type: ignore[override]
        return {"mean": slice(0, self._size), "covariance": slice(self._size, None)}

    def columns(self) -> list[Any]:
        means = [self.mean[..., k] for k in range(self._size)]
        return means + [self.covariance[..., i, j] for i, j in self._triangle]

    def with_parameters(self, λ: Any) -> MultivariateNormal:
        covariance = np.empty((*λ.shape[:-1], self._size, self._size))
        for m, (i, j) in enumerate(self._triangle, start=self._size):
            covariance[..., i, j] = covariance[..., j, i] = λ[..., m]
        return MultivariateNormal(λ[..., : self._size], covariance)

    @property
    def variance(self) -> Array:
        return np.einsum("...ii->...i", self._checked.covariance)

    def _check_jointly(self) -> None:
        k, covariance = self._size, self.covariance
        if covariance.shape[-2:] != (k, k):
            problem = f" needs shape (rows, {k}, {k}) to match the mean; got {covariance.shape}."
            raise self._refused("covariance", problem)
        scale = np.sqrt(np.maximum(np.einsum("...ii->...i", covariance), 0.0))
        skew = np.abs(covariance - np.swapaxes(covariance, -1, -2))
        if (skew > 1e-8 * scale[..., :, None] * scale[..., None, :]).any():
            raise self._refused("covariance", " must be symmetric; average it with its transpose.")
        try:
            self._factor  # noqa: B018  (the attempt is the check)
        except np.linalg.LinAlgError:
            problem = " must be positive definite in every row; add a little to its diagonal."
            raise self._refused("covariance", problem) from None

    @cached_property
    def _factor(self) -> Array:
        """L with Σ = LLᵀ, after scaling to unit diagonal so that tiny and huge variances can occur together."""
        diagonal = np.einsum("...ii->...i", self.covariance)
        if (diagonal <= 0.0).any():
            raise np.linalg.LinAlgError
        scale = np.sqrt(diagonal)
        correlation = self.covariance / scale[..., :, None] / scale[..., None, :]
        return scale[..., :, None] * np.linalg.cholesky(correlation)

    @property
    def _inverse_factor(self) -> Array:
        return _solve(self._factor, np.broadcast_to(np.eye(self._size), self._factor.shape))

    def _matched(self, average: Callable[..., Any]) -> MultivariateNormal:
        """The mean and the covariance of the mixture."""
        mean = average(self.mean, 1)
        apart = self.mean - mean
        spread = average(apart[..., :, None] * apart[..., None, :], 2)
        return MultivariateNormal(mean, average(self.covariance, 2) + spread)

    def _log_prob(self, y: Array) -> Array:
        z = _solve(self._factor, (y - self.mean)[..., None])[..., 0]
        log_det = np.log(np.einsum("...ii->...i", self._factor)).sum(axis=-1)
        return -0.5 * np.sum(z**2, axis=-1) - log_det - self._size * HALF_LOG_TWO_PI

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        z = rng.standard_normal(size + self.mean.shape)
        return self.mean + np.einsum("...ij,...j->...i", self._factor, z)

    def _renyi(self, other: Self, alpha: float) -> Array:
        log_w, excess, axes = _relative_spectrum(self._factor, other._factor, other.covariance - self.covariance)
        # In these coordinates self is N(0, I) and other N(δ, diag w), and everything is a sum over dimensions.
        delta = np.einsum("...ij,...i->...j", axes, _solve(self._factor, (other.mean - self.mean)[..., None])[..., 0])
        if np.isinf(alpha):
            # Rounding gives a singular direction an eigenvalue of either sign.
            tiny = 8.0 * self._size * np.finfo(float).eps
            still = np.abs(delta) <= tiny * np.max(np.abs(delta), axis=-1, keepdims=True)
            bounded = 0.5 * log_w + 0.5 * (delta / np.sqrt(excess)) ** 2
            terms = np.where(excess > tiny, bounded, np.where((np.abs(excess) <= tiny) & still, 0.0, np.inf))
        else:
            middle = np.where(np.abs(excess) < 0.5, 1.0 + alpha * excess, alpha * np.exp(log_w) + (1.0 - alpha))
            means = 0.5 * alpha * (delta / np.sqrt(middle)) ** 2
            terms = np.where(middle > 0.0, means + 0.5 * exponential_renyi(log_w, alpha), np.inf)
        return terms.sum(axis=-1)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        k, inverse = self._size, self._inverse_factor
        change = np.zeros((k, k, *u.shape[1:]))
        for column, (i, j) in zip(u[k:], self._triangle, strict=True):
            change[i, j] = change[j, i] = column

        def times_inverse(of: Any) -> list[Array]:
            return [sum(row(inverse[..., i, j]) * of[j] for j in range(i + 1)) for i in range(k)]

        both = times_inverse(np.swapaxes(times_inverse(change), 0, 1))  # L⁻¹ dΣ L⁻ᵀ
        return times_inverse(u) + [both[i][j] * (np.sqrt(0.5) if i == j else 1.0) for i, j in self._triangle]

    def _score(self, y: Array) -> Array:
        z = _solve(self._factor, (y - self.mean)[..., None])[..., 0]
        inverse = self._inverse_factor
        by_mean = np.einsum("...ij,...i->...j", inverse, z)
        precision = np.einsum("...ki,...kj->...ij", inverse, inverse)
        by_covariance = 0.5 * (by_mean[..., :, None] * by_mean[..., None, :] - precision)
        triangle = [by_covariance[..., i, j] * (1.0 if i == j else 2.0) for i, j in self._triangle]
        return np.concatenate([by_mean, np.stack(triangle, -1)], -1)

    def _prediction_gradient(self) -> Array:
        k = self._size
        gradient = np.zeros((*self.mean.shape[:-1], k, k + k * (k + 1) // 2))
        gradient[..., np.arange(k), np.arange(k)] = 1.0
        return gradient

    def _link(self) -> Link:
        """The means of a vector y."""
        λ, (n, k) = self.parameters, self.mean.shape
        first = np.broadcast_to(np.eye(k, λ.shape[1]), (n, k, λ.shape[1]))
        return Link(λ[:, :k], first, np.zeros((n, k, *λ.shape[1:] * 2)), first.swapaxes(1, 2))


def _relative_spectrum(factor: Array, other: Array, difference: Array) -> tuple[Array, Array, Array]:
    """log w, w − 1 and the axes of W = L⁻¹Σ'L⁻ᵀ: from Σ' − Σ if they are close, else the singular values of L⁻¹L'."""
    axes, roots, _ = np.linalg.svd(_solve(factor, other))
    half = _solve(factor, difference)
    excess, close_axes = np.linalg.eigh(
        np.nan_to_num(_solve(factor, np.swapaxes(half, -1, -2)), posinf=1e300, neginf=-1e300)
    )
    close = np.max(np.abs(excess), axis=-1, keepdims=True) < 0.5
    log_w = np.where(close, np.log1p(np.clip(excess, -0.9, 1.0)), 2.0 * np.log(roots))
    excess = np.where(close, excess, roots**2 - 1.0)
    return log_w, excess, np.where(close[..., None], close_axes, axes)


def _solve(factor: Array, right: Array) -> Array:
    """L⁻¹ right, row by row of L (K is small), vectorised over the batch."""
    solution: list[Array] = []
    for i in range(factor.shape[-1]):
        rest = right[..., i, :] - sum(factor[..., i, j, None] * solution[j] for j in range(i))
        solution.append(rest / factor[..., i, i, None])
    return np.stack(solution, -2)
