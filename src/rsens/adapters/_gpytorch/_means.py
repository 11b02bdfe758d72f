"""Mean functions of GPyTorch that are straight: m(x) = c + wᵀx."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.adapters._gpytorch._copies import numpy_of
from rsens.adapters._gpytorch._kernels import KernelReader, NoTranslationError, own_class


@dataclass(frozen=True, eq=False)
class StraightMean:
    """m(x) = constant + slopesᵀx."""

    constant: float
    slopes: Array

    def __call__(self, X: Array) -> Array:
        return self.constant + X @ self.slopes


def read_mean(mean: Any, reader: KernelReader) -> StraightMean:
    """The mean function, of one draw if there are several."""
    flat = np.zeros(reader.n_columns)
    name = own_class(mean)
    if name == "gpytorch.ZeroMean":
        return StraightMean(0.0, flat)
    if name == "gpytorch.ConstantMean":
        return StraightMean(reader.number(mean.constant), flat)
    if name == "gpytorch.LinearMean" and mean.weights.ndim == 2:
        bias = 0.0 if mean.bias is None else float(numpy_of(mean.bias).item())
        return StraightMean(bias, numpy_of(mean.weights)[:, 0])
    raise NoTranslationError(name)
