"""From the latent f to an observation: GPyTorch's likelihoods as maps from (m, v) to one of our families.

A likelihood is recognised by the distributions that it gives at a few values of f, not by its name: a subclass whose
`forward` has another link gets that link.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit, logsumexp, ndtr

from rsens._conversions import as_family
from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.adapters._adapter import own_class
from rsens.adapters._gpytorch._native import FAILURES, Moments, exact_settings, numpy_of
from rsens.adapters._linear_predictor import LocationResponse, MeanResponse, Response, probability_mean
from rsens.derivatives import Finding
from rsens.distributions import Bernoulli, Distribution, LogNormal, NegativeBinomial, Normal, Poisson, StudentT
from rsens.likelihoods import (
    LogitLikelihood,
    NegativeBinomialLikelihood,
    PoissonLikelihood,
    ProbitLikelihood,
    StudentTLikelihood,
)


@dataclass(frozen=True)
class Observation:
    """The distribution of y given f: the map from (m, v), the name of its family, and the source of its noise."""

    response: Response
    family: str
    noise: str
    #: A reason to doubt the noise.
    doubt: str = ""

    @property
    def finding(self) -> Finding:
        if self.doubt:
            return Finding("noise", "warning", self.doubt)
        return Finding("noise", "ok", f"The prediction is of an observation: noise {self.noise}.")


@dataclass(frozen=True)
class Outcome:
    """y = shift + scale·z, or exp of it with `exponentiated`, for z on the scale on which the model works."""

    shift: float = 0.0
    scale: float = 1.0
    exponentiated: bool = False


def gaussian(noise_variance: float, noise: str, exponentiated: bool = False, doubt: str = "") -> Observation:
    """y, or log y, is f plus Gaussian noise; noise 0 for an f that has it already."""
    family: type[Normal] | type[LogNormal] = LogNormal if exponentiated else Normal
    return Observation(LocationResponse(family, noise_variance), family.__name__, noise, doubt)


def read_noise(likelihood: Any, draw: int | None = None) -> Array | None:
    """The variance of the noise at the training rows, () or (N,); None for other than GPyTorch's own Gaussians."""
    name, noise = own_class(likelihood), getattr(likelihood, "noise_covar", None)
    if name == "gpytorch.GaussianLikelihood" and own_class(noise) == "gpytorch.HomoskedasticNoise":
        variances = numpy_of(likelihood.noise)
        variances = variances if draw is None or len(variances) == 1 else variances[draw]
        return variances.reshape(()) if variances.size == 1 else None
    if name == "gpytorch.FixedNoiseGaussianLikelihood":
        variances = numpy_of(likelihood.noise)
        variances = variances if draw is None or variances.ndim < 2 else variances[draw]
        return variances if variances.ndim == 1 else None
    return None


def gaussian_moments(model: Any, copy: Any, likelihood: Any) -> tuple[Moments, Observation]:
    """The moments to differentiate and the noise to add for a Gaussian likelihood: f and a known noise, or y itself."""
    variances, name = read_noise(likelihood), type(likelihood).__name__
    if variances is None:
        of_rows = own_class(getattr(likelihood, "noise_covar", None)) == "gpytorch.HeteroskedasticNoise"
        moments = Moments(copy, likelihood=likelihood, noise_of_rows=of_rows)
        return moments, gaussian(0.0, f"included: as {name} has it")
    if np.ptp(variances) > 0.0:
        raise InputError(
            f"{type(model).__name__} has a FixedNoiseGaussianLikelihood, with a noise for every training row; the "
            "noise of a new observation is not known. Set it: likelihood = GaussianLikelihood(), likelihood.noise = "
            "…, and rsens.from_gpytorch(model, likelihood)."
        )
    noise = float(variances.mean())
    return Moments(copy), gaussian(noise, f"included: {noise:.3g} ({name})")


def observed(variances: Array, outcome: Outcome) -> Observation:
    """The observation in units of y, with the noise that BoTorch gives a new one."""
    variance = float(variances.mean()) * outcome.scale**2
    if np.ptp(variances) == 0.0:
        where = "train_Yvar" if variances.ndim else "likelihood"
        return gaussian(variance, f"included: {variance:.3g} ({where})", outcome.exponentiated)
    doubt = (
        f"The noise of a new observation is taken to be the mean of train_Yvar, {variance:.3g}, as BoTorch's "
        "posterior(X, observation_noise=True) does. The truth may change with x."
    )
    return gaussian(variance, f"included: {variance:.3g}, the mean of train_Yvar", outcome.exponentiated, doubt)


#: Values of f at which a likelihood is asked.
PROBES = np.array([-2.3, -0.7, 0.0, 0.4, 1.1, 2.9])


def read_observation(likelihood: Any) -> Observation:
    """The likelihood, which gives one number y for each f, as a map to one of our families."""
    import torch

    try:
        with torch.no_grad(), exact_settings():
            given = as_family(likelihood.forward(torch.tensor(PROBES))).checked(len(PROBES))
        found = _recognised(given)
        if found is not None and likelihood.has_analytic_marginal and not _has_this_mean(likelihood, found):
            found = None
    except FAILURES:
        found = None
    if found is None:
        raise InputError(
            Argument("likelihood"),
            f" must give one number y per row: Normal or StudentT around f, Bernoulli (probit or logit), Poisson or "
            f"NegativeBinomial with mean exp(f) or softplus(f); got {type(likelihood).__name__}. Write the prediction "
            "yourself: from_torch(fn) with fn(X) that returns one of the families.",
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
    return _same(mean, found.response.predictive(PROBES, np.full(len(PROBES), variance)).mean)


def _recognised(given: Distribution) -> Observation | None:
    """The likelihood that gives this family at `PROBES`; None for a family or link that is not ours."""
    first, *others = given.parameters.T
    for kind, link, response, noise in LINKS:
        if isinstance(given, kind) and _same(first, link(PROBES)):
            return Observation(response, kind.__name__, f"included: {noise}")
    if isinstance(given, Normal | StudentT) and _same(first, PROBES) and _same(others[0], others[0][0]):
        scale2 = float(others[0][0])
        if isinstance(given, Normal):
            return gaussian(scale2, f"included: {scale2:.3g} (likelihood)")
        df = np.broadcast_to(given.df, PROBES.shape)
        if df[0] > 2.0 and _same(df, df[0]):
            noise = f"included: squared scale {scale2:.3g}, {df[0]:.3g} degrees of freedom (likelihood)"
            return Observation(StudentTLikelihood(scale2, float(df[0])), "StudentT", noise)
    if isinstance(given, NegativeBinomial):
        size, ratio, factor = others[0], others[0] / first, first / np.logaddexp(0.0, PROBES)
        if _same(size, size[0]) and _same(first, np.exp(PROBES)):
            likelihood = NegativeBinomialLikelihood(float(size[0]))
            return Observation(likelihood, "NegativeBinomial", "included: counts given f, mean exp(f)")
        if _same(factor, factor[0]) and _same(ratio, ratio[0]):
            counts, noise = softplus_counts(float(ratio[0]), float(factor[0])), "mean in proportion to softplus(f)"
            return Observation(counts, "NegativeBinomial", f"included: counts given f, {noise}")
    return None


def _same(one: Array, other: Any) -> bool:
    return bool(np.allclose(one, other, rtol=1e-7, atol=1e-12))


#: Standard deviations of f beyond which its density is negligible.
REACH = 9.0
#: Softplus has its nearest poles at ±iπ, so the trapezoid rule with this step is exact to rounding; a Gaussian needs a
#: quarter of its standard deviation.
STEP, GAUSSIAN_STEP = 0.35, 0.25
_BLOCK = 2**20  # nodes in memory at once


def softplus_counts(ratio: float | None = None, factor: float = 1.0) -> MeanResponse:
    """Poisson counts, or negative binomial ones with size = ratio·mean, as GPyTorch has them; our rates are e^f."""
    mean = partial(_softplus_moments, factor)
    if ratio is None:
        return MeanResponse(mean, Poisson, (1.0,))
    return MeanResponse(mean, partial(_with_ratio, ratio), (1.0, ratio))


def _with_ratio(ratio: float, mean: Array) -> NegativeBinomial:
    """Counts whose variance is in proportion to their mean."""
    return NegativeBinomial(mean, ratio * mean)


def _softplus_moments(factor: float, m: Array, v: Array) -> tuple[Array, Array, Array]:
    """h = factor·E[softplus(f)] with its derivatives in (m, v).

    Softplus' is the logistic function σ. So with π = E[σ(f)]: ∂h/∂m = π, ∂h/∂v = ½ ∂π/∂m, and likewise for the second
    derivatives; π and its derivatives come from our logit.
    """
    π, first, second = probability_mean(LogitLikelihood(), m, v)
    gradient = np.stack([π, 0.5 * first[:, 0]], -1)
    hessian = np.stack([first, np.stack([first[:, 1], 0.5 * second[:, 0, 1]], -1)], 1)
    return factor * mean_softplus(m, v), factor * gradient, factor * hessian


def mean_softplus(m: Array, v: Array) -> Array:
    """E[log(1 + e^f)] for f ~ N(m, v), with all its digits where it is small."""
    deviation = np.sqrt(v)
    low, high = -REACH * deviation, v + REACH * deviation  # far down softplus is e^f, which tilts the Gaussian by v
    step = np.minimum(STEP, GAUSSIAN_STEP * deviation)
    with np.errstate(divide="ignore", invalid="ignore"):
        counts = np.where(v > 0.0, np.ceil((high - low) / step), 0.0).astype(int) + 1
    results = np.empty(len(m))
    for rows in np.array_split(np.argsort(counts), 1 + int(counts.sum()) // _BLOCK):
        K = counts[rows].max()
        d = low[rows, None] + (high - low)[rows, None] * np.linspace(0.0, 1.0, K)
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            log_density = np.where(v[rows, None] > 0.0, -0.5 * d**2 / v[rows, None], 0.0)
            log_value = np.log(np.logaddexp(0.0, m[rows, None] + d))
            results[rows] = np.exp(logsumexp(log_density + log_value, axis=1) - logsumexp(log_density, axis=1))
    return results


#: Families with one parameter: what it is as a function of f, the likelihood that is, and where its noise is.
LINKS: tuple[tuple[type[Distribution], Callable[[Array], Array], Response, str], ...] = (
    (Bernoulli, ndtr, ProbitLikelihood(), "classes given f (probit)"),
    (Bernoulli, expit, LogitLikelihood(), "classes given f (logit)"),
    (Poisson, np.exp, PoissonLikelihood(), "counts given f, rate exp(f)"),
    (Poisson, lambda f: np.logaddexp(0.0, f), softplus_counts(), "counts given f, rate softplus(f)"),
)
