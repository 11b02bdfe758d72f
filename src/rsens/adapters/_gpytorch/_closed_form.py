"""An exact GP of GPyTorch in our own kernels: closed derivatives, by the code that our own GPs use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from scipy.linalg import lapack

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._gpytorch._copies import FAILURES, numpy_of
from rsens.adapters._gpytorch._kernels import KernelReader, NoTranslationError
from rsens.adapters._gpytorch._means import StraightMean, read_mean
from rsens.adapters._gpytorch._moments import LatentMoments, Moments
from rsens.adapters._gpytorch._settings import exact_settings, prior_settings
from rsens.adapters._gpytorch._source import LatentSource
from rsens.adapters._gpytorch._transforms import AffineInputs
from rsens.derivatives import MAX_BYTES, Finding, result_bytes, rows_for
from rsens.kernels import Kernel
from rsens.posteriors import CHUNK_BYTES, Latent, LatentPosterior, TriangularRoot, jittered_cholesky

#: Translation and original agree to rounding, or they are different functions.
CLOSE = 1e-9
#: How close the posteriors of both are; Cholesky factors of nearly singular matrices lose digits.
SAME_POSTERIOR = 1e-5
#: Factors of more rows than this are not kept for the next call: they take 72 MB.
MOST_REMEMBERED = 3000
#: How many training rows the two are compared at, with as many rows between them and away from them.
PROBES = 6


@dataclass(frozen=True, eq=False)
class ClosedForm(LatentSource):
    """f ~ GP(mean, kernel) on x̃ = units(x), given targets with Gaussian noise at the inputs x̃ (N, D).

    `noise` is its variance: one number, or one per training row. `native` is the working copy of the model itself.
    """

    kernel: Kernel
    mean: StraightMean
    inputs: Array
    targets: Array
    noise: Array
    units: AffineInputs
    native: Moments
    way = "closed form"

    @cached_property
    def posterior(self) -> LatentPosterior:
        K = self.kernel(self.inputs)
        K[np.diag_indices_from(K)] += self.noise
        L, jitter = jittered_cholesky(K)
        weights, _ = lapack.dpotrs(L, self.targets - self.mean(self.inputs), lower=1)
        return LatentPosterior(self.kernel, self.inputs, weights, TriangularRoot(L), self.mean.constant, jitter)

    @cached_property
    def facts(self) -> tuple[Any, ...]:
        """All that the posterior is made of."""
        parts = self.mean.slopes, self.inputs, self.targets, self.noise, self.units.base, self.units.slopes
        return (self.kernel, self.mean.constant, self.units.centre.tobytes(), *(part.tobytes() for part in parts))

    def moments(self, X: Array) -> Latent:
        inputs = self.units(X)
        latent = self.posterior.moments(inputs)
        return Latent(latent.mean + inputs @ self.mean.slopes, latent.variance)

    def derivatives(self, X: Array, order: int) -> Latent:
        inputs = self.units(X)
        latent = self.posterior.derivatives(inputs, order)
        assert latent.first is not None
        first, second = latent.first, latent.second
        first[:, 0] += self.mean.slopes
        return Latent(
            latent.mean + inputs @ self.mean.slopes,
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
        ours = self.moments(rows)
        off = max(
            float(np.max(np.abs(mean - ours.mean) / np.sqrt(self.kernel.diag(self.units(rows))))),
            float(np.max(np.abs(variance - ours.variance) / self.kernel.diag(self.units(rows)))),
        )
        text = f"GPyTorch's own mean and variance of f at {len(rows)} rows differ by {off:.1g}, relative to the prior."
        yield Finding("translation", "ok" if off <= SAME_POSTERIOR else "wrong", text)


def closed_form(model: Any, noise: Array, units: AffineInputs, draw: int | None = None) -> ClosedForm | None:
    """The working copy of an exact GP in closed form, or None if it does anything that we have no closed form for.

    `forward` may do anything, such as send the rows through a network first: so the prior that it gives is compared
    with the translated one at a few rows.
    """
    inputs, targets = numpy_of(model.train_inputs[0]), numpy_of(model.train_targets)
    if targets.shape != inputs.shape[:1] or inputs.ndim != 2 or not _conditions_as_usual(model):
        return None
    reader = KernelReader(inputs.shape[1], draw)
    try:
        kernel, mean = reader.read(model.covar_module), read_mean(model.mean_module, reader)
    except (NoTranslationError, AttributeError, InputError):
        return None
    found = ClosedForm(kernel, mean, inputs, targets, noise, units, LatentMoments(model, draw))
    return found if _has_this_prior(model, found, draw) else None


def remembered(model: Any, found: ClosedForm | None) -> ClosedForm | None:
    """What the user's model was found to be before, with its Cholesky factor, if nothing about it has changed since."""
    if found is None or len(found.inputs) > MOST_REMEMBERED:
        return found
    known = _KNOWN.get(model)
    if known is None or known.facts != found.facts:
        known = _KNOWN[model] = found
    return known


#: Each for as long as the user's model lives.
_KNOWN: WeakKeyDictionary[Any, ClosedForm] = WeakKeyDictionary()


def _conditions_as_usual(model: Any) -> bool:
    """Whether the model conditions on its data by GPyTorch's own code, which a subclass may replace."""
    names = ("__call__", "_get_train_prior_distribution", "_get_test_prior_mean_and_covariances")
    methods = [getattr(type(model), name, None) for name in names]
    return all(method is None or method.__module__.partition(".")[0] == "gpytorch" for method in methods)


def _has_this_prior(model: Any, found: ClosedForm, draw: int | None) -> bool:
    """Mean, variance and covariances of f at two sets of rows.

    Covariances between different rows are asked for: those of one set of rows with itself GPyTorch may factorise, with
    jitter.
    """
    import torch

    one, other = _probe_rows(found.inputs)
    rows = np.concatenate([one, other])
    try:
        with torch.no_grad(), prior_settings():
            prior = model(torch.tensor(rows))
            covariance = prior.lazy_covariance_matrix
            across = covariance[..., : len(one), len(one) :].to_dense()
            given = [prior.mean, covariance.diagonal(dim1=-1, dim2=-2), across]
            given = [numpy_of(values if draw is None else values[draw]) for values in given]
    except FAILURES:  # whatever a user's `forward` does not like about these rows: it is not ours to translate
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
