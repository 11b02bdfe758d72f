"""Gaussian processes of GPyTorch and BoTorch."""

from __future__ import annotations

import warnings
from typing import Any

from rsens._errors import Argument, InputError, RsensWarning
from rsens.adapters._adapter import Adapter, is_a
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
        raise InputError(
            "from_gpytorch: ",
            Argument("model"),
            f" must be a Gaussian process of GPyTorch or BoTorch; got {type(model).__name__}.",
        )
    if likelihood is not None and not is_a(likelihood, "gpytorch.Likelihood"):
        raise InputError(
            "from_gpytorch: ",
            Argument("likelihood"),
            f" must be a likelihood of GPyTorch; got {type(likelihood).__name__}.",
        )
    return _adapt(model, likelihood)


def _accepts(obj: Any) -> bool:
    return is_a(obj, "gpytorch.GP", "gpytorch.IndependentModelList", "botorch.Model")


def _adapt(model: Any, likelihood: Any = None) -> Model:
    from rsens.adapters._gpytorch._checks import SINGLE
    from rsens.adapters._gpytorch._copies import is_single

    adapted = _by_kind(model, likelihood)
    if is_single(model):
        warnings.warn(RsensWarning(SINGLE), stacklevel=3)
    return adapted


def _by_kind(model: Any, likelihood: Any) -> Model:
    from rsens.adapters._gpytorch._approximate import approximate_gp
    from rsens.adapters._gpytorch._botorch import botorch_model
    from rsens.adapters._gpytorch._exact import exact_gp
    from rsens.adapters._gpytorch._refusals import refuse_kind, refuse_likelihood, refuse_list

    if is_a(model, "botorch.ModelList", "gpytorch.IndependentModelList"):
        raise refuse_list(model)
    if is_a(model, "botorch.Model"):
        if likelihood is not None and likelihood is not getattr(model, "likelihood", None):
            raise refuse_likelihood(model)
        return botorch_model(model)
    if is_a(model, "gpytorch.ExactGP"):
        return exact_gp(model, likelihood)
    if is_a(model, "gpytorch.ApproximateGP") or not is_a(model, "gpytorch.GP"):  # a module with a GP in it
        return approximate_gp(model, likelihood)
    raise refuse_kind(model)


GPYTORCH = Adapter("Gaussian processes of GPyTorch and BoTorch", _accepts, _adapt)
