"""An exact GP of GPyTorch in our own kernels: closed derivatives, by the code that our own GPs use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import lapack

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._gpytorch._copies import FAILURES, numpy_of
from rsens.adapters._gpytorch._kernels import KernelReader, NoTranslationError
from rsens.adapters._gpytorch._means import StraightMean, read_mean
from rsens.adapters._gpytorch._moments import LatentMoments, Moments
from rsens.adapters._gpytorch._settings import exact_settings, prior_settings
from rsens.adapters._gpytorch._source import Source
from rsens.adapters._gpytorch._transforms import AffineInputs
from rsens.derivatives import MAX_BYTES, Finding, result_bytes, rows_for
from rsens.kernels import Kernel
from rsens.posteriors import CHUNK_BYTES, Latent, LatentPosterior, TriangularRoot, jittered_cholesky

#: Translation and original agree to rounding, or they are different functions.
CLOSE = 1e-9
#: How close the posteriors of both are; Cholesky factors of nearly singular matrices lose digits.
SAME_POSTERIOR = 1e-5
#: How many training rows the two are compared at, with as many rows between them and away from them.
PROBES = 6


@dataclass(frozen=True, eq=False)
class ClosedForm(Source):
    """f ~ GP(mean, kernel) on x̃ = (x − offset)/coefficient, given targets with Gaussian noise at the inputs x̃ (N, D).

    `noise` is its variance: one number, or one per training row.
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


def _conditions_as_usual(model: Any) -> bool:
    """Whether the model conditions on its data by GPyTorch's own code, which a subclass may replace."""
    names = ("__call__", "_get_train_prior_distribution", "_get_test_prior_mean_and_covariances")
    methods = [getattr(type(model), name, None) for name in names]
    return all(method is None or method.__module__.partition(".")[0] == "gpytorch" for method in methods)


def _has_this_prior(model: Any, found: ClosedForm, draw: int | None) -> bool:
    import torch

    rows = _probe_rows(found.inputs)
    try:
        with torch.no_grad(), prior_settings():
            prior = model(torch.tensor(rows))
            mean, covariance = numpy_of(prior.mean), numpy_of(prior.covariance_matrix)
    except FAILURES:  # whatever a user's `forward` does not like about these rows: it is not ours to translate
        return False
    if draw is not None:
        mean, covariance = mean[draw], covariance[draw]
    ours = found.kernel(rows)
    if covariance.shape != ours.shape or mean.shape != rows.shape[:1]:
        return False
    size = np.sqrt(np.diag(ours).max())
    close = np.abs(covariance - ours) <= CLOSE * size**2
    return bool(close.all() and (np.abs(mean - found.mean(rows)) <= CLOSE * (size + np.abs(mean))).all())


def _probe_rows(inputs: Array) -> Array:
    """Training rows, rows between them, and rows away from them; each twice as far apart as the last in some column."""
    chosen = inputs[np.unique(np.linspace(0, len(inputs) - 1, PROBES).astype(int))]
    spread = np.maximum(np.ptp(inputs, axis=0), 1e-3 * (1.0 + np.abs(inputs).max(axis=0)))
    signs = np.where(np.add.outer(np.arange(len(chosen)), np.arange(inputs.shape[1])) % 2, 1.0, -1.0)
    between = 0.5 * (chosen + np.roll(chosen, 1, axis=0))
    away = chosen + 0.37 * spread * signs
    return np.concatenate([chosen, between, away])
