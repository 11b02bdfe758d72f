"""Classifiers: closed forms for linear logits, logits where they are to be had, probabilities of trees."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import rsens
from rsens import Bernoulli, Categorical, RsensWarning
from rsens._errors import InputError
from rsens.adapters import as_model
from tests.adapters.sklearn.cases import LABELS, ROWS, THREE, X, by_richardson, gap, record

LINEAR = {
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


@pytest.mark.parametrize("name", LINEAR)
def test_linear_logits(name):
    """The oracle takes differences of predict_proba, and is right to 1e-8 (first) and 1e-7 (second)."""
    model = LINEAR[name]
    assert not as_model(model).by_differences
    found = record(model)
    np.testing.assert_allclose(found.distribution.parameters, probabilities(model, ROWS), atol=1e-12)
    first, second = by_richardson(lambda R: probabilities(model, R), ROWS)
    np.testing.assert_allclose(found.first, first, atol=1e-7 * np.abs(first).max())
    np.testing.assert_allclose(found.second, second, atol=1e-6 * np.abs(second).max())
    assert list(as_model(model).classes_) == list(model.classes_)


def test_digits_in_the_tail():
    """R-sens of a logistic regression is |w|√(π(1 − π)) however near π is to 1."""
    model = LINEAR["logistic"]
    w = model.coef_[0]
    far = 40.0 * w / (w @ w)
    logit = far @ w + model.intercept_[0]
    expected = np.abs(w) * np.sqrt(expit(logit) * expit(-logit))
    np.testing.assert_allclose(rsens.rsens(model, far[None])[0], expected, rtol=1e-12)


def test_one_against_the_rest_is_no_softmax():
    """The same weights, other probabilities: differences of these."""
    model = OneVsRestClassifier(LogisticRegression()).fit(X, THREE)
    found = record(model, order=1)
    np.testing.assert_allclose(found.distribution.parameters, model.predict_proba(ROWS), atol=1e-12)
    first, _ = by_richardson(model.predict_proba, ROWS)
    assert gap(found.first, first) < 1e-6


@pytest.mark.parametrize(
    "model", [GaussianNB(), QuadraticDiscriminantAnalysis(reg_param=0.1), SVC(kernel="rbf")], ids=str
)
def test_smooth(model):
    """By differences, of the logit where the classifier has one."""
    if isinstance(model, SVC):
        model = CalibratedClassifierCV(model)
    model = model.fit(X, LABELS)
    found = as_model(model).predict_distribution(ROWS)
    np.testing.assert_allclose(found.mean, model.predict_proba(ROWS)[:, 1], rtol=1e-10)
    assert isinstance(found, Bernoulli)
    assert (found.logit is None) == isinstance(model, CalibratedClassifierCV)
    first, _ = by_richardson(lambda R: probabilities(model, R), ROWS)
    assert gap(record(model, order=1).first, first) < 1e-5


def test_a_network():
    model = MLPClassifier((4,), activation="tanh", solver="lbfgs", alpha=0.1, random_state=0).fit(X, THREE)
    found = record(model, order=1)
    assert isinstance(found.distribution, Categorical)
    first, _ = by_richardson(model.predict_proba, ROWS)
    assert gap(found.first, first) < 1e-5


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


def test_votes_are_reported():
    model = as_model(RandomForestClassifier(30, random_state=0).fit(X, LABELS))
    assert [finding.name for finding in model.checks(X)] == ["votes", "steps"]
    p = model.predict_distribution(X).mean
    assert p.min() >= 0.0049


def test_data_frames():
    """Fitted to names, asked with names or without; fitted without, asked with."""
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = LogisticRegression().fit(frame, LABELS)
    expected = rsens.rsens(LINEAR["logistic"], X)
    for model, rows in [(named, frame), (named, X), (LINEAR["logistic"], frame)]:
        np.testing.assert_allclose(rsens.rsens(model, rows), expected, rtol=1e-12)
    with pytest.raises(InputError, match="in their order: 'a', 'b', 'c'; got 'b', 'a', 'c'"):
        rsens.rsens(named, frame[["b", "a", "c"]])


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (LogisticRegression(), "not fitted"),
        (RidgeClassifier().fit(X, LABELS), "CalibratedClassifierCV"),
        (SVC().fit(X, LABELS), "CalibratedClassifierCV"),
        (RandomForestClassifier(5).fit(X, np.c_[LABELS, LABELS]), "several targets"),
        (DecisionTreeClassifier().fit(X, np.zeros(40)), "one class only"),
    ],
)
def test_refused(model, said):
    with pytest.raises(InputError, match=said):
        rsens.rsens(model, X)
