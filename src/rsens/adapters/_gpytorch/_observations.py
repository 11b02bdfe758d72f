"""From the latent f to an observation: GPyTorch's likelihoods as maps from (m, v) to one of our families."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.adapters._adapter import own_class
from rsens.adapters._gpytorch._native import Moments, numpy_of
from rsens.adapters._linear_predictor import LocationResponse, MeanResponse, Response, probability_mean
from rsens.derivatives import Finding
from rsens.distributions import LogNormal, Normal, Poisson
from rsens.likelihoods import (
    LogitLikelihood,
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


def read_noise(likelihood: Any) -> Array | None:
    """The variance of the noise at the training rows, () or (N,); None for other than GPyTorch's own Gaussians."""
    name, noise = own_class(likelihood), getattr(likelihood, "noise_covar", None)
    if name == "gpytorch.GaussianLikelihood" and own_class(noise) == "gpytorch.HomoskedasticNoise":
        variances = numpy_of(likelihood.noise)
        return variances.reshape(()) if variances.size == 1 else None
    if name == "gpytorch.FixedNoiseGaussianLikelihood" and likelihood.noise.ndim == 1:
        return numpy_of(likelihood.noise)
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


def read_observation(likelihood: Any) -> Observation:
    """One of GPyTorch's own likelihoods, which give one number y for each f, as a map to one of our families."""
    name = own_class(likelihood).removeprefix("gpytorch.")
    if name == "BernoulliLikelihood":
        return Observation(ProbitLikelihood(), "Bernoulli", "included: classes given f (probit)")
    if name == "PoissonLikelihood":
        response = MeanResponse(softplus_moments, Poisson, (1.0,))
        return Observation(response, "Poisson", "included: counts given f, rate softplus(f)")
    if name == "StudentTLikelihood":
        scale2, df = numpy_of(likelihood.noise).item(), numpy_of(likelihood.deg_free).item()
        noise = f"included: squared scale {scale2:.3g}, {df:.3g} degrees of freedom (likelihood)"
        return Observation(StudentTLikelihood(scale2, df), "StudentT", noise)
    raise InputError(
        Argument("likelihood"),
        f" must be Gaussian, or GPyTorch's BernoulliLikelihood, PoissonLikelihood or StudentTLikelihood; got "
        f"{type(likelihood).__name__}. Write the prediction yourself: from_torch(fn) with fn(X) that returns a family.",
    )


def softplus_moments(m: Array, v: Array) -> tuple[Array, Array, Array]:
    """h = E[softplus(f)] with its derivatives in (m, v), for f ~ N(m, v).

    Softplus' is the logistic function σ. So with π = E[σ(f)]: ∂h/∂m = π, ∂h/∂v = ½ ∂π/∂m, and likewise for the second
    derivatives; π and its derivatives come from our logit.
    """
    π, first, second = probability_mean(LogitLikelihood(), m, v)
    gradient = np.stack([π, 0.5 * first[:, 0]], -1)
    hessian = np.stack([first, np.stack([first[:, 1], 0.5 * second[:, 0, 1]], -1)], 1)
    return mean_softplus(m, v), gradient, hessian


#: Standard deviations of f beyond which its density is negligible, and nodes in between. Softplus has its nearest poles
#: at ±iπ, so the trapezoid rule is exact to rounding for steps up to ½, which are enough up to a deviation of 15.
REACH, NODES = 9.0, 1001


def mean_softplus(m: Array, v: Array) -> Array:
    """E[log(1 + e^f)] for f ~ N(m, v), with all its digits where it is small."""
    low, high = -REACH * np.sqrt(v), v + REACH * np.sqrt(v)  # far down softplus is e^f, which tilts the Gaussian by v
    d = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, NODES)
    log_density = -0.5 * d**2 / np.where(v > 0.0, v, 1.0)[:, None]
    log_value = np.log(np.logaddexp(0.0, m[:, None] + d))
    return np.asarray(np.exp(logsumexp(log_density + log_value, axis=1) - logsumexp(log_density, axis=1)))
