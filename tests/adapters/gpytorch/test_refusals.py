"""What cannot be explained as it is gets an error that says what to do."""

from __future__ import annotations

import gpytorch
import numpy as np
import pytest
import torch
from botorch.models.deterministic import GenericDeterministicModel

import rsens
from rsens import InputError
from tests.adapters.gpytorch.processes import ROWS, ExactProcess, X, Y, exact, gaussian, rbf, scaled

TX, TY = torch.tensor(X), torch.tensor(Y)


def without_data():
    return ExactProcess(None, None, gaussian(), scaled(rbf()))


def two_inputs():
    return ExactProcess((TX, TX), TY, gaussian(), scaled(rbf()))


def batch():
    return ExactProcess(TX.expand(2, *X.shape), TY.expand(2, len(Y)), gaussian(), scaled(rbf()))


def with_a_gap():
    return exact(scaled(rbf()), targets=np.where(np.arange(len(Y)) == 3, np.nan, Y))


class SeveralTasks(gpytorch.models.ExactGP):
    def __init__(self):
        likelihood = gpytorch.likelihoods.MultitaskGaussianLikelihood(num_tasks=2)
        super().__init__(TX, torch.stack([TY, TY], -1), likelihood)
        self.mean_module = gpytorch.means.MultitaskMean(gpytorch.means.ConstantMean(), num_tasks=2)
        self.covar_module = gpytorch.kernels.MultitaskKernel(gpytorch.kernels.RBFKernel(), num_tasks=2, rank=1)

    def forward(self, x):
        return gpytorch.distributions.MultitaskMultivariateNormal(self.mean_module(x), self.covar_module(x))


class ABatchInside(ExactProcess):
    """One column of targets, but a kernel for each of two GPs."""

    def __init__(self):
        kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(batch_shape=torch.Size([2])))
        super().__init__(TX, TY, gaussian(), kernel.double())


CASES = {
    "no data": (without_data, "no training data"),
    "two inputs": (two_inputs, "takes 2 inputs"),
    "batch": (batch, r"\(2, 30, 3\).*a batch of GPs"),
    "several tasks": (SeveralTasks, r"\(30, 2\): several outputs"),
    "a batch of kernels": (ABatchInside, r"array of shape \(2, 2\) for 2 rows"),
    "a gap": (with_a_gap, "missing or infinite values"),
    "other columns": (lambda: exact(rbf((0.8, 2.5)), inputs=X[:, :2]), "2 columns"),
    "list": (
        lambda: gpytorch.models.IndependentModelList(exact(scaled(rbf())), exact(scaled(rbf()))),
        r"holds 2 models.*model\.models\[0\]",
    ),
    "no distribution": (lambda: GenericDeterministicModel(lambda x: x[..., :1]), "is not an ExactGP"),
}


@pytest.mark.parametrize("name", CASES)
def test_models(name):
    make, words = CASES[name]
    with pytest.raises(InputError, match=words):
        rsens.rsens(make(), ROWS)


@pytest.mark.parametrize(
    ("model", "likelihood", "argument"),
    [
        (torch.nn.Linear(3, 1), gaussian(), "model"),
        (gaussian(), gaussian(), "model"),
        (exact(scaled(rbf())), "gaussian", "likelihood"),
    ],
)
def test_arguments_of_from_gpytorch(model, likelihood, argument):
    with pytest.raises(InputError, match="from_gpytorch") as error:
        rsens.from_gpytorch(model, likelihood)
    assert error.value.argument == argument
