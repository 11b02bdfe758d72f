"""Trees that predict distributions: NGBoost, forests and boosters with a spread, as they are and in pipelines."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from ngboost import NGBClassifier, NGBRegressor, NGBSurvival
from ngboost.distns import k_categorical
from scipy.stats import norm
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge

import rsens
from rsens import InputError, RsensWarning, from_function
from rsens.adapters import as_model
from rsens.derivatives import NoSecondDerivativesError
from rsens.distributions import Bernoulli, Categorical, LogNormal, Normal
from tests.adapters import fakes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
Y = 2.0 * X[:, 0] + RNG.normal(size=200) * np.exp(0.4 * X[:, 1])
BOOST = {"n_estimators": 20, "learning_rate": 0.2, "verbose": False, "random_state": 0}


def quietly(measure, model, rows, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RsensWarning)
        return measure(model, rows, **options)


# ---- NGBoost ---------------------------------------------------------------------------------------------------------

NGBOOST = {
    "regressor": (lambda: NGBRegressor(**BOOST).fit(X, Y), Normal),
    "frame": (lambda: NGBRegressor(**BOOST).fit(FRAME, Y), Normal),
    "classifier": (lambda: NGBClassifier(**BOOST).fit(X, (Y > 0).astype(int)), Bernoulli),
    "three classes": (
        lambda: NGBClassifier(Dist=k_categorical(3), **BOOST).fit(X, np.digitize(Y, [-1.0, 1.0])),
        Categorical,
    ),
    "survival": (lambda: NGBSurvival(**BOOST).fit(X, np.exp(Y), np.ones(200)), LogNormal),
}


@cache
def boosted(name):
    return NGBOOST[name][0]()


@pytest.mark.parametrize("name", NGBOOST)
def test_ngboost_predicts_its_own_distribution(name):
    family, estimator = NGBOOST[name][1], boosted(name)
    rows = FRAME if name == "frame" else X
    found = as_model(estimator).predict_distribution(rows)
    assert type(found) is family
    assert as_model(estimator).description.family == family.__name__
    if family is Bernoulli:
        np.testing.assert_allclose(found.mean, estimator.predict_proba(X)[:, 1], rtol=1e-10)
    elif family is Categorical:
        np.testing.assert_allclose(found.parameters, estimator.predict_proba(X), rtol=1e-10)
    else:
        np.testing.assert_allclose(found.mean, estimator.pred_dist(X).mean(), rtol=1e-12)
    with pytest.warns(RsensWarning, match="piecewise constant.*twice the step"):  # never a silent 0
        main = rsens.rsens(estimator, rows).mean(axis=0)
    assert main[0] > 2.0 * main[2] >= 0.0
    assert main[0] > 0.1


def test_pairs_are_refused_and_explain_goes_on_without():
    estimator = boosted("frame")
    with pytest.raises(NoSecondDerivativesError, match="NGBRegressor are piecewise constant"):
        quietly(rsens.rsens2, estimator, FRAME)
    with pytest.warns(RsensWarning) as heard:
        explained = rsens.explain(estimator, FRAME, intervals=False)
    assert any(str(each.message).startswith("no pairs:") for each in heard)
    assert explained.main.idxmax() == "a"


def test_smooth_base_learners_have_derivatives():
    """NGBoost on ridge regressions: no warning, and slopes to the last digit of differences."""
    estimator = NGBRegressor(Base=Ridge(), **BOOST).fit(X, Y)
    found = rsens.rsens(estimator, X)

    def parameters(rows):
        frozen = estimator.pred_dist(rows)
        return np.stack([frozen.loc, frozen.scale**2], axis=1)

    h = 1e-5
    slopes = np.stack([(parameters(X + h * e) - parameters(X - h * e)) / (2 * h) for e in np.eye(3)], axis=2)
    np.testing.assert_allclose(found, Normal(*parameters(X).T).fisher_norm(slopes), rtol=1e-6)


# ---- forests ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_forests_have_the_variance_of_a_target_in_the_leaves(kind):
    """All training targets that share a leaf with the row, each tree and each target in a leaf weighing the same."""
    forest = kind(20, min_samples_leaf=5, bootstrap=False, random_state=0).fit(X, Y)
    rows = X[:15] + 0.1
    found = as_model(forest).predict_distribution(rows)
    leaves, trained = forest.apply(rows), forest.apply(X)
    for i in range(len(rows)):
        targets = [Y[trained[:, t] == leaves[i, t]] for t in range(20)]
        weights = np.concatenate([np.full(len(part), 1.0 / len(part) / 20.0) for part in targets])
        values = np.concatenate(targets)
        mean = weights @ values
        assert found.mean[i] == pytest.approx(mean, rel=1e-10)
        assert found.variance[i] == pytest.approx(weights @ (values - mean) ** 2, rel=1e-8)
    np.testing.assert_allclose(found.mean, forest.predict(rows), rtol=1e-12)


def test_forests_are_explained():
    forest = RandomForestRegressor(100, min_samples_leaf=5, random_state=0).fit(FRAME, Y)
    with pytest.warns(RsensWarning, match="RandomForestRegressor are piecewise constant"):
        found = rsens.rsens(forest, FRAME).mean(axis=0)
    assert found[0] > 3.0 * found[2]
    assert "between and within" in as_model(forest).description.noise
    assert {f.name: f.verdict for f in as_model(forest).checks(FRAME)}["spread"] == "ok"


def test_trees_that_know_every_target_by_heart():
    with pytest.raises(InputError, match=r"leaves of one target and no bootstrap.*min_samples_leaf=5"):
        rsens.rsens(ExtraTreesRegressor(10, random_state=0).fit(X, Y), X)
    with pytest.warns(RsensWarning) as heard:
        rsens.rsens(RandomForestRegressor(30, random_state=0).fit(X, Y), X)
    assert any("leaves hold one target" in str(each.message) for each in heard)


WRONG_TREES = {
    "two targets": (lambda: RandomForestRegressor(5).fit(X, np.stack([Y, Y], 1)), "several targets"),
    "criterion": (lambda: RandomForestRegressor(5, criterion="absolute_error").fit(X, Y), "absolute_error"),
    "one tree": (lambda: RandomForestRegressor(1).fit(X, Y), "has one tree"),
    "not fitted": (lambda: RandomForestRegressor(), "not fitted"),
    "boosting that is not fitted": (lambda: NGBRegressor(), "NGBRegressor is not fitted"),
    "other columns": (lambda: NGBRegressor(**BOOST).fit(X[:, :2], Y), "2 columns that NGBRegressor was fitted to"),
}


@pytest.mark.parametrize("name", WRONG_TREES)
def test_trees_that_cannot_be_explained(name):
    make, text = WRONG_TREES[name]
    with pytest.raises(InputError, match=text):
        rsens.rsens(make(), X)


# ---- boosters that give parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["XGBoostLSS", "LightGBMLSS"])
def test_parameters_of_boosters(name, monkeypatch):
    fakes.with_xgboost(monkeypatch)
    estimator = fakes.boosted(name)(fakes.Gaussian())
    found = as_model(estimator).predict_distribution(X)
    assert isinstance(found, Normal)
    mean, variance = fakes.moments(X)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-6)
    np.testing.assert_allclose(found.variance, variance, rtol=1e-5)  # scale², in float32
    slopes = quietly(rsens.rsens, estimator, X)
    assert slopes[:, 0].mean() == pytest.approx(np.mean(1.0 / np.sqrt(found.variance)), rel=0.1)
    assert not slopes[:, 2].any()


@pytest.mark.parametrize(
    ("estimator", "text"),
    [
        (fakes.boosted("XGBoostLSS")(fakes.Gaussian(), trained=False), "XGBoostLSS is not trained"),
        (fakes.boosted("LightGBMLSS")(fakes.SplineFlow()), "no distribution with parameters"),
        (fakes.catboost_regressor("RMSE"), "RMSEWithUncertainty"),
        (fakes.catboost_regressor(None), "predicts points"),
    ],
)
def test_boosters_without_a_distribution(estimator, text):
    with pytest.raises(InputError, match=text):
        rsens.rsens(estimator, X)


def test_catboost_gives_a_variance():
    found = as_model(fakes.catboost_regressor("RMSEWithUncertainty")).predict_distribution(X)
    np.testing.assert_allclose(found.variance, fakes.moments(X)[1], rtol=1e-12)
    assert quietly(rsens.rsens, fakes.catboost_regressor("RMSEWithUncertainty"), X)[:, :2].mean(axis=0).min() > 0.1


def test_regressors_of_skpro():
    estimator = fakes.skpro_regressor(lambda rows: norm(rows[:, :1] ** 2, np.exp(rows[:, 1:2])))
    found = as_model(estimator).predict_distribution(FRAME)
    np.testing.assert_allclose(found.mean, X[:, 0] ** 2, rtol=1e-12)
    expected = from_function(lambda rows: Normal(rows[:, 0] ** 2, np.exp(2.0 * rows[:, 1])))
    np.testing.assert_allclose(rsens.rsens2(estimator, X), rsens.rsens2(expected, X), rtol=1e-6, atol=1e-6)
    estimator.is_fitted = False
    with pytest.raises(InputError, match="ResidualDouble is not fitted"):
        rsens.rsens(estimator, X)
