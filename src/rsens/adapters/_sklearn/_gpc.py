"""GaussianProcessClassifier: the latent mean and variance of Laplace's approximation, through our logit.

Its own `predict_proba` replaces the logistic function by five error functions, which is up to 1e-4 off in probability;
we integrate instead. A WhiteKernel is part of the latent f, and so adds to its variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._sklearn._closed import Closed, numbers_in
from rsens.adapters._sklearn._kernels import Translated, UntranslatableError, translated
from rsens.adapters._sklearn._probabilities import NOISE, read_probabilities
from rsens.adapters._sklearn._understood import Understood, not_fitted, overrides
from rsens.derivatives import Derivatives, Finding, Inner, normalized, normalized_derivatives, result_bytes
from rsens.distributions import Distribution
from rsens.likelihoods import LogitLikelihood, through_likelihood
from rsens.posteriors import LatentPosterior, ScaledTriangularRoot


class LaplaceGP(Closed):
    """Bernoulli(E[σ(f)]) of one binary classifier."""

    def __init__(self, gp: Any, kernel: Translated) -> None:
        self._gp, self._kernel = gp, kernel

    @cached_property
    def _posterior(self) -> LatentPosterior:
        gp = self._gp
        weights = np.asarray(gp.y_train_ - gp.pi_, dtype=np.float64)
        root = ScaledTriangularRoot(np.asfortranarray(gp.L_, np.float64), np.ravel(gp.W_sr_))
        assert self._kernel.smooth is not None
        return LatentPosterior(self._kernel.smooth, np.ascontiguousarray(gp.X_train_, np.float64), weights, root)

    def predict(self, X: Any) -> Distribution:
        latent = self._posterior.moments(numbers_in(X))
        return LogitLikelihood().predictive(latent.mean, latent.variance + self._kernel.white)

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        latent = self._posterior.derivatives(numbers_in(X), order, inner)
        variance = latent.variance + self._kernel.white
        assert latent.first is not None
        return through_likelihood(LogitLikelihood(), latent.mean, variance, latent.first, latent.second)


class OneVsRest(Closed):
    """A Categorical from one Bernoulli per class, normalised as scikit-learn's OneVsRestClassifier does."""

    def __init__(self, members: Sequence[Closed]) -> None:
        self._members = members

    def predict(self, X: Any) -> Distribution:
        return normalized([member.predict(X) for member in self._members])

    def derivatives(self, X: Any, order: int, inner: Inner | None = None) -> Derivatives:
        return normalized_derivatives([member.derivatives(X, order, inner) for member in self._members])

    def bytes_per_row(self, n_columns: int, order: int) -> int:
        return result_bytes(n_columns, order, 3 * len(self._members))


def read_gp_classifier(gp: Any) -> Understood:
    """The prediction of a fitted GaussianProcessClassifier."""
    if not hasattr(gp, "base_estimator_"):
        raise not_fitted(gp)
    if len(gp.classes_) > 2 and gp.multi_class == "one_vs_one":
        raise InputError(
            f"{type(gp).__name__}(multi_class='one_vs_one') has no probabilities to explain. Fit it with "
            "multi_class='one_vs_rest'."
        )
    if overrides(gp, "predict_proba"):
        return read_probabilities(gp)
    members = [gp.base_estimator_] if len(gp.classes_) == 2 else list(gp.base_estimator_.estimators_)
    try:
        kernels = [_smooth(member) for member in members]
    except (UntranslatableError, AttributeError):  # our kernels do not know it; a class that is not in the data
        return read_probabilities(gp)
    closed = [LaplaceGP(member, kernel) for member, kernel in zip(members, kernels, strict=True)]
    return Understood.of(
        closed[0] if len(closed) == 1 else OneVsRest(closed),
        "Bernoulli" if len(closed) == 1 else "Categorical",
        NOISE,
        classes=gp.classes_,
        training=_inputs(members[0]),
        kernel=tuple(kernel.smooth for kernel in kernels),
        findings=(
            Finding(
                "link",
                "ok",
                "probabilities are integrals of the logistic function over the latent f; predict_proba approximates "
                "them to about 1e-4.",
            ),
        ),
    )


def _smooth(gp: Any) -> Translated:
    kernel = translated(gp.kernel_)
    if kernel.smooth is None:
        raise UntranslatableError("a kernel without a smooth part")
    return kernel


def _inputs(gp: Any) -> Array:
    return np.asarray(gp.X_train_, dtype=np.float64)
