"""The additive kernel: one term per column, and one per chosen pair of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from rsens._errors import InputError
from rsens.kernels._base import Kernel
from rsens.kernels._compose import Sum
from rsens.kernels._eq import EQ


def additive(n_columns: int, pairs: Iterable[tuple[int, int]] = (), kernel: Callable[..., Kernel] = EQ) -> Kernel:
    """A sum of functions of one column each, and of two columns for each of `pairs`.

    Args:
        n_columns: the number of columns D; each gets a term `kernel(dims=(d,))`.
        pairs: the pairs (d, e) that interact; each gets a term with a length-scale for each of its two columns.
        kernel: the kind of the terms, such as `EQ` or `Matern52`.
    """
    if not isinstance(n_columns, int | np.integer) or n_columns < 1:
        raise InputError(f"additive: the number of columns must be a positive integer; got {n_columns!r}.")
    terms = [kernel(dims=(d,)) for d in range(n_columns)]
    seen: set[frozenset[int]] = set()
    for pair in pairs:
        if len(pair) != 2 or pair[0] == pair[1] or not all(0 <= d < n_columns for d in pair):
            raise InputError(f"additive: a pair is two different columns from 0 to {n_columns - 1}; got {tuple(pair)}.")
        if frozenset(pair) in seen:
            raise InputError(f"additive: each pair may be given once; got {tuple(pair)} again.")
        seen.add(frozenset(pair))
        terms.append(kernel(lengthscale=(1.0, 1.0), dims=tuple(pair)))
    return terms[0] if len(terms) == 1 else Sum(tuple(terms))
