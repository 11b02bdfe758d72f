"""Categorical: λ = the K class probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from rsens._special import log_ratio
from rsens._typing import Array, Positions
from rsens.distributions._base import SHARES, Distribution, Domain, RowShaper
from rsens.distributions._jensen import finite_renyi


@dataclass(frozen=True, eq=False)
class Categorical(Distribution):
    """Categorical(probabilities): y is one of the class codes 0, …, K − 1, and y = k with probability p_k.

    λ = (p_0, …, p_{K−1}), I = diag(1/p) on changes that keep Σp = 1, which the changes of a model always do. `mean` is
    the mean of the K class indicators, so the prediction has K outputs.

    Args:
        probabilities: p, shape (n, K), or (K,) for all rows; between 0 and 1, each row adding up to 1.

    Example:
        >>> from rsens import Categorical
        >>> Categorical([[0.5, 0.25, 0.25]]).log_prob([0]).round(6).tolist()
        [-0.693147]
    """

    probabilities: Any
    domains: ClassVar[dict[str, Domain]] = {"probabilities": SHARES}
    support: ClassVar[Literal["classes"]] = "classes"
    same_support: ClassVar[bool] = False
    output_weight: ClassVar[float] = 0.5

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(f"p{k}" for k in range(self.probabilities.shape[-1]))

    def columns(self) -> tuple[Any, ...]:
        return tuple(self.probabilities[..., k] for k in range(self.probabilities.shape[-1]))

    @property
    def mean(self) -> Array:
        return self._checked.probabilities

    @property
    def variance(self) -> Array:
        p = self._checked.probabilities
        return p * (1.0 - p)

    def _check_jointly(self) -> None:
        self._check_sums("probabilities", "Normalise them, for example with a softmax.")

    def _log_prob(self, y: Array) -> Array:
        p = self.probabilities
        inside = (y >= 0.0) & (y < p.shape[-1]) & (y == np.round(y))
        code = np.where(inside, y, 0.0).astype(np.intp)
        return np.where(inside, np.log(chosen(p, code)), -np.inf)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        edges = np.cumsum(self.probabilities[..., :-1], axis=-1)
        draws = rng.random(size + self.probabilities.shape[:-1])
        return (draws[..., None] >= edges).sum(axis=-1).astype(np.float64)

    def with_parameters(self, λ: Any) -> Categorical:
        return Categorical(λ)

    def _collapsed(self, weights: Array) -> Categorical:
        return self._with({"probabilities": np.einsum("ns,snk->nk", weights, self.probabilities)})

    def _renyi(self, other: Self, alpha: float) -> Array:
        log_p, log_q = np.log(self.probabilities), np.log(other.probabilities)
        return finite_renyi(log_p, log_q, log_ratio(self.probabilities, other.probabilities), alpha)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        columns = [u[k] / row(np.sqrt(self.probabilities[..., k])) for k in range(len(u))]
        return [np.where(u[k] == 0.0, 0.0, column) for k, column in enumerate(columns)]

    def _score(self, y: Array) -> Array:
        classes = np.arange(self.probabilities.shape[-1])
        return np.where(y[..., None] == classes, 1.0 / self.probabilities, 0.0)

    def _prediction_gradient(self) -> Array:
        k = self.probabilities.shape[-1]
        return np.broadcast_to(np.eye(k), (*self.probabilities.shape[:-1], k, k))


def chosen(values: Array, number: Positions) -> Array:
    """values[…, number]: one entry of the last axis for each number."""
    shape = np.broadcast_shapes(values.shape[:-1], number.shape)
    index = np.broadcast_to(number, shape)[..., None]
    return np.take_along_axis(np.broadcast_to(values, shape + values.shape[-1:]), index, axis=-1)[..., 0]
