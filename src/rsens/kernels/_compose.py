"""Sums and products of kernels."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import combinations
from typing import Self

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.kernels._base import Kernel, KernelAt, KernelOn, as_rows, as_theta
from rsens.kernels._compose_at import AtProduct, AtSum
from rsens.kernels._compose_on import OnCondensedSum, OnProduct, OnSum, fits, product
from rsens.kernels._condensed import VECTORS, OnPairs, Pairs, ProductOnPairs, is_of_distances, leaf_on_pairs


class Composed(Kernel):
    """A frozen dataclass with one field, a tuple of two or more kernels; `theta` joins theirs in order."""

    def __post_init__(self) -> None:
        given = getattr(self, self._field)
        if not (isinstance(given, tuple | list) and all(isinstance(part, Kernel) for part in given)):
            raise InputError(
                f"{type(self).__name__}: ", Argument(self._field), f" must be a tuple of kernels; got {given!r}."
            )
        # (a + b) + c and a + (b + c) are one kernel with three terms
        flat = tuple(inner for part in given for inner in (part.parts if isinstance(part, type(self)) else (part,)))
        if len(flat) < 2:
            raise InputError(
                f"{type(self).__name__}: ", Argument(self._field), f" must be two kernels or more; got {len(flat)}."
            )
        object.__setattr__(self, self._field, flat)

    @property
    def _field(self) -> str:
        return fields(self)[0].name  # type: ignore[arg-type]

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernels."""
        return getattr(self, self._field)

    @property
    def hyperparameter_names(self) -> tuple[str, ...]:
        return tuple(
            f"{self._field}[{i}].{name}" for i, part in enumerate(self.parts) for name in part.hyperparameter_names
        )

    @property
    def theta(self) -> Array:
        return np.concatenate([part.theta for part in self.parts])

    def with_theta(self, theta: Array) -> Self:
        lengths = [len(part.hyperparameter_names) for part in self.parts]
        pieces = np.split(as_theta(theta, sum(lengths)), np.cumsum(lengths)[:-1])
        return type(self)(tuple(part.with_theta(piece) for part, piece in zip(self.parts, pieces, strict=True)))  # type: ignore[call-arg]

    @property
    def n_dims(self) -> int | None:
        return max((part.n_dims for part in self.parts if part.n_dims is not None), default=None)


@dataclass(frozen=True, repr=False)
class Sum(Composed):
    """k = k₁ + k₂ + …: a sum of independent functions, one per term."""

    terms: tuple[Kernel, ...]

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.terms))

    def in_units(self, scale: Array, variance: float) -> Sum:
        return Sum(tuple(term.in_units(scale, variance) for term in self.terms))

    def priors(self, input_scale: Array, output_scale: float) -> list[tuple[float, float]]:
        return [entry for term in self.terms for entry in term.priors(input_scale, output_scale)]

    def rates(self, rows: Array) -> Array:
        """The largest rate among the terms, each times the square root of its share of the prior variance."""
        variances = np.array([term.diag(rows).mean() for term in self.terms])
        shares = variances / (variances.sum() or 1.0)  # no variance at all: Linear where all rows are 0
        return np.max([np.sqrt(s) * term.rates(rows) for s, term in zip(shares, self.terms, strict=True)], axis=0)

    def on(self, X: Array, Z: Array | None = None) -> KernelOn:
        leaves = [leaf for term in self.terms for leaf in (term.factors if isinstance(term, Product) else (term,))]
        if Z is None and all(map(is_of_distances, leaves)):
            X = as_rows(X, self.n_dims)
            n, columns = X.shape
            if fits(n * n // 2 * (columns + VECTORS * (len(leaves) + 1))):
                pairs = Pairs(X)
                return OnCondensedSum([_on_pairs(term, pairs) for term in self.terms], n)
        return OnSum(self.terms, X, Z)

    def at(self, X: Array, Z: Array) -> KernelAt:
        return AtSum([term.at(X, Z) for term in self.terms])

    def arrays_at(self, n_columns: int) -> int:
        return 1 + sum(term.arrays_at(n_columns) for term in self.terms)

    def diag(self, X: Array) -> Array:
        return np.sum([term.diag(X) for term in self.terms], axis=0)

    def hyper_gradient_diag(self, X: Array, w: Array) -> Array:
        return np.concatenate([term.hyper_gradient_diag(X, w) for term in self.terms])

    def diag_derivatives(self, X: Array, order: int) -> tuple[Array, Array | None]:
        firsts, seconds = zip(*(term.diag_derivatives(X, order) for term in self.terms), strict=True)
        return np.sum(firsts, axis=0), np.sum(seconds, axis=0) if order == 2 else None


@dataclass(frozen=True, repr=False)
class Product(Composed):
    """k = k₁ · k₂ · …: if each has its own columns, the shape in one column changes with the others."""

    factors: tuple[Kernel, ...]

    def __repr__(self) -> str:
        return " * ".join(f"({factor!r})" if isinstance(factor, Sum) else repr(factor) for factor in self.factors)

    def in_units(self, scale: Array, variance: float) -> Product:
        first, *others = self.factors  # one factor carries the unit of y, the others have none
        return Product((first.in_units(scale, variance), *(factor.in_units(scale, 1.0) for factor in others)))

    def priors(self, input_scale: Array, output_scale: float) -> list[tuple[float, float]]:
        first, *others = self.factors
        return [*first.priors(input_scale, output_scale), *(e for f in others for e in f.priors(input_scale, 1.0))]

    def rates(self, rows: Array) -> Array:
        """The largest rate among the factors."""
        return np.max([factor.rates(rows) for factor in self.factors], axis=0)

    def on(self, X: Array, Z: Array | None = None) -> KernelOn:
        return OnProduct([factor.on(X, Z) for factor in self.factors])

    def at(self, X: Array, Z: Array) -> KernelAt:
        return AtProduct([factor.at(X, Z) for factor in self.factors])

    def arrays_at(self, n_columns: int) -> int:
        # besides the arrays of the factors: the value, two products of values, two slopes and their product
        return 3 + 3 * n_columns + sum(factor.arrays_at(n_columns) for factor in self.factors)

    def diag(self, X: Array) -> Array:
        return product([factor.diag(X) for factor in self.factors])

    def hyper_gradient_diag(self, X: Array, w: Array) -> Array:
        diags = [factor.diag(X) for factor in self.factors]
        return np.concatenate(
            [factor.hyper_gradient_diag(X, w * product(diags, but=[i])) for i, factor in enumerate(self.factors)]
        )

    def diag_derivatives(self, X: Array, order: int) -> tuple[Array, Array | None]:
        """The product rule for κ = Π_i κ_i, κ_i(x) = k_i(x, x)."""
        diags = [factor.diag(X) for factor in self.factors]
        parts = [factor.diag_derivatives(X, order) for factor in self.factors]
        first, second = np.zeros_like(parts[0][0]), np.zeros((*parts[0][0].shape, np.shape(X)[1]))
        for i, (f, s) in enumerate(parts):
            first += product(diags, but=[i])[:, None] * f
            if s is not None:
                second += product(diags, but=[i])[:, None, None] * s
        if order == 1:
            return first, None
        for (i, (f, _)), (j, (g, _)) in combinations(enumerate(parts), 2):
            cross = product(diags, but=[i, j])[:, None, None] * f[:, :, None] * g[:, None, :]
            second += cross + cross.transpose(0, 2, 1)
        return first, second


def _on_pairs(term: Kernel, pairs: Pairs) -> OnPairs:
    """A term of a sum at all pairs of rows: a leaf, or a product of leaves."""
    if isinstance(term, Product):
        return ProductOnPairs([leaf_on_pairs(factor, pairs) for factor in term.factors])
    return leaf_on_pairs(term, pairs)
