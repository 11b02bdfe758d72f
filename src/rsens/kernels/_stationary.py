"""Stationary kernels, profiles g(s) of the squared scaled distance s = Σ_d (x_d − z_d)²/l_d²: EQ and others."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from scipy.spatial.distance import cdist

from rsens._errors import InputError
from rsens._typing import Array
from rsens.kernels._base import (
    DistanceKernel,
    KernelAt,
    KernelOn,
    Positive,
    inner,
    row_products,
    shared,
    times,
    weighted,
)

#: Multiplied out, Σ_j C_ij uuᵀ has more rounding than the sum of products of differences, but one large matrix product
#: is faster than many small ones. We take it as long as the rounding grows by no more than this: twelve digits remain.
MOST_ROUNDING = 1e4


class Stationary(DistanceKernel):
    """k(x, z) = g(s), s = Σ_d Δ_d²/l_d², Δ = x − z. A kernel is its profile g; everything else follows, with u = Δ/l²:

    ∂k/∂x = 2g'u,  ∂²k/∂x∂xᵀ = 4g''uuᵀ + 2g'·diag(1/l²),  ∂k/∂log l_d = −2g'·Δ_d²/l_d².
    """

    power: ClassVar[int] = 2
    #: False if ∂k/∂x does not exist at x = z.
    differentiable: ClassVar[bool] = True

    @abstractmethod
    def curvature(self, s: Array) -> Array:
        """g''(s); 0 if it is infinite at s = 0, since u = 0 there, and 4g''uuᵀ → 0."""

    def scaled(self, X: Array) -> Array:
        """X/l."""
        return X / np.asarray(self.lengthscale)

    def on_seen(self, x: Array, z: Array | None) -> KernelOn:
        """The matrix g with its gradient, from g' and the slopes in the further hyperparameters, all computed once."""
        symmetric, ratio = z is None, self.slope_ratio
        # A common shift changes no distance and keeps |a|² + |b|² − 2a·b exact; the median is not moved by outliers.
        centre = np.median(x if z is None else z, axis=0)
        A = self.scaled(x - centre)
        B = A if z is None else self.scaled(z - centre)

        def needed(s: Array) -> tuple[Array, ...]:
            g, slope, *shapes = self.profile(s)
            return (g, slope, *shapes) if ratio is None else (g, *shapes)

        value, *slopes = profiled(A, None if symmetric else B, needed)

        def hyper_gradient(M: Array) -> Array:
            """∂k/∂log σ² = g, ∂k/∂log l_d = −2g'·(a_d − b_d)², and the rest as the profile gives it."""
            if ratio is None:
                slope, *shapes = slopes
                squares, _ = weighted_squares(M * slope, A, B, symmetric)
                variance = inner(M, value, symmetric)
            else:
                shapes = slopes
                squares, variance = weighted_squares(M * value, A, B, symmetric)
                squares *= ratio
            further = [inner(M, shape, symmetric) for shape in shapes]
            return np.concatenate([[variance], -2.0 * shared(squares, self.lengthscale), further])

        return KernelOn(value, hyper_gradient)

    def at_seen(self, x: Array, z: Array, columns: tuple[int, ...], n_columns: int) -> KernelAt:
        return AtStationary(self, x, z, columns, n_columns)

    def pair_distance(self, squares: Array, unit: float, lengthscale: float) -> tuple[Array, float]:
        return squares, (unit / lengthscale) ** 2

    def active_in_units(self, columns: Array, variance: float) -> Self:
        """Further hyperparameters have no unit: they shape g."""
        lengthscale = times(self.lengthscale, columns)
        return replace(self, variance=self.variance * variance, lengthscale=lengthscale)  # type: ignore[type-var]

    def prior(self, field: str, value: float, size: float, q: int, output_scale: float) -> tuple[float, float]:
        if field == "lengthscale":  # distances between rows grow with √q
            return np.log(size * np.sqrt(q)), 1.0
        return super().prior(field, value, size, q, output_scale)

    def active_rates(self, rows: Array) -> Array:
        """1/l."""
        return 1.0 / np.asarray(self.lengthscale)


class AtStationary(KernelAt):
    """Derivatives in x from s, g, g' and g''. s is a sum of squared differences, and so exact for nearly equal rows."""

    def __init__(self, kernel: Stationary, x: Array, z: Array, columns: tuple[int, ...], n_columns: int) -> None:
        self._kernel = kernel
        self._inverse = np.broadcast_to(1.0 / np.square(kernel.lengthscale), x.shape[1:])  # 1/l²
        centre = np.median(z, axis=0)
        self._x, self._z = x - centre, z - centre
        self._s = cdist(kernel.scaled(self._x), kernel.scaled(self._z), "sqeuclidean")
        value, self._slope = kernel.profile(self._s.copy())[:2]
        super().__init__(value, columns, n_columns)

    def _check_differentiable(self) -> None:
        if not self._kernel.differentiable:
            name = type(self._kernel).__name__
            raise InputError(
                f"{name} has no derivatives in x at x = z. Use Matern32, Matern52 or EQ for sensitivities."
            )

    @cached_property
    def _curvature(self) -> Array:
        """g''; if g' = c·g, then it is c²·g."""
        ratio = self._kernel.slope_ratio
        return self._kernel.curvature(self._s) if ratio is None else ratio**2 * self.value

    @cached_property
    def _rounding(self) -> float:
        """The growth of Σ_j g''uuᵀ before it cancels, if it is multiplied out."""
        reach = max(np.square(self._kernel.scaled(rows)).sum(1).max() for rows in (self._x, self._z))
        return float(reach * np.abs(self._curvature).max() / self._kernel.variance)

    def _u(self) -> Array:
        """u = Δ/l², (n, columns, N), from columns of numbers that lie side by side: strides would double the time."""
        return (self._x * self._inverse)[:, :, None] - np.ascontiguousarray((self._z * self._inverse).T)

    def active_first(self) -> Array:
        """2g'u."""
        self._check_differentiable()
        u = self._u()
        u *= (2.0 * self._slope)[:, None, :]
        return u

    def active_weighted_first(self, W: Array) -> Array:
        """Σ_j W_j 2g'u."""
        self._check_differentiable()
        return 2.0 * self._inverse * weighted_differences(W * self._slope, self._x, self._z)

    def active_second(self, W: Array) -> Array:
        """Σ_j W_j (4g''uuᵀ + 2g'·diag(1/l²))."""
        self._check_differentiable()
        weights = W * self._curvature
        n, d = self._x.shape
        if self._rounding <= MOST_ROUNDING and d <= 4 * n:  # its d²/2 rows of products take no more room than u does
            second = weighted_outer(weights, self._x * self._inverse, self._z * self._inverse)
        else:
            u = self._u()
            second = (u * weights[:, None, :]) @ u.transpose(0, 2, 1)
        second *= 4.0
        slopes = np.einsum("ij,ij->i", np.broadcast_to(W, self._slope.shape), self._slope)
        diagonal = np.arange(d)
        second[:, diagonal, diagonal] += 2.0 * slopes[:, None] * self._inverse
        return second


@dataclass(frozen=True, repr=False)
class EQ(Stationary):
    """Exponentiated quadratic (RBF, squared exponential): g(s) = σ² exp(−s/2). Very smooth functions.

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import EQ
        >>> EQ(lengthscale=2.0)(np.array([[0.0], [2.0]])).round(4).tolist()
        [[1.0, 0.6065], [0.6065, 1.0]]
    """

    variance: float = 1.0
    lengthscale: Positive = 1.0
    dims: tuple[int, ...] | None = None
    slope_ratio: ClassVar[float | None] = -0.5
    separates: ClassVar[bool] = True

    def profile(self, s: Array) -> tuple[Array, ...]:
        s *= -0.5
        g = np.exp(s, out=s)
        g *= self.variance
        return g, -0.5 * g

    def curvature(self, s: Array) -> Array:
        return 0.25 * self.variance * np.exp(-0.5 * s)


@dataclass(frozen=True, repr=False)
class RationalQuadratic(Stationary):
    """Rational quadratic: g(s) = σ² (1 + s/2α)^−α, a mixture of EQ kernels of many length-scales; α → ∞ is EQ.

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import RationalQuadratic
        >>> RationalQuadratic(lengthscale=2.0, alpha=0.5)(np.array([[0.0], [2.0]])).round(4).tolist()
        [[1.0, 0.7071], [0.7071, 1.0]]
    """

    variance: float = 1.0
    lengthscale: Positive = 1.0
    alpha: float = 1.0
    dims: tuple[int, ...] | None = None
    about_one: ClassVar[tuple[str, ...]] = ("alpha",)

    def profile(self, s: Array) -> tuple[Array, ...]:
        """With b = s/2α: g' = −g/(2(1 + b)) and ∂g/∂log α = −αg (log(1 + b) − b/(1 + b))."""
        b = s / (2.0 * self.alpha)
        log = np.log1p(b)
        g = self.variance * np.exp(-self.alpha * log)
        return g, -0.5 * g / (1.0 + b), -self.alpha * g * (log - b / (1.0 + b))

    def curvature(self, s: Array) -> Array:
        log = np.log1p(s / (2.0 * self.alpha))
        return 0.25 * self.variance * (1.0 + 1.0 / self.alpha) * np.exp(-(self.alpha + 2.0) * log)


# Sums over pairs of rows, as matrix products.


def weighted_squares(P: Array, A: Array, B: Array, symmetric: bool) -> tuple[Array, float]:
    """Σ_ij P_ij (a_id − b_jd)² for every column d, and Σ_ij P_ij; symmetric means B = A."""
    d = A.shape[1]
    one = np.ones(len(B))
    if symmetric:
        PA = weighted(P, np.column_stack([A, one]), symmetric)
        p = PA[:, d]
        return 2.0 * np.einsum("id,id->d", A, A * p[:, None] - PA[:, :d]), float(p.sum())
    PB = weighted(P, np.column_stack([B, one, B * B]), symmetric)
    p = PB[:, d]
    squares = np.einsum("id,id->d", A, A * p[:, None] - 2.0 * PB[:, :d]) + PB[:, d + 1 :].sum(0)
    return squares, float(p.sum())


def weighted_differences(C: Array, A: Array, B: Array) -> Array:
    """Σ_j C_ij (a_i − b_j), (n, d), from one matrix product."""
    d = A.shape[1]
    CB = row_products(C, np.vstack([B.T, np.ones(len(B))]))
    return A * CB[:, d:] - CB[:, :d]


def weighted_outer(C: Array, A: Array, B: Array) -> Array:
    """Σ_j C_ij (a_i − b_j)(a_i − b_j)ᵀ, (n, d, d), from one matrix product with the d(d+1)/2 products b_jd b_je."""
    n, d = A.shape
    row, column = np.triu_indices(d)
    features = np.vstack([B.T[row] * B.T[column], B.T, np.ones(len(B))])
    CB = row_products(C, features)
    square, linear, sums = CB[:, : len(row)], CB[:, len(row) : -1], CB[:, -1:]
    a, b = A[:, row], A[:, column]
    outer = np.empty((n, d, d))
    outer[:, row, column] = square - a * linear[:, column] - linear[:, row] * b + sums * a * b
    outer[:, column, row] = outer[:, row, column]
    return outer


#: Entries of a block, which fits in the processor's cache on the way from distances to values.
BLOCK = 2**15


def profiled(A: Array, B: Array | None, profile: Callable[[Array], tuple[Array, ...]]) -> list[Array]:
    """Arrays (n, N) that `profile` makes of s_ij = |a_i − b_j|²; for B = None lower triangles but for the first."""
    symmetric = B is None
    B = A if B is None else B
    squared_a, squared_b = (np.einsum("id,id->i", M, M) for M in (A, B))
    # s_ij = (−2a, 1, |a|²)_i · (b, |b|², 1)_j: one matrix product
    left = np.column_stack([B, squared_b, np.ones(len(B))])
    right = np.column_stack([-2.0 * A, np.ones(len(A)), squared_a])
    # Anything below the rounding of that product counts as 0, as for equal rows.
    rounding = 8.0 * np.finfo(np.float64).eps * squared_b[:, None]
    arrays: list[Array] = []
    step = max(8, BLOCK // len(A))
    for start in range(0, len(B), step):
        rows = slice(start, start + step)  # of the transposed arrays, which are in C order
        columns = slice(start if symmetric else 0, None)
        with np.errstate(over="ignore", invalid="ignore"):  # squares of inputs may overflow; predictions check
            s = row_products(left[rows], right[columns])
            s *= s > rounding[rows]
        if symmetric:  # equal halves of the block on the diagonal, and zeros on the diagonal
            square = s[:, : len(s)]
            square += square.T.copy()
            square *= 0.5
            np.fill_diagonal(square, 0.0)
        blocks = profile(s)
        arrays = arrays or [np.zeros((len(B), len(A))) for _ in blocks]
        for array, block in zip(arrays, blocks, strict=True):
            array[rows, columns] = block
        if symmetric:
            arrays[0][columns, rows] = blocks[0].T
    return [array.T for array in arrays]
