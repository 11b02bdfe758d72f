"""Models of BoTorch: the same GPs with transforms of inputs and outcome, and fully Bayesian ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.adapters._adapter import is_a
from rsens.adapters._gpytorch._approximate import inducing_points
from rsens.adapters._gpytorch._autograd import Autograd
from rsens.adapters._gpytorch._checks import State
from rsens.adapters._gpytorch._closed_form import closed_form, remembered
from rsens.adapters._gpytorch._copies import working_copy
from rsens.adapters._gpytorch._draws import drawn_gps
from rsens.adapters._gpytorch._kernels import own_class
from rsens.adapters._gpytorch._model import GaussianProcess
from rsens.adapters._gpytorch._moments import Moments, PosteriorMoments
from rsens.adapters._gpytorch._noise import observed, read_noise
from rsens.adapters._gpytorch._observations import gaussian, read_observation
from rsens.adapters._gpytorch._refusals import check_single_exact, check_single_output, check_variational, refuse_kind
from rsens.adapters._gpytorch._source import LatentSource
from rsens.adapters._gpytorch._transforms import (
    Outcome,
    affine_inputs,
    original_inputs,
    read_outcome,
    refuse_outcome,
)
from rsens.derivatives import Finding, Model

#: BoTorch's own posteriors of a single GP; others, and the user's, are asked and not read.
USUAL_POSTERIORS = ("GPyTorchModel.posterior", "BatchedMultiOutputGPyTorchModel.posterior")


def botorch_model(model: Any) -> Model:
    """A model of BoTorch with one output."""
    if not is_a(model, "botorch.GPyTorchModel"):
        raise refuse_kind(model)
    check_single_output(model)
    if is_a(model, "botorch.AbstractFullyBayesianSingleTaskGP"):
        return drawn_gps(model)
    if is_a(model, "botorch.ApproximateGPyTorchModel"):
        return _variational(model)
    check_single_exact(model)
    copy = working_copy(model)
    inputs = original_inputs(copy)
    outcome, noise = read_outcome(copy), read_noise(copy.likelihood)
    if outcome is None or noise is None or type(model).posterior.__qualname__ not in USUAL_POSTERIORS:
        return _as_posterior_says(model, copy, inputs)
    units = affine_inputs(copy, inputs)
    source: LatentSource | None = None
    if units is not None:
        source = remembered(model, closed_form(copy, noise.variances, units))
    observation, finding = observed(noise, outcome)
    levels = _levels(copy, inputs)
    if source is None:
        source = Autograd.of(_without_outcome(copy), inputs, inputs, len(inputs), levels)
    return GaussianProcess(source, outcome, observation, State.of(model, inputs.shape[1], finding), inputs, levels)


def _as_posterior_says(model: Any, copy: Any, inputs: Array) -> GaussianProcess:
    """`posterior(X, observation_noise=True)` as it is, for models that do more than we read."""
    if read_outcome(copy) is None and not getattr(copy.outcome_transform, "_is_linear", False):
        raise refuse_outcome(model)
    outcome = read_outcome(copy) or Outcome()
    if outcome.exponentiated:
        moments: Moments = _without_outcome(copy, observation_noise=True)
    else:
        moments, outcome = PosteriorMoments(copy, observation_noise=True), Outcome()
    text = "included: as posterior(X, observation_noise=True) has it"
    finding = Finding("noise", "ok", f"The prediction is of an observation: noise {text}.")
    multitask = is_a(model, "botorch.MultiTaskGP")  # its training inputs have a column for the task
    rows = None if multitask else inputs
    levels = _levels(copy, inputs)
    source = Autograd.of(moments, rows, rows, len(inputs), levels)
    state = State.of(model, None if multitask else inputs.shape[1], finding)
    return GaussianProcess(source, outcome, gaussian(0.0, text, outcome.exponentiated), state, rows, levels)


def _variational(model: Any) -> GaussianProcess:
    """SingleTaskVariationalGP and its kin."""
    check_variational(model)
    copy = working_copy(model)
    outcome = read_outcome(copy)
    if outcome is None:
        raise refuse_outcome(model)
    noise = read_noise(copy.likelihood)
    if noise is not None:
        observation, finding = observed(noise, outcome)
    elif outcome == Outcome():
        observation = read_observation(copy.likelihood)
        finding = Finding("noise", "ok", f"The prediction is of an observation: noise {observation.noise}.")
    else:
        raise refuse_outcome(model)
    points = inducing_points(copy.model)
    units = None if points is None else affine_inputs(copy, points)
    anchors = None if points is None or units is None else units.undone(points)
    source = Autograd.of(_without_outcome(copy), anchors, None, 1000 if points is None else len(points))
    columns = None if points is None else points.shape[1]
    return GaussianProcess(source, outcome, observation, State.of(model, columns, finding))


def _without_outcome(copy: Any, observation_noise: bool = False) -> PosteriorMoments:
    """The posterior on the scale on which the model works; we go back to the units of y ourselves."""
    if hasattr(copy, "outcome_transform"):
        del copy.outcome_transform
    return PosteriorMoments(copy, observation_noise)


def _levels(copy: Any, inputs: Array) -> dict[int, tuple[float, ...]]:
    """The columns that BoTorch's kernel of categories looks at, with their values in the training data."""
    kernels = [part for part in copy.modules() if own_class(part) == "botorch.CategoricalKernel"]
    dims = [range(inputs.shape[1]) if part.active_dims is None else part.active_dims.tolist() for part in kernels]
    return {int(d): tuple(np.unique(inputs[:, d]).tolist()) for each in dims for d in each}
