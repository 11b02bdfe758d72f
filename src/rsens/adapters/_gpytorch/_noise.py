"""The Gaussian noise of GPyTorch's likelihoods: at the training rows, and of a new observation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.adapters._gpytorch._copies import numpy_of
from rsens.adapters._gpytorch._kernels import own_class
from rsens.adapters._gpytorch._moments import LatentMoments, Moments, ObservationMoments
from rsens.adapters._gpytorch._observations import Observation, gaussian
from rsens.adapters._gpytorch._refusals import refuse_fixed_noise
from rsens.adapters._gpytorch._transforms import Outcome
from rsens.derivatives import Finding


@dataclass(frozen=True, eq=False)
class TrainingNoise:
    """The variance of the noise at the training rows: one number, or one per row with `varies`."""

    variances: Array
    varies: bool = False

    @property
    def mean(self) -> float:
        return float(self.variances.mean())


def read_noise(likelihood: Any, draw: int | None = None) -> TrainingNoise | None:
    """The noise of GPyTorch's own Gaussian likelihoods; None for any other, which may depend on x."""
    name = own_class(likelihood)
    if name == "gpytorch.GaussianLikelihood" and own_class(likelihood.noise_covar) == "gpytorch.HomoskedasticNoise":
        variances = numpy_of(likelihood.noise)
        if draw is not None and len(variances) > 1:
            variances = variances[draw]
        return TrainingNoise(variances.reshape(())) if variances.size == 1 else None
    if name == "gpytorch.FixedNoiseGaussianLikelihood":
        variances = numpy_of(likelihood.noise)
        variances = variances if draw is None or variances.ndim < 2 else variances[draw]
        return TrainingNoise(variances, varies=bool(np.ptp(variances) > 0.0)) if variances.ndim == 1 else None
    return None


def gaussian_moments(model: Any, copy: Any, likelihood: Any) -> tuple[Moments, Observation]:
    """What to differentiate, and what to add to it, for a Gaussian likelihood: f and a known noise, or y itself."""
    known, name = read_noise(likelihood), type(likelihood).__name__
    if known is not None and known.varies:
        raise refuse_fixed_noise(model)
    if known is not None:
        return LatentMoments(copy), gaussian(known.mean, f"included: {known.mean:.3g} ({name})")
    takes_rows = own_class(getattr(likelihood, "noise_covar", None)) == "gpytorch.HeteroskedasticNoise"
    return ObservationMoments(copy, likelihood, takes_rows), gaussian(0.0, f"included: as {name} has it")


def observed(noise: TrainingNoise, outcome: Outcome) -> tuple[Observation, Finding]:
    """What y is in its own units, with the noise that BoTorch gives a new observation, and what to say about that."""
    variance = noise.mean * outcome.scale**2
    where = "train_Yvar" if noise.variances.ndim else "likelihood"
    if noise.varies:
        text = f"included: {variance:.3g}, the mean of train_Yvar"
        finding = Finding(
            "noise",
            "warning",
            f"The noise of a new observation is taken to be the mean of train_Yvar, {variance:.3g}, as BoTorch's "
            "posterior(X, observation_noise=True) does. The truth may change with x.",
        )
    else:
        text = f"included: {variance:.3g} ({where})"
        finding = Finding("noise", "ok", f"The prediction is of an observation: noise {text}.")
    return gaussian(variance, text, outcome.exponentiated), finding
