"""GPs of GPyTorch with hyperparameters set by hand, as users write them, and our own GPs with the same."""

from __future__ import annotations

import gpytorch
import numpy as np
import torch

from rsens import GPRegressor

RNG = np.random.default_rng(7)
N, D = 30, 3
X = RNG.normal(size=(N, D)) * [1.0, 2.0, 0.5] + [0.0, 1.0, 3.0]
Y = np.sin(X[:, 0]) * X[:, 1] + 0.3 * X[:, 2] + 0.1 * RNG.normal(size=N)
#: Training rows, where many libraries' second derivatives are wrong, and other rows.
ROWS = np.vstack([X[:6], X[:6] + 0.3 * RNG.normal(size=(6, D))])
NOISE = 0.04


class ExactProcess(gpytorch.models.ExactGP):
    """The model of GPyTorch's tutorials."""

    def __init__(self, inputs, targets, likelihood, kernel, mean=None):
        super().__init__(inputs, targets, likelihood)
        self.mean_module = gpytorch.means.ZeroMean() if mean is None else mean
        self.covar_module = kernel

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


class DeepKernel(ExactProcess):
    """The same with a network in front of the kernel: `covar_module` alone says little about it."""

    def __init__(self, *args):
        super().__init__(*args)
        torch.manual_seed(0)
        self.network = torch.nn.Sequential(torch.nn.Linear(D, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))

    def forward(self, x):
        return super().forward(self.network(x))


def gaussian(noise=NOISE):
    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    likelihood.noise = torch.tensor(noise, dtype=torch.float64)
    return likelihood


def with_values(module, **values):
    """The module in float64 with these hyperparameters, which GPyTorch keeps on an unconstrained scale."""
    module = module.double()
    for name, value in values.items():
        module.initialize(**{name: torch.tensor(value, dtype=torch.float64)})
    return module


def rbf(lengthscale=(0.8, 2.5, 1.1), active_dims=None):
    kernel = gpytorch.kernels.RBFKernel(ard_num_dims=len(lengthscale), active_dims=active_dims)
    return with_values(kernel, lengthscale=lengthscale)


def matern(nu, lengthscale=(0.8, 2.5, 1.1)):
    return with_values(gpytorch.kernels.MaternKernel(nu, ard_num_dims=len(lengthscale)), lengthscale=lengthscale)


def scaled(kernel, outputscale=1.7):
    return with_values(gpytorch.kernels.ScaleKernel(kernel), outputscale=outputscale)


def exact(kernel, mean=None, likelihood=None, inputs=X, targets=Y, kind=ExactProcess):
    """A fitted model as users have it after training: in evaluation mode."""
    given = gaussian() if likelihood is None else likelihood
    return kind(torch.tensor(inputs), torch.tensor(targets), given, kernel, mean).double().eval()


def own(kernel, noise=NOISE, inputs=X, targets=Y):
    """Our GP with a kernel of rsens, in the units of the data, with mean 0."""
    return GPRegressor(kernel, noise_variance=noise, standardize=False, optimize=False).fit(inputs, targets)


def relative(found, expected):
    """The largest error, relative to the largest value."""
    return np.abs(found - expected).max() / np.abs(expected).max()
