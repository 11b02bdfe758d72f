"""Models that cannot be explained as they are, and what to do instead."""

from __future__ import annotations

from typing import Any

from rsens._errors import Argument, InputError


def check_single_exact(model: Any) -> None:
    """An exact GP must have data, one matrix of inputs and one column of targets."""
    name, inputs, targets = type(model).__name__, model.train_inputs, model.train_targets
    if not inputs or targets is None:
        raise InputError(f"{name} has no training data. Give it some: model.set_train_data(X, y, strict=False).")
    if len(inputs) > 1:
        raise InputError(
            f"{name} takes {len(inputs)} inputs; rsens needs one matrix of rows. Put them into one matrix, and take "
            "them apart in forward."
        )
    if inputs[0].ndim != 2 or targets.ndim != 1:
        raise InputError(
            f"{name} has inputs of shape {tuple(inputs[0].shape)} and targets of shape {tuple(targets.shape)}: several "
            "outputs, or a batch of GPs. Explain one at a time, with a model of one matrix of inputs and one column of "
            "targets."
        )
    if not (targets.isfinite().all() and inputs[0].isfinite().all()):
        raise InputError(f"{name}: the training data has missing or infinite values. Drop those rows and fit again.")


def check_single_output(model: Any) -> None:
    """A model of BoTorch must have one output."""
    name, outputs = type(model).__name__, model.num_outputs
    if outputs > 1:
        raise InputError(
            f"{name} has {outputs} outputs. Explain one at a time: model.subset_output([0]), or a model fitted to one "
            "column of train_Y."
        )


def refuse_list(model: Any) -> InputError:
    """A list of models has no prediction of its own."""
    name, count = type(model).__name__, len(model.models)
    return InputError(
        f"{name} holds {count} models. Explain one at a time: model.models[0] to model.models[{count - 1}]."
    )


def check_variational(model: Any) -> None:
    """GPyTorch draws the first variational parameters at random when a model is first used."""
    for part in model.modules():
        started = getattr(part, "variational_params_initialized", None)
        if started is not None and not bool(started):
            raise InputError(f"{type(model).__name__} is not fitted: it has never been called. Train it first.")


def refuse_without_likelihood(model: Any) -> InputError:
    return InputError(
        f"{type(model).__name__} does not carry its likelihood, so the noise of an observation is not known. Write "
        "rsens.from_gpytorch(model, likelihood)."
    )


def refuse_likelihood(model: Any) -> InputError:
    return InputError(
        f"{type(model).__name__} of BoTorch has its likelihood, in the units of its outcome transform. Leave ",
        Argument("likelihood"),
        " out.",
    )


def refuse_fixed_noise(model: Any) -> InputError:
    return InputError(
        f"{type(model).__name__} has a FixedNoiseGaussianLikelihood, with a noise for every training row; the noise of "
        "a new observation is not known. Say what it is: likelihood = GaussianLikelihood(), "
        "likelihood.noise = …, and rsens.from_gpytorch(model, likelihood)."
    )


def refuse_kind(model: Any) -> InputError:
    return InputError(
        f"{type(model).__name__} is no GP that rsens can explain: it takes ExactGP and ApproximateGP of GPyTorch, and "
        "BoTorch's models with a normal posterior. Write the prediction yourself: from_torch(fn) with fn(X) that "
        "returns one of the families."
    )
