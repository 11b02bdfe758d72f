"""Models of BoTorch: the same GPs with transforms of inputs and outcome, and fully Bayesian ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rsens._conversions import is_a
from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._adapter import own_class
from rsens.adapters._ensemble import EnsembleModel
from rsens.adapters._gpytorch._closed_form import AffineInputs, ClosedForm, closed_form
from rsens.adapters._gpytorch._gaussian_process import (
    SOME_POINTS,
    GaussianProcess,
    check_single_exact,
    check_variational,
    gaussian_process,
    inducing_points,
)
from rsens.adapters._gpytorch._native import Autograd, Moments, numpy_of, working_copy
from rsens.adapters._gpytorch._observations import Outcome, gaussian, observed, read_noise, read_observation
from rsens.derivatives import Model

#: BoTorch's own posteriors of a single GP; others, and the user's, are asked and not read.
USUAL_POSTERIORS = ("GPyTorchModel.posterior", "BatchedMultiOutputGPyTorchModel.posterior")
#: Rounding of a transform of rows.
ROUNDING = 1e-11


def botorch_model(model: Any) -> Model:
    """A model of BoTorch with one output and a normal posterior."""
    if model.num_outputs > 1:
        raise InputError(
            f"{type(model).__name__} has {model.num_outputs} outputs. Explain one at a time: model.subset_output([0]), "
            "or a model fitted to one column of train_Y."
        )
    if is_a(model, "botorch.AbstractFullyBayesianSingleTaskGP"):
        return _fully_bayesian(model)
    if is_a(model, "botorch.ApproximateGPyTorchModel"):
        return _variational(model)
    check_single_exact(model)
    copy = working_copy(model)
    inputs = _original_inputs(copy)
    outcome, noise = read_outcome(copy), read_noise(copy.likelihood)
    if outcome is None or noise is None or type(model).posterior.__qualname__ not in USUAL_POSTERIORS:
        return _as_posterior_says(model, copy, inputs)
    units = affine_inputs(copy, inputs)
    source: ClosedForm | Autograd | None = None if units is None else closed_form(copy, noise, units)
    levels = _levels(copy, inputs)
    if source is None:
        source = Autograd(Moments(_without_outcome(copy), posterior="f"), inputs, inputs, len(inputs), tuple(levels))
    more = {"outcome": outcome, "training_inputs_": inputs, "levels": levels}
    return gaussian_process(model, source, observed(noise, outcome), inputs.shape[1], **more)


def _as_posterior_says(model: Any, copy: Any, inputs: Array) -> GaussianProcess:
    """`posterior(X, observation_noise=True)` through PyTorch, for models that do more than we read."""
    outcome = read_outcome(copy)
    if outcome is None and not getattr(copy.outcome_transform, "_is_linear", False):
        raise _unknown_outcome(model)
    if outcome is not None and outcome.exponentiated:
        copy = _without_outcome(copy)
    else:
        outcome = Outcome()
    multitask = is_a(model, "botorch.MultiTaskGP")  # its training inputs have a column for the task
    rows, levels = None if multitask else inputs, _levels(copy, inputs)
    source = Autograd(Moments(copy, posterior="y"), rows, rows, len(inputs), tuple(levels))
    observation = gaussian(0.0, "included: as posterior(X, observation_noise=True) has it", outcome.exponentiated)
    more = {"outcome": outcome, "training_inputs_": rows, "levels": levels}
    return gaussian_process(model, source, observation, None if multitask else inputs.shape[1], **more)


def _variational(model: Any) -> GaussianProcess:
    """SingleTaskVariationalGP and its kin."""
    check_variational(model)
    copy = working_copy(model)
    outcome, noise = read_outcome(copy), read_noise(copy.likelihood)
    if outcome is None or (noise is None and outcome != Outcome()):
        raise _unknown_outcome(model)
    observation = read_observation(copy.likelihood) if noise is None else observed(noise, outcome)
    points = inducing_points(copy.model)
    units = None if points is None else affine_inputs(copy, points)
    anchors = None if points is None or units is None else units.undone(points)
    moments = Moments(_without_outcome(copy), posterior="f")
    source = Autograd(moments, anchors, None, SOME_POINTS if points is None else len(points))
    return gaussian_process(model, source, observation, None if points is None else points.shape[1], outcome=outcome)


def _fully_bayesian(model: Any) -> EnsembleModel:
    """One GP per draw of the hyperparameters; the prediction is their mixture, all with the same weight."""
    name = type(model).__name__
    if model.covar_module is None:
        raise InputError(f"{name} is not fitted. Call fit_fully_bayesian_model_nuts(model) first.")
    copy = working_copy(model)
    inputs, outcome = _original_inputs(copy), read_outcome(copy)
    if outcome is None:
        raise _unknown_outcome(model)
    units = affine_inputs(copy, inputs)
    copy = _without_outcome(copy)
    noises = [read_noise(copy.likelihood, draw) for draw in range(copy.num_mcmc_samples)]
    known = [noise for noise in noises if noise is not None]
    if len(known) < len(noises):
        raise InputError(f"{name} has a likelihood that rsens does not know: {copy.likelihood}.")
    variances = [float(noise.mean()) * outcome.scale**2 for noise in known]
    text = f"included: of each draw, {min(variances):.3g} to {max(variances):.3g}"
    processes = []
    for draw, noise in enumerate(known):
        source: ClosedForm | Autograd | None = None if units is None else closed_form(copy, noise, units, draw)
        if source is None:
            source = Autograd(Moments(copy, draw, posterior="f"), inputs, inputs, len(inputs) * len(known))
        observation = replace(observed(noise, outcome), noise=text, doubt="")
        more = {"outcome": outcome, "training_inputs_": inputs}
        processes.append(gaussian_process(model, source, observation, inputs.shape[1], **more))
    one = processes[0].about
    whole = replace(one, family=f"Mixture of {len(processes)} {one.family}")
    return EnsembleModel(processes, np.full(len(processes), 1.0 / len(processes)), name, whole)


def _levels(copy: Any, inputs: Array) -> dict[int, tuple[float, ...]]:
    """The columns that BoTorch's kernel of categories looks at, with their values in the training data."""
    kernels = [part for part in copy.modules() if own_class(part) == "botorch.CategoricalKernel"]
    dims = [range(inputs.shape[1]) if part.active_dims is None else part.active_dims.tolist() for part in kernels]
    return {int(d): tuple(np.unique(inputs[:, d]).tolist()) for each in dims for d in each}


def affine_inputs(model: Any, inputs: Array) -> AffineInputs | None:
    """The effect of `transform_inputs` of a working copy on rows, if it is affine in each column; else None.

    Two points of a column give the line, and it must run through the training rows (original units, (N, D)) and
    through rows near them: a rounding to whole numbers is not a line.
    """
    if not hasattr(model, "input_transform"):
        return AffineInputs.none(inputs.shape[1])
    centre = inputs.mean(axis=0)
    spread = np.ptp(inputs, axis=0)
    step = np.where(spread > 0.0, spread, 1.0 + np.abs(centre))
    base, *moved = _transformed(model, np.concatenate([centre[None], centre + np.diag(step)]))
    if base.shape != centre.shape:
        return None
    slopes = (np.diag(np.array(moved)) - base) / step
    found = AffineInputs(centre, base, slopes)
    rows = np.concatenate([inputs, inputs + 0.2137 * step, centre + np.diag(step)])
    expected = found(rows)
    there = _transformed(model, rows)
    close = there.shape == expected.shape and np.abs(there - expected) <= ROUNDING * (1.0 + np.abs(expected))
    return found if np.all(close) else None


def _original_inputs(copy: Any) -> Array:
    """The training inputs in the units of X: in evaluation mode BoTorch keeps the transformed ones in their place."""
    kept = getattr(copy, "_original_train_inputs", None)
    return numpy_of(copy.train_inputs[0] if kept is None else kept)


def _transformed(model: Any, rows: Array) -> Array:
    import torch

    with torch.no_grad():
        return numpy_of(model.transform_inputs(torch.tensor(rows)))


def read_outcome(model: Any) -> Outcome | None:
    """The outcome transform of a working copy with one output; None if there is one that is not affine or a log."""
    return _outcome(getattr(model, "outcome_transform", None))


def _outcome(transform: Any) -> Outcome | None:
    """Only BoTorch's own classes are read: a subclass may do anything."""
    if transform is None:
        return Outcome()
    name = own_class(transform)
    if name == "botorch.Standardize":
        return Outcome(float(numpy_of(transform.means).item()), float(numpy_of(transform.stdvs).item()))
    if name == "botorch.Log":
        return Outcome(exponentiated=True)
    if name != "botorch.ChainedOutcomeTransform":
        return None
    chain = Outcome()
    for inner in reversed([_outcome(part) for part in transform.values()]):  # the last one is undone first
        if inner is None or chain.exponentiated:
            return None
        shift, scale = inner.shift + inner.scale * chain.shift, inner.scale * chain.scale
        chain = Outcome(shift, scale, inner.exponentiated)
    return chain


def _without_outcome(copy: Any) -> Any:
    """The copy with its posterior on the scale on which it works; we go back to the units of y ourselves."""
    if hasattr(copy, "outcome_transform"):
        del copy.outcome_transform
    return copy


def _unknown_outcome(model: Any) -> InputError:
    """The error for an outcome transform that leads out of our families."""
    name = type(model.outcome_transform).__name__
    return InputError(
        f"{type(model).__name__} has the outcome transform {name}, under which the prediction does not correspond to "
        "any rsens family. Fit the model with Standardize (the default), Log, or both chained, or with "
        "outcome_transform=None on targets that you have transformed."
    )
