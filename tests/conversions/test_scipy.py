"""Frozen and newer distributions of scipy.stats."""

import numpy as np
import pytest
from scipy import stats

import rsens
from rsens import InputError, as_family
from tests.conversions import values as v
from tests.conversions.values import Given, check


def given(name, obj, family, y):
    discrete = isinstance(obj, stats.Binomial) or hasattr(getattr(obj, "dist", None), "pmf")
    return Given(name, obj, family, obj.logpmf if discrete else obj.logpdf, y)


def made(name, **parameters):
    return stats.make_distribution(getattr(stats, name))(**parameters)


GIVEN = [
    given("norm", stats.norm(v.MEAN, v.SD), v.NORMAL, v.REAL),
    given("t", stats.t(v.DF, v.MEAN, v.SD), v.STUDENT, v.REAL),
    given("cauchy", stats.cauchy(v.MEAN, v.SD), v.CAUCHY, v.REAL),
    given("lognorm", stats.lognorm(v.SD, scale=np.exp(v.MEAN)), v.LOGNORMAL, v.ABOVE),
    given("gamma", stats.gamma(v.SHAPE, scale=v.POSITIVE / v.SHAPE), v.GAMMA, v.ABOVE),
    given("chi2", stats.chi2(v.POSITIVE, scale=2.0), rsens.Gamma(2.0 * v.POSITIVE, v.POSITIVE / 2.0), v.ABOVE),
    given("expon", stats.expon(scale=v.POSITIVE), v.EXPONENTIAL, v.ABOVE),
    given("beta", stats.beta(v.POSITIVE, v.SHAPE), v.BETA, v.INSIDE),
    given("weibull_min", stats.weibull_min(v.SHAPE, scale=v.POSITIVE), v.WEIBULL, v.ABOVE),
    given("bernoulli", stats.bernoulli(v.P), v.BERNOULLI, v.EVENTS),
    given("binom", stats.binom(9, v.P), v.BINOMIAL, v.COUNTS),
    given("poisson", stats.poisson(v.POSITIVE), v.POISSON, v.COUNTS),
    given("nbinom", stats.nbinom(v.SHAPE, v.SHAPE / (v.SHAPE + v.POSITIVE)), v.NEGATIVE_BINOMIAL, v.COUNTS),
    given("Normal", stats.Normal(mu=v.MEAN, sigma=v.SD), v.NORMAL, v.REAL),
    given("StandardNormal", stats.Normal(), rsens.Normal(0.0, 1.0), v.REAL),
    given("shifted", stats.Normal(mu=0.0, sigma=v.SD) + v.MEAN, v.NORMAL, v.REAL),
    given("scaled", -v.SD * stats.Normal(mu=-1.0, sigma=2.0), rsens.Normal(v.SD, 4.0 * v.SD**2), v.REAL),
    given("Binomial", stats.Binomial(n=9, p=v.P), v.BINOMIAL, v.COUNTS),
    given("exp", stats.exp(stats.Normal(mu=v.MEAN, sigma=v.SD)), v.LOGNORMAL, v.ABOVE),
    given("made-norm", v.SD * made("norm") + v.MEAN, v.NORMAL, v.REAL),
    given("made-gamma", v.POSITIVE / v.SHAPE * made("gamma", a=v.SHAPE), v.GAMMA, v.ABOVE),
    given("made-t", v.SD * made("t", df=v.DF) + v.MEAN, v.STUDENT, v.REAL),
    given("made-beta", made("beta", a=v.POSITIVE, b=v.SHAPE), v.BETA, v.INSIDE),
]


@pytest.mark.parametrize("given", GIVEN, ids=lambda each: each.name)
def test_family_and_density(given):
    check(given)


def test_a_vector_and_a_mixture():
    family = as_family(stats.multivariate_normal(v.VECTOR[0], v.COVARIANCE[0]))
    np.testing.assert_array_equal(family.mean, v.VECTOR[0])
    np.testing.assert_allclose(family.covariance, v.COVARIANCE[0], rtol=1e-14)
    one = as_family(stats.multivariate_normal([1.0], [[4.0]]))
    assert type(one) is rsens.Normal
    assert (float(one.mean), float(one.variance)) == (1.0, 4.0)
    parts = [stats.Normal(mu=0.0, sigma=2.0), stats.Normal(mu=6.0, sigma=2.0)]
    family = as_family(stats.Mixture(parts, weights=[0.25, 0.75]))
    np.testing.assert_allclose(family.log_prob(1.3), stats.Mixture(parts, weights=[0.25, 0.75]).logpdf(1.3), rtol=1e-12)


class Mine(stats.rv_continuous):
    """Its density is 2x; it is called like another."""

    def _pdf(self, x):
        return 2.0 * x


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: stats.norm(np.zeros((3, 2)), 1.0), r"one distribution per row.*got shape \(3, 2\)"),
        (lambda: stats.lognorm(0.5, loc=[0.0, 1.0]), "starts at 0; got one that is shifted by .*Subtract the shift"),
        (lambda: stats.beta(2.0, 3.0, scale=3.0), "a Beta of y multiplied by 3 does not"),
        (lambda: stats.laplace(0.0, 1.0), "laplace of scipy.stats does not correspond"),
        (lambda: stats.multivariate_t([0.0, 1.0]), "multivariate_t of scipy.stats does not correspond"),
        (lambda: stats.Logistic(), "Logistic of scipy.stats does not correspond"),
        (lambda: 1.0 + made("gamma", a=2.0), "starts at 0; got one that is shifted by 1"),
        (lambda: stats.truncate(stats.Normal(), 0.0, 1.0), "truncate of scipy.stats does not correspond"),
        (lambda: Mine(a=0.0, b=1.0, name="norm")(), "norm of scipy.stats does not correspond"),
        (lambda: stats.norm, r"got norm_gen of scipy\. Give it its parameters: scipy\.stats\.norm\(…\)"),
    ],
)
def test_errors(make, text):
    with pytest.raises(InputError, match=text):
        as_family(make()).checked()
