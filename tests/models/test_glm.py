"""The generalised linear models: mode and covariance, predictions, derivatives, limits, and data that are hard."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, ndtr

import rsens
from rsens import InputError
from rsens._errors import RsensWarning
from rsens.derivatives import from_jax, normalized_derivatives
from rsens.distributions import Bernoulli, Categorical, Poisson
from rsens.models import BayesianLogisticRegression, BayesianPoissonRegression, BayesianProbitRegression
from rsens.models._linear import triangular


@dataclass(frozen=True)
class Case:
    """A model, its log likelihood and predictive written for JAX, and how y is drawn."""

    model: Any
    log_density: Any  # (y, f)
    predictive: Any  # (m, v)
    draw: Any  # (rng, f)
    mean: Any  # of y given f

    def __repr__(self):
        return self.model.__name__


def logistic_expectation(m, v):
    """E[1/(1 + e^{−f})] by a trapezoid over ±12 deviations with 2001 points: right to 1e-12 and better for v < 10."""
    t = jnp.linspace(-12.0, 12.0, 2001)
    weight = jnp.exp(-0.5 * t**2)
    f = m[:, None] + jnp.sqrt(v)[:, None] * t
    return (jax.nn.sigmoid(f) * weight).sum(1) / weight.sum()


PROBIT = Case(
    BayesianProbitRegression,
    lambda y, f: jax.scipy.stats.norm.logcdf((2 * y - 1) * f),
    lambda m, v: Bernoulli(jax.scipy.stats.norm.cdf(m / jnp.sqrt(1 + v))),
    lambda rng, f: (rng.random(len(f)) < ndtr(f)).astype(float),
    ndtr,
)
LOGIT = Case(
    BayesianLogisticRegression,
    lambda y, f: -jnp.logaddexp(0.0, -(2 * y - 1) * f),
    lambda m, v: Bernoulli(logistic_expectation(m, v)),
    lambda rng, f: (rng.random(len(f)) < expit(f)).astype(float),
    expit,
)
POISSON = Case(
    BayesianPoissonRegression,
    lambda y, f: y * f - jnp.exp(f),
    lambda m, v: Poisson(jnp.exp(m + v / 2)),
    lambda rng, f: rng.poisson(np.exp(f)).astype(float),
    np.exp,
)
CASES = [PROBIT, LOGIT, POISSON]


def data(case, n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.linspace(1.0, 3.0, d) + 0.5
    beta = np.linspace(0.8, -0.3, d)
    return X, case.draw(rng, 0.2 + X @ beta)


def base_of(case, y):
    """The prior mean of the intercept: the overall rate or share on the scale of f."""
    if case is POISSON:
        return np.log((y.sum() + 0.5) / len(y))
    share = (y.sum() + 0.5) / (len(y) + 1)
    return stats.norm.ppf(share) if case is PROBIT else np.log(share / (1 - share))


@partial(jax.jit, static_argnums=0)
def gradient_and_hessian(case, b, y, Z, centre, precision):
    """Derivatives of the log posterior in the weights of Z, whose prior is N(centre, 1/precision)."""

    def log_posterior(b):
        return case.log_density(y, Z @ b).sum() - 0.5 * (precision * (b - centre) ** 2).sum()

    return jax.grad(log_posterior)(b), jax.hessian(log_posterior)(b)


@pytest.mark.parametrize(("standardize", "intercept"), [(True, True), (False, True), (True, False)])
@pytest.mark.parametrize("case", CASES, ids=repr)
def test_mode_covariance_and_derivatives_are_those_of_autodiff(case, standardize, intercept):
    """Gradient 0 at the mode, covariance = inverse of the negative Hessian, and the predictive of both in JAX."""
    X, y = data(case)
    settings = {"standardize": standardize, "fit_intercept": intercept}
    model = case.model(prior_precision=0.7, intercept_precision=0.3, **settings).fit(X, y)
    mean, sd = X.mean(0) if standardize and intercept else np.zeros(3), X.std(0) if standardize else np.ones(3)

    def design(x):
        z = (x - mean) / sd
        return jnp.concatenate([jnp.ones((len(z), 1)), z], axis=1) if intercept else z

    beta = np.ravel(model.coef_)
    b = np.array([np.ravel(model.intercept_)[0] + mean @ beta, *beta * sd][not intercept :])
    centre = np.array([base_of(case, y) if standardize else 0.0, 0.0, 0.0, 0.0][not intercept :])
    precision = np.array([0.3, 0.7, 0.7, 0.7][not intercept :])
    rows = np.concatenate([X[:6], X[:2] + 1.0])
    with jax.enable_x64(True):
        gradient, hessian = map(np.asarray, gradient_and_hessian(case, b, y, design(X), centre, precision))
        sigma = np.linalg.inv(-hessian)
        automatic = from_jax(
            lambda x: case.predictive(design(x) @ b, ((design(x) @ sigma) * design(x)).sum(1))
        ).derivatives(rows, 2)
    # In posterior standard deviations the mode is right to the rounding of a gradient that sums over 60 rows.
    assert np.sqrt(gradient @ sigma @ gradient) < 1e-12 * 60
    slopes = sigma[int(intercept) :, int(intercept) :] / np.outer(sd, sd)
    np.testing.assert_allclose(model.coef_covariance_.reshape(3, 3), slopes, rtol=1e-10)
    record = model.derivatives(rows, 2)
    size = np.abs(record.first).max()
    np.testing.assert_allclose(record.distribution.parameters, automatic.distribution.parameters, rtol=1e-9)
    np.testing.assert_allclose(record.first, automatic.first, rtol=1e-8, atol=1e-9 * size)
    np.testing.assert_allclose(record.second, automatic.second, rtol=1e-8, atol=1e-9 * size)


@pytest.mark.parametrize("case", [PROBIT, LOGIT], ids=repr)
def test_more_classes_are_one_against_the_rest(case):
    X, y = data(case, n=80)
    labels = np.array(["low", "mid", "top"])[(y + (X[:, 1] > 0.5)).astype(int)]
    model = case.model().fit(X, labels)
    assert model.classes_.tolist() == ["low", "mid", "top"]
    assert model.coef_.shape == (3, 3)
    members = [case.model().fit(X, labels == label) for label in model.classes_]
    shares = np.stack([member.predict_proba(X)[:, 1] for member in members], axis=1)
    np.testing.assert_allclose(model.predict_proba(X), shares / shares.sum(1, keepdims=True), rtol=1e-12)
    assert isinstance(model.predict_distribution(X), Categorical)
    np.testing.assert_array_equal(model.predict(X), model.classes_[shares.argmax(1)])
    record, quotients = model.derivatives(X, 2), normalized_derivatives([each.derivatives(X, 2) for each in members])
    np.testing.assert_allclose(record.first, quotients.first, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(record.second, quotients.second, rtol=1e-12, atol=1e-14)
    codes = np.searchsorted(model.classes_, labels)
    expected = np.log(model.predict_proba(X)[np.arange(80), codes])
    np.testing.assert_allclose(model.log_predictive_density(X, labels), expected, rtol=1e-12)
    with pytest.raises(InputError, match="label 'other' at row 2"):
        model.log_predictive_density(X[:3], ["low", "mid", "other"])


def test_counts_that_are_all_zero():
    X, _ = data(POISSON, n=20)
    model = BayesianPoissonRegression().fit(X, np.zeros(20))
    np.testing.assert_allclose(model.coef_, 0.0, atol=0.2)
    rate = model.predict(X.mean(0, keepdims=True))
    assert 0.0 < rate[0] < 0.2
    assert np.isfinite(rsens.rsens2(model, X)).all()
    with pytest.raises(InputError, match="Set intercept_precision above 0"):
        BayesianPoissonRegression(intercept_precision=0.0).fit(X, np.zeros(20))


def test_offset_is_the_log_of_an_exposure():
    X, _ = data(POISSON)
    rng = np.random.default_rng(5)
    exposure = rng.uniform(0.1, 20.0, size=60)
    y = rng.poisson(exposure * np.exp(0.3 + 0.4 * X[:, 0]))
    model = BayesianPoissonRegression().fit(X, y, offset=np.log(exposure))
    np.testing.assert_allclose(model.coef_, [0.4, 0.0, 0.0], atol=0.1)
    rate = model.predict(X)
    np.testing.assert_allclose(model.predict(X, offset=np.log(exposure)), exposure * rate, rtol=1e-12)
    np.testing.assert_allclose(model.predict(X, offset=np.log(2.0)), 2.0 * rate, rtol=1e-12)
    scaled = model.derivatives(X, 2, offset=np.log(exposure))
    np.testing.assert_allclose(scaled.second, exposure[:, None, None, None] * model.derivatives(X, 2).second, rtol=1e-9)
    # In another unit of exposure the rates change and nothing else does.
    other = BayesianPoissonRegression().fit(X, y, offset=np.log(exposure / 1e6))
    np.testing.assert_allclose(other.coef_, model.coef_, rtol=1e-8)
    np.testing.assert_allclose(other.predict(X), 1e6 * rate, rtol=1e-8)
    assert other.score(X, y, offset=np.log(exposure / 1e6)) == pytest.approx(
        model.score(X, y, offset=np.log(exposure)), rel=1e-8
    )


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_a_weight_is_a_repetition(case):
    X, y = data(case, n=40)
    X[0] = 100.0  # left out by its weight
    weights = np.random.default_rng(6).integers(0, 4, size=40).astype(float)
    weights[0] = 0.0
    weighted = case.model().fit(X, y, sample_weight=weights)
    repeated = case.model().fit(np.repeat(X, weights.astype(int), axis=0), np.repeat(y, weights.astype(int)))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)
    np.testing.assert_allclose(weighted.coef_covariance_, repeated.coef_covariance_, rtol=1e-9)
    np.testing.assert_allclose(weighted.input_scale_, repeated.input_scale_, rtol=1e-12)
    bends = [model.derivatives(X, 2).second for model in (weighted, repeated)]
    np.testing.assert_allclose(*bends, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_hard_tables_units_and_priors(case):
    rng = np.random.default_rng(7)
    wide = rng.normal(size=(5, 50))
    y = np.array([0.0, 1.0, 1.0, 0.0, 1.0])
    assert np.isfinite(rsens.rsens2(case.model().fit(wide, y), wide)).all()
    X, y = data(case)
    hard = np.column_stack([X, X[:, 0], np.full(60, 0.1), np.zeros(60)])
    model = case.model().fit(hard, y)
    coef = np.atleast_2d(model.coef_)[0]
    np.testing.assert_allclose(coef[0], coef[3], rtol=1e-8)
    np.testing.assert_array_equal(coef[4:], 0.0)
    np.testing.assert_array_equal(model.derivatives(hard, 2).first[:, :, 4:], 0.0)
    units = np.array([1e-9, 1.0, 1e6])
    one, other = case.model().fit(X, y), case.model().fit(X * units + 5 * units, y)
    there = other.predict_distribution((X + 5) * units).mean
    np.testing.assert_allclose(there, one.predict_distribution(X).mean, rtol=1e-9)
    # A strong prior leaves the overall rate.
    model = case.model(prior_precision=1e10, intercept_precision=0.0).fit(X, y)
    np.testing.assert_allclose(model.coef_, 0.0, atol=1e-7)
    np.testing.assert_allclose(case.mean(np.ravel(model.intercept_)[0]), y.mean(), rtol=1e-7)


def test_wrong_arguments():
    X, y = data(POISSON)
    for settings in ({"prior_precision": 0}, {"intercept_precision": -1.0}):
        with pytest.raises(InputError) as error:
            BayesianPoissonRegression(**settings).fit(X, y)
        assert error.value.argument in settings
    with pytest.raises(InputError, match="at least 0"):
        BayesianPoissonRegression().fit(X, y - 1.0 - y.min())
    with pytest.raises(InputError, match="extreme values"):
        BayesianPoissonRegression(fit_intercept=False).fit(X, y, offset=800.0)
    model = BayesianPoissonRegression().fit(X, y)
    with pytest.raises(InputError, match="negative"):
        model.log_predictive_density(X, -1.0 - y)
    with pytest.raises(InputError, match="beyond float64 at row 0"):
        model.predict(X, offset=800.0)


def test_a_mode_that_is_not_reached_is_warned_of(monkeypatch):
    X, y = data(LOGIT)
    monkeypatch.setattr("rsens.models._mode.MAX_STEPS", 1)
    with pytest.warns(RsensWarning, match="did not find the mode of the weights in 1 steps"):
        BayesianLogisticRegression().fit(X, y)


def test_a_nearly_singular_information():
    """Two columns that are the same to 1e-10, counts of 1e9 and nearly no prior: H itself has no Cholesky factor."""
    rng = np.random.default_rng(9)
    x = rng.normal(size=100)
    X = np.column_stack([x, x + 1e-10 * rng.normal(size=100)])
    y = rng.poisson(1e9 * np.exp(0.2 * x))
    model = BayesianPoissonRegression(prior_precision=1e-6).fit(X, y)
    np.testing.assert_allclose(model.coef_.sum(), 0.2, atol=1e-4)
    np.testing.assert_allclose(model.predict(X), 1e9 * np.exp(0.2 * x), rtol=1e-4)
    # Only the prior knows the difference of the slopes: the data add 1e11 (1e-10/2)², 5e-4 of its ½ prior_precision.
    difference = np.array([1.0, -1.0])
    np.testing.assert_allclose(difference @ model.coef_covariance_ @ difference, 2e6 / x.var(), rtol=2e-3)


@pytest.mark.parametrize("distance", [1.0, 1e-5, 1e-9, 0.0])
def test_triangular_factor_of_many_rows(distance):
    """The two ways to it, for columns that are more and more alike."""
    rng = np.random.default_rng(8)
    A = rng.normal(size=(5000, 4))
    A[:, 3] = A[:, 0] + distance * A[:, 3]
    R, expected = np.abs(triangular(A)), np.abs(np.linalg.qr(A, mode="r"))
    np.testing.assert_allclose(R, expected, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(R[3, 3], distance * np.sqrt(5000), rtol=0.05, atol=1e-11)


@pytest.mark.parametrize("level", [1e4, 1e9])
def test_large_counts(level):
    """The weights are known to about 1/√(50 level); the prior pulls by about 1/(50 level)."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(50, 2))
    f = np.log(level) + X @ [0.5, -0.2]
    model = BayesianPoissonRegression().fit(X, rng.poisson(np.exp(f)))
    np.testing.assert_allclose(model.coef_, [0.5, -0.2], atol=6 / np.sqrt(50 * level))
    np.testing.assert_allclose(model.predict(X), np.exp(f), rtol=20 / np.sqrt(50 * level))
    y, sd = np.round(np.exp(f)), np.sqrt(np.exp(f))
    np.testing.assert_allclose(model.log_predictive_density(X, y), stats.norm.logpdf(0.0, 0.0, sd), atol=2.0)
