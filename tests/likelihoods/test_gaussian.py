import numpy as np
import pytest

from rsens import InputError
from rsens.likelihoods import GaussianLikelihood, Likelihood
from tests.likelihoods.cases import Case
from tests.likelihoods.check import cases_of, check_density, check_log_predictive_density, check_theta, predictive_of


@pytest.mark.parametrize("case", cases_of("gaussian"), ids=str)
def test_density(case: Case) -> None:
    check_density(case)


@pytest.mark.parametrize("case", cases_of("gaussian"), ids=str)
def test_theta(case: Case) -> None:
    check_theta(case)


@pytest.mark.parametrize("likelihood", predictive_of("gaussian"), ids=str)
def test_log_predictive_density(likelihood: Likelihood) -> None:
    check_log_predictive_density(likelihood)


def test_predictive_adds_the_noise() -> None:
    likelihood = GaussianLikelihood(0.5)
    family = likelihood.predictive([1.0, -2.0], [0.0, 3.0])
    np.testing.assert_array_equal(family.parameters, [[1.0, 0.5], [-2.0, 3.5]])
    y = np.array([0.3, 1e4])
    np.testing.assert_array_equal(likelihood.log_predictive_density(y, [1.0, -2.0], [0.0, 3.0]), family.log_prob(y))


def test_density_below_every_float() -> None:
    assert GaussianLikelihood(1e-300).log_density(np.array([1e200]), np.zeros(1)) == -np.inf


@pytest.mark.parametrize("bad", [0.0, -1.0, np.inf, np.nan, "much"])
def test_noise_variance_is_positive(bad: object) -> None:
    with pytest.raises(InputError, match="noise_variance must be"):
        GaussianLikelihood(bad)
