"""ARD: the inverse length-scales of a Gaussian process, which "automatic relevance determination" ranks variables by.

It is the naive baseline. 1/l_d is how fast the functions that the prior expects turn along x_d, not how far they go: a
weak effect that oscillates has a short length-scale, a strong linear one a long one (Paananen et al., 2019, show
both). It reads the kernel and never asks the model for a prediction.

For a stationary kernel 1/l_d is the standard deviation of ∂f/∂x_d under the prior, divided by the standard deviation of
f (exactly for EQ). In this currency

    stationary      1/l_d
    Periodic        2π/(p_d l_d)
    Linear          σ_d/√(mean over rows of Σ_e σ_e² x_e²)
    Categorical     √(2(1 − e^(−1/l_d))), the same ratio for f(other level) − f(level)

In a sum, the values of a term are multiplied by the square root of its share of the prior variance. Where several
kernels look at one column, the largest value counts; with one GP per class, the mean over classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._errors import InputError, warn
from rsens._table import Table
from rsens._text import quoted
from rsens._typing import Array
from rsens.adapters import as_model, read_for
from rsens.kernels import Categorical, Constant, Kernel, Leaf, Product, Stationary, Sum


def ard(model: Any, X: Any) -> Array:
    """The inverse length-scale of every column (D,), in its own unit; 0 for a column that no kernel looks at.

    Args:
        model: A fitted GP of rsens or scikit-learn, or any model whose `kernel_` is one of `rsens.kernels` or a tuple.
        X: Rows. Only shares of the prior variance depend on them, and only for Linear.

    Example:
        >>> from rsens import GPRegressor
        >>> from rsens.kernels import EQ
        >>> from rsens.measures import ard
        >>> model = GPRegressor(EQ(lengthscale=(1.0, 4.0)), optimize=False, standardize=False)
        >>> X = [[0.0, 1.0], [2.0, 0.0]]
        >>> ard(model.fit(X, [1.0, 2.0]), X).tolist()
        [1.0, 0.25]
    """
    given = getattr(model, "kernel_", None)
    if given is not None and not isinstance(given, Kernel | tuple):  # another library's, which its adapter translates
        try:
            given = getattr(as_model(model), "kernel_", None)
        except InputError:
            given = None
    kernels = _kernels(given)
    if not kernels:
        raise InputError(
            f"ard reads the length-scales of a Gaussian process, and {type(model).__name__} has no kernel_ of "
            "rsens.kernels. Use GPRegressor or GPClassifier, or leave ard out."
        )
    rows = read_for(model, X)[1].values - getattr(model, "input_mean_", 0.0)
    return np.mean([kernel.rates(rows) for kernel in kernels], axis=0)


def _kernels(given: Any) -> tuple[Kernel, ...]:
    """A kernel, or one for each class; none if they are not ours."""
    kernels = given if isinstance(given, tuple) else (given,)
    return kernels if all(isinstance(kernel, Kernel) for kernel in kernels) else ()


# Between two values that are several length-scales apart, the prediction falls back to its mean: the slope at both is
# near 0, however different the predictions there are. This happens to codes that are taken for numbers.

#: A gap counts if it has this many rows on both sides: a few values far out do not make one.
ROWS_BESIDE_A_GAP = 5
#: The length-scale, in gaps, below which the slope means little.
SHORT = 0.5


def lengthscales(model: Any, n_columns: int) -> Array | None:
    """The reach of the prediction along each column, (D,); None for a model without a kernel."""
    kernels = _kernels(getattr(model, "kernel_", None))
    if not kernels:
        return None
    reaches = np.max([_reach(kernel, n_columns) for kernel in kernels], axis=0)
    return np.where(reaches > 0.0, reaches, np.inf)


def gaps(values: Array) -> Array:
    """The largest gap between neighbouring values of each column that has rows enough on both sides, (D,); else 0."""
    inside = slice(ROWS_BESIDE_A_GAP - 1, len(values) - ROWS_BESIDE_A_GAP + 1)
    ordered = np.sort(values, axis=0)[inside]
    return np.diff(ordered, axis=0).max(axis=0) if len(ordered) > 1 else np.zeros(values.shape[1])


def warn_of_gaps(model: Any, training: Array | None, table: Table) -> None:
    """An `RsensWarning` that names the columns with derivatives whose length-scale is below half the largest gap."""
    lengths = lengthscales(model, len(table.names))
    if training is None or lengths is None:
        return
    short = lengths < SHORT * gaps(training)
    if table.coding is not None:
        short[list(table.coding.categorical)] = False
    names = [name for name, is_short in zip(table.names, short, strict=True) if is_short]
    if names:
        has = "has" if len(names) == 1 else "have"
        warn(
            f"{quoted(names)} {has} values that are more than two length-scales apart: the prediction is flat near "
            "each of them and changes in between, so the slope at the rows, which R-sens measures, means little. If "
            "these are codes or groups, make the column categorical and fit again."
        )


def _reach(kernel: Kernel, n_columns: int) -> Array:
    """`lengthscales` of one kernel, with 0 for columns that it does not look at."""
    if isinstance(kernel, Sum):
        return np.max([_reach(term, n_columns) for term in kernel.terms], axis=0)
    if isinstance(kernel, Product):
        each = np.array([_reach(factor, n_columns) for factor in kernel.factors])
        shortest = np.min(np.where(each > 0.0, each, np.inf), axis=0)
        return np.where((each > 0.0).any(axis=0), shortest, 0.0)
    reach = np.zeros(n_columns)
    if not isinstance(kernel, Constant | Categorical):
        seen = list(kernel.active_of(n_columns)) if isinstance(kernel, Leaf) else slice(None)
        reach[seen] = kernel.lengthscale if isinstance(kernel, Stationary) else np.inf
    return reach
