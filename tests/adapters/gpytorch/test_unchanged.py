"""The user's model, and everything that is global, is left as it was found."""

from __future__ import annotations

import pickle
import warnings

import gpytorch
import numpy as np
import pytest
import torch
from botorch.models import SingleTaskGP
from botorch.models.transforms import Normalize

import rsens
from rsens.adapters import as_model
from tests.adapters.gpytorch.processes import ROWS, X, Y, exact, rbf, scaled
from tests.adapters.gpytorch.test_approximate import variational
from tests.adapters.gpytorch.test_autograd import users_rbf


def botorch_gp():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the scale of the data
        return SingleTaskGP(torch.tensor(X), torch.tensor(Y)[:, None], input_transform=Normalize(3))


MODELS = {
    "closed form": lambda: exact(scaled(rbf())),
    "automatic": lambda: exact(users_rbf()),
    "botorch": botorch_gp,
    "variational": lambda: variational(gpytorch.likelihoods.GaussianLikelihood()),
}


def explained(model):
    if isinstance(model, gpytorch.models.ApproximateGP):
        return rsens.from_gpytorch(model, gpytorch.likelihoods.GaussianLikelihood().double())
    return model


def snapshot(model):
    """What can be seen of a model: every attribute of every part by identity, parameters and gradients by value."""
    parts = {
        (name, key): id(value) if not isinstance(value, dict | tuple) else str(value)
        for name, part in model.named_modules()
        for key, value in vars(part).items()
    }
    parameters = {
        name: (id(p), p.dtype, p.requires_grad, p.detach().clone(), None if p.grad is None else p.grad.clone())
        for name, p in model.named_parameters()
    }
    return parts, str(parameters), str(model.state_dict())


def settings():
    kinds = [value for value in vars(gpytorch.settings).values() if isinstance(value, type)]
    states = [(kind.__name__, kind.on()) for kind in kinds if hasattr(kind, "on")]
    values = [(kind.__name__, kind.value()) for kind in kinds if kind.__name__ in ("max_cholesky_size", "cg_tolerance")]
    fast = gpytorch.settings.fast_computations
    states += [(kind.__name__, kind.on()) for kind in (fast.covar_root_decomposition, fast.log_prob, fast.solves)]
    return states, values, torch.get_default_dtype(), torch.is_grad_enabled(), torch.random.get_rng_state().tolist()


@pytest.mark.parametrize("name", MODELS)
def test_nothing_is_left_behind_in_training_mode(name):
    expected = rsens.rsens2(explained(MODELS[name]().eval()), ROWS)
    model = MODELS[name]().train()
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    before, around = snapshot(model), settings()
    shown = list(warnings.filters)
    rsens.rsens(explained(model), ROWS)
    np.testing.assert_allclose(rsens.rsens2(explained(model), ROWS), expected, rtol=1e-12)
    list(as_model(explained(model)).checks(ROWS))
    assert snapshot(model) == before
    assert settings() == around
    assert warnings.filters == shown


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_has_predicted_before_can_be_copied(name):
    """Its caches hold tensors with a history, which cannot be copied; nor are they wanted."""
    model = MODELS[name]().eval()
    fresh = rsens.rsens(explained(model), ROWS)
    model(torch.tensor(ROWS, requires_grad=True)).mean.sum().backward()
    np.testing.assert_allclose(rsens.rsens(explained(model), ROWS), fresh, rtol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_the_adapted_model_goes_to_other_processes(name):
    source = as_model(explained(MODELS[name]()))
    expected = source.derivatives(ROWS, 2)
    found = pickle.loads(pickle.dumps(source)).derivatives(ROWS, 2)
    np.testing.assert_array_equal(found.second, expected.second)


@pytest.mark.parametrize("name", ["closed form", "botorch"])
def test_a_change_is_seen(name):
    """The factor of a model is kept for the next call, unless anything has changed."""
    model = MODELS[name]()
    before = as_model(model)
    assert as_model(model).source is before.source
    scale = model.covar_module if name == "botorch" else model.covar_module.base_kernel
    for change in (
        lambda: scale.raw_lengthscale.data.add_(0.1),
        lambda: model.train_targets.data.mul_(1.01),
        lambda: model.likelihood.noise_covar.raw_noise.data.add_(0.1),
    ):
        found = rsens.rsens(model, ROWS)
        change()
        assert not np.allclose(rsens.rsens(model, ROWS), found, rtol=1e-6)


def test_targets_with_a_history():
    """Some pipelines compute the targets with gradients on."""
    targets = torch.tensor(Y, requires_grad=True) * 1.0
    model = exact(users_rbf())
    expected = rsens.rsens(model, ROWS)
    model.set_train_data(targets=targets)
    np.testing.assert_array_equal(rsens.rsens(model, ROWS), expected)
