"""The model that every GP of GPyTorch and BoTorch becomes: a latent Gaussian, and an observation of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._conversions import is_a
from rsens._errors import Argument, InputError, warn
from rsens._typing import Array
from rsens.adapters._adapter import Adapter, Described, check_columns, own_class, wrong_kind
from rsens.adapters._gpytorch._closed_form import Affine, ClosedForm, closed_form
from rsens.adapters._gpytorch._native import Autograd, Moments, is_single, numpy_of, working_copy
from rsens.adapters._linear_predictor import (
    LocationResponse,
    Response,
    in_units,
    through_response,
)
from rsens.derivatives import Derivatives, Description, Finding, Model, check_order, rows_of
from rsens.distributions import Distribution, Normal
from rsens.likelihoods import ProbitLikelihood, StudentTLikelihood

Units = tuple[float, float]
#: The warning for a model in single precision.
SINGLE = (
    "The model is in single precision (float32): its data and hyperparameters have 7 digits. rsens predicts from them "
    "in double precision. Call model.double() before the fit, and give float64 data, if small derivatives matter."
)
#: BoTorch's own posteriors of a single GP; others, and the user's, are asked and not read.
USUAL_POSTERIORS = ("GPyTorchModel.posterior", "BatchedMultiOutputGPyTorchModel.posterior")
#: Input transforms (x − offset)/coefficient.
AFFINE = ("botorch.Normalize", "botorch.InputStandardize")
#: Inducing points of a variational model, at most, for the memory that they take.
SOME_POINTS = 1000


def from_gpytorch(model: Any, likelihood: Any = None) -> Model:
    """A fitted Gaussian process of GPyTorch with its likelihood: it predicts `likelihood(model(X))`.

    An ExactGP holds its likelihood and can be given to `explain` and all measures directly; an ApproximateGP does not.
    The model and GPyTorch's settings are left unchanged.

    Args:
        model: An ExactGP, an ApproximateGP, a module with one of these in it, or a model of BoTorch, in any mode.
        likelihood: The likelihood of an observation: Gaussian, StudentT or Bernoulli. None means the model's own.

    Returns:
        A model for `explain`, `rsens` and all other measures.

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
        raise InputError(f"{name} holds {last + 1} models. Explain one: model.models[0] to model.models[{last}].")
    if is_a(model, "botorch.Model") and likelihood is not None and likelihood is not getattr(model, "likelihood", None):
        raise InputError(f"{name} of BoTorch has its own likelihood. Leave ", Argument("likelihood"), " out.")
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


def gaussian(noise_variance: float, noise: str, doubt: str = "") -> Observation:
    """y is f plus Gaussian noise; noise 0 for an f that has it already."""
    return Observation(LocationResponse(Normal, noise_variance), "Normal", noise, doubt)


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
    #: The way from z on the scale of the model to y = shift + scale·z.
    units: Units = (0.0, 1.0)
    training_inputs_: Array | None = None
    takes_tables = True

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        latent = self.source.derivatives(self._numbers(X), order)
        return through_response(self.observation.response, in_units(latent, *self.units))

    def predict_distribution(self, X: Any) -> Distribution:
        latent = in_units(self.source.moments(self._numbers(X)), *self.units)
        return self.observation.response.predictive(latent.mean, latent.variance)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return self.source.rows_per_chunk(n_columns, order)

    def _numbers(self, X: Any) -> Array:
        """The rows X as the GP takes them, (n, D)."""
        values = rows_of(self, X).values
        check_columns(values, f"that {self.name} was fitted to", self.n_columns)
        return values


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
        source = closed_form(copy, own, (np.zeros(inputs.shape[1]), np.ones(inputs.shape[1])))
    points = _inducing_points(copy)  # of a sparse kernel
    sparse = points is not None and points.shape[1] == inputs.shape[1]
    source = source or Autograd(moments, len(inputs), np.concatenate([inputs, points]) if sparse else inputs)
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
    return _gaussian_process(model, Autograd(moments, SOME_POINTS, _inducing_points(copy)), observation, None)


def _inducing_points(model: Any) -> Any:
    """The points that kernels measure distances from, apart from training rows; None if none are known."""
    points = [getattr(part, "inducing_points", None) for part in model.modules()]
    found = [numpy_of(each) for each in points if each is not None and each.ndim == 2]
    return found[0] if len(found) == 1 else None


def _check_single_exact(model: Any) -> None:
    """An exact GP must have data, one matrix of inputs and one column of targets."""
    inputs, targets, problem = model.train_inputs, model.train_targets, ""
    if not inputs or targets is None:
        problem = "has no training data. Give it some: model.set_train_data(X, y, strict=False)."
    elif len(inputs) > 1:
        problem = f"takes {len(inputs)} inputs; rsens needs one matrix of rows. Split it in forward."
    elif inputs[0].ndim != 2 or targets.ndim != 1:
        shapes = f"{tuple(inputs[0].shape)} and {tuple(targets.shape)}"
        problem = f"has inputs and targets of shape {shapes}: several outputs, or a batch of GPs. Explain one."
    elif not (targets.isfinite().all() and inputs[0].isfinite().all()):
        problem = "has missing or infinite values in its training data. Drop those rows and fit again."
    if problem:
        raise InputError(f"{type(model).__name__} {problem}")


def _check_variational(model: Any) -> None:
    """GPyTorch draws the first variational parameters at random when a model is first used."""
    started = (getattr(part, "variational_params_initialized", None) for part in model.modules())
    if any(flag is not None and not bool(flag) for flag in started):
        raise InputError(f"{type(model).__name__} is not fitted: it has never been called. Train it first.")


def _gaussian_process(
    model: Any, source: ClosedForm | Autograd, observation: Observation, n_columns: int | None, **more: Any
) -> GaussianProcess:
    """The model, with words about the user's object."""
    name, library = type(model).__name__, "BoTorch" if is_a(model, "botorch.Model") else "GPyTorch"
    transform = getattr(model, "input_transform", None)
    columns = "columns of X as given" + ("" if transform is None else f", before {type(transform).__name__}")
    about = Description(f"{name} of {library}", observation.family, observation.noise, source.way, columns)
    single = (Finding("precision", "warning", SINGLE),) if is_single(model) else ()
    findings = (observation.finding, *single)
    return GaussianProcess(source, observation, n_columns, name, about, findings, **more)


# ---- BoTorch: the same GPs with transforms of inputs and outcome -----------------------------------------------------


def _botorch_model(model: Any) -> Model:
    """A model of BoTorch with one output and a normal posterior."""
    if model.num_outputs > 1:
        text = f"has {model.num_outputs} outputs. Explain one at a time: model.subset_output([0])"
        raise InputError(f"{type(model).__name__} {text}.")
    unread = is_a(model, "botorch.AbstractFullyBayesianSingleTaskGP", "botorch.ApproximateGPyTorchModel")
    if unread or any(own_class(part) == "botorch.CategoricalKernel" for part in model.modules()):
        raise InputError(
            f"rsens cannot read {type(model).__name__}: of BoTorch it reads exact GPs of numeric columns. Write the "
            "prediction yourself: from_torch(fn, categorical=…), or from_draws(fn, draws, backend='torch')."
        )
    _check_single_exact(model)
    copy = working_copy(model)
    inputs = _original_inputs(copy)
    outcome, noise, D = _read_outcome(copy), read_noise(copy.likelihood), inputs.shape[1]
    transform, source = _affine_inputs(copy, D), None
    if outcome and noise is not None and transform and type(model).posterior.__qualname__ in USUAL_POSTERIORS:
        source = closed_form(copy, noise, transform)
    if source is None or noise is None or outcome is None:
        return _as_posterior_says(model, copy, inputs)
    more = {"units": outcome, "training_inputs_": inputs}
    return _gaussian_process(model, source, observed(noise, outcome[1]), D, **more)


def _as_posterior_says(model: Any, copy: Any, inputs: Array) -> GaussianProcess:
    """`posterior(X, observation_noise=True)` through PyTorch, for models that do more than we read."""
    if _read_outcome(copy) is None and not getattr(copy.outcome_transform, "_is_linear", False):
        raise InputError(
            f"{type(model).__name__} has the outcome transform {type(copy.outcome_transform).__name__}, under which "
            "the prediction does not correspond to any rsens family. Fit it with Standardize (the default), or with "
            "outcome_transform=None to targets that you have transformed: R-sens does not depend on the scale of y."
        )
    multitask = is_a(model, "botorch.MultiTaskGP")  # its training inputs have a column for the task
    rows = None if multitask else inputs
    source = Autograd(Moments(copy, posterior=True), len(inputs), rows)
    observation = gaussian(0.0, "included: as posterior(X, observation_noise=True) has it")
    return _gaussian_process(model, source, observation, None if multitask else inputs.shape[1], training_inputs_=rows)


def _affine_inputs(model: Any, n_columns: int) -> Affine | None:
    """The input transform of a working copy, if it is affine in each column; None for any other."""
    transform, centre, slopes = getattr(model, "input_transform", None), np.zeros(n_columns), np.ones(n_columns)
    if transform is not None:
        always = transform.transform_on_train and transform.transform_on_eval
        if own_class(transform) not in AFFINE or getattr(transform, "reverse", False) or not always:
            return None
        columns = numpy_of(transform.indices).astype(int) if hasattr(transform, "indices") else slice(None)
        centre[columns] = numpy_of(transform.offset).ravel()
        slopes[columns] = 1.0 / numpy_of(transform.coefficient).ravel()
    return centre, slopes


def _original_inputs(copy: Any) -> Array:
    """The training inputs in the units of X: in evaluation mode BoTorch keeps the transformed ones in their place."""
    kept = getattr(copy, "_original_train_inputs", None)
    return numpy_of(copy.train_inputs[0] if kept is None else kept)


def _read_outcome(model: Any) -> Units | None:
    """The outcome transform of a working copy with one output; None for any other than BoTorch's own Standardize."""
    transform = getattr(model, "outcome_transform", None)
    if transform is None:
        return 0.0, 1.0
    if own_class(transform) != "botorch.Standardize":
        return None
    return float(numpy_of(transform.means).item()), float(numpy_of(transform.stdvs).item())


# ---- From the latent f to an observation -----------------------------------------------------------------------------


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
        return Moments(copy, likelihood), gaussian(0.0, f"included: as {name} has it")
    if np.ptp(variances) > 0.0:
        raise InputError(
            f"{type(model).__name__} has a FixedNoiseGaussianLikelihood, with a noise for every training row; the "
            "noise of a new observation is not known. Set it: likelihood = GaussianLikelihood(), likelihood.noise = "
            "…, and rsens.from_gpytorch(model, likelihood)."
        )
    noise = float(variances.mean())
    return Moments(copy), gaussian(noise, f"included: {noise:.3g} ({name})")


def observed(variances: Array, scale: float) -> Observation:
    """The observation in units of y = shift + scale·z, with the noise that BoTorch gives a new one."""
    variance, doubt = float(variances.mean()) * scale**2, ""
    source = "train_Yvar" if variances.ndim else "likelihood"
    if np.ptp(variances) > 0.0:
        source = "the mean of train_Yvar"
        doubt = f"The noise of a new observation is taken to be {source}, as BoTorch does. The truth may change with x."
    return gaussian(variance, f"included: {variance:.3g} ({source})", doubt)


def read_observation(likelihood: Any) -> Observation:
    """One of GPyTorch's own likelihoods, which give one number y for each f, as a map to one of our families."""
    name = own_class(likelihood).removeprefix("gpytorch.")
    if name == "BernoulliLikelihood":
        return Observation(ProbitLikelihood(), "Bernoulli", "included: classes given f (probit)")
    if name == "StudentTLikelihood":
        scale2, df = numpy_of(likelihood.noise).item(), numpy_of(likelihood.deg_free).item()
        noise = f"included: squared scale {scale2:.3g}, {df:.3g} degrees of freedom (likelihood)"
        return Observation(StudentTLikelihood(scale2, df), "StudentT", noise)
    raise InputError(
        Argument("likelihood"),
        f" must be Gaussian, or GPyTorch's BernoulliLikelihood or StudentTLikelihood; got "
        f"{type(likelihood).__name__}. Write the prediction yourself: from_torch(fn) with fn(X) that returns a family.",
    )
