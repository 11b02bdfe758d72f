"""k(X, X) as a vector, with one entry per pair of different rows, for kernels of distances.

For a sum of many terms this is faster than a matrix per term: all terms that look at a column share its squared
differences, only one triangle is computed, and every step is one pass over a vector.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import pdist

from rsens._typing import Array
from rsens.kernels._base import Kernel
from rsens.kernels._compose_on import product
from rsens.kernels._leaf import Leaf, Positive

if TYPE_CHECKING:
    from rsens.kernels._categorical import Categorical
    from rsens.kernels._stationary import Stationary

#: The most vectors that a leaf holds: g, g', and the slope in one further hyperparameter.
VECTORS = 3


class Pairs:
    """The pairs i < j of rows of X, in the condensed order of SciPy: P = N(N − 1)/2 of them."""

    def __init__(self, X: Array) -> None:
        self.X = X
        self._squares: dict[int, tuple[Array, float]] = {}

    def squares(self, column: int) -> tuple[Array, float]:
        """((x_i − x_j)/unit)², (P,), and the unit of this column, which keeps the squares within float64."""
        if column not in self._squares:
            x = self.X[:, column]
            unit = float(np.ptp(x)) or 1.0
            self._squares[column] = pdist((x / unit)[:, None], "sqeuclidean"), unit
        return self._squares[column]


class OnPairs(ABC):
    """One kernel at all pairs, with its gradient in the hyperparameters. On the diagonal k is constant."""

    value: Array  # (P,)
    diagonal: float

    @abstractmethod
    def hyper_gradient(self, m: Array, trace: float) -> Array:
        """Σ_p m_p ∂k_p/∂θ + trace · ∂k(x, x)/∂θ, (n_theta,)."""


class LeafOnPairs(OnPairs):
    """A kernel that is not a sum or product."""

    @abstractmethod
    def __init__(self, kernel: Any, pairs: Pairs) -> None: ...


class StationaryOnPairs(LeafOnPairs):
    """g(s), s = Σ_d Δ_d²/l_d²."""

    def __init__(self, kernel: Stationary, pairs: Pairs) -> None:
        self._kernel = kernel
        columns = _columns(kernel, pairs)
        lengthscales = np.broadcast_to(kernel.lengthscale, (len(columns),))
        self._squares = [pairs.squares(column)[0] for column in columns]
        self._inverse = [(pairs.squares(c)[1] / l) ** 2 for c, l in zip(columns, lengthscales, strict=True)]
        self.value, slope, *self._shapes = kernel.profile(_weighted_sum(self._squares, self._inverse))
        self._slope = slope if kernel.slope_ratio is None else None  # or that many times the value
        at_zero, _, *shapes = kernel.profile(np.zeros(1))
        self.diagonal, self._shapes_at_zero = float(at_zero[0]), [float(shape[0]) for shape in shapes]

    def hyper_gradient(self, m: Array, trace: float) -> Array:
        """∂k/∂log σ² = g, ∂k/∂log l_d = −2g'·Δ_d²/l_d², and the rest as the profile gives it."""
        ratio = self._kernel.slope_ratio
        if self._slope is not None:
            weights, variance, factor = m * self._slope, float(m @ self.value), -2.0
        else:
            assert ratio is not None
            weights = m * self.value
            variance, factor = float(weights.sum()), -2.0 * ratio
        scales = [factor * i * float(weights @ s) for s, i in zip(self._squares, self._inverse, strict=True)]
        further = [float(m @ s) + trace * z for s, z in zip(self._shapes, self._shapes_at_zero, strict=True)]
        return np.array([variance + trace * self.diagonal, *_per_field(scales, self._kernel.lengthscale), *further])


class CategoricalOnPairs(LeafOnPairs):
    """σ² exp(−Σ_d [x_d ≠ z_d]/l_d)."""

    def __init__(self, kernel: Categorical, pairs: Pairs) -> None:
        self._kernel = kernel
        columns = _columns(kernel, pairs)
        self._differ = [(pairs.squares(column)[0] > 0.0).astype(np.float64) for column in columns]
        self._inverse = [-inverse for inverse in kernel.inverse(len(columns))]
        self.value = kernel.variance * np.exp(_weighted_sum(self._differ, self._inverse))
        self.diagonal = kernel.variance

    def hyper_gradient(self, m: Array, trace: float) -> Array:
        """∂k/∂log l_d = k [x_d ≠ z_d]/l_d."""
        weights = m * self.value
        scales = [-i * float(weights @ differ) for differ, i in zip(self._differ, self._inverse, strict=True)]
        variance = float(weights.sum()) + trace * self.diagonal
        return np.array([variance, *_per_field(scales, self._kernel.lengthscale)])


class ProductOnPairs(OnPairs):
    """∂k/∂θ = ∂k_f/∂θ for the factor k_f that θ belongs to, times the other factors."""

    def __init__(self, factors: Sequence[OnPairs]) -> None:
        self._factors = factors
        self._values = [factor.value for factor in factors]
        self._diagonals = [factor.diagonal for factor in factors]
        self.value, self.diagonal = product(self._values), float(np.prod(self._diagonals))

    def hyper_gradient(self, m: Array, trace: float) -> Array:
        gradients = []
        for i, factor in enumerate(self._factors):
            others = float(np.prod([d for j, d in enumerate(self._diagonals) if j != i]))
            gradients.append(factor.hyper_gradient(m * product(self._values, but=[i]), trace * others))
        return np.concatenate(gradients)


def leaf_on_pairs(kernel: Kernel, pairs: Pairs) -> OnPairs:
    """The kernel at all pairs; it must be one that `is_of_distances`."""
    assert isinstance(kernel, Leaf)
    assert kernel.on_pairs is not None
    return kernel.on_pairs(kernel, pairs)


def is_of_distances(kernel: Kernel) -> bool:
    """Whether k(x, z) depends only on the distances |x_d − z_d|, and is not a sum or product."""
    return isinstance(kernel, Leaf) and kernel.on_pairs is not None


def _columns(kernel: Leaf, pairs: Pairs) -> tuple[int, ...]:
    kernel.seen(pairs.X)  # an error if columns are missing
    return kernel.active(pairs.X)[0]


def _weighted_sum(vectors: list[Array], weights: Sequence[float]) -> Array:
    """Σ_d w_d v_d, as a new array."""
    total = weights[0] * vectors[0]
    for weight, vector in zip(weights[1:], vectors[1:], strict=True):
        total += weight * vector
    return total


def _per_field(slopes: list[float], field: Positive) -> list[float]:
    """One slope per column, or their sum if all columns share one value."""
    return slopes if isinstance(field, tuple) else [sum(slopes)]
