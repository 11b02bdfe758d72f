"""The model that every GP of GPyTorch and BoTorch becomes: a latent Gaussian, and an observation of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rsens._coding import Coding
from rsens._conversions import is_a, package_of
from rsens._errors import Argument, InputError, warn
from rsens._typing import Array
from rsens.adapters._adapter import Adapter, Described, check_columns, own_class, wrong_kind
from rsens.adapters._gpytorch._closed_form import AffineInputs, ClosedForm, closed_form, remembered
from rsens.adapters._gpytorch._native import Autograd, Moments, cholesky_limit, is_single, numpy_of, working_copy
from rsens.adapters._gpytorch._observations import (
    Observation,
    Outcome,
    gaussian,
    gaussian_moments,
    observed,
    read_noise,
    read_observation,
)
from rsens.adapters._linear_predictor import in_units, through_response
from rsens.derivatives import Derivatives, Description, Finding, Model, check_order, rows_of, without_columns
from rsens.distributions import Distribution

#: The warning for a model in single precision.
SINGLE = (
    "The model is in single precision (float32): its data and hyperparameters have 7 digits. rsens predicts from them "
    "in double precision. Before the fit, call model.double() and give float64 data if small derivatives matter."
)
#: BoTorch's own posteriors of a single GP; others, and the user's, are asked and not read.
USUAL_POSTERIORS = ("GPyTorchModel.posterior", "BatchedMultiOutputGPyTorchModel.posterior")
#: Rounding of a transform of rows.
ROUNDING = 1e-11
#: Inducing points of a model that does not show them, for the memory that they take.
SOME_POINTS = 1000


def from_gpytorch(model: Any, likelihood: Any = None) -> Model:
    """A fitted Gaussian process of GPyTorch with its likelihood: it predicts `likelihood(model(X))`.

    An ExactGP holds its likelihood and can be given to `explain` and all measures directly; an ApproximateGP does not.
    The model and GPyTorch's settings are left unchanged.

    Args:
        model: An ExactGP, an ApproximateGP, a module with one of these in it, or a model of BoTorch, in any mode.
        likelihood: The likelihood of an observation: Gaussian, StudentT, Bernoulli, Poisson or NegativeBinomial, or
            your own class with such a distribution around f. None means the model's own.

    Returns:
        A model for `explain`, `rsens` and all other measures.

    Example:
        ``rsens.explain(rsens.from_gpytorch(model, likelihood), X)``

    Example:
        >>> import gpytorch
        >>> import rsens
        >>> import torch
        >>> class GP(gpytorch.models.ExactGP):
        ...     def forward(self, X):
        ...         mean, covariance = gpytorch.means.ZeroMean(), gpytorch.kernels.RBFKernel()
        ...         return gpytorch.distributions.MultivariateNormal(mean(X), covariance(X))
        >>> likelihood = gpytorch.likelihoods.GaussianLikelihood()
        >>> X, y = torch.tensor([[0.0], [1.0]]).double(), torch.tensor([0.0, 1.0]).double()
        >>> gp = GP(X, y, likelihood).double().eval()
        >>> rsens.rsens(rsens.from_gpytorch(gp, likelihood), [[0.5]]).round(2).tolist()
        [[0.57]]
    """
    parts = "gpytorch.Likelihood", "gpytorch.Kernel", "gpytorch.Mean"
    if not _accepts(model) and (not is_a(model, "gpytorch.Module") or is_a(model, *parts)):
        raise wrong_kind("from_gpytorch", "model", "a Gaussian process of GPyTorch or BoTorch", model)
    if likelihood is not None and not is_a(likelihood, "gpytorch.Likelihood"):
        raise wrong_kind("from_gpytorch", "likelihood", "a likelihood of GPyTorch", likelihood)
    return _adapt(model, likelihood)


def _accepts(obj: Any) -> bool:
    return is_a(obj, "gpytorch.GP", "gpytorch.IndependentModelList", "botorch.Model")


def _adapt(model: Any, likelihood: Any = None) -> Model:
    name = type(model).__name__
    if is_a(model, "botorch.ModelList", "gpytorch.IndependentModelList"):
        last = len(model.models) - 1
        text = f"{name} holds {last + 1} models. Explain one at a time: model.models[0] to model.models[{last}]."
        raise InputError(text)
    if is_a(model, "botorch.Model") and likelihood is not None and likelihood is not getattr(model, "likelihood", None):
        text = f"{name} of BoTorch has its likelihood, in the units of its outcome transform. Leave "
        raise InputError(text, Argument("likelihood"), " out.")
    if is_a(model, "botorch.GPyTorchModel"):
        adapted = _botorch_model(model)
    elif is_a(model, "gpytorch.ExactGP"):
        adapted = _exact_gp(model, likelihood)
    elif is_a(model, "gpytorch.ApproximateGP") or not _accepts(model):  # or a GP inside a module
        adapted = _approximate_gp(model, likelihood)
    else:
        raise InputError(
            f"{name} is not an ExactGP or ApproximateGP of GPyTorch, or a model of BoTorch with a normal posterior. "
            "Write the prediction yourself: from_torch(fn) with fn(X) that returns one of the families."
        )
    if is_single(model):
        warn(SINGLE)
    return adapted


GPYTORCH = Adapter("Gaussian processes of GPyTorch and BoTorch", _accepts, _adapt)


@dataclass(frozen=True, eq=False)
class GaussianProcess(Described, Model):
    """f from the source, on the scale on which the model works; y from f, in the units of y."""

    source: ClosedForm | Autograd
    observation: Observation
    #: How many columns the model was fitted to, where that is known.
    n_columns: int | None
    label: str
    about: Description
    findings: tuple[Finding, ...]
    #: The way from the scale of the model to the scale of y, or of log y.
    outcome: Outcome = field(default_factory=Outcome)
    training_inputs_: Array | None = None
    #: The values of the columns that the kernel takes for categories: {position: values}.
    levels: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    coding: Coding | None = None
    takes_tables = True
    takes_codes = True

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        latent = self.source.derivatives(self._numbers(X), order)
        record = through_response(self.observation.response, in_units(latent, self.outcome.shift, self.outcome.scale))
        # Categorical columns have contrasts; the kernel may have slopes there too.
        return record if self.coding is None else without_columns(record, list(self.coding.categorical))

    def predict_distribution(self, X: Any) -> Distribution:
        latent = in_units(self.source.moments(self._numbers(X)), self.outcome.shift, self.outcome.scale)
        return self.observation.response.predictive(latent.mean, latent.variance)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return self.source.rows_per_chunk(n_columns, order)

    def coded(self, X: Any, weights: Any = None) -> GaussianProcess:
        if self.coding is not None or not self.levels:
            return self
        coding = Coding.of(X, {d: list(values) for d, values in self.levels.items()}, weights=weights)
        return replace(self, coding=coding)

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from super().checks(X)
        if isinstance(self.source, ClosedForm):
            yield from self.source.checks(self._numbers(X))

    def _numbers(self, X: Any) -> Array:
        """The rows X as the GP takes them, (n, D)."""
        values = rows_of(self, X).values
        check_columns(values, f"that {self.name} was fitted to", self.n_columns)
        return values if self.coding is None else self.coding.numbers(values)


def _exact_gp(model: Any, likelihood: Any) -> GaussianProcess:
    """An ExactGP with its own likelihood, or with another one for new observations: `likelihood(model(X))`.

    In closed form where its kernel and mean are known, else by automatic differentiation.
    """
    _check_single_exact(model)
    copy = working_copy(model)
    given = copy.likelihood if likelihood is None or likelihood is model.likelihood else working_copy(likelihood)
    inputs = numpy_of(copy.train_inputs[0])
    moments, observation = gaussian_moments(model, copy, given)
    own = read_noise(copy.likelihood)
    source: ClosedForm | Autograd | None = None
    if own is not None and read_noise(given) is not None:
        source = remembered(model, closed_form(copy, own, AffineInputs.none(inputs.shape[1])))
    if source is None:
        points = _inducing_points(copy)  # of a sparse kernel
        sparse = points is not None and points.shape[1] == inputs.shape[1]
        anchors = np.concatenate([inputs, points]) if points is not None and sparse else inputs
        source = Autograd(moments, anchors, inputs, len(inputs))
    return _gaussian_process(model, source, observation, inputs.shape[1], training_inputs_=inputs)


def _approximate_gp(model: Any, likelihood: Any) -> GaussianProcess:
    """An ApproximateGP with this likelihood, or with its attribute `likelihood` where it has one."""
    given = getattr(model, "likelihood", None) if likelihood is None else likelihood
    if not is_a(given, "gpytorch.Likelihood"):
        raise InputError(
            f"{type(model).__name__} does not carry its likelihood, so the noise of an observation is not known. Write "
            "rsens.from_gpytorch(model, likelihood)."
        )
    _check_variational(model)
    copy, likelihood = working_copy(model), working_copy(given)
    if is_a(likelihood, "gpytorch._GaussianLikelihoodBase"):
        moments, observation = gaussian_moments(model, copy, likelihood)
    else:
        moments, observation = Moments(copy), read_observation(likelihood)
    anchors = _inducing_points(copy)
    source = Autograd(moments, anchors, None, SOME_POINTS if anchors is None else len(anchors))
    return _gaussian_process(model, source, observation, None)


def _inducing_points(model: Any) -> Array | None:
    """The points that kernels measure distances from, apart from training rows; None if none are known."""
    points = [getattr(part, "inducing_points", None) for part in model.modules()]
    found = [numpy_of(each) for each in points if each is not None and each.ndim == 2]
    return np.concatenate(found) if found and len({each.shape[1] for each in found}) == 1 else None


def _check_single_exact(model: Any) -> None:
    """An exact GP must have data, one matrix of inputs and one column of targets."""
    name, inputs, targets = type(model).__name__, model.train_inputs, model.train_targets
    if not inputs or targets is None:
        raise InputError(f"{name} has no training data. Give it some: model.set_train_data(X, y, strict=False).")
    if len(inputs) > 1:
        raise InputError(f"{name} takes {len(inputs)} inputs; rsens needs one matrix of rows. Split it in forward.")
    if inputs[0].ndim != 2 or targets.ndim != 1:
        raise InputError(
            f"{name} has inputs of shape {tuple(inputs[0].shape)} and targets of shape {tuple(targets.shape)}: several "
            "outputs, or a batch of GPs. Explain one at a time, with one matrix of inputs and one column of targets."
        )
    if not (targets.isfinite().all() and inputs[0].isfinite().all()):
        raise InputError(f"{name}: the training data has missing or infinite values. Drop those rows and fit again.")


def _check_variational(model: Any) -> None:
    """GPyTorch draws the first variational parameters at random when a model is first used."""
    started = (getattr(part, "variational_params_initialized", None) for part in model.modules())
    if any(flag is not None and not bool(flag) for flag in started):
        raise InputError(f"{type(model).__name__} is not fitted: it has never been called. Train it first.")


def _gaussian_process(
    model: Any, source: ClosedForm | Autograd, observation: Observation, n_columns: int | None, **more: Any
) -> GaussianProcess:
    """The model, with words about the user's object: its class, mode, precision, solver and its caches."""
    name, library = type(model).__name__, "BoTorch" if is_a(model, "botorch.Model") else "GPyTorch"
    theirs = (kind for kind in type(model).__mro__ if package_of(kind) in ("gpytorch", "botorch"))
    base = next(theirs, type(model)).__qualname__
    title = f"{name} of {library}" if name == base else f"{name} ({base} of {library})"
    transform = getattr(model, "input_transform", None)
    columns = "columns of X as given" + ("" if transform is None else f", before {type(transform).__name__}")
    about = Description(title, observation.family, observation.noise, source.way, columns)
    findings = (observation.finding, *_findings(model))
    return GaussianProcess(source, observation, n_columns, name, about, findings, **more)


def _findings(model: Any) -> Iterator[Finding]:
    mode = "training mode; rsens predicts with a copy in evaluation mode" if model.training else "evaluation mode"
    yield Finding("mode", "ok", f"The model is in {mode}.")
    if is_single(model):
        yield Finding("precision", "warning", SINGLE)
    else:
        yield Finding("precision", "ok", "The model is in double precision (float64).")
    inputs = getattr(model, "train_inputs", None)
    if not inputs:
        return
    rows, limit = int(inputs[0].shape[-2]), cholesky_limit()
    text = f"{rows} training rows: GPyTorch and rsens both use Cholesky factors."
    if rows > limit:
        cached = getattr(model, "prediction_strategy", None) is not None
        text = (
            f"{rows} training rows: rsens uses a Cholesky factor, GPyTorch itself approximate conjugate gradients "
            f"above {limit}.{' It has kept such predictions.' if cached else ''} To compare, predict under "
            f"gpytorch.settings.max_cholesky_size({rows}) with model.prediction_strategy = None."
        )
    yield Finding("solver", "ok", text)


# ---- BoTorch: the same GPs with transforms of inputs and outcome, and fully Bayesian ones ----------------------------


def _botorch_model(model: Any) -> Model:
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
    _check_single_exact(model)
    copy = working_copy(model)
    inputs = _original_inputs(copy)
    outcome, noise = _read_outcome(copy), read_noise(copy.likelihood)
    if outcome is None or noise is None or type(model).posterior.__qualname__ not in USUAL_POSTERIORS:
        return _as_posterior_says(model, copy, inputs)
    units = _affine_inputs(copy, inputs)
    source: ClosedForm | Autograd | None = None
    if units is not None:
        source = remembered(model, closed_form(copy, noise, units))
    levels = _levels(copy, inputs)
    if source is None:
        source = Autograd(Moments(_without_outcome(copy), posterior="f"), inputs, inputs, len(inputs), tuple(levels))
    more = {"outcome": outcome, "training_inputs_": inputs, "levels": levels}
    return _gaussian_process(model, source, observed(noise, outcome), inputs.shape[1], **more)


def _as_posterior_says(model: Any, copy: Any, inputs: Array) -> GaussianProcess:
    """`posterior(X, observation_noise=True)` through PyTorch, for models that do more than we read."""
    outcome = _read_outcome(copy)
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
    return _gaussian_process(model, source, observation, None if multitask else inputs.shape[1], **more)


def _variational(model: Any) -> GaussianProcess:
    """SingleTaskVariationalGP and its kin."""
    _check_variational(model)
    copy = working_copy(model)
    outcome, noise = _read_outcome(copy), read_noise(copy.likelihood)
    if outcome is None or (noise is None and outcome != Outcome()):
        raise _unknown_outcome(model)
    observation = read_observation(copy.likelihood) if noise is None else observed(noise, outcome)
    points = _inducing_points(copy.model)
    units = None if points is None else _affine_inputs(copy, points)
    anchors = None if points is None or units is None else units.undone(points)
    moments = Moments(_without_outcome(copy), posterior="f")
    source = Autograd(moments, anchors, None, SOME_POINTS if points is None else len(points))
    return _gaussian_process(model, source, observation, None if points is None else points.shape[1], outcome=outcome)


def _fully_bayesian(model: Any) -> Model:
    """One GP per draw of the hyperparameters; the prediction is their mixture, all with the same weight."""
    from rsens.adapters._ensemble import EnsembleModel  # which takes any model, and so imports this file

    name = type(model).__name__
    if model.covar_module is None:
        raise InputError(f"{name} is not fitted. Call fit_fully_bayesian_model_nuts(model) first.")
    copy = working_copy(model)
    inputs, outcome = _original_inputs(copy), _read_outcome(copy)
    if outcome is None:
        raise _unknown_outcome(model)
    units = _affine_inputs(copy, inputs)
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
        processes.append(_gaussian_process(model, source, observation, inputs.shape[1], **more))
    one = processes[0].about
    whole = replace(one, family=f"Mixture of {len(processes)} {one.family}")
    return EnsembleModel(processes, np.full(len(processes), 1.0 / len(processes)), name, whole)


def _levels(copy: Any, inputs: Array) -> dict[int, tuple[float, ...]]:
    """The columns that BoTorch's kernel of categories looks at, with their values in the training data."""
    kernels = [part for part in copy.modules() if own_class(part) == "botorch.CategoricalKernel"]
    dims = [range(inputs.shape[1]) if part.active_dims is None else part.active_dims.tolist() for part in kernels]
    return {int(d): tuple(np.unique(inputs[:, d]).tolist()) for each in dims for d in each}


def _affine_inputs(model: Any, inputs: Array) -> AffineInputs | None:
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


def _read_outcome(model: Any) -> Outcome | None:
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
