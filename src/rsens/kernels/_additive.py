"""The additive kernel: one term per column, and one per chosen pair of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens.kernels._base import Kernel
from rsens.kernels._categorical import Categorical
from rsens.kernels._compose import Product, Sum
from rsens.kernels._stationary import EQ


def additive(
    n_columns: int,
    pairs: Iterable[tuple[int, int]] = (),
    kernel: Callable[..., Kernel] = EQ,
    categorical: Iterable[int] = (),
) -> Kernel:
    """A sum of functions of one column each, and of two columns for each of `pairs`.

    Args:
        n_columns: The number of columns D; each gets a term `kernel(dims=(d,))`.
        pairs: The pairs (d, e) that interact; each gets a term with a length-scale for each of its two columns.
        kernel: The kind of the terms, such as `EQ` or `Matern52`.
        categorical: The columns of level codes. Their terms are `Categorical`. A pair of a categorical and another
            column gets a product: a function of the other column for every level.

    Example:
        >>> from rsens import GPRegressor
        >>> from rsens.kernels import additive
        >>> kernel = additive(3, pairs=[(0, 2)])  # f₀(x₀) + f₁(x₁) + f₂(x₂) + f₀₂(x₀, x₂)
        >>> len(kernel.terms), kernel.terms[-1].dims
        (4, (0, 2))
        >>> model = GPRegressor(kernel=kernel)
    """
    if isinstance(n_columns, bool) or not isinstance(n_columns, int | np.integer) or n_columns < 1:
        raise InputError("additive: ", Argument("n_columns"), f" must be a positive whole number; got {n_columns!r}.")
    given = list(categorical) if isinstance(categorical, Iterable) else [categorical]
    if not all(_is_column(d, n_columns) for d in given):
        raise InputError(
            "additive: ", Argument("categorical"), f" must be columns from 0 to {n_columns - 1}; got {given}."
        )
    levels = {int(d) for d in given}
    if not isinstance(pairs, Iterable):
        raise InputError(
            "additive: ", Argument("pairs"), f" must be a list of pairs of columns, such as [(0, 1)]; got {pairs!r}."
        )

    def term(*columns: int) -> Kernel:
        """A function of one or two columns of the same kind."""
        kind = Categorical if columns[0] in levels else kernel
        return kind(dims=columns) if len(columns) == 1 else kind(lengthscale=(1.0, 1.0), dims=columns)

    terms = [term(d) for d in range(n_columns)]
    seen: set[frozenset[int]] = set()
    for pair in pairs:
        columns = tuple(pair) if isinstance(pair, Iterable) else (pair,)
        if not all(_is_column(d, n_columns) for d in columns) or len(columns) != 2 or columns[0] == columns[1]:
            raise InputError(
                "additive: ",
                Argument("pairs"),
                f" must be pairs of two different columns from 0 to {n_columns - 1}; got {pair!r}.",
            )
        if frozenset(columns) in seen:
            raise InputError("additive: ", Argument("pairs"), f" must name each pair once; got {pair!r} again.")
        seen.add(frozenset(columns))
        d, e = columns
        alike = (d in levels) == (e in levels)
        terms.append(term(d, e) if alike else Product((term(d), term(e))))
    return terms[0] if len(terms) == 1 else Sum(tuple(terms))


def _is_column(d: Any, n_columns: int) -> bool:
    return isinstance(d, int | np.integer) and not isinstance(d, bool) and 0 <= int(d) < n_columns
