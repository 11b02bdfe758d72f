"""A Gaussian process as a score test needs it: the score of the latent values, and the covariance of the data."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np

from rsens._errors import RsensWarning
from rsens._progress import bar
from rsens._typing import Array
from rsens.kernels import Kernel
from rsens.likelihoods import Likelihood
from rsens.models._data import Data
from rsens.models._inference import Search, fit_gp, posterior_of
from rsens.posteriors import Root, ScaledTriangularRoot


@dataclass(frozen=True, eq=False)
class LatentFit:
    """f ~ GP(mean, kernel) and y | f, at the rows of the data, with C = K + W⁻¹ (W⁻¹ = σ²I for Gaussian noise).

    `score` is α = ∂log p(y | f)/∂f at the mode, for Gaussian noise C⁻¹(y − mean); `root` is R with C⁻¹ = RᵀR;
    `precision` is the diagonal of W.
    """

    kernel: Kernel
    likelihood: Likelihood
    score: Array
    precision: Array
    root: Root

    def whiten(self, B: Array) -> Array:
        """R B for B (n, c), so that (RA)ᵀ(RB) = AᵀC⁻¹B."""
        return self.root.times(np.array(B, order="F"))

    def unwhiten(self, B: Array) -> Array:
        """Rᵀ B, so that Rᵀ(RB) = C⁻¹B."""
        return self.root.transposed_times(np.array(B, order="F"))


def fit_latent(
    kernel: Kernel,
    likelihood: Likelihood,
    X: Array,
    y: Array,
    *,
    most_rows: int,
    tolerance: float,
    rng: np.random.Generator,
) -> LatentFit:
    """Learn hyperparameters by one search on at most `most_rows` random rows, then condition on all rows.

    The numbers are taken as they are; counts have mean log(mean count). Nothing is said of the search itself: who
    calls this wants p-values, not the model.
    """
    if likelihood.target == "counts":
        mean = float(np.log(np.sum(y) or 0.5) - np.log(len(y)))
    else:
        mean = float(np.mean(y)) if likelihood.target == "numbers" else 0.0
    data = Data(X, y, np.zeros(len(y)), mean)
    some = data if len(y) <= most_rows else data.rows(np.sort(rng.choice(len(y), most_rows, replace=False)))
    search = Search(True, 0, {}, None, 500, tolerance, partial(bar, disable=True), rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RsensWarning)
        fitted = fit_gp(kernel, likelihood, some, search)
        posterior = fitted.posterior
        if some is not data:
            posterior, _ = posterior_of(fitted.kernel, fitted.likelihood, data, None)
    root = posterior.root
    if isinstance(root, ScaledTriangularRoot):  # of Laplace's approximation, whose scale is √W
        precision = root.s**2
    else:
        precision = np.full(len(y), 1.0 / (fitted.likelihood.noise or 1.0))
    return LatentFit(fitted.kernel, fitted.likelihood, posterior.weights, precision, root)
