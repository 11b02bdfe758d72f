"""From the latent f to an observation: GPyTorch's likelihoods as maps from (m, v) to one of our families.

A likelihood is recognised by what it says at a few values of f, not by its name: whoever overrides `forward` to have
another link gets that link.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, ndtr

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.adapters._gpytorch._copies import FAILURES, numpy_of
from rsens.adapters._gpytorch._settings import exact_settings
from rsens.adapters._gpytorch._softplus import SoftplusCounts
from rsens.derivatives import Derivatives, chain_rule
from rsens.distributions import Distribution, LogNormal, Normal
from rsens.likelihoods import (
    GaussianLikelihood,
    LogitLikelihood,
    NegativeBinomialLikelihood,
    PoissonLikelihood,
    ProbitLikelihood,
    StudentTLikelihood,
)
from rsens.posteriors import Latent


class PredictiveMap(Protocol):
    """λ as a function of the latent mean and variance; our likelihoods are such maps."""

    def predictive(self, m: ArrayLike, v: ArrayLike) -> Distribution: ...

    def predictive_derivatives(self, m: ArrayLike, v: ArrayLike, order: int) -> tuple[Array, Array | None]: ...


@dataclass(frozen=True)
class Observation:
    """What y is given f: the map, the name of its family, and where the noise of y comes from."""

    map: PredictiveMap
    family: str
    noise: str

    def predictive(self, latent: Latent) -> Distribution:
        return self.map.predictive(latent.mean, latent.variance)

    def derivatives(self, latent: Latent) -> Derivatives:
        assert latent.first is not None
        order = 1 if latent.second is None else 2
        outer = self.map.predictive_derivatives(latent.mean, latent.variance, order)
        return Derivatives(self.predictive(latent), *chain_rule(latent.first, latent.second, *outer))


@dataclass(frozen=True)
class NormalMap:
    """y = f + noise: Normal(m, v + σ²). Unlike in our likelihood, σ² may be 0: a variance may have it already."""

    noise_variance: float

    def predictive(self, m: ArrayLike, v: ArrayLike) -> Distribution:
        return Normal(np.asarray(m), np.asarray(v) + self.noise_variance).checked()

    def predictive_derivatives(self, m: ArrayLike, v: ArrayLike, order: int) -> tuple[Array, Array | None]:
        return GaussianLikelihood().predictive_derivatives(m, v, order)


@dataclass(frozen=True)
class LogNormalMap:
    """log y = f + noise: LogNormal(m, v + σ²)."""

    noise_variance: float

    def predictive(self, m: ArrayLike, v: ArrayLike) -> Distribution:
        return LogNormal(np.asarray(m), np.asarray(v) + self.noise_variance).checked()

    def predictive_derivatives(self, m: ArrayLike, v: ArrayLike, order: int) -> tuple[Array, Array | None]:
        return GaussianLikelihood().predictive_derivatives(m, v, order)


def gaussian(noise_variance: float, noise: str, exponentiated: bool = False) -> Observation:
    """y, or log y, is f plus Gaussian noise; noise 0 for an f that has it already."""
    if exponentiated:
        return Observation(LogNormalMap(noise_variance), "LogNormal", noise)
    return Observation(NormalMap(noise_variance), "Normal", noise)


# ---- reading a likelihood --------------------------------------------------------------------------------------------

#: Values of f at which a likelihood says what it is.
PROBES = np.array([-2.3, -0.7, 0.0, 0.4, 1.1, 2.9])


def read_observation(likelihood: Any) -> Observation:
    """The likelihood, which gives one number y for each f, as a map to one of our families."""
    import torch

    try:
        with torch.no_grad(), exact_settings():
            given = likelihood.forward(torch.tensor(PROBES))
        read = READERS.get(type(given).__name__)
        found = None if read is None else read(_Given(given))
        if found is not None and likelihood.has_analytic_marginal and not _has_this_mean(likelihood, found):
            found = None
    except FAILURES:
        found = None
    if found is None:
        raise InputError(
            Argument("likelihood"),
            f" must give one number y per row, as Normal or StudentT around f, Bernoulli (probit or logit), or counts, "
            f"Poisson or NegativeBinomial with mean exp(f) or softplus(f); got {type(likelihood).__name__}. Write the "
            "prediction yourself: from_torch(fn) with fn(X) that returns one of the families.",
        )
    return found


def _has_this_mean(likelihood: Any, found: Observation) -> bool:
    """Whether the likelihood's own formula for y, which need not follow from its `forward`, has the same mean."""
    import torch
    from gpytorch.distributions import MultivariateNormal

    variance = 0.5
    with torch.no_grad(), exact_settings():
        latent = MultivariateNormal(torch.tensor(PROBES), variance * torch.eye(len(PROBES), dtype=torch.float64))
        mean = numpy_of(likelihood(latent).mean)
    return _same(mean, found.map.predictive(PROBES, np.full(len(PROBES), variance)).mean)


class _Given:
    """The arguments of the distribution that a likelihood gave for `PROBES`, as arrays."""

    def __init__(self, distribution: Any) -> None:
        self._distribution = distribution

    def __call__(self, name: str) -> Array:
        return np.broadcast_to(numpy_of(getattr(self._distribution, name)), PROBES.shape)

    def constant(self, name: str) -> float | None:
        values = self(name)
        return float(values[0]) if _same(values, values[0]) else None


def _same(one: Array, other: Any) -> bool:
    return bool(np.allclose(one, other, rtol=1e-7, atol=1e-12))


def _normal(given: _Given) -> Observation | None:
    scale = given.constant("scale")
    if scale is None or not _same(given("loc"), PROBES):
        return None
    return gaussian(scale**2, f"included: {scale**2:.3g} (likelihood)")


def _student_t(given: _Given) -> Observation | None:
    scale, df = given.constant("scale"), given.constant("df")
    if scale is None or df is None or df <= 2.0 or not _same(given("loc"), PROBES):
        return None
    noise = f"included: squared scale {scale**2:.3g}, {df:.3g} degrees of freedom (likelihood)"
    return Observation(StudentTLikelihood(scale**2, df), "StudentT", noise)


def _bernoulli(given: _Given) -> Observation | None:
    links = {"probit": (ndtr, ProbitLikelihood()), "logit": (expit, LogitLikelihood())}
    for link, (inverse, likelihood) in links.items():
        if _same(given("probs"), inverse(PROBES)):
            return Observation(likelihood, "Bernoulli", f"included: classes given f ({link})")
    return None


def _poisson(given: _Given) -> Observation | None:
    if _same(given("rate"), np.exp(PROBES)):
        return Observation(PoissonLikelihood(), "Poisson", "included: counts given f, rate exp(f)")
    if _same(given("rate"), np.logaddexp(0.0, PROBES)):
        return Observation(SoftplusCounts(), "Poisson", "included: counts given f, rate softplus(f)")
    return None


def _negative_binomial(given: _Given) -> Observation | None:
    """torch's mean is k p/(1 − p) for its total_count k and probs p."""
    size = given("total_count")
    mean = size * given("probs") / (1.0 - given("probs"))
    if given.constant("total_count") is not None and _same(mean, np.exp(PROBES)):
        likelihood = NegativeBinomialLikelihood(float(size[0]))
        return Observation(likelihood, "NegativeBinomial", "included: counts given f, mean exp(f)")
    factor, ratio = mean / np.logaddexp(0.0, PROBES), size / mean
    if _same(factor, factor[0]) and _same(ratio, ratio[0]):
        counts = SoftplusCounts(float(ratio[0]), float(factor[0]))
        return Observation(counts, "NegativeBinomial", "included: counts given f, mean in proportion to softplus(f)")
    return None


#: By the class of torch.distributions that `forward` of a likelihood gives.
READERS: dict[str, Callable[[_Given], Observation | None]] = {
    "Normal": _normal,
    "StudentT": _student_t,
    "Bernoulli": _bernoulli,
    "Poisson": _poisson,
    "NegativeBinomial": _negative_binomial,
}
