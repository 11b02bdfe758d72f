"""Laplace approximations of laplace-torch: their own moments, the noise that they leave out, and exact links."""

from __future__ import annotations

from copy import deepcopy
from functools import cache

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import rsens
from rsens import InputError, from_function
from rsens.adapters import as_model
from rsens.distributions import Bernoulli, Categorical, MultivariateNormal, Normal

X = np.random.default_rng(0).normal(size=(30, 2))
ROWS = torch.tensor(X, dtype=torch.float32)
# These come from the libraries below laplace-torch.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:(laplace|curvlinops|backpack|torch)"),
]


@cache
def fitted(outputs=1, likelihood="regression", subset="all", structure="full", double=False):
    from tests.adapters.laplace_torch import Laplace

    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, outputs))
    target = torch.sin(ROWS[:, :1]).repeat(1, outputs) if likelihood == "regression" else torch.arange(30) % outputs
    loss = nn.functional.mse_loss if likelihood == "regression" else nn.functional.cross_entropy
    optimiser = torch.optim.Adam(net.parameters(), lr=0.05)
    for _ in range(40):
        optimiser.zero_grad()
        loss(net(ROWS), target).backward()
        optimiser.step()
    rows = ROWS
    if double:
        net, rows = net.double(), ROWS.double()
        target = target.double() if likelihood == "regression" else target
    noise = {"sigma_noise": 0.4} if likelihood == "regression" else {}
    laplace = Laplace(net, likelihood, subset_of_weights=subset, hessian_structure=structure, **noise)
    laplace.fit(DataLoader(TensorDataset(rows, target), batch_size=10))
    return laplace


STRUCTURES = [(subset, structure) for subset in ("all", "last_layer") for structure in ("full", "kron", "diag")]


@pytest.mark.parametrize(("subset", "structure"), STRUCTURES)
def test_the_noise_is_added(subset, structure):
    """Mean and variance of laplace-torch itself, in its float32, and sigma_noise²."""
    laplace = fitted(subset=subset, structure=structure)
    mean, variance = laplace(ROWS)
    found = as_model(laplace).predict_distribution(X)
    assert isinstance(found, Normal)
    np.testing.assert_allclose(found.mean, mean[:, 0].numpy(), atol=1e-5)
    np.testing.assert_allclose(found.variance, variance[:, 0, 0].numpy() + 0.16, rtol=1e-4)


@pytest.mark.parametrize(("subset", "structure"), [("all", "full"), ("all", "kron"), ("last_layer", "full")])
def test_derivatives_are_those_of_its_own_prediction(subset, structure):
    """In float64, against differences of `laplace(x)`, which knows nothing of our copy."""
    laplace = fitted(subset=subset, structure=structure, double=True)

    def predict(rows):
        mean, variance = laplace(torch.tensor(rows))
        return Normal(mean[:, 0].numpy(), variance[:, 0, 0].numpy() + 0.16)

    expected = from_function(predict)
    np.testing.assert_allclose(rsens.rsens(laplace, X), rsens.rsens(expected, X), rtol=1e-6)
    np.testing.assert_allclose(rsens.rsens2(laplace, X), rsens.rsens2(expected, X), rtol=1e-3, atol=1e-5)


def test_two_classes_average_the_logistic_function():
    """Against 400,000 draws of the two outputs; their mean has a standard error of 1e-3 at most."""
    laplace = fitted(2, "classification", double=True)
    some = torch.tensor(X[:4])
    mean, covariance = laplace._glm_predictive_distribution(some)
    found = as_model(laplace).predict_distribution(X[:4])
    assert isinstance(found, Bernoulli)
    rng = np.random.default_rng(0)
    for i in range(4):
        f = rng.multivariate_normal(mean[i].detach().numpy(), covariance[i].detach().numpy(), 400_000)
        assert found.mean[i] == pytest.approx(np.mean(1.0 / (1.0 + np.exp(f[:, 0] - f[:, 1]))), abs=3e-3)


def test_more_classes_are_its_own_prediction():
    laplace = fitted(3, "classification", double=True)
    found = as_model(laplace).predict_distribution(X)
    assert isinstance(found, Categorical)
    np.testing.assert_allclose(found.parameters, laplace(torch.tensor(X)).detach().numpy(), atol=1e-10)
    expected = from_function(lambda rows: Categorical(laplace(torch.tensor(rows)).detach().numpy()))
    np.testing.assert_allclose(rsens.rsens(laplace, X), rsens.rsens(expected, X), rtol=1e-5)


def test_several_numbers():
    laplace = fitted(2, double=True)
    found = as_model(laplace).predict_distribution(X)
    assert isinstance(found, MultivariateNormal)
    _, covariance = laplace(torch.tensor(X))
    np.testing.assert_allclose(found.covariance, covariance.detach().numpy() + 0.16 * np.eye(2), rtol=1e-8)
    assert np.isfinite(rsens.rsens(laplace, X)).all()


@pytest.mark.parametrize("subset", ["all", "last_layer"])
def test_nothing_is_left_behind(subset):
    laplace = fitted(subset=subset)
    before, rng = deepcopy(laplace.model.state_dict()), torch.random.get_rng_state()
    predicted = [part.clone() for part in laplace(ROWS)]
    rsens.rsens2(laplace, X)
    for name, value in laplace.model.state_dict().items():
        assert torch.equal(value, before[name])
        assert value.dtype == torch.float32
    assert not laplace.enable_backprop
    assert torch.equal(torch.random.get_rng_state(), rng)
    for now, then in zip(laplace(ROWS), predicted, strict=True):
        assert torch.equal(now, then)


def test_description_and_findings():
    model = as_model(fitted())
    assert "included: 0.16 (sigma_noise²)" in model.description.noise
    assert {finding.name: finding.verdict for finding in model.checks(X)}["noise"] == "ok"
    default = deepcopy(fitted())
    default.sigma_noise = 1.0
    assert {finding.name: finding.verdict for finding in as_model(default).checks(X)}["noise"] == "warning"
    default.n_data = 0
    with pytest.raises(InputError, match="FullLaplace is not fitted"):
        rsens.rsens(default, X)
