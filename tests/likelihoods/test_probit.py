import mpmath as mp
import numpy as np
import pytest
from scipy.special import ndtr

from rsens import InputError
from rsens.likelihoods import Likelihood, ProbitLikelihood
from tests.likelihoods.cases import LINK_POINTS, Case
from tests.likelihoods.check import (
    cases_of,
    check_density,
    check_link_derivatives,
    check_log_predictive_density,
    predictive_of,
)


@pytest.mark.parametrize("case", cases_of("probit"), ids=str)
def test_density(case: Case) -> None:
    check_density(case)


def test_derivatives_far_out() -> None:
    """For t → −∞, log Φ(t) = −t²/2 − log(−t) − ½ log 2π − 1/t² + O(t⁻⁴)."""
    t = np.array([-1e4, -1e6])
    first, second, third = ProbitLikelihood().f_derivatives(np.ones(2), t)
    np.testing.assert_allclose(first, -t - 1.0 / t + 2.0 / t**3, rtol=1e-14)
    np.testing.assert_allclose(second, -1.0 + 1.0 / t**2, rtol=1e-14)
    np.testing.assert_allclose(third, -2.0 / t**3, rtol=1e-6)


@pytest.mark.parametrize("likelihood", predictive_of("probit"), ids=str)
def test_log_predictive_density(likelihood: Likelihood) -> None:
    check_log_predictive_density(likelihood)


def test_predictive() -> None:
    m, v = np.array([-1.0, 0.0, 0.7, 3.0]), np.array([0.0, 2.0, 5.0, 1.0])
    np.testing.assert_allclose(ProbitLikelihood().predictive(m, v).mean, ndtr(m / np.sqrt(1 + v)), rtol=1e-15)


def test_no_tail_is_lost() -> None:
    """At m = 40, v = 1 the probability is 1 − 1e-176, which only the logit can say."""
    logit = ProbitLikelihood().predictive([40.0, -40.0], [1.0, 1.0]).logit
    tail = mp.erfc(mp.mpf(40) / 2) / 2
    np.testing.assert_allclose(logit, float(mp.log((1 - tail) / tail)) * np.array([1.0, -1.0]), rtol=1e-14)


def test_predictive_derivatives() -> None:
    check_link_derivatives(ProbitLikelihood(), LINK_POINTS)


def test_target() -> None:
    np.testing.assert_array_equal(ProbitLikelihood().checked_target([True, False]), [1.0, 0.0])
    with pytest.raises(InputError, match="must be 0 or 1; got -1"):
        ProbitLikelihood().checked_target([1, -1])
