import numpy as np
import pytest

from rsens import InputError
from rsens.distributions import Normal
from rsens.likelihoods import Likelihood, StudentTLikelihood
from tests.likelihoods.cases import Case
from tests.likelihoods.check import cases_of, check_density, check_log_predictive_density, check_theta, predictive_of


@pytest.mark.parametrize("case", cases_of("student_t"), ids=str)
def test_density(case: Case) -> None:
    check_density(case)


@pytest.mark.parametrize("case", cases_of("student_t"), ids=str)
def test_theta(case: Case) -> None:
    check_theta(case)


@pytest.mark.parametrize("likelihood", predictive_of("student_t"), ids=str)
def test_log_predictive_density(likelihood: Likelihood) -> None:
    check_log_predictive_density(likelihood)


def test_many_degrees_of_freedom_are_gaussian() -> None:
    """The difference is O(z⁴/ν), here 1e-9."""
    y, m, v = np.array([0.0, 3.0, -1.0]), np.array([0.2, 0.0, 5.0]), np.array([0.0, 2.0, 9.0])
    found = StudentTLikelihood(0.5, df=1e10).log_predictive_density(y, m, v)
    np.testing.assert_allclose(found, Normal(m, v + 0.5).log_prob(y), rtol=1e-8)


def test_curvature_is_the_expected_information() -> None:
    """W = E_y[(∂ log p/∂f)²], by the trapezoid rule in φ, where the density is a power of cos φ."""
    likelihood = StudentTLikelihood(0.7, df=5.0)
    angle = np.linspace(-np.pi / 2, np.pi / 2, 2001)[1:-1]
    y = np.sqrt(0.7 * 5.0) * np.tan(angle)
    weight = np.exp(likelihood.log_density(y, 0.0 * y)) / np.cos(angle) ** 2 * np.sqrt(0.7 * 5.0) * np.pi / 2000
    information = np.sum(weight * likelihood.f_derivatives(y, 0.0 * y)[0] ** 2)
    w, dw = likelihood.curvature(np.array([1.0, 90.0]), np.zeros(2))
    np.testing.assert_allclose(w, information, rtol=1e-12)
    np.testing.assert_array_equal(dw, 0.0)


def test_predictive_has_the_variance_of_noise_and_latent() -> None:
    family = StudentTLikelihood(0.7, df=5.0).predictive([1.0, 2.0], [0.0, 3.0])
    np.testing.assert_allclose(family.variance, 0.7 * 5.0 / 3.0 + np.array([0.0, 3.0]), rtol=1e-15)
    np.testing.assert_array_equal(family.mean, [1.0, 2.0])


def test_extreme_residuals() -> None:
    likelihood = StudentTLikelihood(1.0, df=4.0)
    y, zero = np.array([1e200]), np.zeros(1)
    np.testing.assert_allclose(likelihood.log_density(y, zero), -5.0 * np.log(1e200 / 2.0) + np.log(0.375), rtol=1e-14)
    np.testing.assert_allclose(likelihood.f_derivatives(y, zero)[0], 5e-200, rtol=1e-14)
    np.testing.assert_allclose(
        likelihood.log_predictive_density(y, zero, np.array([400.0])), likelihood.log_density(y, zero), rtol=1e-13
    )


@pytest.mark.parametrize("df", [2.0, 1.0, -3.0, np.nan])
def test_df_is_above_two(df: float) -> None:
    with pytest.raises(InputError, match="df must be"):
        StudentTLikelihood(1.0, df)
