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
    Y,
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
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-8)
    np.testing.assert_allclose(found.variance, expected.variance, rtol=1e-8)
    assert relative(rsens.rsens(model, ROWS), rsens.rsens(native, ROWS)) < 1e-6
    for rows, bound in ((ROWS[:6], tolerance), (ROWS[6:], 1e-6), (ROWS, tolerance)):
        assert relative(rsens.rsens2(model, rows), rsens.rsens2(native, rows)) < bound


def test_bare_second_derivatives_are_wrong_at_training_rows():
    """Why rows are moved aside: if GPyTorch ever gets this right, the detour can go."""
    model, native = exact(users_matern(2.5)), own(Matern52(1.7, L))
    rows = torch.tensor(X, requires_grad=True)
    with gpytorch.settings.debug(False):
        (gradient,) = torch.autograd.grad(model(rows).mean.sum(), rows, create_graph=True)
    (second,) = torch.autograd.grad(gradient[:, 0].sum(), rows)
    truth = native.derivatives(X, 2).second[:, 0, 0]
    assert relative(second.numpy(), truth) > 0.1


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


def test_columns_with_ties_are_moved_aside_too():
    """A kernel of single columns sees a distance of 0 wherever a value occurs in the training data."""
    parts = [with_values(UsersMatern(2.5, active_dims=(d,)), lengthscale=L[d]) for d in range(3)]
    kernel = parts[0] + parts[1] + parts[2]
    sum_of_columns = Matern52(1.0, L[0], dims=(0,)) + Matern52(1.0, L[1], dims=(1,)) + Matern52(1.0, L[2], dims=(2,))
    rows = ROWS[6:].copy()
    rows[:, 1] = X[:6, 1]
    assert relative(rsens.rsens2(exact(kernel), rows), rsens.rsens2(own(sum_of_columns), rows)) < 1e-6


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


def test_what_gpytorch_cannot_do_is_no_traceback_from_inside():
    """A cosine of distances in three columns is no covariance."""
    model = exact(gpytorch.kernels.CosineKernel().double(), likelihood=gaussian(1e-4))
    with pytest.raises(InputError, match=r"cannot predict .*positive definite"):
        rsens.rsens(model, ROWS)


def test_noise_that_depends_on_x_is_respected():
    """The likelihood's own noise model, itself a GP."""
    inner = exact(scaled(rbf()), targets=0.1 * np.sin(X[:, 0]))
    noise = gpytorch.likelihoods.noise_models.HeteroskedasticNoise(inner).double()
    likelihood = gpytorch.likelihoods.gaussian_likelihood._GaussianLikelihoodBase(noise)
    model = exact(scaled(rbf()), likelihood=likelihood)
    source = as_model(model)
    with torch.no_grad(), gpytorch.settings.debug(False):
        rows = torch.tensor(ROWS)
        expected = likelihood(model(rows), rows)
    found = source.predict_distribution(ROWS)
    np.testing.assert_allclose(found.variance, expected.variance, rtol=1e-8)
    differences = rsens.rsens(rsens.from_function(source.predict_distribution), ROWS)
    assert relative(rsens.rsens(model, ROWS), differences) < 1e-6


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


def test_a_model_that_conditions_in_its_own_way_is_asked():
    class Halved(ExactProcess):
        def __call__(self, *args, **kwargs):
            result = super().__call__(*args, **kwargs)
            return result.__class__(result.mean * 0.5, result.lazy_covariance_matrix)

    plain, halved = exact(scaled(rbf())), exact(scaled(rbf()), kind=Halved)
    expected = 0.5 * as_model(plain).predict_distribution(ROWS).mean
    np.testing.assert_allclose(as_model(halved).predict_distribution(ROWS).mean, expected, rtol=1e-8)


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


def test_tensors_outside_the_module_are_named():
    """They stay in single precision when the working copy is turned to double."""

    class Hidden(ExactProcess):
        def forward(self, x):
            return super().forward(x @ self.hidden["weights"])

    model = Hidden(torch.tensor(X).float(), torch.tensor(Y).float(), gaussian().float(), users_rbf().float())
    model.hidden = {"weights": torch.eye(3)}
    with pytest.warns(rsens.RsensWarning, match="single precision"), pytest.raises(InputError, match="mixes float64"):
        rsens.rsens(model.eval(), ROWS)
