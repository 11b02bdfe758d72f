"""Columns whose values are further apart than the length-scale of a Gaussian process: the slope at rows says little.

Between two values that are several length-scales apart, the prediction falls back to its mean: the slope at either of
them is near 0, however different the predictions there are. This happens to codes that are taken for numbers.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from rsens._errors import RsensWarning
from rsens._table import Table
from rsens._text import quoted
from rsens._typing import Array
from rsens.kernels import Categorical, Constant, Kernel, Leaf, Product, Stationary, Sum

#: A gap counts if there are as many rows on both sides of it: a few values far out are no gap.
ROWS_BESIDE_A_GAP = 5
#: The length-scale, in gaps, below which the slope says little.
SHORT = 0.5


def lengthscales(model: Any, n_columns: int) -> Array | None:
    """How far the prediction reaches along each column, (D,), in its own unit; None for a model without a kernel.

    The length-scale of a stationary kernel; the shortest of a product; the longest in a sum, whose other terms go on
    where one ends. With one GP per class, the longest. Infinite where no stationary kernel looks at the column, or
    another kernel (Linear, Periodic) goes on.
    """
    given = getattr(model, "kernel_", None)
    kernels = given if isinstance(given, tuple) else (given,)
    if not kernels or not all(isinstance(kernel, Kernel) for kernel in kernels):
        return None
    reaches = np.max([_reach(kernel, n_columns) for kernel in kernels], axis=0)
    return np.where(reaches > 0.0, reaches, np.inf)


def gaps(values: Array) -> Array:
    """The largest gap between neighbouring values of each column that has rows enough on both sides, (D,); else 0."""
    inside = slice(ROWS_BESIDE_A_GAP - 1, len(values) - ROWS_BESIDE_A_GAP + 1)
    ordered = np.sort(values, axis=0)[inside]
    return np.diff(ordered, axis=0).max(axis=0) if len(ordered) > 1 else np.zeros(values.shape[1])


def warn_of_gaps(model: Any, training: Array | None, table: Table, *, stacklevel: int) -> None:
    """An `RsensWarning` that names the columns with derivatives whose length-scale is below half the largest gap.

    `stacklevel` counts the calls from here up to the line that the warning is about.
    """
    lengths = lengthscales(model, len(table.names))
    if training is None or lengths is None:
        return
    short = lengths < SHORT * gaps(training)
    if table.coding is not None:
        short[list(table.coding.categorical)] = False
    names = [name for name, is_short in zip(table.names, short, strict=True) if is_short]
    if names:
        has = "has" if len(names) == 1 else "have"
        warnings.warn(
            RsensWarning(
                f"{quoted(names)} {has} values that are more than two length-scales apart: the prediction hardly "
                "changes near each of them and jumps in between, so the slope at the rows, which R-sens measures, says "
                "little. If these are codes or groups, make the column categorical and fit again."
            ),
            stacklevel=stacklevel,
        )


def _reach(kernel: Kernel, n_columns: int) -> Array:
    """As in `lengthscales`, with 0 for columns that the kernel does not look at."""
    if isinstance(kernel, Sum):
        return np.max([_reach(term, n_columns) for term in kernel.terms], axis=0)
    if isinstance(kernel, Product):
        each = np.array([_reach(factor, n_columns) for factor in kernel.factors])
        shortest = np.min(np.where(each > 0.0, each, np.inf), axis=0)
        return np.where((each > 0.0).any(axis=0), shortest, 0.0)
    reach = np.zeros(n_columns)
    if isinstance(kernel, Constant | Categorical):
        return reach
    if isinstance(kernel, Stationary):
        reach[list(kernel.active_of(n_columns))] = kernel.lengthscale
    else:
        reach[list(kernel.active_of(n_columns)) if isinstance(kernel, Leaf) else slice(None)] = np.inf
    return reach
