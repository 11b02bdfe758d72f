"""ARD: the inverse length-scales of a Gaussian process, which "automatic relevance determination" ranks variables by.

It is the naive baseline. 1/l_d says how fast the functions that the prior expects turn along x_d, not how far they go:
a weak effect that oscillates has a short length-scale, a strong linear one a long one (Paananen et al., 2019, show
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

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters import as_model, read_for
from rsens.kernels import Kernel


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
    given = _kernel_of(model)
    kernels = given if isinstance(given, tuple) else (given,)
    if not kernels or not all(isinstance(kernel, Kernel) for kernel in kernels):
        raise InputError(
            f"ard reads the length-scales of a Gaussian process, and {type(model).__name__} has no kernel_ of "
            "rsens.kernels. Use GPRegressor or GPClassifier, or leave ard out."
        )
    rows = read_for(model, X)[1].values - getattr(model, "input_mean_", 0.0)
    return np.mean([kernel.rates(rows) for kernel in kernels], axis=0)


def _kernel_of(model: Any) -> Any:
    """The model's `kernel_`; of another library's model, what its adapter has made of that."""
    given = getattr(model, "kernel_", None)
    if given is None or isinstance(given, Kernel | tuple):
        return given
    try:
        return getattr(as_model(model), "kernel_", None)
    except InputError:
        return None
