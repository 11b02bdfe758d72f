"""What all kernels but sums and products share: their fields, and the columns they look at."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.kernels._base import DEVIATION, Kernel, as_rows, as_theta

if TYPE_CHECKING:
    from rsens.kernels._condensed import LeafOnPairs

#: A hyperparameter: one number for all columns, or one per column.
Positive = float | tuple[float, ...]
#: The product of a factor in some columns and a factor in the others; each factor is a product of kernels, and an empty
#: tuple stands for 1.
Term = tuple[tuple[Kernel, ...], tuple[Kernel, ...]]


class Leaf(Kernel):
    """A kernel that is a frozen dataclass: positive fields, and `dims`, the columns it looks at (None: all)."""

    #: The fields that may have one value per column.
    per_column: ClassVar[tuple[str, ...]] = ()
    #: For a function of the distances |x_d − z_d|: how to make k(X, X) as a vector, which makes sums faster.
    on_pairs: ClassVar[type[LeafOnPairs] | None] = None
    dims: tuple[int, ...] | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "dims", _as_dims(self.dims, type(self).__name__))
        for name in self._names:
            kernel = type(self).__name__
            value = _as_positive(getattr(self, name), kernel, name, vector=name in self.per_column)
            if isinstance(value, tuple) and self.dims is not None and len(value) != len(self.dims):
                raise InputError(
                    f"{kernel}: ",
                    Argument(name),
                    " must be one number or one per column of ",
                    Argument("dims"),
                    f", {len(self.dims)}; got {len(value)}.",
                )
            object.__setattr__(self, name, value)
        lengths = {len(value) for value in self._values if isinstance(value, tuple)}
        if len(lengths) > 1:
            raise InputError(
                f"{type(self).__name__}: all arguments with one value per column must have the same length; "
                f"got {sorted(lengths)}."
            )

    @property
    def _names(self) -> tuple[str, ...]:
        return _positive_fields(type(self))

    @property
    def _values(self) -> list[Positive]:
        return [getattr(self, name) for name in self._names]

    @property
    def hyperparameter_names(self) -> tuple[str, ...]:
        names: list[str] = []
        for name, value in zip(self._names, self._values, strict=True):
            if isinstance(value, tuple):
                columns = range(len(value)) if self.dims is None else self.dims
                names += [f"{name}[{column}]" for column in columns]
            else:
                names.append(name)
        return tuple(names)

    @property
    def theta(self) -> Array:
        return np.log(np.hstack(self._values))

    def with_theta(self, theta: Array) -> Self:
        numbers = iter(np.exp(as_theta(theta, len(self.hyperparameter_names))).tolist())
        changes: dict[str, Any] = {}
        for name, value in zip(self._names, self._values, strict=True):
            changes[name] = tuple(next(numbers) for _ in value) if isinstance(value, tuple) else next(numbers)
        return replace(self, **changes)  # type: ignore[type-var]

    @property
    def n_dims(self) -> int | None:
        if self.dims is not None:
            return max(self.dims) + 1
        return next((len(value) for value in self._values if isinstance(value, tuple)), None)

    def __repr__(self) -> str:
        dims = [] if self.dims is None else [f"dims={self.dims!r}"]
        arguments = [f"{name}={value!r}" for name, value in zip(self._names, self._values, strict=True)]
        return f"{type(self).__name__}({', '.join(arguments + dims)})"

    def seen(self, X: Array, what: str = "X") -> Array:
        """The columns of X that k looks at, as a matrix."""
        X = as_rows(X, self.n_dims, what)
        if self.dims is not None:
            return X[:, self.dims]
        if self.n_dims not in (None, X.shape[1]):
            raise InputError(
                f"{type(self).__name__} has values for {self.n_dims} columns; got {what} with {X.shape[1]} columns. "
                "Give one value per column, or ",
                Argument("dims"),
                ".",
            )
        return X

    def seen_rows(self, X: Array, Z: Array) -> tuple[Array, Array]:
        """The columns of X and of Z that k looks at."""
        if np.shape(X)[1:] != np.shape(Z)[1:]:
            raise InputError(
                f"X and Z must have the same number of columns; got shapes {np.shape(X)} and {np.shape(Z)}."
            )
        return self.seen(X), self.seen(Z, "Z")

    def seen_pair(self, X: Array, Z: Array | None) -> tuple[Array, Array | None]:
        """The same, where Z may be None."""
        return (self.seen(X), None) if Z is None else self.seen_rows(X, Z)

    def active(self, X: Array) -> tuple[tuple[int, ...], int]:
        """The columns of X that k looks at, and the number of columns of X."""
        D = np.shape(X)[1]
        return self.active_of(D), D

    def active_of(self, n_columns: int) -> tuple[int, ...]:
        """The columns that k looks at, if X has `n_columns`."""
        return tuple(range(n_columns)) if self.dims is None else self.dims

    # ---- other units -------------------------------------------------------------------------------------------------

    def in_units(self, scale: Array, variance: float) -> Self:
        return self.active_in_units(self._active(scale), variance)

    @abstractmethod
    def active_in_units(self, columns: Array, variance: float) -> Self:
        """`in_units`, with the scales of the columns that k looks at."""

    # ---- weak priors -------------------------------------------------------------------------------------------------

    def priors(self, input_scale: Array, output_scale: float) -> list[tuple[float, float]]:
        columns = self._active(input_scale)
        shared = np.exp(np.mean(np.log(columns)))  # for one value that all columns share
        entries = []
        for name, value in zip(self.hyperparameter_names, self.theta, strict=True):
            field, _, column = name.partition("[")
            size = input_scale[int(column[:-1])] if column else shared
            entries.append(self.prior(field, float(value), float(size), len(columns), output_scale))
        return entries

    def prior(self, field: str, value: float, size: float, q: int, output_scale: float) -> tuple[float, float]:
        """The mean and deviation of the logarithm of one hyperparameter: near its `value`, where the search starts.

        Args:
            field: The name of the hyperparameter.
            value: Its logarithm, where the search starts.
            size: The standard deviation of its column; the geometric mean if all columns share the hyperparameter.
            q: How many columns k looks at.
            output_scale: The standard deviation of f.
        """
        return value, DEVIATION

    # ---- parts of columns --------------------------------------------------------------------------------------------

    def rates(self, rows: Array) -> Array:
        rates = np.zeros(rows.shape[1])
        rates[list(self.active(rows)[0])] = self.active_rates(rows)
        return rates

    def active_rates(self, rows: Array) -> Array:
        """`rates` of the columns that k looks at, or one for all of them."""
        return super().rates(rows)  # an error: the kernel does not know

    def split(self, inside: Sequence[int], outside: Sequence[int], n_columns: int) -> list[Term] | None:
        """The terms that add up to k, each a product of a factor in the columns `inside` and one in `outside`.

        Together these are the columns that k looks at. None if k is not such a sum.
        """
        return None

    def restricted(self, columns: Sequence[int], n_columns: int) -> Self:
        """The same kernel on some of the columns that k looks at, with the hyperparameters of these columns."""
        seen = self.active_of(n_columns)
        own = {name: getattr(self, name) for name in self.per_column}
        chosen = {name: tuple(v[seen.index(c)] for c in columns) for name, v in own.items() if isinstance(v, tuple)}
        return replace(self, dims=tuple(columns), **chosen)  # type: ignore[type-var]

    def _active(self, scale: Array) -> Array:
        return scale if self.dims is None else scale[list(self.dims)]


@cache
def _positive_fields(kind: type[Leaf]) -> tuple[str, ...]:
    """The names of the hyperparameters; cached, since a search makes thousands of kernels."""
    return tuple(field.name for field in fields(kind) if field.name != "dims")  # type: ignore[arg-type]


class ConstantDiagonal(Leaf):
    """A kernel with k(x, x) = variance, its first hyperparameter."""

    variance: float

    def prior(self, field: str, value: float, size: float, q: int, output_scale: float) -> tuple[float, float]:
        if field == "variance":
            return np.log(output_scale**2), DEVIATION
        return super().prior(field, value, size, q, output_scale)

    def diag(self, X: Array) -> Array:
        return np.full(len(self.seen(X)), self.variance)

    def hyper_gradient_diag(self, X: Array, w: Array) -> Array:
        self.seen(X)
        gradient = np.zeros(len(self.hyperparameter_names))
        gradient[0] = self.variance * np.sum(w)
        return gradient

    def diag_derivatives(self, X: Array, order: int) -> tuple[Array, Array | None]:
        self.seen(X)
        n, D = np.shape(X)
        return np.zeros((n, D)), np.zeros((n, D, D)) if order == 2 else None


def times(value: Positive, factors: Array) -> Positive:
    """`value` times the factors: one value per column, or one for all if it was one and the factors are the same."""
    product = np.asarray(value) * factors
    if not isinstance(value, tuple) and np.all(product == product[0]):
        return float(product[0])
    return tuple(product.tolist())


def _as_dims(dims: Any, kernel: str) -> tuple[int, ...] | None:
    if dims is None:
        return None
    given = np.atleast_1d(np.asarray(dims))
    if given.ndim != 1 or not given.size or given.dtype.kind not in "iu" or given.min() < 0:
        raise InputError(
            f"{kernel}: ", Argument("dims"), f" must be column numbers from 0, such as (0, 3); got {dims!r}."
        )
    columns = tuple(int(column) for column in given)
    if len(set(columns)) < len(columns):
        raise InputError(f"{kernel}: ", Argument("dims"), f" must name each column once; got {dims!r}.")
    return columns


def _as_positive(value: Any, kernel: str, name: str, *, vector: bool) -> Positive:
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        wrong = "must be a positive number"
    else:
        if numbers.ndim > 1 or not numbers.size or (numbers.ndim and not vector):
            wrong = "must be one number or one per column" if vector else "must be one number"
        elif not (np.isfinite(numbers).all() and (numbers > 0).all()):
            wrong = "must be positive and finite"
        else:
            return tuple(numbers.tolist()) if numbers.ndim else float(numbers)
    raise InputError(f"{kernel}: ", Argument(name), f" {wrong}; got {value!r}.")
