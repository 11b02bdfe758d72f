"""Counts with mean softplus(f), GPyTorch's own Poisson and negative binomial, against mpmath and quadrature."""

from __future__ import annotations

import gpytorch
import mpmath
import numpy as np
import pytest
import torch

import rsens
from rsens.adapters._gpytorch._observations import mean_softplus, softplus_counts
from tests.adapters.gpytorch.processes import ROWS, relative, with_values
from tests.adapters.gpytorch.test_approximate import Oracle, variational


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


LIKELIHOODS = {
    "poisson": lambda: gpytorch.likelihoods.PoissonLikelihood(),
    "negative binomial": lambda: with_values(gpytorch.likelihoods.NegativeBinomialLikelihood(), probs=[0.3]),
    "by its size": lambda: with_values(
        gpytorch.likelihoods.NegativeBinomialLikelihood(num_failures_param=True), probs=[0.3]
    ),
}


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_counts_have_the_mean_of_the_likelihood(name):
    """By Gauss–Hermite quadrature of torch's own distributions over f."""
    likelihood = LIKELIHOODS[name]()
    model = variational(likelihood)
    m, v = Oracle(model).moments(ROWS)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    given = likelihood.forward(torch.tensor(m[:, None] + np.sqrt(v)[:, None] * nodes))
    expected = given.mean.detach().numpy() @ weights / weights.sum()
    source = rsens.from_gpytorch(model, likelihood)
    np.testing.assert_allclose(source.predict_distribution(ROWS).mean, expected, rtol=1e-7)
    differences = rsens.from_function(source.predict_distribution)
    assert relative(rsens.rsens(source, ROWS), rsens.rsens(differences, ROWS)) < 1e-6
