"""Real fits, from the first line of a tutorial to the explanation."""

from __future__ import annotations

import warnings

import gpytorch
import numpy as np
import pytest
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Normalize

import rsens
from rsens.adapters import as_model
from rsens.kernels import EQ
from tests.adapters.gpytorch.processes import ExactProcess, own, relative

RNG = np.random.default_rng(2)
X = RNG.uniform(size=(60, 3))
Y = np.sin(6.0 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=60)
SETTINGS = {"null": False, "intervals": False, "random_state": 0}


def trained(model, loss, steps=40):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
    return model


@pytest.mark.filterwarnings("ignore:The model is in single precision:rsens._errors.RsensWarning")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_an_exact_gp_trained_by_adam(dtype):
    x, y = torch.tensor(X, dtype=dtype), torch.tensor(Y, dtype=dtype)
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=3))
    model = ExactProcess(x, y, likelihood, kernel).to(dtype)
    objective = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    trained(model.train(), lambda: -objective(model(x), y))
    lengthscale = tuple(kernel.base_kernel.lengthscale[0].double().tolist())
    noise = likelihood.noise.double().item()
    native = own(EQ(kernel.outputscale.double().item(), lengthscale), noise=noise, inputs=X, targets=Y)
    tolerance = 1e-8 if dtype == torch.float64 else 1e-3  # 7 digits of data and hyperparameters, some lost in K⁻¹
    assert relative(rsens.rsens(model, X), rsens.rsens(native, X)) < tolerance
    assert relative(rsens.rsens2(model, X), rsens.rsens2(native, X)) < tolerance
    main = rsens.explain(model, X, **SETTINGS).main
    assert main.idxmax() == "x0"
    assert main.idxmin() == "x2"


def test_botorchs_own_fit():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SingleTaskGP(torch.tensor(X), torch.tensor(Y)[:, None], input_transform=Normalize(3))
        fit_gpytorch_mll(gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model))
    found = rsens.explain(model, X, **SETTINGS)
    assert found.main.idxmax() == "x0"
    assert all(finding.verdict == "ok" for finding in as_model(model).checks(X))
