"""What has no closed form here goes through GPyTorch's own derivatives, put right at training rows."""

from __future__ import annotations

import copy
import threading

import gpytorch
import numpy as np
import pytest
import torch

import rsens
from rsens import InputError
from rsens.adapters import as_model
from rsens.derivatives import chain_rule
from rsens.kernels import EQ, Matern32, Matern52
from tests.adapters.gpytorch.processes import (
    ROWS,
    DeepKernel,
    ExactProcess,
    X,
    exact,
    gaussian,
    own,
    rbf,
    relative,
    scaled,
    with_values,
)

L = (0.8, 2.5, 1.1)


class UsersRBF(gpytorch.kernels.RBFKernel):
    """Equal to its parent, but who knows: a subclass is never translated."""


class UsersMatern(gpytorch.kernels.MaternKernel):
    pass


def users_rbf():
    return scaled(with_values(UsersRBF(ard_num_dims=3), lengthscale=L))


def users_matern(nu):
    return scaled(with_values(UsersMatern(nu, ard_num_dims=3), lengthscale=L))


#: Matérn 3/2 bends at its training rows: what lies a little aside is right to that little.
CASES = {
    "rbf": (users_rbf, EQ(1.7, L), 1e-6),
    "matern 5/2": (lambda: users_matern(2.5), Matern52(1.7, L), 1e-6),
    "matern 3/2": (lambda: users_matern(1.5), Matern32(1.7, L), 1e-4),
}


@pytest.mark.parametrize("name", CASES)
def test_it_agrees_with_our_own_gp_at_training_rows_and_elsewhere(name):
    kernel, ours, tolerance = CASES[name]
    model, native = exact(kernel()), own(ours)
    source = as_model(model)
    assert source.description.derivatives == "automatic (PyTorch)"
    expected, found = native.predict_distribution(ROWS), source.predict_distribution(ROWS)
    np.testing.assert_allclose(found.parameters, expected.parameters, rtol=1e-8)
    assert relative(rsens.rsens(model, ROWS), rsens.rsens(native, ROWS)) < 1e-6
    for rows, bound in ((ROWS[:6], tolerance), (ROWS[6:], 1e-6), (ROWS, tolerance)):
        assert relative(rsens.rsens2(model, rows), rsens.rsens2(native, rows)) < bound


def test_the_covariance_of_the_training_rows_is_factorised_once(monkeypatch):
    """With GPyTorch's default settings every backward pass of every chunk would do so again."""
    source, cholesky, sizes = as_model(exact(users_rbf())), torch.linalg.cholesky_ex, []

    def counting(matrix, *args, **kwargs):
        sizes.append(matrix.shape[-1])
        return cholesky(matrix, *args, **kwargs)

    monkeypatch.setattr(torch.linalg, "cholesky_ex", counting)
    for rows in (ROWS[:4], ROWS[4:]):
        source.derivatives(rows, 2)
    assert sizes.count(len(X)) <= 2  # for the mean, and for the variance


def test_cholesky_factors_above_800_rows():
    """GPyTorch's own settings turn to conjugate gradients there, which are far too coarse for derivatives."""
    rng = np.random.default_rng(3)
    many = rng.normal(size=(900, 3))
    targets = np.sin(2.0 * many[:, 0]) + many[:, 1] * many[:, 2] + 0.05 * rng.normal(size=900)
    given, rows = {"inputs": many, "targets": targets}, np.vstack([many[:3], many[:3] + 0.1])
    model, native = exact(users_rbf(), likelihood=gaussian(1e-3), **given), own(EQ(1.7, L), noise=1e-3, **given)
    points, usual = torch.tensor(rows, requires_grad=True), gpytorch.settings
    with torch.random.fork_rng(), usual.fast_computations(True, True, True), usual.max_cholesky_size(800):
        torch.manual_seed(0)  # conjugate gradients start at random
        bare = torch.autograd.grad(model.likelihood(model(points)).variance.sum(), points)[0].numpy()
    kept, truth = model.prediction_strategy, native.derivatives(rows, 1).first[:, 1]
    assert relative(bare, truth) > 1e-3  # the trap is real
    assert relative(as_model(model).derivatives(rows, 1).first[:, 1], truth) < 1e-6
    assert relative(rsens.rsens2(model, rows[2:4]), rsens.rsens2(native, rows[2:4])) < 1e-6
    assert model.prediction_strategy is kept


def test_a_network_in_front_of_the_kernel_is_part_of_the_model():
    """`covar_module` is an RBF kernel that we know, but `forward` does more: its prior gives it away."""
    model = exact(scaled(rbf((0.8, 1.1))), kind=DeepKernel)
    source = as_model(model)
    assert source.description.derivatives == "automatic (PyTorch)"
    rows, network = torch.tensor(ROWS), model.network
    features = lambda each: network(each).detach().numpy()  # noqa: E731
    outer = own(EQ(1.7, (0.8, 1.1)), inputs=features(torch.tensor(X))).derivatives(features(rows), 2)
    jacobian = torch.func.vmap(torch.func.jacfwd(network))(rows).detach().numpy()
    hessian = torch.func.vmap(torch.func.hessian(network))(rows).detach().numpy()
    first, second = chain_rule(jacobian, hessian, outer.first, outer.second)  # our GP of what the network makes of x
    found = source.derivatives(ROWS, 2)
    np.testing.assert_allclose(found.distribution.parameters, outer.distribution.parameters, rtol=1e-8)
    assert relative(found.first, first) < 1e-6
    assert relative(found.second, second) < 1e-6


@pytest.mark.parametrize("lengthscale", [1e-3, 1e3])
def test_a_network_is_found_whatever_the_length_scale(lengthscale):
    """With a short one, rows that are far apart have no covariance, whatever they go through; with a long one, all."""
    source = as_model(exact(scaled(rbf((lengthscale, lengthscale))), kind=DeepKernel))
    assert source.description.derivatives == "automatic (PyTorch)"


def test_a_sparse_kernel_is_right_at_its_inducing_points():
    """SGPR: m(x) = k(x, Z) a with a from the inducing points Z, so that ∂²m is that of the kernel at Z."""
    likelihood = gaussian()
    points = X[:5] + 0.05
    model = exact(gpytorch.kernels.InducingPointKernel(users_rbf(), torch.tensor(points), likelihood), None, likelihood)
    source = as_model(model)
    with torch.no_grad(), gpytorch.settings.debug(False):
        expected = model.likelihood(model(torch.tensor(points)))
    np.testing.assert_allclose(source.predict_distribution(points).mean, expected.mean, rtol=1e-8)
    differences = rsens.from_function(source.predict_distribution)
    assert relative(rsens.rsens(model, points), rsens.rsens(differences, points)) < 1e-6
    assert {finding.verdict for finding in source.checks(points)} == {"ok"}
    second, moved = source.derivatives(points, 2).second[:, 0], 1e-4
    steps = [source.derivatives(points + moved * np.eye(3)[d] * s, 1).first[:, 0] for d in range(3) for s in (1, -1)]
    truth = np.stack([(steps[2 * d] - steps[2 * d + 1]) / (2.0 * moved) for d in range(3)], 1)
    assert relative(second, truth) < 1e-5


def test_a_subclass_of_the_likelihood_is_respected():
    class Doubled(gpytorch.likelihoods.GaussianLikelihood):
        def marginal(self, function_dist, *args, **kwargs):
            marginal = super().marginal(function_dist, *args, **kwargs)
            return marginal.__class__(marginal.mean, marginal.lazy_covariance_matrix * 2.0)

    model = exact(scaled(rbf()))
    doubled = with_values(Doubled(), noise=0.04)
    plain, found = as_model(model), rsens.from_gpytorch(model, doubled)
    expected = 2.0 * plain.predict_distribution(ROWS).variance
    np.testing.assert_allclose(found.predict_distribution(ROWS).variance, expected, rtol=1e-8)


def test_rows_that_look_at_each_other_are_an_error():
    class Scaled(ExactProcess):
        def forward(self, x):
            return super().forward(x / x.std(0))

    with pytest.raises(InputError, match="changes with the other rows"):
        rsens.rsens(exact(users_rbf(), kind=Scaled), ROWS)


def test_a_model_that_cannot_be_copied_says_so():
    model = exact(users_rbf())
    model.lock = threading.Lock()
    with pytest.raises(TypeError):
        copy.deepcopy(model)
    with pytest.raises(InputError, match=r"cannot be copied .*copy\.deepcopy\(model\)"):
        rsens.rsens(model, ROWS)
