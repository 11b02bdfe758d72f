"""ApproximateGP: latent moments by automatic differentiation, our map from f to an observation on top."""

from __future__ import annotations

import gpytorch
import mpmath
import numpy as np
import pytest
import torch

import rsens
from rsens import InputError
from rsens.adapters import as_model
from rsens.adapters._gpytorch._observations import mean_softplus, softplus_counts
from rsens.kernels import EQ
from rsens.likelihoods import (
    GaussianLikelihood,
    LogitLikelihood,
    NegativeBinomialLikelihood,
    PoissonLikelihood,
    ProbitLikelihood,
    StudentTLikelihood,
)
from rsens.posteriors import DenseRoot, LatentPosterior
from tests.adapters.gpytorch.processes import ROWS, X, rbf, relative, scaled, with_values

# ---- likelihoods -----------------------------------------------------------------------------------------------------

L = (0.8, 2.5, 1.1)
M = 12


class VariationalProcess(gpytorch.models.ApproximateGP):
    """The model of GPyTorch's tutorials."""

    def __init__(self, points, kernel):
        distribution = gpytorch.variational.CholeskyVariationalDistribution(len(points))
        strategy = gpytorch.variational.VariationalStrategy(self, points, distribution, learn_inducing_locations=True)
        super().__init__(strategy)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = kernel

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def variational(likelihood):
    """A model with a variational distribution set by hand, in place of a training that takes its time."""
    model = VariationalProcess(torch.tensor(X[:M]), scaled(rbf())).double()
    generator = torch.Generator().manual_seed(1)
    strategy = model.variational_strategy
    root = 0.2 * torch.randn(M, M, generator=generator, dtype=torch.float64) + 0.5 * torch.eye(M, dtype=torch.float64)
    strategy._variational_distribution.variational_mean.data = torch.linspace(-1.0, 1.0, M, dtype=torch.float64)
    strategy._variational_distribution.chol_variational_covar.data = root.tril()
    strategy.variational_params_initialized.fill_(1)
    return model.eval()


class Oracle:
    """q(f) by hand: with Kzz = LLᵀ and the whitened q(u) = N(m, S), m(x) = kᵀL⁻ᵀm and v(x) = k** − kᵀL⁻ᵀ(I − S)L⁻¹k."""

    def __init__(self, model):
        q = model.variational_strategy._variational_distribution
        mean = q.variational_mean.detach().numpy()
        root = np.tril(q.chol_variational_covar.detach().numpy())
        self.kernel, self.points = EQ(1.7, L), X[:M]
        self.jitter = model.variational_strategy.jitter_val  # GPyTorch adds it to Kzz and to the variance
        self.L = np.linalg.cholesky(self.kernel(self.points) + self.jitter * np.eye(M))
        self.weights, self.W = np.linalg.solve(self.L.T, mean), np.eye(M) - root @ root.T

    def moments(self, X):
        k = self.kernel(X, self.points)
        A = np.linalg.solve(self.L, k.T)
        return k @ self.weights, 1.7 + self.jitter - np.einsum("ji,jk,ki->i", A, self.W, A)


class PoissonWithExp(gpytorch.likelihoods.PoissonLikelihood):
    def forward(self, function_samples, *args, **kwargs):
        return torch.distributions.Poisson(function_samples.exp())


class BernoulliWithLogit(gpytorch.likelihoods.likelihood._OneDimensionalLikelihood):
    def forward(self, function_samples, *args, **kwargs):
        return torch.distributions.Bernoulli(logits=function_samples)


class NegativeBinomialWithExp(gpytorch.likelihoods.NegativeBinomialLikelihood):
    def forward(self, function_samples, *args, **kwargs):
        return torch.distributions.NegativeBinomial(torch.tensor(2.5).double(), logits=function_samples - np.log(2.5))


G = gpytorch.likelihoods
#: A likelihood, and ours; `forward` of a subclass counts, not the name.
LIKELIHOODS = {
    "gaussian": lambda: (with_values(G.GaussianLikelihood(), noise=0.3), GaussianLikelihood(0.3)),
    "student t": lambda: (with_values(G.StudentTLikelihood(), noise=0.3, deg_free=5.0), StudentTLikelihood(0.3, 5.0)),
    "probit": lambda: (G.BernoulliLikelihood(), ProbitLikelihood()),
    "logit": lambda: (BernoulliWithLogit(), LogitLikelihood()),
    "poisson with exp": lambda: (PoissonWithExp(), PoissonLikelihood()),
    "negative binomial with exp": lambda: (NegativeBinomialWithExp(), NegativeBinomialLikelihood(2.5)),
}


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_our_likelihoods_on_the_moments_of_q(name):
    theirs, ours = LIKELIHOODS[name]()
    model = variational(theirs)
    oracle = Oracle(model)
    model.likelihood = theirs.double()  # a likelihood that it holds is found
    source = as_model(model)
    native = rsens.from_function(lambda rows: ours.predictive(*oracle.moments(rows)))
    expected = ours.predictive(*oracle.moments(ROWS)).parameters
    np.testing.assert_allclose(source.predict_distribution(ROWS).parameters, expected, rtol=1e-8)
    # the oracle's differences are right to about 1e-8 and 1e-5
    assert relative(rsens.rsens(source, ROWS), rsens.rsens(native, ROWS)) < 1e-6
    assert relative(rsens.rsens2(source, ROWS), rsens.rsens2(native, ROWS)) < 1e-4


def test_first_derivatives_of_q_by_our_own_kernel():
    """The mean and its derivatives are those of a LatentPosterior with the same weights, to the last digits."""
    model = variational(None)
    oracle = Oracle(model)
    posterior = LatentPosterior(EQ(1.7, L), X[:M], oracle.weights, DenseRoot(np.eye(M)))
    mean, first, second = posterior.mean_derivatives(ROWS, 2)
    record = rsens.from_gpytorch(model, gpytorch.likelihoods.GaussianLikelihood().double()).derivatives(ROWS, 2)
    np.testing.assert_allclose(record.distribution.mean, mean, rtol=1e-9, atol=1e-9)
    assert relative(record.first[:, 0], first) < 1e-8
    assert relative(record.second[:, 0], second) < 1e-6  # six of the rows are inducing points


def test_without_its_likelihood_the_error_says_what_to_write():
    with pytest.raises(InputError, match=r"does not carry its likelihood.*rsens\.from_gpytorch\(model, likelihood\)"):
        rsens.rsens(variational(None), ROWS)


@pytest.mark.parametrize("likelihood", [G.LaplaceLikelihood, G.BetaLikelihood, lambda: G.SoftmaxLikelihood(4, 3)])
def test_other_likelihoods_are_refused(likelihood):
    with pytest.raises(InputError, match=r"likelihood must give one number y per row.*from_torch\(fn\)"):
        rsens.from_gpytorch(variational(None), likelihood())


def test_two_minds_about_the_link_are_refused():
    """GPyTorch's Bernoulli has its own formula for y, a probit; a `forward` with another link does not change that."""

    class Confused(G.BernoulliLikelihood):
        def forward(self, function_samples, *args, **kwargs):
            return torch.distributions.Bernoulli(logits=function_samples)

    with pytest.raises(InputError, match="likelihood must give one number y per row"):
        rsens.from_gpytorch(variational(None), Confused())


def test_a_network_before_a_variational_gp():
    """Its inducing points lie among the features, so every row may be one of them."""

    class Layers(gpytorch.Module):
        def __init__(self):
            super().__init__()
            self.network, self.gp = torch.nn.Linear(4, 3), variational(None)

        def forward(self, x):
            return self.gp(self.network(x))

    torch.manual_seed(0)
    model, likelihood = Layers().double(), with_values(G.GaussianLikelihood(), noise=0.3)
    rows = np.random.default_rng(0).normal(size=(5, 4))
    weights = model.network.weight.detach().numpy()
    features = rows @ weights.T + model.network.bias.detach().numpy()
    inner = rsens.from_gpytorch(model.gp, likelihood).derivatives(features, 2)
    found = rsens.from_gpytorch(model, likelihood).derivatives(rows, 2)
    assert relative(found.first, inner.first @ weights) < 1e-8
    assert relative(found.second, weights.T @ inner.second @ weights) < 1e-6


def test_a_model_that_was_never_called_is_not_fitted():
    """GPyTorch would start it from random numbers at the first call."""
    model = VariationalProcess(torch.tensor(X[:M]), scaled(rbf())).double()
    with pytest.raises(InputError, match="is not fitted"):
        rsens.from_gpytorch(model, G.GaussianLikelihood())


def test_single_precision_keeps_its_jitter():
    """The whitened parameters refer to the factor of Kzz + jitter, and the default jitter depends on the precision."""
    single, likelihood = variational(None).float(), with_values(G.GaussianLikelihood(), noise=0.3).float()
    with torch.no_grad():
        expected = likelihood(single(torch.tensor(ROWS).float()))
    with pytest.warns(rsens.RsensWarning, match="single precision"):
        found = as_model(rsens.from_gpytorch(single, likelihood)).predict_distribution(ROWS)
    np.testing.assert_allclose(found.mean, expected.mean, atol=1e-5)  # rounding of float32
    np.testing.assert_allclose(found.variance, expected.variance, rtol=1e-5)


# ---- counts with mean softplus(f), against mpmath and quadrature -----------------------------------------------------


@pytest.mark.parametrize("m", [-30.0, -4.0, 0.7, 12.0])
@pytest.mark.parametrize("v", [0.0, 1e-6, 0.3, 60.0])
def test_the_mean_of_softplus(m, v):
    with mpmath.workdps(20):
        if v == 0.0:
            expected = mpmath.log1p(mpmath.exp(m))
        else:
            s = mpmath.sqrt(v)
            ends = [m + s * t for t in (-12, -6, 0, 6, 12)] + [m + v + s * t for t in (-6, 0, 6, 12)]
            density = lambda f: mpmath.npdf(f, m, s)  # noqa: E731
            expected = mpmath.quad(lambda f: mpmath.log1p(mpmath.exp(f)) * density(f), sorted({*map(float, ends)}))
    assert mean_softplus(np.array([m]), np.array([v]))[0] == pytest.approx(float(expected), rel=1e-11)


@pytest.mark.parametrize("counts", [softplus_counts(), softplus_counts(0.4, 1.5)])
def test_derivatives_in_the_moments_against_differences(counts):
    m, v = np.array([-3.0, 0.2, 2.0]), np.array([0.5, 1.3, 6.0])
    first, second = counts.predictive_derivatives(m, v, 2)
    h = 1e-4
    parameters = lambda dm, dv: counts.predictive(m + dm, v + dv).parameters  # noqa: E731
    by_m = (parameters(h, 0.0) - parameters(-h, 0.0)) / (2.0 * h)
    by_v = (parameters(0.0, h) - parameters(0.0, -h)) / (2.0 * h)
    np.testing.assert_allclose(first, np.stack([by_m, by_v], -1), rtol=1e-6)
    slopes = lambda dm, dv: counts.predictive_derivatives(m + dm, v + dv, 1)[0]  # noqa: E731
    by_m = (slopes(h, 0.0) - slopes(-h, 0.0)) / (2.0 * h)
    by_v = (slopes(0.0, h) - slopes(0.0, -h)) / (2.0 * h)
    np.testing.assert_allclose(second, np.stack([by_m, by_v], -1), rtol=1e-6)


COUNTS = {
    "poisson": lambda: gpytorch.likelihoods.PoissonLikelihood(),
    "negative binomial": lambda: with_values(gpytorch.likelihoods.NegativeBinomialLikelihood(), probs=[0.3]),
    "by its size": lambda: with_values(
        gpytorch.likelihoods.NegativeBinomialLikelihood(num_failures_param=True), probs=[0.3]
    ),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_have_the_mean_of_the_likelihood(name):
    """By Gauss–Hermite quadrature of torch's own distributions over f."""
    likelihood = COUNTS[name]()
    model = variational(likelihood)
    m, v = Oracle(model).moments(ROWS)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    given = likelihood.forward(torch.tensor(m[:, None] + np.sqrt(v)[:, None] * nodes))
    expected = given.mean.detach().numpy() @ weights / weights.sum()
    source = rsens.from_gpytorch(model, likelihood)
    np.testing.assert_allclose(source.predict_distribution(ROWS).mean, expected, rtol=1e-7)
    differences = rsens.from_function(source.predict_distribution)
    assert relative(rsens.rsens(source, ROWS), rsens.rsens(differences, ROWS)) < 1e-6
