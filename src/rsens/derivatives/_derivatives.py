"""The record that every derivative measure reads: λ at n rows with its derivatives in x."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.derivatives._contrasts import Contrast
from rsens.distributions import Distribution


@dataclass(frozen=True, eq=False)
class Derivatives:
    """The predictive distribution at n rows, and how its M parameters λ change along the D columns.

    `first[i, m, d]` is ∂λ_m/∂x_d at row i and `second[i, m, d, e]` is ∂²λ_m/∂x_d∂x_e; `second` is None for order 1.
    Both are 0 in categorical columns, which have `contrasts` instead; `iterate` adds them.

    Example:
        The mean is x², the variance 1.

        >>> import rsens
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] ** 2, 1.0))
        >>> record = model.derivatives([[3.0]], order=2)
        >>> record.first[0, :, 0].round(4).tolist(), record.second[0, :, 0, 0].round(3).tolist()
        ([6.0, 0.0], [2.0, 0.0])
    """

    distribution: Distribution
    first: Array
    second: Array | None = None
    contrasts: tuple[Contrast, ...] = ()
    #: The record, of order 2, that pairs are taken from where it is not this one: for posterior draws one distribution
    #: in place of their mixture (`Mixture.matched`). `second` is then None.
    matched: Derivatives | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.distribution, Distribution):
            raise InputError(
                "Derivatives: ",
                Argument("distribution"),
                f" must be an rsens family; got {type(self.distribution).__name__}.",
            )
        first = np.asarray(self.first, dtype=np.float64)
        if first.ndim != 3:
            raise InputError(
                "Derivatives: ",
                Argument("first"),
                f" must have the shape (rows, parameters, columns); got {first.shape}.",
            )
        n, _, columns = first.shape
        distribution = self.distribution.checked(n)
        names = distribution.parameter_names
        _check(first, (n, len(names), columns), names, "first")
        object.__setattr__(self, "distribution", distribution)
        object.__setattr__(self, "first", first)
        if self.second is not None:
            second = np.asarray(self.second, dtype=np.float64)
            _check(second, (n, len(names), columns, columns), names, "second")
            object.__setattr__(self, "second", second)

    @property
    def for_pairs(self) -> Derivatives:
        """The record that R-sens₂ and everything else about pairs is taken from."""
        return self if self.matched is None else self.matched

    def __len__(self) -> int:
        return len(self.first)


def without_derivatives(distribution: Distribution, columns: int, order: int) -> Derivatives:
    """The record of a distribution that depends on no continuous column."""
    n, m = distribution.parameters.shape
    return Derivatives(
        distribution, np.zeros((n, m, columns)), np.zeros((n, m, columns, columns)) if order == 2 else None
    )


def without_columns(record: Derivatives, columns: Sequence[int]) -> Derivatives:
    """The record with derivatives of 0 in some columns: those whose levels are compared instead."""
    if not columns:
        return record
    first, second = zero_in(columns, record.first, record.second)
    return replace(record, first=first, second=second)


def zero_in(columns: Sequence[int], first: Any, second: Any) -> tuple[Any, Any]:
    """Derivatives (…, D) and (…, D, D), either of which may be None, with 0 in some columns."""
    some = list(columns)
    if some and first is not None:
        first = first.copy()
        first[..., some] = 0.0
    if some and second is not None:
        second = second.copy()
        second[..., some] = second[..., some, :] = 0.0
    return first, second


def _check(values: Array, shape: tuple[int, ...], names: tuple[str, ...], what: str) -> None:
    if values.shape != shape:
        raise InputError(
            "Derivatives: ",
            Argument(what),
            f" must have the shape {shape} for {shape[0]} rows, {shape[1]} parameters "
            f"({', '.join(names[:6])}{', …' if len(names) > 6 else ''}) and {shape[2]} columns; got {values.shape}.",
        )
    bad = ~np.isfinite(values)
    if bad.any():
        row, m, *columns = (int(i) for i in np.argwhere(bad)[0])
        raise InputError(
            f"the {what} derivative of {names[m]!r} in column {' and '.join(map(str, columns))} (counted from 0) "
            f"is {values[row, m, *columns]:g} at row {row} ({int(bad.sum())} of {bad.size} values are not finite). "
            "Check the model there: a square root, norm or absolute value at 0 has no derivative."
        )


def chain_rule(
    latent_first: Array, latent_second: Array | None, outer_first: Array, outer_second: Array | None = None
) -> tuple[Array, Array | None]:
    """First and second derivatives of λ(z(x)) in x, from derivatives of z in x and of λ in z; see `Inner.chain`."""
    return Inner(latent_first, latent_second).chain(outer_first, None if latent_second is None else outer_second)


@dataclass(frozen=True, eq=False)
class Inner:
    """Derivatives of the L inputs z(x) of a model in the D columns of x, at n rows."""

    first: Array  # (n, L, D), with n = 1 if it is the same at all rows
    second: Array | None = None  # (n, L, D, D); None where all are 0, or were not asked for

    @property
    def n_columns(self) -> int:
        """D, the number of columns of x."""
        return self.first.shape[2]

    def rows(self, rows: slice) -> Inner:
        """The same at some of the rows."""
        first = self.first if len(self.first) == 1 else self.first[rows]
        second = self.second if self.second is None or len(self.second) == 1 else self.second[rows]
        return Inner(first, second)

    def chain(self, outer_first: Array, outer_second: Array | None) -> tuple[Array, Array | None]:
        """Derivatives of λ(z(x)) in x, (n, M, D) and (n, M, D, D), from derivatives of λ in z (n, M, L), (n, M, L, L).

        ∂λ = λ_z ∂z and ∂²λ = ∂zᵀ λ_zz ∂z + λ_z ∂²z; a second derivative that is None is 0, in λ_zz and in ∂²z.
        """
        J, H = self.first[:, None], self.second
        first = np.matmul(outer_first, self.first)
        second = None
        if outer_second is not None:
            second = np.matmul(np.matmul(J.swapaxes(-1, -2), outer_second), J)
        if H is not None:
            L, D = self.first.shape[1:]
            bent = np.matmul(outer_first, H.reshape(len(H), L, D * D)).reshape(*first.shape[:2], D, D)
            second = bent if second is None else second + bent
        return first, second

    def into(self, outer: Inner) -> Inner:
        """The derivatives of w(z(x)), where `outer` has the derivatives of w in z."""
        return Inner(*self.chain(outer.first, outer.second))
