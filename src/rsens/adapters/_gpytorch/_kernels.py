"""Kernels of GPyTorch and BoTorch as kernels of rsens, whose derivatives are exact at training rows too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.adapters._gpytorch._copies import numpy_of
from rsens.kernels import EQ, Categorical, Constant, Kernel, Linear, Matern12, Matern32, Matern52, Periodic
from rsens.kernels import RationalQuadratic as RQ

Columns = tuple[int, ...]


class NoTranslationError(Exception):
    """The kernel or mean is none that rsens has; its own automatic derivatives have to do."""


def own_class(part: Any) -> str:
    """The name "gpytorch.RBFKernel" for an object of that very class; a user's subclass has another first word."""
    return f"{type(part).__module__.partition('.')[0]}.{type(part).__qualname__}"


@dataclass(frozen=True)
class KernelReader:
    """Reads kernels that look at rows of `n_columns`; of a kernel with one value per draw it takes those of `draw`."""

    n_columns: int
    draw: int | None = None

    def read(self, kernel: Any, columns: Columns | None = None) -> Kernel:
        """The kernel as GPyTorch calls it: it picks its `active_dims` among the columns that it is given."""
        given = tuple(range(self.n_columns)) if columns is None else columns
        dims = kernel.active_dims
        return self._forward(kernel, given if dims is None else tuple(given[d] for d in dims.tolist()))

    def _forward(self, kernel: Any, columns: Columns) -> Kernel:
        """The kernel on the columns that it looks at."""
        read = READERS.get(own_class(kernel))
        if read is None or len(set(columns)) < len(columns):
            raise NoTranslationError(own_class(kernel))
        return read(self, kernel, columns)

    def values(self, parameter: Any, ndim: int) -> Array:
        """A parameter of `ndim` dimensions as a vector, of this draw if there are several."""
        values = numpy_of(parameter)
        batch = values.shape[: values.ndim - ndim]
        if len(batch) == 1 and self.draw is not None:
            values = values[self.draw if len(values) > 1 else 0]
        elif int(np.prod(batch)) != 1:
            raise NoTranslationError("a batch of kernels")
        return values.reshape(-1)

    def number(self, parameter: Any, ndim: int = 0) -> float:
        return float(self.values(parameter, ndim)[0])

    def per_column(self, parameter: Any, columns: Columns) -> float | tuple[float, ...]:
        """A parameter (1, q): one value for all columns, or one for each."""
        values = self.values(parameter, 2)
        if len(values) == 1:
            return float(values[0])
        if len(values) != len(columns):
            raise NoTranslationError("one value per column")
        return tuple(values.tolist())

    def dims(self, columns: Columns) -> Columns | None:
        return None if columns == tuple(range(self.n_columns)) else columns

    # ---- one reader per class ----------------------------------------------------------------------------------------

    def eq(self, kernel: Any, columns: Columns) -> Kernel:
        return EQ(1.0, self.per_column(kernel.lengthscale, columns), self.dims(columns))

    def matern(self, kernel: Any, columns: Columns) -> Kernel:
        kinds: dict[float, Callable[..., Kernel]] = {0.5: Matern12, 1.5: Matern32, 2.5: Matern52}
        return kinds[kernel.nu](1.0, self.per_column(kernel.lengthscale, columns), self.dims(columns))

    def rational_quadratic(self, kernel: Any, columns: Columns) -> Kernel:
        lengthscale = self.per_column(kernel.lengthscale, columns)
        return RQ(1.0, lengthscale, self.number(kernel.alpha, 1), self.dims(columns))

    def periodic(self, kernel: Any, columns: Columns) -> Kernel:
        """GPyTorch divides by the length-scale itself, not by its square."""
        lengthscale = np.sqrt(self.per_column(kernel.lengthscale, columns))
        period = self.per_column(kernel.period_length, columns)
        return Periodic(1.0, _plain(lengthscale), period, self.dims(columns))

    def linear(self, kernel: Any, columns: Columns) -> Kernel:
        return Linear(self.per_column(kernel.variance, columns), self.dims(columns))

    def constant(self, kernel: Any, columns: Columns) -> Kernel:
        return Constant(self.number(kernel.constant, 1))

    def categorical(self, kernel: Any, columns: Columns) -> Kernel:
        """BoTorch takes the mean over columns of [x_d ≠ z_d]/l_d, we the sum."""
        lengthscale = len(columns) * np.asarray(self.per_column(kernel.lengthscale, columns))
        return Categorical(1.0, _plain(lengthscale), self.dims(columns))

    def scaled(self, kernel: Any, columns: Columns) -> Kernel:
        """It has taken over the `active_dims` of its base, and calls the base on what is left."""
        base = self._forward(kernel.base_kernel, columns)
        return base.in_units(np.ones(self.n_columns), self.number(kernel.outputscale))

    def sum(self, kernel: Any, columns: Columns) -> Kernel:
        return reduce(add, (self.read(part, columns) for part in kernel.kernels))

    def product(self, kernel: Any, columns: Columns) -> Kernel:
        return reduce(mul, (self.read(part, columns) for part in kernel.kernels))


#: Kernels that rsens has too. Only these very classes: a subclass may do anything.
READERS: dict[str, Callable[[KernelReader, Any, Columns], Kernel]] = {
    "gpytorch.RBFKernel": KernelReader.eq,
    "gpytorch.MaternKernel": KernelReader.matern,
    "gpytorch.RQKernel": KernelReader.rational_quadratic,
    "gpytorch.PeriodicKernel": KernelReader.periodic,
    "gpytorch.LinearKernel": KernelReader.linear,
    "gpytorch.ConstantKernel": KernelReader.constant,
    "botorch.CategoricalKernel": KernelReader.categorical,
    "gpytorch.ScaleKernel": KernelReader.scaled,
    "gpytorch.AdditiveKernel": KernelReader.sum,
    "gpytorch.ProductKernel": KernelReader.product,
}


def _plain(values: Any) -> float | tuple[float, ...]:
    return float(values) if np.ndim(values) == 0 else tuple(np.asarray(values).tolist())
