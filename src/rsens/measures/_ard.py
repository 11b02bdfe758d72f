"""ARD: the inverse length-scales of a Gaussian process, which "automatic relevance determination" ranks variables by.

It is the naive baseline. 1/l_d says how fast the functions that the prior expects turn along x_d, not how far they go:
a weak effect that oscillates has a short length-scale, a strong linear one a long one (Paananen et al., 2019, show
both). It reads the kernel and never asks the model for a prediction.

For a stationary kernel 1/l_d is the standard deviation of ∂f/∂x_d under the prior, divided by that of f (exactly for
EQ). In this currency

    stationary      1/l_d
    Periodic        2π/(p_d l_d)
    Linear          σ_d/√(mean over rows of Σ_e σ_e² x_e²)
    Categorical     √(2(1 − e^(−1/l_d))), the standard deviation of f(other level) − f(level), divided by that of f

In a sum, the values of a term are multiplied by the square root of its share of the prior variance. Where several
kernels look at one column, the largest value counts; with one GP per class, the mean over classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens.derivatives._model import read_for
from rsens.distributions._base import Array
from rsens.kernels import Categorical, Constant, Kernel, Linear, Periodic, Product, Sum
from rsens.kernels._stationary import Stationary


def ard(model: Any, X: Any) -> Array:
    """The inverse length-scale of every column (D,), in its own unit; 0 for a column that no kernel looks at.

    Args:
        model: A fitted GP of rsens, or any model whose `kernel_` is one of `rsens.kernels` or a tuple of them.
        X: Rows. Only shares of the prior variance depend on them, and only for Linear.
    """
    given = getattr(model, "kernel_", None)
    kernels = given if isinstance(given, tuple) else (given,)
    if not kernels or not all(isinstance(kernel, Kernel) for kernel in kernels):
        raise InputError(
            f"ard reads the length-scales of a Gaussian process, and {type(model).__name__} has no kernel_ of "
            "rsens.kernels. Use GPRegressor or GPClassifier, or leave ard out."
        )
    rows = read_for(model, X)[1].values - getattr(model, "input_mean_", 0.0)
    return np.mean([_rates(kernel, rows) for kernel in kernels], axis=0)


def _rates(kernel: Kernel, rows: Array) -> Array:
    """For every column, the largest value among the kernels that look at it."""
    if isinstance(kernel, Sum):
        variances = np.array([part.diag(rows).mean() for part in kernel.parts])
        shares = variances / (variances.sum() or 1.0)  # no variance at all: Linear where all rows are 0
        return np.max([np.sqrt(s) * _rates(part, rows) for s, part in zip(shares, kernel.parts, strict=True)], axis=0)
    if isinstance(kernel, Product):
        return np.max([_rates(part, rows) for part in kernel.parts], axis=0)
    if not isinstance(kernel, Stationary | Periodic | Linear | Categorical | Constant):
        raise InputError(f"ard does not know where {type(kernel).__name__} keeps its length-scales. Leave ard out.")
    rates = np.zeros(rows.shape[1])
    rates[list(kernel.active(rows)[0])] = _of_leaf(kernel, rows)
    return rates


def _of_leaf(kernel: Stationary | Periodic | Linear | Categorical | Constant, rows: Array) -> Array:
    """One value for each of the columns that it looks at, or one for all."""
    match kernel:
        case Constant():
            return np.zeros(())
        case Linear():
            variance = kernel.diag(rows).mean()
            return np.sqrt(np.asarray(kernel.variance) / variance) if variance > 0.0 else np.zeros(())
        case Periodic():
            return 2.0 * np.pi / (np.asarray(kernel.period) * np.asarray(kernel.lengthscale))
        case Categorical():
            return np.sqrt(-2.0 * np.expm1(-1.0 / np.asarray(kernel.lengthscale)))
    return 1.0 / np.asarray(kernel.lengthscale)
