"""An exact GP of GPyTorch in our own kernels: closed derivatives, by the code that our own GPs use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add, mul
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from scipy.linalg import lapack

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._adapter import NoTranslationError, overrides, own_class
from rsens.adapters._gpytorch._native import FAILURES, Moments, exact_settings, numpy_of
from rsens.derivatives import MAX_BYTES, Finding, result_bytes, rows_for
from rsens.kernels import EQ, Categorical, Constant, Kernel, Linear, Matern12, Matern32, Matern52, Periodic
from rsens.kernels import RationalQuadratic as RQ
from rsens.posteriors import CHUNK_BYTES, Latent, LatentPosterior, TriangularRoot, jittered_cholesky

#: Translation and original agree to rounding, or they are different functions.
CLOSE = 1e-9
#: How close the posteriors of both are; Cholesky factors of nearly singular matrices lose digits.
SAME_POSTERIOR = 1e-5
#: How many training rows the two are compared at, with as many rows between them and away from them.
PROBES = 6
#: Factors of more rows than this are not kept for the next call: they take 72 MB.
MOST_REMEMBERED = 3000


@dataclass(frozen=True, eq=False)
class AffineInputs:
    """x̃ = base + (x − centre)·slopes, column by column."""

    centre: Array
    base: Array
    slopes: Array

    @classmethod
    def none(cls, n_columns: int) -> AffineInputs:
        """x̃ = x."""
        return cls(np.zeros(n_columns), np.zeros(n_columns), np.ones(n_columns))

    def __call__(self, X: Array) -> Array:
        return self.base + (X - self.centre) * self.slopes

    def undone(self, inputs: Array) -> Array:
        """x, from x̃."""
        return self.centre + (inputs - self.base) / self.slopes


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """f ~ GP(mean, kernel) on x̃ = units(x), given targets with Gaussian noise at the inputs x̃ (N, D).

    `constant` and `slopes` are the mean function, c + wᵀx̃; `noise` is a variance: one number, or one per training row.
    `native` is the working copy of the model itself.
    """

    kernel: Kernel
    constant: float
    slopes: Array
    inputs: Array
    targets: Array
    noise: Array
    units: AffineInputs
    native: Moments
    way: ClassVar[str] = "closed form"

    def mean(self, inputs: Array) -> Array:
        """The mean function at rows x̃."""
        return self.constant + inputs @ self.slopes

    @cached_property
    def posterior(self) -> LatentPosterior:
        K = self.kernel(self.inputs)
        K[np.diag_indices_from(K)] += self.noise
        L, jitter = jittered_cholesky(K)
        weights, _ = lapack.dpotrs(L, self.targets - self.mean(self.inputs), lower=1)
        return LatentPosterior(self.kernel, self.inputs, weights, TriangularRoot(L), self.constant, jitter)

    @cached_property
    def facts(self) -> tuple[Any, ...]:
        """The numbers that the posterior follows from."""
        units = self.units.centre, self.units.base, self.units.slopes
        parts = self.slopes, self.inputs, self.targets, self.noise, *units
        return (self.kernel, self.constant, *(part.tobytes() for part in parts))

    def moments(self, X: Array) -> Latent:
        inputs = self.units(X)
        latent = self.posterior.moments(inputs)
        return Latent(latent.mean + inputs @ self.slopes, latent.variance)

    def derivatives(self, X: Array, order: int) -> Latent:
        inputs = self.units(X)
        latent = self.posterior.derivatives(inputs, order)
        assert latent.first is not None
        first, second = latent.first, latent.second
        first[:, 0] += self.slopes
        return Latent(
            latent.mean + inputs @ self.slopes,
            latent.variance,
            first * self.units.slopes,
            None if second is None else second * self.units.slopes[:, None] * self.units.slopes,
        )

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        """The posterior cuts rows further, so that their kernel stays within CHUNK_BYTES."""
        return max(1, int(rows_for(result_bytes(n_columns, order)) * (MAX_BYTES - CHUNK_BYTES) / MAX_BYTES))

    def checks(self, X: Array) -> Iterator[Finding]:
        """GPyTorch's own mean and variance, by its own Cholesky factor, at a few rows."""
        import torch

        rows = X[:PROBES]
        with torch.no_grad(), exact_settings():
            mean, variance = map(numpy_of, self.native(torch.tensor(self.units(rows))))
        ours, prior = self.moments(rows), self.kernel.diag(self.units(rows))
        errors = np.abs(mean - ours.mean) / np.sqrt(prior), np.abs(variance - ours.variance) / prior
        off = float(np.max(errors))
        text = f"GPyTorch's own mean and variance of f at {len(rows)} rows differ by {off:.1g}, relative to the prior."
        yield Finding("translation", "ok" if off <= SAME_POSTERIOR else "wrong", text)


def closed_form(model: Any, noise: Array, units: AffineInputs, draw: int | None = None) -> ClosedForm | None:
    """The working copy of an exact GP in closed form, or None if it does anything that we have no closed form for.

    `forward` may do anything, such as send the rows through a network first: so the prior that it gives is compared
    with the translated one at a few rows.
    """
    inputs, targets = numpy_of(model.train_inputs[0]), numpy_of(model.train_targets)
    conditioning = ("__call__", "_get_train_prior_distribution", "_get_test_prior_mean_and_covariances")
    usual = not overrides(model, "gpytorch", *(name for name in conditioning if hasattr(type(model), name)))
    if targets.shape != inputs.shape[:1] or inputs.ndim != 2 or not usual:
        return None
    reader = KernelReader(inputs.shape[1], draw)
    try:
        kernel, (constant, slopes) = reader.read(model.covar_module), reader.mean(model.mean_module)
    except (NoTranslationError, AttributeError, InputError):
        return None
    found = ClosedForm(kernel, constant, slopes, inputs, targets, noise, units, Moments(model, draw))
    return found if _has_this_prior(model, found, draw) else None


#: The closed form of each user's model at its last call, for as long as the model lives.
_KNOWN: WeakKeyDictionary[Any, ClosedForm] = WeakKeyDictionary()


def remembered(model: Any, found: ClosedForm | None) -> ClosedForm | None:
    """The closed form of the last call with its Cholesky factor, if the user's model has not changed since."""
    if found is None or len(found.inputs) > MOST_REMEMBERED:
        return found
    known = _KNOWN.get(model)
    if known is None or known.facts != found.facts:
        known = _KNOWN[model] = found
    return known


def _has_this_prior(model: Any, found: ClosedForm, draw: int | None) -> bool:
    """Whether mean, variance and covariances of f at two sets of rows are the same.

    The covariances are between different rows: GPyTorch may factorise those within one set, with jitter.
    """
    import torch

    one, other = _probe_rows(found.inputs)
    rows = np.concatenate([one, other])
    try:
        with torch.no_grad(), exact_settings(prior=True):
            prior = model(torch.tensor(rows))
            covariance = prior.lazy_covariance_matrix
            across = covariance[..., : len(one), len(one) :].to_dense()
            given = [prior.mean, covariance.diagonal(dim1=-1, dim2=-2), across]
            given = [numpy_of(values if draw is None else values[draw]) for values in given]
    except FAILURES:  # a user's `forward` refuses these rows: it is not ours to translate
        return False
    ours = [found.mean(rows), found.kernel.diag(rows), found.kernel(one, other)]
    deviation = np.sqrt(ours[1].max())
    sizes = [deviation + np.abs(ours[0]), deviation**2, deviation**2]
    return all(
        their.shape == our.shape and bool((np.abs(their - our) <= CLOSE * size).all())
        for their, our, size in zip(given, ours, sizes, strict=True)
    )


def _probe_rows(inputs: Array) -> tuple[Array, Array]:
    """Training rows and rows between them; training rows, rows away from them, and ever closer to one of them."""
    chosen = inputs[np.unique(np.linspace(0, len(inputs) - 1, PROBES).astype(int))]
    low, high = inputs.min(axis=0), inputs.max(axis=0)
    spread = np.maximum(high - low, 1e-3 * (1.0 + np.maximum(-low, high)))
    signs = np.where(np.add.outer(np.arange(len(chosen)), np.arange(inputs.shape[1])) % 2, 1.0, -1.0)
    between = 0.5 * (chosen + np.roll(chosen, 1, axis=0))
    away = chosen + 0.37 * spread * signs
    closer = chosen[0] + spread * 10.0 ** -np.arange(1.0, 5.0)[:, None]  # a short length-scale hides all else
    return np.concatenate([chosen, between]), np.concatenate([chosen, away, closer])


Columns = tuple[int, ...]


@dataclass(frozen=True)
class KernelReader:
    """Reads kernels of rows with `n_columns`; from a kernel with one value per draw it takes the values of `draw`."""

    n_columns: int
    draw: int | None = None

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

    def mean(self, mean: Any) -> tuple[float, Array]:
        """A mean function that is straight, c + wᵀx: c and w."""
        name, flat = own_class(mean), np.zeros(self.n_columns)
        if name == "gpytorch.ZeroMean":
            return 0.0, flat
        if name == "gpytorch.ConstantMean":
            return self.number(mean.constant), flat
        if name == "gpytorch.LinearMean" and mean.weights.ndim == 2:
            return 0.0 if mean.bias is None else float(numpy_of(mean.bias).item()), numpy_of(mean.weights)[:, 0]
        raise NoTranslationError(name)

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
    # BoTorch takes the mean over columns of [x_d ≠ z_d]/l_d, we the sum.
    "botorch.CategoricalKernel": lambda r, k, c: Categorical(
        1.0, r.per_column(k.lengthscale, c, lambda each: len(c) * each), r.dims(c)
    ),
    # It has taken over the `active_dims` of its base, and calls the base on the remaining columns.
    "gpytorch.ScaleKernel": lambda r, k, c: r.on(k.base_kernel, c).in_units(
        np.ones(r.n_columns), r.number(k.outputscale)
    ),
    "gpytorch.AdditiveKernel": lambda r, k, c: reduce(add, (r.read(part, c) for part in k.kernels)),
    "gpytorch.ProductKernel": lambda r, k, c: reduce(mul, (r.read(part, c) for part in k.kernels)),
}
