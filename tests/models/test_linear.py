"""BayesianLinearRegression: the paper's formulas, the conjugate prior, and data that are hard.

Tolerances: 1e-10 relative for closed forms on small, well-conditioned designs (rounding times a condition number of
a few tens), except where a comment says otherwise.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rsens import InputError
from rsens._errors import RsensWarning
from rsens.derivatives import from_jax
from rsens.distributions import StudentT
from rsens.models import BayesianLinearRegression

TIGHT = 1e-10


def table(n=12, d=3, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.arange(1, d + 1) + 0.3
    y = 0.7 + X @ np.linspace(1.0, -0.5, d) + noise * rng.normal(size=n)
    return X, y


def printed(X, y, rows, intercept=True):
    """Section 2.2 of the paper as printed, with the inverse written out: location, scale², ν, β̂, s², (XᵀX)⁻¹."""
    A = np.column_stack([np.ones(len(X)), X]) if intercept else X
    a = np.column_stack([np.ones(len(rows)), rows]) if intercept else rows
    inverse = np.linalg.inv(A.T @ A)
    beta = inverse @ A.T @ y
    nu = len(A) - A.shape[1]
    s2 = np.sum((y - A @ beta) ** 2) / nu
    return a @ beta, s2 * (1.0 + np.sum(a @ inverse * a, axis=1)), nu, beta, s2, inverse


@pytest.mark.parametrize("intercept", [True, False])
def test_prediction_is_that_of_the_paper(intercept):
    X, y = table()
    rows = X[:5] + 1.0
    model = BayesianLinearRegression(fit_intercept=intercept).fit(X, y)
    location, scale2, nu, beta, s2, inverse = printed(X, y, rows, intercept)
    distribution = model.predict_distribution(rows)
    assert isinstance(distribution, StudentT)
    np.testing.assert_allclose(distribution.location, location, rtol=TIGHT)
    np.testing.assert_allclose(distribution.scale2, scale2, rtol=TIGHT)
    assert (distribution.df == nu).all()
    assert model.degrees_of_freedom_ == nu
    np.testing.assert_allclose(model.predict(rows), location, rtol=TIGHT)
    np.testing.assert_allclose(model.coef_, beta[intercept:], rtol=TIGHT)
    np.testing.assert_allclose(model.intercept_, beta[0] if intercept else 0.0, rtol=TIGHT)
    np.testing.assert_allclose(model.noise_variance_, s2, rtol=TIGHT)
    np.testing.assert_allclose(model.coef_scale2_, s2 * inverse[intercept:, intercept:], rtol=TIGHT)


@pytest.mark.parametrize("prior", [None, 2.0])
def test_derivatives_are_those_of_autodiff(prior):
    X, y = table()
    model = BayesianLinearRegression(prior_precision=prior, standardize=True).fit(X, y)
    sd = X.std(axis=0)
    # Ridge regression in the standardised columns; the flat prior is its limit, up to ν.
    Z = np.column_stack([np.ones(len(X)), (X - X.mean(axis=0)) / sd])
    inverse = np.linalg.inv(Z.T @ Z + np.diag([0.0, *[prior or 0.0] * 3]))
    beta = inverse @ Z.T @ y

    def predictive(x):
        z = jnp.concatenate([jnp.ones((len(x), 1)), (x - X.mean(axis=0)) / sd], axis=1)
        return StudentT(z @ beta, model.noise_variance_ * (1.0 + jnp.sum(z @ inverse * z, axis=1)), 8.0)

    rows = np.concatenate([X[:4], X[:2] + 3.0])
    record = model.derivatives(rows, 2)
    with jax.enable_x64(True):
        automatic = from_jax(predictive).derivatives(rows, 2)
    np.testing.assert_allclose(record.first, automatic.first, rtol=1e-8)
    np.testing.assert_allclose(record.second, automatic.second, rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("n", "d"), [(12, 3), (5, 50)])
def test_prior_in_its_dual_form(n, d, intercept):
    """y | σ² ~ N(b, σ²K) with K = I + XXᵀ/τ, and a flat b: the same model without ever forming weights."""
    rng = np.random.default_rng(2)
    X, y, rows, tau = rng.normal(size=(n, d)) + 0.5, rng.normal(size=n) + 2.0, rng.normal(size=(4, d)), 0.7
    K = np.eye(n) + X @ X.T / tau
    k, k0 = rows @ X.T / tau, 1.0 + np.sum(rows**2, axis=1) / tau
    if intercept:
        ones = np.ones(n)
        weight = np.linalg.solve(K, ones) / (ones @ np.linalg.solve(K, ones))
        b, rest = weight @ y, 1.0 - k @ np.linalg.solve(K, ones)
        nu, extra = n - 1, rest**2 / (ones @ np.linalg.solve(K, ones))
    else:
        b, nu, extra = 0.0, n, 0.0
    s2 = (y - b) @ np.linalg.solve(K, y - b) / nu
    model = BayesianLinearRegression(fit_intercept=intercept, prior_precision=tau).fit(X, y)
    distribution = model.predict_distribution(rows)
    np.testing.assert_allclose(distribution.location, b + k @ np.linalg.solve(K, y - b), rtol=1e-9)
    scale2 = s2 * (k0 - np.sum(k * np.linalg.solve(K, k.T).T, axis=1) + extra)
    np.testing.assert_allclose(distribution.scale2, scale2, rtol=1e-9)
    assert (distribution.df == nu).all()


@pytest.mark.parametrize("options", [{"prior_precision": 2.0, "standardize": True}, {}])
def test_the_flat_and_the_standardized_prior_do_not_depend_on_units(options):
    X, y = table()
    units = np.array([1e-6, 1.0, 1e5])
    one, other = (BayesianLinearRegression(**options).fit(rows, y) for rows in (X, X * units))
    np.testing.assert_allclose(other.predict(X * units), one.predict(X), rtol=1e-9)
    expected, actual = one.derivatives(X, 2), other.derivatives(X * units, 2)
    np.testing.assert_allclose(actual.first * units, expected.first, rtol=1e-8)
    np.testing.assert_allclose(actual.second * units * units[:, None], expected.second, rtol=1e-8)


def test_offset_is_a_known_part_of_the_mean():
    X, y = table()
    offset = np.linspace(-3.0, 5.0, len(y))
    one = BayesianLinearRegression().fit(X, y)
    other = BayesianLinearRegression().fit(X, y + offset, offset=offset)
    np.testing.assert_allclose(other.predict(X), one.predict(X), rtol=TIGHT)
    np.testing.assert_allclose(other.predict(X, offset=offset), one.predict(X) + offset, rtol=TIGHT)
    score, density = (ask(X, y + offset, offset=offset) for ask in (other.score, other.log_predictive_density))
    np.testing.assert_allclose(score, 1 - np.var(y - one.predict(X)) / np.var(y + offset), rtol=1e-9)
    np.testing.assert_allclose(density, one.log_predictive_density(X, y), rtol=1e-9)
    np.testing.assert_allclose(other.derivatives(X, 2, offset=offset).first, one.derivatives(X, 2).first, rtol=1e-9)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (4, 3), (5, 50)])
def test_too_few_rows_for_the_flat_prior(n, d):
    rng = np.random.default_rng(3)
    with pytest.raises(InputError, match=f"at least {d + 2}; got {n} sample.*prior_precision"):
        BayesianLinearRegression().fit(rng.normal(size=(n, d)), rng.normal(size=n))
    with pytest.raises(InputError, match=r"at least 2; got 1 sample"):  # a flat intercept alone
        BayesianLinearRegression(prior_precision=1.0).fit([[1.0]], [2.0])
    without = BayesianLinearRegression(prior_precision=1.0, fit_intercept=False).fit([[1.0]], [2.0])
    assert without.coef_ == pytest.approx(1.0)


def test_collinear_and_constant_columns_are_named():
    X, y = table(n=20)
    collinear = np.column_stack([X, X[:, 0] - 2.0 * X[:, 2]])
    with pytest.raises(InputError, match=r"\(collinear: 'x0', 'x2', 'x3'\).*prior_precision"):
        BayesianLinearRegression().fit(collinear, y)
    constant = np.column_stack([X, np.full(20, 0.1)])
    with pytest.raises(InputError, match=r"\(constant: 'x3'\).*prior_precision"):
        BayesianLinearRegression().fit(constant, y)
    with pytest.raises(InputError, match=r"constant: 'x3'; collinear: 'x0', 'x2', 'x4'"):
        BayesianLinearRegression().fit(np.column_stack([constant, collinear[:, 3]]), y)
    # Without an intercept a constant column is one.
    model = BayesianLinearRegression(fit_intercept=False).fit(constant, y)
    np.testing.assert_allclose(model.predict(constant), printed(X, y, X)[0], rtol=1e-9)
    with pytest.raises(InputError, match=r"constant: 'x1'"):
        BayesianLinearRegression(fit_intercept=False).fit(np.column_stack([X[:, 0], np.zeros(20)]), y)


def test_a_prior_takes_collinear_and_constant_columns():
    X, y = table(n=20)
    hard = np.column_stack([X, X[:, 0], np.full(20, 7.0)])
    model = BayesianLinearRegression(prior_precision=1.0, standardize=True).fit(hard, y)
    np.testing.assert_allclose(model.coef_[0], model.coef_[3], rtol=1e-9)
    assert model.coef_[4] == 0.0
    record = model.derivatives(hard, 2)
    np.testing.assert_array_equal(record.first[:, :, 4], 0.0)  # at the value it always had, nothing changes
    elsewhere = hard + np.eye(5)[4]
    assert (model.predict_distribution(elsewhere).scale2 > model.predict_distribution(hard).scale2).all()


@pytest.mark.parametrize("y", [np.zeros(9), np.full(9, 3.0), np.arange(9.0)])
def test_a_perfect_fit_is_warned_of(y):
    X = np.column_stack([np.arange(9.0), np.arange(9.0) ** 2])
    with pytest.warns(RsensWarning, match="linear function of the columns"):
        model = BayesianLinearRegression().fit(X, y)
    assert 0.0 < model.noise_variance_ < 1e-26
    np.testing.assert_allclose(model.predict(X), y, atol=1e-13)


@pytest.mark.parametrize("precision", [0.0, -1.0, np.nan, np.inf, "1", True])
def test_wrong_prior_precision(precision):
    with pytest.raises(InputError, match="prior_precision must be a number greater than 0"):
        BayesianLinearRegression(prior_precision=precision).fit(*table())


def test_inputs_far_from_zero_lose_no_digits():
    X, y = table()
    X, shift = np.round(X * 1024) / 1024, 2.0**30  # so that X + 2³⁰ is exact
    one, other = BayesianLinearRegression().fit(X, y), BayesianLinearRegression().fit(X + shift, y)
    np.testing.assert_allclose(other.predict(X + shift), one.predict(X), rtol=1e-9)
    np.testing.assert_allclose(other.coef_scale2_, one.coef_scale2_, rtol=1e-9)
