"""The additive kernel: one term per column, and one per chosen pair of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from rsens._errors import InputError
from rsens.kernels._base import Kernel
from rsens.kernels._categorical import Categorical
from rsens.kernels._compose import Product, Sum
from rsens.kernels._eq import EQ


def additive(
    n_columns: int,
    pairs: Iterable[tuple[int, int]] = (),
    kernel: Callable[..., Kernel] = EQ,
    categorical: Iterable[int] = (),
) -> Kernel:
    """A sum of functions of one column each, and of two columns for each of `pairs`.

    Args:
        n_columns: the number of columns D; each gets a term `kernel(dims=(d,))`.
        pairs: the pairs (d, e) that interact; each gets a term with a length-scale for each of its two columns.
        kernel: the kind of the terms, such as `EQ` or `Matern52`.
        categorical: the columns of level codes. Their terms are `Categorical`, and the term of a pair of one of them
            and another column is a product: a function of that column for every level.
    """
    if not isinstance(n_columns, int | np.integer) or n_columns < 1:
        raise InputError(f"additive: the number of columns must be a positive integer; got {n_columns!r}.")
    levels = {int(d) for d in categorical}
    if not levels <= set(range(n_columns)):
        raise InputError(f"additive: categorical must be columns from 0 to {n_columns - 1}; got {sorted(levels)}.")

    def term(*columns: int) -> Kernel:
        """A function of one or two columns of the same kind."""
        kind = Categorical if columns[0] in levels else kernel
        return kind(dims=columns) if len(columns) == 1 else kind(lengthscale=(1.0, 1.0), dims=columns)

    terms = [term(d) for d in range(n_columns)]
    seen: set[frozenset[int]] = set()
    for pair in pairs:
        if len(pair) != 2 or pair[0] == pair[1] or not all(0 <= d < n_columns for d in pair):
            raise InputError(f"additive: a pair is two different columns from 0 to {n_columns - 1}; got {tuple(pair)}.")
        if frozenset(pair) in seen:
            raise InputError(f"additive: each pair may be given once; got {tuple(pair)} again.")
        seen.add(frozenset(pair))
        d, e = pair
        alike = (d in levels) == (e in levels)
        terms.append(term(d, e) if alike else Product((term(d), term(e))))
    return terms[0] if len(terms) == 1 else Sum(tuple(terms))
