"""Sparse fits of many rows: hyperparameters from some of the rows, the posterior from all."""

import warnings

import numpy as np
import pandas as pd
import pytest

from rsens import GPClassifier, GPRegressor, RsensWarning, rsens
from rsens.kernels import EQ, Matern12
from rsens.models import _gp, _inference, _rows
from rsens.models._inference import posterior_of

SETTINGS = {"inducing": 20, "n_restarts": 0, "random_state": 0}
# Few inducing inputs are quick, and too few for some of these functions.
pytestmark = pytest.mark.filterwarnings("ignore:The ranking depends on the number of inducing inputs")
KINDS = ["gaussian", "student_t", "poisson", "negative_binomial", "probit", "logit", "three classes"]


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    """A search on 400 rows, so that 1,500 are many, with few rare ones among them."""
    monkeypatch.setattr(_gp.GPSettings, "search_rows", 400)
    monkeypatch.setattr(_rows, "LEAST_RARE", 80)


def data(kind, n=1500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    f = np.sin(1.5 * X[:, 0]) + 0.3 * X[:, 1]
    if kind in ("poisson", "negative_binomial"):
        return X, rng.poisson(np.exp(f)).astype(float)
    if kind in ("probit", "logit"):
        return X, np.where(f + 0.7 * rng.normal(size=n) > 0.0, "yes", "no")
    if kind == "three classes":
        return X, np.digitize(f + 0.3 * rng.normal(size=n), [-0.5, 0.5])
    return X, f + 0.3 * rng.normal(size=n)


def model(kind, **options):
    settings = SETTINGS | options
    if kind in ("probit", "logit", "three classes"):
        return GPClassifier(link="logit" if kind == "logit" else "probit", **settings)
    return GPRegressor(likelihood=kind, **settings)


def searched(monkeypatch):
    seen, original = [], _inference._learned

    def learned(kernel, likelihood, data, search):
        seen.append(data)
        return original(kernel, likelihood, data, search)

    monkeypatch.setattr(_inference, "_learned", learned)
    return seen


@pytest.mark.parametrize("kind", KINDS)
def test_all_rows_are_in_the_posterior_and_few_in_the_search(kind, monkeypatch):
    X, y = data(kind)
    seen = searched(monkeypatch)
    sparse = model(kind).fit(X, y)
    assert [len(each.y) for each in seen] == [400] * (3 if kind == "three classes" else 1)
    # The posterior is the one that all rows give with these hyperparameters, however its mode was found.
    gp, each = sparse._gps[-1], seen[-1]
    if hasattr(sparse, "classes_"):
        targets = (y == sparse.classes_[-1]).astype(float)
    else:
        targets = (y - sparse._units.output_mean) / sparse._units.output_scale
    all_rows = each.__class__(sparse._units.inputs(X), targets, np.zeros(len(y)), each.mean)
    expected, value = posterior_of(gp.kernel, gp.likelihood, all_rows, gp.inducing)
    assert gp.log_marginal_likelihood == pytest.approx(value, rel=1e-10)
    np.testing.assert_allclose(gp.posterior.means(gp.inducing), expected.means(gp.inducing), rtol=0, atol=1e-7)


@pytest.mark.parametrize("kind", ["gaussian", "poisson", "probit"])
def test_a_search_on_all_rows_finds_about_the_same(kind, monkeypatch):
    X, y = data(kind, n=3000)
    # The noise of 400 rows has an error of 1/√800 = 3.5 %, and so has R-sens of one draw: we look at the mean of four.
    fits = [model(kind, random_state=seed).fit(X, y) for seed in range(4)]
    of_some = np.mean([rsens(fit, X[:200]).mean(axis=0) for fit in fits], axis=0)
    monkeypatch.setattr(_gp.GPSettings, "search_rows", 3000)
    of_all = rsens(model(kind).fit(X, y), X[:200]).mean(axis=0)
    np.testing.assert_allclose(of_some, of_all, rtol=0, atol=0.05 * of_all.max())


def test_a_rare_level_is_searched_and_has_an_inducing_input(monkeypatch):
    """Six of 6,000 rows: an even draw of 400 rows would have none of them in two of three cases."""
    rng = np.random.default_rng(0)
    x, level = rng.normal(size=6000), rng.choice(["common", "often"], size=6000)
    level[[5, 900, 2000, 3100, 4500, 5999]] = "rare"
    y = np.sin(x) + np.where(level == "rare", 4.0, 0.0) + 0.2 * rng.normal(size=6000)
    X = pd.DataFrame({"x": x, "level": level})
    seen = searched(monkeypatch)
    fitted = GPRegressor(**SETTINGS).fit(X, y)
    rare = 2.0  # the code of the last of the sorted levels
    assert np.sum(seen[0].X[:, 1] == rare) >= 4
    assert rare in fitted.inducing_inputs_[:, 1]
    at = pd.DataFrame({"x": [0.0, 0.0], "level": ["common", "rare"]})
    assert np.diff(fitted.predict(at))[0] == pytest.approx(4.0, abs=0.6)


@pytest.mark.parametrize("kind", ["probit", "logit", "poisson", "negative_binomial"])
def test_rare_classes_and_counts_are_searched(kind, monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(6000, 2))
    happens = rng.uniform(size=6000) < 0.01 * np.exp(0.8 * np.sin(2.0 * X[:, 0]))
    y = happens.astype(float)
    seen = searched(monkeypatch)
    model(kind).fit(X, y)
    assert np.sum(seen[0].y) == min(80, happens.sum())
    common, rate = seen[0].thinned
    assert common == 0.0
    assert rate == pytest.approx((400 - np.sum(seen[0].y)) / np.sum(~happens) * happens.sum() / np.sum(seen[0].y))


def test_fewer_inducing_inputs_where_they_are_enough(monkeypatch):
    monkeypatch.setattr(_gp, "MOST_EXACT_ROWS", 1000)
    monkeypatch.setattr(_gp, "INDUCING", 120)
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(1500, 1))
    smooth = GPRegressor(n_restarts=0, random_state=0).fit(X, X[:, 0] + 0.1 * rng.normal(size=1500))
    assert 2 <= smooth.n_inducing < 20
    with pytest.warns(RsensWarning, match="depends on the number of inducing inputs"):
        wiggly = GPRegressor(EQ(1.0, 0.002), optimize=False).fit(X, X[:, 0])
    assert wiggly.n_inducing == 120


def test_a_fit_of_many_rows_warns_if_the_ranking_depends_on_the_number_of_inducing_inputs(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(1500, 2))
    y = np.sin(6.0 * X[:, 0]) + X[:, 1]
    settings = {"kernel": EQ(1.0, (0.3, 3.0)), "optimize": False, "noise_variance": 0.01}
    with pytest.warns(RsensWarning, match=r"depends on the number of inducing inputs.*Raise inducing, for .* to 16"):
        GPRegressor(inducing=8, **settings).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GPRegressor(inducing=120, **settings).fit(X, y)


def test_a_kernel_without_derivatives_can_still_be_fitted():
    """It has no R-sens, so there is nothing to check."""
    X, y = data("gaussian")
    rough = GPRegressor(Matern12(1.0, (1.0, 1.0)), optimize=False, inducing=20).fit(X, y)
    assert np.isfinite(rough.predict(X)).all()
