"""What every predictive family is: parameters λ, Fisher norm, Rényi divergence, log density, sampling.

What it holds is in `_fields.py`. All methods here work on checked NumPy arrays.
"""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.distributions._fields import Fields
from rsens.distributions._numbers import as_numbers, divergence_order, norm

RowShaper = Callable[[Array], Array]


class Distribution(Fields):
    """A batch of n predictive distributions of one family, with parameters λ of shape (n, M).

    The constructor takes numbers, lists and arrays, one value per row or one for all rows; in `checked()` they are all
    arrays (n,).

    Example:
        >>> from rsens import Poisson
        >>> family = Poisson(rate=[1.0, 4.0])
        >>> family.parameter_names, family.parameters.tolist(), family.variance.tolist()
        (('rate',), [[1.0], [4.0]], [1.0, 4.0])
        >>> family.fisher().round(4).tolist()
        [[[1.0]], [[0.25]]]
        >>> family.renyi(Poisson(rate=[1.0, 5.0]), alpha=1.0).round(4).tolist()
        [0.0, 0.1074]
        >>> family.log_prob([0.0, 2.0]).round(4).tolist(), family.quantile(0.9).tolist()
        ([-1.0, -1.9206], [2.0, 7.0])
    """

    #: What y is: one real number, a count, a class code, or a vector.
    support: ClassVar[Literal["continuous", "counts", "classes", "vector"]] = "continuous"
    #: Blocks of λ, by name, between which the Fisher information is zero; empty if there are none.
    orthogonal_blocks: ClassVar[dict[str, slice]] = {}
    #: Whether the distribution that stands for draws of this family has their average λ.
    matched_by_average: ClassVar[bool] = True
    #: Weight of each output in `ead` and similar measures; ½ if the outputs add up to a constant (class probabilities).
    output_weight: ClassVar[float] = 1.0

    mean: Any
    variance: Any

    def _matched(self, average: Callable[..., Any]) -> Distribution:
        """One distribution in place of the draws (S, n) held here; `average(values, event_ndim)` is over draws."""
        fields = self.fields()
        return type(self)(**{name: average(values, self.domains[name].event_ndim) for name, values in fields.items()})

    def _read_y(self, y: ArrayLike) -> Array:
        """y as float64, with rows (and, for vectors, components) that fit this family."""
        values = as_numbers(y, "y")
        event = self._checked.mean.shape[-1:] if self.support == "vector" else ()
        target = self._checked.parameters.shape[:-1] + event
        try:
            fits = values.shape[len(values.shape) - len(event) :] == event
            np.broadcast_shapes(values.shape, target)
        except ValueError:
            fits = False
        if not fits:
            raise InputError(
                f"{type(self).__name__}: ",
                Argument("y"),
                f" needs one value per row, shape {target}, perhaps with further axes in front; "
                f"got shape {values.shape}.",
            )
        return values

    # ---- methods, on NumPy ------------------------------------------------------------------------------------------

    def log_prob(self, y: ArrayLike) -> Array:
        """log p(y | λ); y has one value per row, or further axes in front. -inf outside the support."""
        y = self._read_y(y)
        finite = np.isfinite(y)
        with np.errstate(all="ignore"):
            log_p = self._checked._log_prob(np.where(finite, y, 0.5))
            outside = ~finite if self.support != "counts" else ~finite | (y != np.floor(y))
        values = np.where(np.isnan(y), np.nan, np.where(outside, -np.inf, 0.0))
        return log_p + (values.sum(axis=-1) if self.support == "vector" else values)

    def sample(self, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draws: one per row, or `size` of them along a new first axis."""
        try:
            generator = np.random.default_rng(rng)
            shape = () if size is None else (operator.index(size),)
            return self._checked._sample(generator, shape)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(
                f"{type(self).__name__}: cannot sample with rng={rng!r}, size={size!r} ({error}). ",
                Argument("rng"),
                " is a NumPy Generator or a seed, ",
                Argument("size"),
                " a whole number of draws per row.",
            ) from None

    def renyi(self, other: Self, alpha: float = 1.0) -> Array:
        """D_α[self ‖ other] per row for 0 ≤ α ≤ ∞, inf where it is infinite. α = 1 is Kullback–Leibler."""
        if type(other) is not type(self):
            raise InputError(
                f"renyi compares two distributions of one family; got {type(self).__name__} and {type(other).__name__}."
            )
        order = divergence_order(alpha)
        rows, others = self._checked.parameters.shape[:-1], other._checked.parameters.shape[:-1]
        if rows != others and rows not in ((), (1,)) and others not in ((), (1,)):
            raise InputError(f"renyi compares row with row; got {rows[0]} rows and {others[0]} rows.")
        with np.errstate(all="ignore"):
            if 1e-6 < order < 0.5:
                # D_α[p ‖ q] = α/(1 − α) D_{1−α}[q ‖ p]: a small α would cancel, and the nodes lie around p.
                return order / (1.0 - order) * other._checked._renyi(self._checked, 1.0 - order)
            return self._checked._renyi(other._checked, order)

    def whiten(self, u: ArrayLike) -> Array:
        """B u with Bᵀ B = I(λ), the Fisher information, for u (n, M, …): a Euclidean view of a change of λ."""
        u = as_numbers(u, "u")
        shape = self._checked.parameters.shape
        if u.shape[: len(shape)] != shape:
            raise InputError(
                f"{type(self).__name__}: ",
                Argument("u"),
                f", a change of the parameters, must have the shape (rows, parameters, …), here {shape} and perhaps "
                f"further axes; got {u.shape}.",
            )
        axis = len(shape) - 1

        def row(field: Array) -> Array:
            return field.reshape(field.shape + (1,) * (u.ndim - 1 - field.ndim))

        with np.errstate(all="ignore"):
            return np.stack(self._checked._whiten(np.moveaxis(u, axis, 0), row), axis)

    def fisher_norm(self, u: ArrayLike) -> Array:
        """sqrt(uᵀ I(λ) u) for u (n, M, …), from the factor B, so nothing is squared before it is scaled."""
        return norm(self.whiten(u), self._checked.parameters.ndim - 1)

    @property
    def part_names(self) -> tuple[str, ...]:
        """What a change of λ is made of, the prediction first; empty where it cannot be told apart."""
        return tuple(self.orthogonal_blocks)

    def shares(self, u: ArrayLike) -> dict[str, Array]:
        """How much of uᵀIu is in each part of u (n, M, …), by name: at least 0 and adding up to 1, or 0 where u is."""
        u = as_numbers(u, "u")
        whole = self.fisher_norm(u)
        safe, axis = np.where(whole > 0.0, whole, 1.0), self._checked.parameters.ndim - 1
        shares = {}
        for name, block in self.orthogonal_blocks.items():
            alone, index = np.zeros_like(u), (*(slice(None),) * axis, block)
            alone[index] = u[index]
            shares[name] = (self.fisher_norm(alone) / safe) ** 2
        return shares

    def fisher(self) -> Array:
        """The Fisher information I(λ), shape (n, M, M)."""
        m = self._checked.parameters.shape[-1]
        rows = self._checked.parameters.shape[:-1]
        factor = self.whiten(np.broadcast_to(np.eye(m), (*rows, m, m)))
        with np.errstate(over="ignore", under="ignore"):
            information = np.einsum("...ri,...rj->...ij", factor, factor)
        diagonal = np.einsum("...ii->...i", information)
        if not np.isfinite(information).all() or (diagonal < np.finfo(float).tiny).any():
            raise InputError(
                f"{type(self).__name__}: an entry of the Fisher information does not fit in float64. "
                "Use fisher_norm, which does."
            )
        return information

    def score(self, y: ArrayLike) -> Array:
        """∂ log p(y | λ)/∂λ, shape (…, n, M)."""
        y = self._read_y(y)
        with np.errstate(all="ignore"):
            return self._checked._score(y)

    def prediction(self) -> Array:
        """The point prediction f, which methods without uncertainty look at, shape (n, outputs).

        It is the mean; for a Student-t the location, which exists for every df.
        """
        return self._checked._prediction()

    def prediction_gradient(self) -> Array:
        """∂f/∂λ of the point prediction f, shape (n, outputs, M)."""
        return self._checked._prediction_gradient()

    def prediction_hessian(self) -> Array | None:
        """∂²f/∂λ², shape (n, outputs, M, M), or None where f is linear in λ."""
        return self._checked._prediction_hessian()

    # ---- what a family fills in, on checked NumPy arrays -----------------------------------------------------------

    @abstractmethod
    def _log_prob(self, y: Array) -> Array:
        """log p(y); for counts continued smoothly between them, so that sums over many counts become integrals."""

    @abstractmethod
    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array: ...

    @abstractmethod
    def _renyi(self, other: Self, alpha: float) -> Array: ...

    @abstractmethod
    def _whiten(self, u: Array, row: RowShaper) -> Sequence[Array]:
        """The rows of B u, for u (M, n, …); `row(field)` shapes a field (n,) so that it multiplies u[m]."""

    @abstractmethod
    def _score(self, y: Array) -> Array: ...

    def _collapsed(self, weights: Array) -> Distribution | None:
        """The mixture of the draws (S, n) held here, weights (n, S), if it is of the same family; else None."""
        return None

    def _prediction(self) -> Array:
        mean: Array = self.mean
        return mean if self.support in ("classes", "vector") else mean[..., None]

    def _prediction_gradient(self) -> Array:
        """The first column of λ is the prediction, unless a family says otherwise."""
        parameters = self.parameters
        gradient = np.zeros((*parameters.shape[:-1], 1, parameters.shape[-1]))
        gradient[..., 0, 0] = 1.0
        return gradient

    def _prediction_hessian(self) -> Array | None:
        return None
