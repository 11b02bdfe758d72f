import numpy as np
import pytest

from rsens.likelihoods import Likelihood, LogitLikelihood
from tests.likelihoods.cases import LINK_POINTS, Case
from tests.likelihoods.check import (
    cases_of,
    check_density,
    check_link_derivatives,
    check_log_predictive_density,
    predictive_of,
)


@pytest.mark.parametrize("case", cases_of("logit"), ids=str)
def test_density(case: Case) -> None:
    check_density(case)


@pytest.mark.parametrize("likelihood", predictive_of("logit"), ids=str)
def test_log_predictive_density(likelihood: Likelihood) -> None:
    check_log_predictive_density(likelihood)


def test_both_forms_of_the_tail_agree() -> None:
    """Below and above the variance where the integral changes its form: π is smooth in v."""
    m = np.array([-300.0, -40.0, -3.0, -0.1])
    v = np.nextafter(4.0, 0.0)
    narrow = LogitLikelihood().log_predictive_density(np.ones(4), m, v)
    np.testing.assert_allclose(narrow, LogitLikelihood().log_predictive_density(np.ones(4), m, 4.0), rtol=1e-14)


def test_no_tail_is_lost() -> None:
    """For m → −∞, σ(f) = e^f and the logit is m + v/2; the other tail is its mirror image."""
    m, v = np.array([-800.0, -40.0, 40.0, 800.0]), np.array([9.0, 1.0, 1.0, 0.25])
    logit = LogitLikelihood().predictive(m, v).logit
    np.testing.assert_allclose(logit, m - np.sign(m) * v / 2, rtol=1e-14)


def test_a_latent_that_knows_nothing() -> None:
    """For v → ∞, π = Φ(m/√(v + π²/3)) up to O(1/v): here ½ + m/√(2πv)."""
    m, v = np.array([1e3, 1e3]), np.array([1e12, 1e100])
    np.testing.assert_allclose(LogitLikelihood().predictive(m, v).mean, 0.5 + m / np.sqrt(2 * np.pi * v), rtol=1e-9)
    first, _ = LogitLikelihood().predictive_derivatives(m, v, 1)
    np.testing.assert_allclose(first[:, 0, 0], 1.0 / np.sqrt(2 * np.pi * v), rtol=1e-6)


def test_predictive_derivatives() -> None:
    check_link_derivatives(LogitLikelihood(), LINK_POINTS)
