"""The weak priors: a log-normal for every hyperparameter, with the size of the data as unit."""

import numpy as np
import pytest

from rsens.kernels import EQ, Categorical, Constant, Linear, Periodic, RationalQuadratic, additive
from rsens.likelihoods import GaussianLikelihood, NegativeBinomialLikelihood, PoissonLikelihood
from rsens.models._priors import weak

SCALE = np.array([2.0, 8.0, 0.5])
GAUSSIAN, POISSON = GaussianLikelihood(1.0), PoissonLikelihood()


@pytest.mark.parametrize(
    ("kernel", "centres", "deviations"),
    [
        (EQ(1.0, (1.0, 1.0, 1.0)), [100.0, 2 * 3**0.5, 8 * 3**0.5, 0.5 * 3**0.5], [2, 1, 1, 1]),
        (EQ(1.0, 1.0), [100.0, 2 * 3**0.5], [2, 1]),  # one for all: the geometric mean of the sizes
        (EQ(1.0, (1.0, 1.0), dims=(2, 1)), [100.0, 0.5 * 2**0.5, 8 * 2**0.5], [2, 1, 1]),
        (RationalQuadratic(1.0, 1.0, 5.0, dims=(1,)), [100.0, 8.0, 1.0], [2, 1, 1]),
        (Linear((1.0, 1.0), dims=(0, 1)), [100 / 2 / 4, 100 / 2 / 64], [2, 2]),
        (Periodic(1.0, 0.7, 24.0, dims=(1,)), [100.0, 0.7, 24.0], [2, 0.5, 0.5]),
        (Categorical(1.0, 3.0, dims=(0,)), [100.0, 1.0], [2, 1]),
        (Constant(1.0) * EQ(1.0, 1.0, dims=(0,)) + Constant(2.0), [100.0, 1.0, 2.0, 100.0], [2, 2, 1, 2]),
    ],
)
def test_each_hyperparameter_has_the_prior_of_the_table(kernel, centres, deviations):
    prior = weak(kernel, GAUSSIAN, SCALE, 10.0)
    np.testing.assert_allclose(np.exp(prior.mean), [*centres, 0.04 * 100.0], rtol=1e-12)
    np.testing.assert_array_equal(prior.deviation, [*deviations, 2])


def test_likelihoods():
    assert len(weak(EQ(), POISSON, SCALE, 1.0).mean) == 2
    assert weak(EQ(), NegativeBinomialLikelihood(3.0), SCALE, 1.0).mean[-1] == pytest.approx(np.log(10.0))


def test_log_density_has_its_gradient_and_its_summit_at_the_mean():
    prior = weak(additive(3), GAUSSIAN, SCALE, 1.0)
    theta = prior.mean + np.linspace(-1.0, 2.0, len(prior.mean))
    value, gradient = prior.log_density(theta)
    step = 1e-6 * np.eye(len(theta))
    slopes = [(prior.log_density(theta + e)[0] - prior.log_density(theta - e)[0]) / 2e-6 for e in step]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-8, atol=1e-9)
    assert value < prior.log_density(prior.mean)[0] == 0.0


def test_limits_hold_the_start():
    prior = weak(EQ(), GAUSSIAN, SCALE, 1.0)
    low, high = prior.limits(np.array([-100.0, 0.0, 100.0])).T
    assert low[0] == -100.0
    assert high[2] == 100.0
    assert (low < prior.mean - 17.0).all()
    assert (high > prior.mean + 17.0).all()


def test_starts_are_near_the_mean():
    prior = weak(EQ(), GAUSSIAN, SCALE, 1.0)
    rng = np.random.default_rng(0)
    draws = np.array([prior.start(rng) for _ in range(2000)])
    np.testing.assert_allclose(draws.mean(0), prior.mean, atol=0.1)
    np.testing.assert_allclose(draws.std(0), 1.0, atol=0.06)
