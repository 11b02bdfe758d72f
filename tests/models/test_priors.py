"""The weak priors: a log-normal for every hyperparameter, with the size of the data as unit."""

import numpy as np
import pytest

from rsens import GPRegressor, InputError
from rsens.kernels import EQ, Categorical, Constant, Linear, Periodic, RationalQuadratic, additive
from rsens.likelihoods import GaussianLikelihood, NegativeBinomialLikelihood, PoissonLikelihood
from rsens.models._optimize import log_normals

SCALE = np.array([2.0, 8.0, 0.5])
GAUSSIAN = GaussianLikelihood(1.0)


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
    prior = log_normals(kernel, GAUSSIAN, SCALE, 10.0)
    np.testing.assert_allclose(np.exp(prior.mean), [*centres, 0.04 * 100.0], rtol=1e-12)
    np.testing.assert_array_equal(prior.deviation, [*deviations, 2])
    assert len(log_normals(EQ(), PoissonLikelihood(), SCALE, 1.0).mean) == 2
    assert log_normals(EQ(), NegativeBinomialLikelihood(3.0), SCALE, 1.0).mean[-1] == pytest.approx(np.log(10.0))


def test_log_density_has_its_gradient_and_its_summit_at_the_mean():
    prior = log_normals(additive(3), GAUSSIAN, SCALE, 1.0)
    theta = prior.mean + np.linspace(-1.0, 2.0, len(prior.mean))
    value, gradient = prior.log_density(theta)
    step = 1e-6 * np.eye(len(theta))
    slopes = [(prior.log_density(theta + e)[0] - prior.log_density(theta - e)[0]) / 2e-6 for e in step]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-8, atol=1e-9)
    assert value < prior.log_density(prior.mean)[0] == 0.0


def test_priors_given_by_name():
    kernel = additive(2, [(0, 1)])
    prior = log_normals(kernel, GAUSSIAN, SCALE[:2], 1.0, {"lengthscale": (4.0, 0.5), "noise_variance": (0.25, 2.0)})
    lengthscales = ["lengthscale" in name for name in kernel.hyperparameter_names]
    of_kernel = prior.mean[:-1], prior.deviation[:-1]
    np.testing.assert_allclose(of_kernel[0][lengthscales], np.log(4.0))
    np.testing.assert_allclose(of_kernel[1][lengthscales], 0.5)
    assert (prior.mean[-1], prior.deviation[-1]) == (np.log(0.25), 2.0)
    weak = log_normals(kernel, GAUSSIAN, SCALE[:2], 1.0)
    others = [not long for long in lengthscales]
    np.testing.assert_array_equal(of_kernel[0][others], weak.mean[:-1][others])


def test_a_narrow_prior_decides():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 1))
    model = GPRegressor(priors={"lengthscale": (3.0, 1e-4)}, standardize=False, random_state=0)
    assert model.fit(X, np.sin(X[:, 0])).kernel_.lengthscale[0] == pytest.approx(3.0, rel=1e-2)


@pytest.mark.parametrize(
    "priors",
    ["strong", *({"lengthscale": wrong} for wrong in (3.0, (3.0, 0.0), (3.0, "wide"))), {"length_scale": (3.0, 1.0)}],
)
def test_wrong_priors(priors):
    with pytest.raises(InputError) as raised:
        GPRegressor(priors=priors).fit(np.arange(6.0)[:, None], np.arange(6.0))
    assert raised.value.argument == "priors"
