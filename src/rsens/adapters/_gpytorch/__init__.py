"""Gaussian processes of GPyTorch and BoTorch."""

from __future__ import annotations

import warnings
from typing import Any

from rsens._errors import Argument, InputError, RsensWarning
from rsens.adapters._adapter import Adapter, is_a, wrong_kind
from rsens.derivatives import Model


def from_gpytorch(model: Any, likelihood: Any = None) -> Model:
    """A fitted Gaussian process of GPyTorch with its likelihood: what `likelihood(model(X))` predicts.

    An ExactGP holds its likelihood and can be given to `explain` and all measures as it is; an ApproximateGP does not.
    The model and GPyTorch's settings stay as they are.

    Args:
        model: An ExactGP, an ApproximateGP, a module with one of these in it, or a model of BoTorch, in any mode.
        likelihood: The likelihood of an observation: Gaussian, StudentT, Bernoulli, Poisson or NegativeBinomial, or one
            of your own with such a distribution around f. None means the model's own.

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
    layer = is_a(model, "gpytorch.Module") and not is_a(
        model, "gpytorch.Likelihood", "gpytorch.Kernel", "gpytorch.Mean"
    )
    if not (_accepts(model) or layer):
        raise wrong_kind("from_gpytorch", "model", "a Gaussian process of GPyTorch or BoTorch", model)
    if likelihood is not None and not is_a(likelihood, "gpytorch.Likelihood"):
        raise wrong_kind("from_gpytorch", "likelihood", "a likelihood of GPyTorch", likelihood)
    return _adapt(model, likelihood)


def _accepts(obj: Any) -> bool:
    return is_a(obj, "gpytorch.GP", "gpytorch.IndependentModelList", "botorch.Model")


def _adapt(model: Any, likelihood: Any = None) -> Model:
    from rsens.adapters._gpytorch._gaussian_process import SINGLE
    from rsens.adapters._gpytorch._native import is_single

    adapted = _by_kind(model, likelihood)
    if is_single(model):
        warnings.warn(RsensWarning(SINGLE), stacklevel=3)
    return adapted


def _by_kind(model: Any, likelihood: Any) -> Model:
    name = type(model).__name__
    if is_a(model, "botorch.ModelList", "gpytorch.IndependentModelList"):
        count = len(model.models)
        raise InputError(
            f"{name} holds {count} models. Explain one at a time: model.models[0] to model.models[{count - 1}]."
        )
    if is_a(model, "botorch.Model") and likelihood is not None and likelihood is not getattr(model, "likelihood", None):
        raise InputError(
            f"{name} of BoTorch has its likelihood, in the units of its outcome transform. Leave ",
            Argument("likelihood"),
            " out.",
        )
    if is_a(model, "botorch.GPyTorchModel"):
        from rsens.adapters._gpytorch._botorch import botorch_model

        return botorch_model(model)
    from rsens.adapters._gpytorch._gaussian_process import approximate_gp, exact_gp

    if is_a(model, "gpytorch.ExactGP"):
        return exact_gp(model, likelihood)
    if is_a(model, "gpytorch.ApproximateGP") or not is_a(model, "gpytorch.GP", "botorch.Model"):  # a GP inside a module
        return approximate_gp(model, likelihood)
    raise InputError(
        f"{name} is no GP that rsens can explain: it takes ExactGP and ApproximateGP of GPyTorch, and BoTorch's models "
        "with a normal posterior. Write the prediction yourself: from_torch(fn) with fn(X) that returns one of the "
        "families."
    )


GPYTORCH = Adapter("Gaussian processes of GPyTorch and BoTorch", _accepts, _adapt)
