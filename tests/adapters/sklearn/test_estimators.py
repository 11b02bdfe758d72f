"""Estimators: linear models and logits in closed form, probabilities, standard deviations; points are refused."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import (
    ARDRegression,
    BayesianRidge,
    LinearRegression,
    LogisticRegression,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import rsens
from rsens import Bernoulli, Categorical, RsensWarning
from rsens._errors import InputError
from rsens.adapters import as_model
from tests.adapters.sklearn.cases import LABELS, ROWS, THREE, X, Y, by_richardson, gap, record

# ---- classifiers -----------------------------------------------------------------------------------------------------

CLASSIFIERS = {
    "logistic": LogisticRegression().fit(X, LABELS),
    "logistic, three": LogisticRegression().fit(X, THREE),
    "discriminant": LinearDiscriminantAnalysis().fit(X, LABELS),
    "discriminant, three": LinearDiscriminantAnalysis().fit(X, THREE),
    "gradient": SGDClassifier(loss="log_loss", alpha=0.1, random_state=0).fit(X, LABELS),
}


def probabilities(model, rows):
    """As columns of λ: the second of two classes, or all."""
    p = model.predict_proba(rows)
    return p[:, 1:] if p.shape[1] == 2 else p


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_linear_logits(name):
    """The oracle takes differences of predict_proba, and is right to 1e-8 (first) and 1e-7 (second)."""
    model = CLASSIFIERS[name]
    assert not as_model(model).by_differences
    found = record(model)
    np.testing.assert_allclose(found.distribution.parameters, probabilities(model, ROWS), atol=1e-12)
    first, second = by_richardson(lambda R: probabilities(model, R), ROWS)
    np.testing.assert_allclose(found.first, first, atol=1e-7 * np.abs(first).max())
    np.testing.assert_allclose(found.second, second, atol=1e-6 * np.abs(second).max())
    assert list(as_model(model).classes_) == list(model.classes_)


def test_digits_in_the_tail():
    """R-sens of a logistic regression is |w|√(π(1 − π)) however near π is to 1."""
    model = CLASSIFIERS["logistic"]
    w = model.coef_[0]
    far = 40.0 * w / (w @ w)
    logit = far @ w + model.intercept_[0]
    expected = np.abs(w) * np.sqrt(expit(logit) * expit(-logit))
    np.testing.assert_allclose(rsens.rsens(model, far[None])[0], expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (GaussianNB(), LABELS),
        (OneVsRestClassifier(LogisticRegression()), THREE),
        (QuadraticDiscriminantAnalysis(reg_param=0.1), LABELS),
        (CalibratedClassifierCV(SVC(kernel="rbf")), LABELS),
        (MLPClassifier((4,), activation="tanh", solver="lbfgs", alpha=0.1, random_state=0), THREE),
    ],
    ids=str,
)
def test_smooth_classifiers(model, y):
    """By differences, of the logit where the classifier has one."""
    model = model.fit(X, y)
    found = as_model(model).predict_distribution(ROWS)
    np.testing.assert_allclose(found.parameters, probabilities(model, ROWS), rtol=1e-10)
    assert isinstance(found, Bernoulli if y is LABELS else Categorical)
    assert (getattr(found, "logit", None) is None) == (y is THREE or isinstance(model, CalibratedClassifierCV))
    first, _ = by_richardson(lambda R: probabilities(model, R), ROWS)
    assert gap(record(model, order=1).first, first) < 1e-5


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (RandomForestClassifier(30, random_state=0), THREE),
        (DecisionTreeClassifier(random_state=0), LABELS),
        (HistGradientBoostingClassifier(max_iter=30, random_state=0), LABELS),
        (KNeighborsClassifier(5), THREE),
    ],
    ids=str,
)
def test_jumps(model, y):
    """A wide step, said; every value finite, and none of them a silent 0."""
    with pytest.warns(RsensWarning, match="piecewise constant"):
        values = rsens.rsens(model.fit(X, y), X)
    assert np.isfinite(values).all()
    assert (values.mean(axis=0) > 0.0).all()
    if isinstance(model, RandomForestClassifier):
        assert [finding.name for finding in as_model(model).checks(X)] == ["votes", "steps"]
        assert as_model(model).predict_distribution(X).parameters.min() >= 0.0049


def test_data_frames():
    """Fitted to names, asked with names or without; fitted without, asked with."""
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = LogisticRegression().fit(frame, LABELS)
    expected = rsens.rsens(CLASSIFIERS["logistic"], X)
    for model, rows in [(named, frame), (named, X), (CLASSIFIERS["logistic"], frame)]:
        np.testing.assert_allclose(rsens.rsens(model, rows), expected, rtol=1e-12)
    with pytest.raises(InputError, match="in their order: 'a', 'b', 'c'; got 'b', 'a', 'c'"):
        rsens.rsens(named, frame[["b", "a", "c"]])


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (LogisticRegression(), "not fitted"),
        (BayesianRidge(), "BayesianRidge is not fitted"),
        (RidgeClassifier().fit(X, LABELS), "CalibratedClassifierCV"),
        (RandomForestClassifier(5).fit(X, np.c_[LABELS, LABELS]), "several targets"),
        (DecisionTreeClassifier().fit(X, np.zeros(40)), "one class only"),
    ],
)
def test_refused_classifiers(model, said):
    with pytest.raises(InputError, match=said):
        rsens.rsens(model, X)


# ---- BayesianRidge and ARDRegression ---------------------------------------------------------------------------------

OFFSET = np.array([0.0, 50.0, -3.0])
SHIFTED = X + OFFSET
MODELS = {
    "ridge": BayesianRidge().fit(SHIFTED, Y),
    "no intercept": BayesianRidge(fit_intercept=False).fit(X, Y),
    "ard": ARDRegression().fit(SHIFTED, X[:, 0] + 0.1 * Y),
    "ard that drops columns": ARDRegression(threshold_lambda=50.0).fit(SHIFTED, X[:, 0] + 0.001 * Y),
}


@pytest.mark.parametrize("name", MODELS)
def test_moments_and_their_derivatives(name):
    """Both moments are at most quadratic, so differences over any step are exact up to rounding."""
    model, rows = MODELS[name], ROWS + OFFSET
    assert name != "ard that drops columns" or model.sigma_.shape[0] < 3
    assert not as_model(model).by_differences

    def moments(R):
        mean, sd = model.predict(R, return_std=True)
        return np.stack([mean, sd**2], axis=1)

    first, second = by_richardson(moments, rows, 1.0)
    found = record(model, rows)
    np.testing.assert_allclose(found.distribution.parameters, moments(rows), rtol=1e-10)
    np.testing.assert_allclose(found.first, first, atol=1e-9 * np.abs(first).max())
    assert not found.second[:, 0].any()
    assert gap(found.second[:, 1], second[:, 1]) < 1e-8


# ---- standard deviations, and points without any ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(),
        make_pipeline(StandardScaler(), LinearRegression()),
        GradientBoostingRegressor(n_estimators=3),
    ],
    ids=str,
)
def test_no_distribution(model):
    with pytest.raises(InputError, match=r"that predicts distributions; got .*rsens\.from_function\(lambda X"):
        rsens.rsens(model.fit(X, Y), X)


class Spread:
    """No estimator of scikit-learn, but it speaks like one."""

    def predict(self, X, return_std=False):
        mean = np.sin(X[:, 0]) * X[:, 1]
        return (mean, np.exp(0.3 * X[:, 2])) if return_std else mean


def test_a_standard_deviation_is_taken_as_given():
    first, _ = by_richardson(
        lambda R: np.stack([Spread().predict(R, True)[0], Spread().predict(R, True)[1] ** 2], axis=1), ROWS
    )
    assert gap(record(Spread(), order=1).first, first) < 1e-6
    assert "taken as given" in as_model(Spread()).description.noise


class Wider(BayesianRidge):
    def predict(self, X, return_std=False):
        mean, sd = super().predict(X, return_std=True)
        return (mean, 3.0 * sd) if return_std else mean


def test_a_method_that_somebody_replaced_counts():
    model = Wider()
    _, sd = model.fit(X, Y).predict(ROWS, return_std=True)
    np.testing.assert_allclose(as_model(model).predict_distribution(ROWS).variance, sd**2, rtol=1e-12)
    assert as_model(model).by_differences


class Shy(LogisticRegression):
    def predict_proba(self, X):
        return 0.25 + 0.5 * super().predict_proba(X)


def test_replaced_probabilities_count():
    model = Shy().fit(X, LABELS)
    np.testing.assert_allclose(as_model(model).predict_distribution(ROWS).mean, model.predict_proba(ROWS)[:, 1])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda X: (np.zeros((len(X), 2)), np.ones((len(X), 2))), "one model per target"),
        (lambda X: np.zeros(len(X)), "one standard deviation"),
        (lambda X: (np.zeros(len(X)), np.where(X[:, 0] > 0.0, 1.0, 0.0)), "needs some spread"),
    ],
)
def test_other_shapes(answer, said):
    model = Spread()
    model.predict = lambda X, return_std=False: answer(X)
    with pytest.raises(InputError, match=said):
        rsens.rsens(model, X)
