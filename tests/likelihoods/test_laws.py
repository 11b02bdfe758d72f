"""Laws of every likelihood."""

import numpy as np
import pytest

from rsens import InputError, likelihoods
from rsens.derivatives import Derivatives
from rsens.distributions import Distribution
from rsens.likelihoods import ALL_LIKELIHOODS, Likelihood, _quadrature, through_likelihood
from rsens.likelihoods._base import LogConcave
from tests.likelihoods import oracle
from tests.likelihoods.cases import CASES, MEANS, PREDICTIVE, VARIANCES, Array, Case, close

each_case = pytest.mark.parametrize("case", CASES, ids=str)
each_likelihood = pytest.mark.parametrize("likelihood", [case.likelihood for case in CASES], ids=str)


def modest() -> tuple[Array, Array]:
    """Latent moments where the rate of a count is an everyday number."""
    keep = VARIANCES < 100.0
    return MEANS[keep], VARIANCES[keep]


def test_every_likelihood_is_listed_and_tested() -> None:
    public = {value for key, value in vars(likelihoods).items() if key.endswith("Likelihood") and key != "Likelihood"}
    assert set(ALL_LIKELIHOODS) == public
    assert {type(case.likelihood) for case in CASES} == public
    assert {type(likelihood) for likelihood, _ in PREDICTIVE} == public
    assert len({likelihood.name for likelihood in public}) == len(public)


@each_case
def test_in_other_units_it_is_the_same_density(case: Case) -> None:
    """p(cy | cf) c = p(y | f) where y is f plus noise; counts and classes have no unit."""
    rescaled = case.likelihood.in_units(9.0)
    if case.likelihood.noise is None:
        assert rescaled == case.likelihood
        return
    assert rescaled.noise == 9.0 * case.likelihood.noise
    there = rescaled.log_density(3.0 * case.y, 3.0 * case.f) + np.log(3.0)
    np.testing.assert_allclose(there, case.likelihood.log_density(case.y, case.f), rtol=1e-9, atol=1e-9)


def test_stored_values_are_current() -> None:
    for case in CASES[:9:2]:
        at = len(case.y) // 2
        exact = oracle.density(case.likelihood, case.y[at], case.f[at])
        assert oracle.stored("density", case)[at] == exact
    likelihood, points = PREDICTIVE[0]
    assert oracle.stored("predictive", likelihood)[9] == oracle.log_predictive_density(likelihood, *points[9])


@each_likelihood
def test_theta(likelihood: Likelihood) -> None:
    assert likelihood.theta.shape == (len(likelihood.hyperparameter_names),)
    moved = likelihood.with_theta(likelihood.theta + np.log(2.0))
    for name in likelihood.hyperparameter_names:
        assert getattr(moved, name) == pytest.approx(2.0 * getattr(likelihood, name), rel=1e-14)
    assert type(moved) is type(likelihood)
    if not likelihood.hyperparameter_names:
        assert moved == likelihood
    assert eval(repr(likelihood), vars(likelihoods)) == likelihood


@each_case
def test_curvature(case: Case) -> None:
    likelihood, y, f, h = case.likelihood, case.y, case.f, 1e-5
    w, dw = likelihood.curvature(y, f)
    assert (w >= 0.0).all()
    close(dw, (likelihood.curvature(y, f + h)[0] - likelihood.curvature(y, f - h)[0]) / (2.0 * h), 1e-6, 1e-6)
    if isinstance(likelihood, LogConcave):
        np.testing.assert_array_equal(w, -likelihood.f_derivatives(y, f)[1])


@each_likelihood
def test_predictive_is_a_checked_family(likelihood: Likelihood) -> None:
    m, v = modest()
    family = likelihood.predictive(m, v)
    assert isinstance(family, Distribution)
    n_parameters = len(family.parameter_names)
    assert family.parameters.shape == (len(m), n_parameters)
    first, second = likelihood.predictive_derivatives(m, v, 2)
    assert first.shape == (len(m), n_parameters, 2)
    assert second.shape == (len(m), n_parameters, 2, 2)
    np.testing.assert_array_equal(second, np.swapaxes(second, 2, 3))
    only_first, nothing = likelihood.predictive_derivatives(m, v, 1)
    np.testing.assert_array_equal(only_first, first)
    assert nothing is None


@each_likelihood
def test_through_the_likelihood_is_the_chain_rule(likelihood: Likelihood) -> None:
    """m = sin x₀ + x₀x₁ and v = ½ + x₁²: derivatives in x are differences, with an error of h² ≈ 1e-10."""
    x, h = np.array([[0.3, -0.2], [1.1, 0.4], [-0.7, 0.9]]), 1e-5

    def record(x: Array, order: int) -> Derivatives:
        (a, b), zero, one = x.T, np.zeros(len(x)), np.ones(len(x))
        first = np.array([[np.cos(a) + b, a], [zero, 2.0 * b]])
        second = np.array([[[-np.sin(a), one], [one, zero]], [[zero, zero], [zero, 2.0 * one]]])
        slopes, bends = np.moveaxis(first, -1, 0), np.moveaxis(second, -1, 0)
        return through_likelihood(likelihood, np.sin(a) + a * b, 0.5 + b**2, slopes, bends if order == 2 else None)

    whole = record(x, 2)
    np.testing.assert_array_equal(record(x, 1).first, whole.first)
    for d, step in enumerate(h * np.eye(2)):
        ahead, behind = record(x + step, 1), record(x - step, 1)
        slope = (ahead.distribution.parameters - behind.distribution.parameters) / (2.0 * h)
        np.testing.assert_allclose(whole.first[:, :, d], slope, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(whole.second[..., d], (ahead.first - behind.first) / (2.0 * h), rtol=1e-8, atol=1e-9)


@each_case
def test_a_known_latent_leaves_the_likelihood(case: Case) -> None:
    likelihood, y, f = case.likelihood, case.y, case.f
    keep = np.isfinite(likelihood.log_density(y, f))
    y, f = y[keep], f[keep]
    exact = likelihood.log_density(y, f)
    close(likelihood.log_predictive_density(y, f, 0.0), exact, 1e-14, 1e-13)
    # log E[p(y | f + d)] = log p + v (d2 + d1²)/2 + …
    first, second, _ = likelihood.f_derivatives(y, f)
    v = 1e-12
    close(
        likelihood.log_predictive_density(y, f, v),
        exact + 0.5 * v * (second + first**2),
        1e-14,
        1e-8 * v * first**4 + 1e-12,
    )


@each_likelihood
def test_rows_do_not_know_each_other(likelihood: Likelihood) -> None:
    m, v = modest()
    y = np.resize([0.0, 1.0], len(m))
    together = likelihood.log_predictive_density(y, m, v)
    parameters = likelihood.predictive(m, v).parameters
    first, second = likelihood.predictive_derivatives(m, v, 2)
    for i in range(0, len(m), 7):
        one = slice(i, i + 1)
        np.testing.assert_array_equal(likelihood.log_predictive_density(y[one], m[one], v[one]), together[one])
        np.testing.assert_array_equal(likelihood.predictive(m[one], v[one]).parameters, parameters[one])
        alone = likelihood.predictive_derivatives(m[one], v[one], 2)
        np.testing.assert_array_equal(alone[0], first[one])
        np.testing.assert_array_equal(alone[1], second[one])


@each_likelihood
def test_a_finer_rule_changes_nothing(likelihood: Likelihood, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over 300 random rows, eight times as many nodes; seeded."""
    rng = np.random.default_rng(22)
    m, v = 10.0 * rng.standard_normal(300), 10.0 ** rng.uniform(-6.0, 2.6, 300)
    counts = np.floor(10.0 ** rng.uniform(-0.3, 5.0, 300))
    y = {"probit": counts % 2.0, "logit": counts % 2.0, "student_t": m + rng.standard_t(1.0, 300)}.get(
        likelihood.name, counts
    )
    found = likelihood.log_predictive_density(y, m, v)
    slopes = likelihood.predictive_derivatives(m, v, 2)
    monkeypatch.setattr(_quadrature, "_NODES", 8 * _quadrature._NODES)
    close(found, likelihood.log_predictive_density(y, m, v), 1e-14, 1e-11)
    finer = likelihood.predictive_derivatives(m, v, 2)
    close(slopes[0], finer[0], 1e-11, 1e-14 * np.abs(finer[0]).max((1, 2), keepdims=True))
    close(slopes[1], finer[1], 1e-11, 1e-14 * np.abs(finer[1]).max((1, 2, 3), keepdims=True))


def outcomes(likelihood: Likelihood, m: float, v: float) -> tuple[Array, Array]:
    if likelihood.name in ("probit", "logit"):
        return np.array([0.0, 1.0]), np.ones(2)
    if likelihood.name in ("poisson", "negative_binomial"):
        y = np.arange(4_000.0)
        return y, np.ones_like(y)
    x = np.linspace(-12.0, 12.0, 2001)
    return m + np.sinh(x), np.cosh(x) * (x[1] - x[0])


@each_likelihood
def test_predictive_density_and_its_mean(likelihood: Likelihood) -> None:
    """The exact predictive density adds up to 1, and its mean is the mean of the predictive family.

    The Student-t's tail beyond e^{12} holds e^{−12·2.1} of the mass and e^{−12·1.1} of the mean's integrand (odd).
    """
    m, v = 0.4, 0.3
    y, weights = outcomes(likelihood, m, v)
    p = weights * np.exp(likelihood.log_predictive_density(y, m, v))
    tolerance = 1e-9 if likelihood.name != "student_t" else 1e-8
    np.testing.assert_allclose(p.sum(), 1.0, rtol=tolerance)
    np.testing.assert_allclose((p * y).sum(), likelihood.predictive([m], [v]).mean[0], rtol=10 * tolerance)


@each_likelihood
def test_wrong_latent(likelihood: Likelihood) -> None:
    for m, v, word in (
        ([0.0, 1.0], [1.0, -1.0], "variance"),
        ([np.nan], [1.0], "mean"),
        (np.zeros((2, 2)), 1.0, "row"),
    ):
        for call in (likelihood.predictive, lambda m, v: likelihood.log_predictive_density(np.ones(1), m, v)):
            with pytest.raises(InputError, match=word):
                call(m, v)
