"""All models as scikit-learn estimators: its own checks, and what people do with estimators.

A model is listed in ESTIMATORS, quick to fit at its defaults; everything here runs over the list.
"""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import rsens
from rsens import InputError
from rsens.derivatives import Derivatives

ESTIMATORS = [
    rsens.BayesianLinearRegression(),
    rsens.BayesianLinearRegression(prior_precision=1.0, standardize=True),
    rsens.BayesianProbitRegression(),
    rsens.BayesianLogisticRegression(),
    rsens.BayesianPoissonRegression(),
]
#: scikit-learn checks how estimators behave, not how well they fit; the first one searches to its end.
QUICK = {"n_restarts": 0, "tolerance": 0.1, "random_state": 0}
GAUSSIAN_PROCESSES = [
    rsens.GPRegressor(),
    rsens.GPClassifier(**QUICK),
    rsens.GPClassifier(link="logit", **QUICK),
    rsens.GPRegressor(likelihood="poisson", **QUICK),
    rsens.GPRegressor(inducing=10, **QUICK),
]

over_all = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


def frame(estimator, n=50):
    """A table with names, and a y that the estimator can take: labels, or counts, which are numbers too."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["age", "dose", "noise"])
    f = 1.5 * X["age"] - X["dose"] + 0.3 * rng.normal(size=n)
    return X, pd.Series(np.where(f > 0, "yes", "no") if is_classifier(estimator) else np.floor(np.exp(2.0 + 0.3 * f)))


@parametrize_with_checks([*ESTIMATORS, *GAUSSIAN_PROCESSES])
# The checks fit pure noise, zeros and single columns: a search of a Gaussian process that ends at a limit there warns.
@pytest.mark.filterwarnings("ignore::rsens._errors.RsensWarning")
def test_scikit_learn(estimator, check):
    check(estimator)


def test_random_states_of_every_kind():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30.0)
    states = (np.random.default_rng(1), np.random.default_rng(1), np.random.RandomState(1), np.int64(1), None)
    fits = [rsens.GPRegressor(random_state=state, n_restarts=1, tolerance=1e-3).fit(X, y) for state in states]
    assert fits[0].log_marginal_likelihood_ == fits[1].log_marginal_likelihood_
    for wrong in (-1, "seed", 1.5):
        with pytest.raises(InputError, match="random_state must be None, a whole number"):
            rsens.GPRegressor(random_state=wrong).fit(X, y)


@over_all
def test_predictions_come_from_one_distribution(estimator):
    X, y = frame(estimator)
    values = X.to_numpy(copy=True)
    model = clone(estimator).fit(values, y)
    values[:] = 0.0
    np.testing.assert_array_equal(model.training_inputs_, X)
    np.testing.assert_allclose(model.input_scale_, X.std(ddof=0), rtol=1e-12)
    model = clone(estimator).fit(X, y)
    distribution = model.predict_distribution(X)
    density = model.log_predictive_density(X, y)
    assert density.shape == (50,)
    if is_classifier(estimator):
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], distribution.mean, rtol=1e-12)
        np.testing.assert_array_equal(model.predict(X), np.where(distribution.mean > 0.5, "yes", "no"))
        assert model.score(X, y) == np.mean(model.predict(X) == y)
        np.testing.assert_allclose(density, distribution.log_prob(y == "yes"), rtol=1e-12)
    else:
        np.testing.assert_array_equal(model.predict(X), distribution.mean)
        residual = np.sum((y - model.predict(X)) ** 2) / np.sum((y - y.mean()) ** 2)
        assert model.score(X, y) == pytest.approx(1.0 - residual, rel=1e-12)
    record = model.derivatives(X, 2)
    assert isinstance(record, Derivatives)
    np.testing.assert_allclose(record.distribution.parameters, distribution.parameters, rtol=1e-14)


@over_all
def test_unfitted(estimator):
    X, y = frame(estimator)
    for name, arguments in {"predict_distribution": (), "derivatives": (), "log_predictive_density": (y,)}.items():
        with pytest.raises(NotFittedError):
            getattr(estimator, name)(X, *arguments)
    with pytest.raises(InputError, match=r"is not fitted. Call fit"):
        rsens.rsens(estimator, X)


@over_all
def test_wrong_tables_and_targets(estimator):
    """Beyond scikit-learn's own checks: the column or row is named."""
    X, y = frame(estimator)
    hole = X.copy()
    hole.iloc[7, 1] = np.nan
    missing = y.astype(object)
    missing[4] = None
    text = np.linspace(0.1, 1.7, 50) if is_classifier(estimator) else np.array(["a", "b"] * 25)
    for rows, targets, word in (
        (hole, y, r"column 'dose' has 1 missing.*row 7"),
        (hole.to_numpy(), y, "column 'x1'"),
        (X.assign(day=pd.Timestamp(2020, 2, 29)), y, "not numeric: 'day'"),
        (X.set_axis(["age", "age", "noise"], axis=1), y, "of the same name: 'age'"),
        (np.ma.array(X.to_numpy(), mask=np.tile(np.arange(3) == 2, (50, 1))), y, "column 'x2'"),
        (X, None, "needs y; got None"),
        (X, missing, "row 4"),
        (X, text, "Unknown label type" if is_classifier(estimator) else "y must be numbers; got 'a'"),
    ):
        with pytest.raises(InputError, match=word):
            clone(estimator).fit(rows, targets)
    model = clone(estimator).fit(X, y)
    with pytest.raises(InputError, match="column 'dose'"):
        model.predict(hole)
    with pytest.raises(InputError, match="inconsistent numbers of samples"):
        model.log_predictive_density(X, y[:-1])


@pytest.mark.parametrize("estimator", [rsens.BayesianLinearRegression(), rsens.BayesianPoissonRegression()], ids=repr)
def test_offset_is_routed(estimator):
    X, y = frame(estimator)
    offset = np.linspace(0.0, 3.0, 50)
    if isinstance(estimator, rsens.BayesianPoissonRegression):
        y, given = np.exp(offset) * (y + 1.0), offset
    else:
        y, given = y + 10 * offset, 10 * offset
    with sklearn.config_context(enable_metadata_routing=True):
        routed = clone(estimator).set_fit_request(offset=True).set_score_request(offset=True)
        scores = cross_val_score(routed, X, y, params={"offset": given}, cv=3)
    expected = []
    for fold in np.split(np.arange(50), [17, 34]):
        rest = np.setdiff1d(np.arange(50), fold)
        model = clone(estimator).fit(X.iloc[rest], y.iloc[rest], offset=given[rest])
        expected.append(model.score(X.iloc[fold], y.iloc[fold], offset=given[fold]))
    np.testing.assert_allclose(scores, expected, rtol=1e-9)
