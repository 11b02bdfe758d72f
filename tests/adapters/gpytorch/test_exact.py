"""ExactGP against our own GP with the same hyperparameters, and against GPyTorch's own prediction."""

from __future__ import annotations

import gpytorch
import numpy as np
import pytest
import torch

import rsens
from rsens import InputError
from rsens.adapters import as_model
from rsens.kernels import EQ, Constant, Linear, Matern32, Matern52, Periodic, RationalQuadratic
from tests.adapters.gpytorch.processes import NOISE, ROWS, D, X, Y, exact, gaussian, matern, own, rbf, relative, scaled
from tests.adapters.gpytorch.processes import with_values as values

K = gpytorch.kernels
L = (0.8, 2.5, 1.1)
#: GPyTorch's kernel, and ours.
KERNELS = {
    "rbf": lambda: (scaled(rbf()), EQ(1.7, L)),
    "rbf without scale, one length-scale": lambda: (values(K.RBFKernel(), lengthscale=1.3), EQ(1.0, 1.3)),
    "matern 3/2": lambda: (scaled(matern(1.5)), Matern32(1.7, L)),
    "matern 5/2": lambda: (scaled(matern(2.5)), Matern52(1.7, L)),
    "rational quadratic": lambda: (
        scaled(values(K.RQKernel(ard_num_dims=D), lengthscale=L, alpha=0.6)),
        RationalQuadratic(1.7, L, 0.6),
    ),
    "linear per column": lambda: (values(K.LinearKernel(ard_num_dims=D), variance=L), Linear(L)),
    # GPyTorch divides by the length-scale, we by its square
    "periodic": lambda: (
        scaled(values(K.PeriodicKernel(ard_num_dims=D), lengthscale=L, period_length=(3.0, 7.0, 5.0))),
        Periodic(1.7, tuple(np.sqrt(L).tolist()), (3.0, 7.0, 5.0)),
    ),
    "active dims": lambda: (scaled(rbf((0.8, 1.1), active_dims=(2, 0))), EQ(1.7, (0.8, 1.1), dims=(2, 0))),
    "sum": lambda: (
        scaled(rbf()) + scaled(matern(2.5), 0.5) + values(K.ConstantKernel(), constant=[0.3]),
        EQ(1.7, L) + Matern52(0.5, L) + Constant(0.3),
    ),
    "product of columns": lambda: (
        scaled(rbf((0.8,), active_dims=(0,)) * rbf((1.1,), active_dims=(2,))) + values(K.LinearKernel(), variance=0.4),
        EQ(1.7, 0.8, dims=(0,)) * EQ(1.0, 1.1, dims=(2,)) + Linear(0.4),
    ),
    "scaled sum inside a product": lambda: (
        scaled(rbf() + values(K.LinearKernel(), variance=0.4)) * matern(1.5),
        (EQ(1.7, L) + Linear(1.7 * 0.4)) * Matern32(1.0, L),
    ),
}


@pytest.mark.parametrize("name", KERNELS)
def test_closed_forms_of_our_own_gp(name):
    theirs, ours = KERNELS[name]()
    model, native = exact(theirs), own(ours)
    source = as_model(model)
    assert source.description.derivatives == "closed form"
    np.testing.assert_array_equal(source.training_inputs_, X)
    expected = native.predict_distribution(ROWS)
    found = source.predict_distribution(ROWS)
    # 1e-8 is the bar; the Cholesky factors of both lose a few digits, since there is little noise
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-8)
    np.testing.assert_allclose(found.variance, expected.variance, rtol=1e-8)
    assert relative(rsens.rsens(model, torch.tensor(ROWS)), rsens.rsens(native, ROWS)) < 1e-8
    assert relative(rsens.rsens2(model, ROWS), rsens.rsens2(native, ROWS)) < 1e-8
    with torch.no_grad(), gpytorch.settings.fast_pred_var(False):
        theirs = model.likelihood(model(torch.tensor(ROWS)))
    np.testing.assert_allclose(found.variance, theirs.variance, rtol=1e-8)


MEANS = {
    "constant": lambda: (values(gpytorch.means.ConstantMean(), constant=0.7), np.zeros(D), 0.7),
    "linear": lambda: (
        values(gpytorch.means.LinearMean(D), weights=[[0.3], [-1.0], [0.5]], bias=[2.0]),
        np.array([0.3, -1.0, 0.5]),
        2.0,
    ),
}


@pytest.mark.parametrize("name", MEANS)
def test_mean_functions_are_added(name):
    """A GP with mean function m is a GP of y − m(x) with mean 0, plus m(x)."""
    mean, slopes, constant = MEANS[name]()
    model = exact(scaled(rbf()), mean)
    native = own(EQ(1.7, L), targets=Y - constant - X @ slopes)
    expected, found = native.derivatives(ROWS, 2), as_model(model).derivatives(ROWS, 2)
    assert as_model(model).description.derivatives == "closed form"
    np.testing.assert_allclose(
        found.distribution.mean, expected.distribution.mean + constant + ROWS @ slopes, rtol=1e-8
    )
    np.testing.assert_allclose(found.first[:, 0], expected.first[:, 0] + slopes, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.first[:, 1], expected.first[:, 1], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.second, expected.second, rtol=1e-8, atol=1e-8)


def test_matern_half_has_no_derivatives_at_its_training_rows():
    with pytest.raises(InputError, match="Matern12"):
        rsens.rsens(exact(scaled(matern(0.5))), ROWS)


def test_another_likelihood_is_used_for_new_observations_only():
    """As in `likelihood(model(X))`: the posterior of f stays that of the model's own noise."""
    model = exact(scaled(rbf()))
    plain, noisier = as_model(model), rsens.from_gpytorch(model, gaussian(0.5))
    expected, found = plain.predict_distribution(ROWS), noisier.predict_distribution(ROWS)
    np.testing.assert_allclose(found.mean, expected.mean)
    np.testing.assert_allclose(found.variance - 0.5, expected.variance - NOISE)
    with torch.no_grad():
        theirs = gaussian(0.5)(model(torch.tensor(ROWS)))
    np.testing.assert_allclose(found.variance, theirs.variance, rtol=1e-8)


@pytest.mark.parametrize("varies", [False, True])
def test_fixed_noise(varies):
    noise = torch.linspace(0.04, 0.2 if varies else 0.04, len(Y), dtype=torch.float64)
    likelihood = gpytorch.likelihoods.FixedNoiseGaussianLikelihood(noise)
    model = exact(scaled(rbf()), likelihood=likelihood)
    if not varies:
        assert relative(rsens.rsens2(model, ROWS), rsens.rsens2(own(EQ(1.7, L)), ROWS)) < 1e-8
        return
    with pytest.raises(
        InputError, match=r"noise of a new observation is not known.*from_gpytorch\(model, likelihood\)"
    ):
        rsens.rsens(model, ROWS)
    source = rsens.from_gpytorch(model, gaussian(0.1))
    with torch.no_grad():
        expected = model(torch.tensor(ROWS))
    np.testing.assert_allclose(source.predict_distribution(ROWS).variance, expected.variance + 0.1, rtol=1e-8)
