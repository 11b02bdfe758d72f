"""Every likelihood against 60-digit arithmetic, and each at the values where it could lose digits."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy.special import ndtr

from rsens import InputError
from rsens.distributions import Normal
from rsens.likelihoods import (
    GaussianLikelihood,
    Likelihood,
    LogitLikelihood,
    NegativeBinomialLikelihood,
    PoissonLikelihood,
    ProbitLikelihood,
    StudentTLikelihood,
)
from tests.likelihoods.cases import CASES, LINK_POINTS, PREDICTIVE, TINY, Array, Case, close
from tests.likelihoods.oracle import stored


def subtracted(likelihood: Any, y: Array, f: Array) -> Array:
    """The size of the two numbers whose difference is the slope, which inherits their rounding."""
    if likelihood.name == "poisson":
        return y + np.exp(f)
    if likelihood.name == "negative_binomial":
        return (y + np.exp(f)) * likelihood.size / (likelihood.size + np.exp(f))
    return np.zeros_like(y)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_density(case: Case) -> None:
    """log p and its derivatives in f and theta: all but the differences of large numbers keep their digits."""
    likelihood, y, f = case.likelihood, case.y, case.f
    log_density, *exact = np.array(stored("density", case)).T
    # f is known to half a unit in its last place, which the slope carries over.
    close(likelihood.log_density(y, f), log_density, 4e-15, 4e-15 + 4e-16 * np.abs(f * exact[0]))
    for found, wanted in zip(likelihood.f_derivatives(y, f), exact, strict=True):
        close(found, wanted, 1e-13, TINY + 1e-15 * subtracted(likelihood, y, f))
    if likelihood.hyperparameter_names:
        by_density, by_slope, by_second = np.array(stored("theta", case)).T
        if likelihood.name == "student_t":
            by_second = likelihood.curvature(y, f)[0]  # the expected information is proportional to 1/s²
        found = likelihood.theta_derivatives(y, f)
        for got, wanted in zip(found, (by_density, by_slope, -by_second), strict=True):
            assert got.shape == (1, len(y))
            close(got[0], wanted, 1e-13, 2e-15 * (1.0 + subtracted(likelihood, y, f)))


@pytest.mark.parametrize(("likelihood", "points"), PREDICTIVE, ids=[str(each) for each, _ in PREDICTIVE])
def test_log_predictive_density(likelihood: Likelihood, points: list[tuple[float, float, float]]) -> None:
    exact = stored("predictive", likelihood)
    close(likelihood.log_predictive_density(*np.array(points).T), exact, 1e-14, 1e-11)


@pytest.mark.parametrize("likelihood", [ProbitLikelihood(), LogitLikelihood()], ids=str)
def test_predictive_derivatives_of_links(likelihood: Likelihood) -> None:
    """π = E[h(f)] in (m, v), with ∂_v = ½∂²_m; near a zero of one derivative, relative to the previous one."""
    first, second = likelihood.predictive_derivatives(*np.array(LINK_POINTS).T, 2)
    by_m, by_mm, by_mmm, by_mmmm = np.array(stored("link", likelihood.name)).T
    for found, exact, before in [
        (first[:, 0, 0], by_m, by_m),
        (first[:, 0, 1], by_mm / 2, by_m),
        (second[:, 0, 0, 0], by_mm, by_m),
        (second[:, 0, 0, 1], by_mmm / 2, by_mm),
        (second[:, 0, 1, 0], by_mmm / 2, by_mm),
        (second[:, 0, 1, 1], by_mmmm / 4, by_mmm),
    ]:
        close(found, exact, 1e-11, TINY + 1e-14 * np.abs(before))


def test_predictive_families() -> None:
    likelihood, y = GaussianLikelihood(0.5), np.array([0.3, 1e4])
    family = likelihood.predictive([1.0, -2.0], [0.0, 3.0])
    np.testing.assert_array_equal(family.parameters, [[1.0, 0.5], [-2.0, 3.5]])
    np.testing.assert_array_equal(likelihood.log_predictive_density(y, [1.0, -2.0], [0.0, 3.0]), family.log_prob(y))
    assert GaussianLikelihood(1e-300).log_density(np.array([1e200]), np.zeros(1)) == -np.inf
    family = StudentTLikelihood(0.7, df=5.0).predictive([1.0, 2.0], [0.0, 3.0])
    np.testing.assert_allclose(family.variance, 0.7 * 5.0 / 3.0 + np.array([0.0, 3.0]), rtol=1e-15)
    np.testing.assert_array_equal(family.mean, [1.0, 2.0])
    family = PoissonLikelihood().predictive([0.0, -3.0, 500.0], [0.0, 2.0, 300.0])
    np.testing.assert_allclose(family.mean, np.exp([0.0, -2.0, 650.0]), rtol=1e-15)
    binomial = NegativeBinomialLikelihood(3.0)
    np.testing.assert_allclose(binomial.predictive([1.0, 2.0], [2.0, 0.0]).parameters, [[np.exp(2), 3]] * 2, rtol=1e-15)
    assert not any(each[:, 1].any() for each in binomial.predictive_derivatives([1.0], [2.0], 2))


def test_limits_of_many_degrees_of_freedom_and_large_sizes() -> None:
    # A Student-t is Gaussian: the difference is O(z⁴/ν), here 1e-9.
    y, m, v = np.array([0.0, 3.0, -1.0]), np.array([0.2, 0.0, 5.0]), np.array([0.0, 2.0, 9.0])
    found = StudentTLikelihood(0.5, df=1e10).log_predictive_density(y, m, v)
    np.testing.assert_allclose(found, Normal(m, v + 0.5).log_prob(y), rtol=1e-8)
    # A negative binomial of a large size is Poisson: the two log densities differ by O(y²/size), here 1e-8.
    y, f = np.array([0.0, 3.0, 100.0]), np.array([0.5, 1.0, 4.6])
    large, limit = NegativeBinomialLikelihood(1e12), PoissonLikelihood()
    np.testing.assert_allclose(large.log_density(y, f), limit.log_density(y, f), rtol=1e-8)
    np.testing.assert_allclose(large.f_derivatives(y, f), limit.f_derivatives(y, f), rtol=1e-8)


@pytest.mark.parametrize(("m", "v"), [(800.0, 1.0), (0.0, 1500.0), (-800.0, 1.0)])
def test_a_rate_beyond_float64_is_an_error(m: float, v: float) -> None:
    for call in ("predictive", "predictive_derivatives"):
        with pytest.raises(InputError, match=f"beyond float64 at row 1, with m = {m:g} and v = {v:g}"):
            getattr(PoissonLikelihood(), call)([0.0, m], [1.0, v], *([2] if call != "predictive" else []))


def test_overflow_of_the_density() -> None:
    """A line search meets −inf, and the derivatives are an error."""
    likelihood, y, f = PoissonLikelihood(), np.array([0.0, 3.0]), np.array([800.0, 800.0])
    assert (likelihood.log_density(y, f) == -np.inf).all()
    with pytest.raises(InputError, match="overflows at f = 800"):
        likelihood.f_derivatives(y, f)


def test_a_negative_binomial_does_not_overflow() -> None:
    """p ∝ e^{−kf} for f → ∞, so that the slope is −k and its derivative −kσ(−a) is 0."""
    likelihood, y, f = NegativeBinomialLikelihood(2.0), np.array([0.0, 5.0]), np.array([1e4, 1e4])
    exact = -2.0 * (1e4 - np.log(2.0)) + np.log([1.0, 6.0])
    np.testing.assert_allclose(likelihood.log_density(y, f), exact, rtol=1e-14)
    np.testing.assert_array_equal(likelihood.f_derivatives(y, f), [[-2.0, -2.0], [0.0, 0.0], [0.0, 0.0]])
    by_size, by_slope, by_curvature = likelihood.theta_derivatives(y, f)
    assert np.isfinite(by_size).all()
    np.testing.assert_array_equal(by_slope, [[-2.0, -2.0]])
    np.testing.assert_array_equal(by_curvature, [[0.0, 0.0]])


def test_derivatives_of_probit_far_out() -> None:
    """For t → −∞, log Φ(t) = −t²/2 − log(−t) − ½ log 2π − 1/t² + O(t⁻⁴)."""
    t = np.array([-1e4, -1e6])
    first, second, third = ProbitLikelihood().f_derivatives(np.ones(2), t)
    np.testing.assert_allclose(first, -t - 1.0 / t + 2.0 / t**3, rtol=1e-14)
    np.testing.assert_allclose(second, -1.0 + 1.0 / t**2, rtol=1e-14)
    np.testing.assert_allclose(third, -2.0 / t**3, rtol=1e-6)


def test_predictive_probit_loses_no_tail() -> None:
    """At m = 40, v = 1 the probability is 1 − 1e-176, which only the logit can hold."""
    m, v = np.array([-1.0, 0.0, 0.7, 3.0]), np.array([0.0, 2.0, 5.0, 1.0])
    np.testing.assert_allclose(ProbitLikelihood().predictive(m, v).mean, ndtr(m / np.sqrt(1 + v)), rtol=1e-15)
    logit = ProbitLikelihood().predictive([40.0, -40.0], [1.0, 1.0]).logit
    tail = mp.erfc(mp.mpf(40) / 2) / 2
    np.testing.assert_allclose(logit, float(mp.log((1 - tail) / tail)) * np.array([1.0, -1.0]), rtol=1e-14)


def test_predictive_logit_loses_no_tail() -> None:
    """For m → −∞, σ(f) = e^f and the logit is m + v/2; the other tail is its mirror image."""
    m, v = np.array([-800.0, -40.0, 40.0, 800.0]), np.array([9.0, 1.0, 1.0, 0.25])
    np.testing.assert_allclose(LogitLikelihood().predictive(m, v).logit, m - np.sign(m) * v / 2, rtol=1e-14)
    # Below and above the variance where the integral changes its form, π is smooth in v.
    m, below = np.array([-300.0, -40.0, -3.0, -0.1]), np.nextafter(4.0, 0.0)
    narrow, wide = (LogitLikelihood().log_predictive_density(np.ones(4), m, v) for v in (below, 4.0))
    np.testing.assert_allclose(narrow, wide, rtol=1e-14)


def test_logit_of_a_latent_that_knows_nothing() -> None:
    """For v → ∞, π = Φ(m/√(v + π²/3)) up to O(1/v): here ½ + m/√(2πv)."""
    m, v = np.array([1e3, 1e3]), np.array([1e12, 1e100])
    np.testing.assert_allclose(LogitLikelihood().predictive(m, v).mean, 0.5 + m / np.sqrt(2 * np.pi * v), rtol=1e-9)
    first, _ = LogitLikelihood().predictive_derivatives(m, v, 1)
    np.testing.assert_allclose(first[:, 0, 0], 1.0 / np.sqrt(2 * np.pi * v), rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        *((lambda bad=bad: GaussianLikelihood(bad), "noise_variance") for bad in (0.0, -1.0, np.inf, np.nan, "much")),
        *((lambda bad=bad: StudentTLikelihood(1.0, bad), "df") for bad in (2.0, -3.0, np.nan)),
        (lambda: NegativeBinomialLikelihood(0.0), "size"),
    ],
)
def test_wrong_hyperparameters(make, argument) -> None:
    with pytest.raises(InputError, match=f"{argument} must be") as raised:
        make()
    assert raised.value.argument == argument


def test_targets_that_a_likelihood_does_not_have() -> None:
    np.testing.assert_array_equal(ProbitLikelihood().checked_target([True, False]), [1.0, 0.0])
    np.testing.assert_array_equal(PoissonLikelihood().checked_target([0, 2, 3.5]), [0.0, 2.0, 3.5])
    with pytest.raises(InputError, match="must be 0 or 1; got -1"):
        ProbitLikelihood().checked_target([1, -1])
    with pytest.raises(InputError, match="cannot be negative; got -1"):
        PoissonLikelihood().checked_target([0, -1])
