"""What the likelihoods of two classes share: y in {0, 1}, p(y = 1 | f) = h(f) with h(−f) = 1 − h(f)."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rsens._errors import InputError
from rsens._typing import Array
from rsens.distributions import Bernoulli
from rsens.likelihoods._base import LogConcave, Target, latent, no_hyperparameters, real_target


class BinaryLikelihood(LogConcave):
    """A symmetric inverse link h; predictive Bernoulli with π = E[h(f)], given by its logit so that no tail is lost."""

    label: ClassVar[str] = "classes"
    target: ClassVar[Target] = "classes"

    def checked_target(self, y: ArrayLike) -> Array:
        target = real_target(type(self).__name__, y)
        if not np.isin(target, (0.0, 1.0)).all():
            wrong = target[~np.isin(target, (0.0, 1.0))].flat[0]
            raise InputError(f"{type(self).__name__}: the target must be 0 or 1; got {wrong:g}. Encode the classes.")
        return target

    @abstractmethod
    def _log_tail(self, m: Array, v: Array) -> Array:
        """log E[h(f)] for m ≤ 0, so that it is at most log ½."""

    def theta_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        return no_hyperparameters(y, f)

    def predictive(self, m: ArrayLike, v: ArrayLike) -> Bernoulli:
        mean, variance = latent(m, v)
        log_tail = self._log_tail(-np.abs(mean), variance)
        return Bernoulli(logit=np.copysign(log_complement(log_tail) - log_tail, mean)).checked()

    def log_predictive_density(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        mean, variance = latent(m, v)
        log_tail = self._log_tail(-np.abs(mean), variance)
        against = (mean > 0.0) != (np.asarray(y) == 1.0)
        return np.where(against, log_tail, log_complement(log_tail))

    def predictive_cdf(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        return self.predictive(m, v).cdf(y)  # the Bernoulli distribution is the exact predictive


def log_complement(log_p: Array) -> Array:
    """log(1 − p) for p ≤ ½."""
    with np.errstate(under="ignore"):
        return np.log1p(-np.exp(log_p))
