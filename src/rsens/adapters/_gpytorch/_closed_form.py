"""An exact GP of GPyTorch in our own kernels: closed derivatives, by the code that our own GPs use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add, mul
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import lapack

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._adapter import NoTranslationError, overrides, own_class
from rsens.adapters._gpytorch._native import FAILURES, exact_settings, numpy_of
from rsens.derivatives import MAX_BYTES, result_bytes, rows_for
from rsens.kernels import EQ, Constant, Kernel, Linear, Matern12, Matern32, Matern52, Periodic
from rsens.kernels import RationalQuadratic as RQ
from rsens.posteriors import CHUNK_BYTES, Latent, LatentPosterior, TriangularRoot, jittered_cholesky

#: Translation and original agree to rounding, or they are different functions.
CLOSE = 1e-9
#: How many training rows the two are compared at, with as many rows away from them.
PROBES = 6


#: The centre and the slopes of x̃ = (x − centre)·slopes, (D,) each.
Affine = tuple[Array, Array]


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """f ~ GP(constant, kernel) on x̃ = (x − centre)·slopes, given targets with Gaussian noise at the inputs x̃ (N, D).

    `noise` is a variance: one number, or one per training row.
    """

    kernel: Kernel
    constant: float
    inputs: Array
    targets: Array
    noise: Array
    affine: Affine
    way: ClassVar[str] = "closed form"

    @cached_property
    def posterior(self) -> LatentPosterior:
        K = self.kernel(self.inputs)
        K[np.diag_indices_from(K)] += self.noise
        L, jitter = jittered_cholesky(K)
        weights, _ = lapack.dpotrs(L, self.targets - self.constant, lower=1)
        return LatentPosterior(self.kernel, self.inputs, weights, TriangularRoot(L), self.constant, jitter)

    def moments(self, X: Array) -> Latent:
        centre, slopes = self.affine
        return self.posterior.moments((X - centre) * slopes)

    def derivatives(self, X: Array, order: int) -> Latent:
        centre, slopes = self.affine
        latent = self.posterior.derivatives((X - centre) * slopes, order)
        assert latent.first is not None
        second = None if latent.second is None else latent.second * slopes[:, None] * slopes
        return Latent(latent.mean, latent.variance, latent.first * slopes, second)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        """The posterior cuts rows further, so that their kernel stays within CHUNK_BYTES."""
        return max(1, int(rows_for(result_bytes(n_columns, order)) * (MAX_BYTES - CHUNK_BYTES) / MAX_BYTES))


def closed_form(model: Any, noise: Array, affine: Affine) -> ClosedForm | None:
    """The working copy of an exact GP in closed form, or None if it does anything that we have no closed form for.

    `forward` may do anything, such as send the rows through a network first: so the prior that it gives is compared
    with the translated one at a few rows.
    """
    inputs, targets = numpy_of(model.train_inputs[0]), numpy_of(model.train_targets)
    conditioning = ("__call__", "_get_train_prior_distribution", "_get_test_prior_mean_and_covariances")
    usual = not overrides(model, "gpytorch", *(name for name in conditioning if hasattr(type(model), name)))
    if targets.shape != inputs.shape[:1] or inputs.ndim != 2 or not usual:
        return None
    reader = KernelReader(inputs.shape[1])
    try:
        found = ClosedForm(
            reader.read(model.covar_module), reader.mean(model.mean_module), inputs, targets, noise, affine
        )
    except (NoTranslationError, AttributeError, InputError):
        return None
    return found if _has_this_prior(model, found) else None


def _has_this_prior(model: Any, found: ClosedForm) -> bool:
    """Whether mean, variance and covariances of f at two sets of rows are the same.

    The covariances are between different rows: GPyTorch may factorise those within one set, with jitter. The second
    set comes ever closer to the first: with a short length-scale rows that are far apart have no covariance.
    """
    import torch

    inputs = found.inputs
    one = inputs[np.unique(np.linspace(0, len(inputs) - 1, PROBES).astype(int))]
    spread = np.maximum(np.ptp(inputs, axis=0), 1e-3 * (1.0 + np.abs(inputs).max(axis=0)))
    signs = np.where(np.add.outer(np.arange(PROBES), np.arange(inputs.shape[1])) % 2, 1.0, -1.0)
    other = one[0] + 0.37 * spread * signs * 10.0 ** -np.arange(PROBES)[:, None]
    rows = np.concatenate([one, other])
    try:
        with torch.no_grad(), exact_settings(prior=True):
            prior = model(torch.tensor(rows))
            covariance = prior.lazy_covariance_matrix
            across = covariance[..., : len(one), len(one) :].to_dense()
            given = [numpy_of(each) for each in (prior.mean, covariance.diagonal(dim1=-1, dim2=-2), across)]
    except FAILURES:  # a user's `forward` refuses these rows: it is not ours to translate
        return False
    ours = [np.full(len(rows), found.constant), found.kernel.diag(rows), found.kernel(one, other)]
    deviation = np.sqrt(ours[1].max())
    sizes = [deviation + np.abs(ours[0]), deviation**2, deviation**2]
    return all(
        their.shape == our.shape and bool((np.abs(their - our) <= CLOSE * size).all())
        for their, our, size in zip(given, ours, sizes, strict=True)
    )


Columns = tuple[int, ...]


@dataclass(frozen=True)
class KernelReader:
    """Reads kernels of rows with `n_columns`."""

    n_columns: int

    def read(self, kernel: Any, columns: Columns | None = None) -> Kernel:
        """The kernel as GPyTorch calls it: it picks its `active_dims` among the columns that it is given."""
        given = tuple(range(self.n_columns)) if columns is None else columns
        dims = kernel.active_dims
        return self.on(kernel, given if dims is None else tuple(given[d] for d in dims.tolist()))

    def on(self, kernel: Any, columns: Columns) -> Kernel:
        """The kernel on the columns that it looks at."""
        read = KERNELS.get(own_class(kernel))
        if read is None or len(set(columns)) < len(columns):
            raise NoTranslationError(own_class(kernel))
        return read(self, kernel, columns)

    def mean(self, mean: Any) -> float:
        """The constant of a mean function."""
        name = own_class(mean)
        if name not in ("gpytorch.ZeroMean", "gpytorch.ConstantMean"):
            raise NoTranslationError(name)
        return 0.0 if name == "gpytorch.ZeroMean" else self.number(mean.constant)

    def values(self, parameter: Any, ndim: int) -> Array:
        """A parameter of `ndim` dimensions as a vector."""
        values = numpy_of(parameter)
        if int(np.prod(values.shape[: values.ndim - ndim])) != 1:
            raise NoTranslationError("a batch of kernels")
        return values.reshape(-1)

    def number(self, parameter: Any, ndim: int = 0) -> float:
        return float(self.values(parameter, ndim)[0])

    def per_column(self, parameter: Any, columns: Columns, change: Callable[[Any], Any] = float) -> Any:
        """A parameter (1, q): one value for all columns, or one for each; `change` is applied to each."""
        values = self.values(parameter, 2)
        if len(values) not in (1, len(columns)):
            raise NoTranslationError("one value per column")
        changed = [float(change(value)) for value in values.tolist()]
        return changed[0] if len(changed) == 1 else tuple(changed)

    def dims(self, columns: Columns) -> Columns | None:
        return None if columns == tuple(range(self.n_columns)) else columns


MATERN: dict[float, Callable[..., Kernel]] = {0.5: Matern12, 1.5: Matern32, 2.5: Matern52}

#: Kernels that rsens has too, from the reader r, the kernel k and its columns c. Only these very classes: a subclass
#: may do anything.
KERNELS: dict[str, Callable[[KernelReader, Any, Columns], Kernel]] = {
    "gpytorch.RBFKernel": lambda r, k, c: EQ(1.0, r.per_column(k.lengthscale, c), r.dims(c)),
    "gpytorch.MaternKernel": lambda r, k, c: MATERN[k.nu](1.0, r.per_column(k.lengthscale, c), r.dims(c)),
    "gpytorch.RQKernel": lambda r, k, c: RQ(1.0, r.per_column(k.lengthscale, c), r.number(k.alpha, 1), r.dims(c)),
    # GPyTorch divides by the length-scale itself, not by its square.
    "gpytorch.PeriodicKernel": lambda r, k, c: Periodic(
        1.0, r.per_column(k.lengthscale, c, np.sqrt), r.per_column(k.period_length, c), r.dims(c)
    ),
    "gpytorch.LinearKernel": lambda r, k, c: Linear(r.per_column(k.variance, c), r.dims(c)),
    "gpytorch.ConstantKernel": lambda r, k, c: Constant(r.number(k.constant, 1)),
    # It has taken over the `active_dims` of its base, and calls the base on the remaining columns.
    "gpytorch.ScaleKernel": lambda r, k, c: r.on(k.base_kernel, c).in_units(
        np.ones(r.n_columns), r.number(k.outputscale)
    ),
    "gpytorch.AdditiveKernel": lambda r, k, c: reduce(add, (r.read(part, c) for part in k.kernels)),
    "gpytorch.ProductKernel": lambda r, k, c: reduce(mul, (r.read(part, c) for part in k.kernels)),
}
