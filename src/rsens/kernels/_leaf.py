"""What the kernels that are not sums or products share: their fields, and the columns they look at."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np

from rsens._errors import InputError
from rsens.kernels._base import Array, Kernel, as_rows, as_theta

#: A hyperparameter: one number for all columns, or one per column.
Positive = float | tuple[float, ...]


class Leaf(Kernel):
    """A kernel that is a frozen dataclass: positive fields, and `dims`, the columns it looks at (None: all)."""

    #: The fields that may have one value per column.
    per_column: ClassVar[tuple[str, ...]] = ()
    dims: tuple[int, ...] | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "dims", _as_dims(self.dims, type(self).__name__))
        for name in self._names:
            what = f"{type(self).__name__}: {name}"
            value = _as_positive(getattr(self, name), what, vector=name in self.per_column)
            if isinstance(value, tuple) and self.dims is not None and len(value) != len(self.dims):
                raise InputError(
                    f"{what} must be one number or one per column of dims, {len(self.dims)}; got {len(value)}."
                )
            object.__setattr__(self, name, value)
        lengths = {len(value) for value in self._values if isinstance(value, tuple)}
        if len(lengths) > 1:
            raise InputError(f"{type(self).__name__}: values per column must be equally many; got {sorted(lengths)}.")

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
                f"{type(self).__name__} has {self.n_dims} values per column; got {what} with {X.shape[1]} columns. "
                "Give one value per column, or dims."
            )
        return X

    def seen_rows(self, X: Array, Z: Array) -> tuple[Array, Array]:
        """The columns of X and of Z that k looks at."""
        if np.shape(X)[1:] != np.shape(Z)[1:]:
            raise InputError(f"X and Z must have equally many columns; got shapes {np.shape(X)} and {np.shape(Z)}.")
        return self.seen(X), self.seen(Z, "Z")

    def seen_pair(self, X: Array, Z: Array | None) -> tuple[Array, Array | None]:
        """The same, where Z may be None."""
        return (self.seen(X), None) if Z is None else self.seen_rows(X, Z)

    def active(self, X: Array) -> tuple[tuple[int, ...], int]:
        """The columns of X that k looks at, and how many X has."""
        D = np.shape(X)[1]
        return tuple(range(D)) if self.dims is None else self.dims, D


@cache
def _positive_fields(kind: type[Leaf]) -> tuple[str, ...]:
    """The names of the hyperparameters; kept, since a search makes thousands of kernels."""
    return tuple(field.name for field in fields(kind) if field.name != "dims")  # type: ignore[arg-type]


class ConstantDiagonal(Leaf):
    """A kernel with k(x, x) = variance, its first hyperparameter."""

    variance: float

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


def _as_dims(dims: Any, kernel: str) -> tuple[int, ...] | None:
    if dims is None:
        return None
    given = np.atleast_1d(np.asarray(dims))
    if given.ndim != 1 or not given.size or given.dtype.kind not in "iu" or given.min() < 0:
        raise InputError(f"{kernel}: dims must be column numbers from 0, such as (0, 3); got {dims!r}.")
    columns = tuple(int(column) for column in given)
    if len(set(columns)) < len(columns):
        raise InputError(f"{kernel}: dims must name each column once; got {dims!r}.")
    return columns


def _as_positive(value: Any, what: str, *, vector: bool) -> Positive:
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be a positive number; got {value!r}.") from None
    if numbers.ndim > 1 or not numbers.size or (numbers.ndim and not vector):
        raise InputError(f"{what} must be one number{' or one per column' if vector else ''}; got {value!r}.")
    if not (np.isfinite(numbers).all() and (numbers > 0).all()):
        raise InputError(f"{what} must be positive and finite; got {value!r}.")
    return tuple(numbers.tolist()) if numbers.ndim else float(numbers)
