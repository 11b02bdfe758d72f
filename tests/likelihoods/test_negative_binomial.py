import numpy as np
import pytest

from rsens import InputError
from rsens.likelihoods import Likelihood, NegativeBinomialLikelihood, PoissonLikelihood
from tests.likelihoods.cases import Case
from tests.likelihoods.check import cases_of, check_density, check_log_predictive_density, check_theta, predictive_of


@pytest.mark.parametrize("case", cases_of("negative_binomial"), ids=str)
def test_density(case: Case) -> None:
    check_density(case)


@pytest.mark.parametrize("case", cases_of("negative_binomial"), ids=str)
def test_theta(case: Case) -> None:
    check_theta(case)


@pytest.mark.parametrize("likelihood", predictive_of("negative_binomial"), ids=str)
def test_log_predictive_density(likelihood: Likelihood) -> None:
    check_log_predictive_density(likelihood)


def test_large_sizes_are_poisson() -> None:
    """The two log densities differ by O(y²/size), here 1e-8."""
    y, f = np.array([0.0, 3.0, 100.0]), np.array([0.5, 1.0, 4.6])
    large, limit = NegativeBinomialLikelihood(1e12), PoissonLikelihood()
    np.testing.assert_allclose(large.log_density(y, f), limit.log_density(y, f), rtol=1e-8)
    np.testing.assert_allclose(large.f_derivatives(y, f), limit.f_derivatives(y, f), rtol=1e-8)


def test_nothing_overflows() -> None:
    """p ∝ e^{−kf} for f → ∞, so that the slope is −k and its derivative −kσ(−a) is 0."""
    likelihood, y, f = NegativeBinomialLikelihood(2.0), np.array([0.0, 5.0]), np.array([1e4, 1e4])
    np.testing.assert_allclose(
        likelihood.log_density(y, f), -2.0 * (1e4 - np.log(2.0)) + np.log([1.0, 6.0]), rtol=1e-14
    )
    np.testing.assert_array_equal(likelihood.f_derivatives(y, f), [[-2.0, -2.0], [0.0, 0.0], [0.0, 0.0]])
    by_size, by_slope, by_curvature = likelihood.theta_derivatives(y, f)
    assert np.isfinite(by_size).all()
    np.testing.assert_array_equal(by_slope, [[-2.0, -2.0]])
    np.testing.assert_array_equal(by_curvature, [[0.0, 0.0]])


def test_predictive_keeps_the_size() -> None:
    likelihood = NegativeBinomialLikelihood(3.0)
    np.testing.assert_allclose(
        likelihood.predictive([1.0, 2.0], [2.0, 0.0]).parameters, [[np.exp(2), 3]] * 2, rtol=1e-15
    )
    first, second = likelihood.predictive_derivatives([1.0], [2.0], 2)
    assert first.shape == (1, 2, 2)
    assert second.shape == (1, 2, 2, 2)
    assert not first[:, 1].any()
    assert not second[:, 1].any()


def test_size_is_positive() -> None:
    with pytest.raises(InputError, match="size must be positive and finite; got 0"):
        NegativeBinomialLikelihood(0.0)
