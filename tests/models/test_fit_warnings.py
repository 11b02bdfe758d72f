"""Warnings of a GP during the fit: counts that it does not predict, searches at their limits, copies of rows."""

import re

import numpy as np
import pytest

from rsens import InputError, RsensWarning, stability
from rsens.models import GPClassifier, GPRegressor

SETTINGS = {"n_restarts": 0, "random_state": 0}


def overdispersed(seed):
    """Counts of a negative binomial, times a hundred: each has to be fitted to a few per cent, zeros as well."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 3))
    return X, 100 * rng.poisson(np.exp(X[:, 0]) * rng.gamma(0.5, 2.0, 50))


def test_few_inducing_inputs_for_counts_that_vary_too_much():
    """f has as many free numbers as there are inducing inputs: the search raises its variance without end."""
    X, y = overdispersed(0)
    with pytest.warns(RsensWarning) as raised:
        model = GPRegressor(likelihood="poisson", inducing=20, **SETTINGS).fit(X, y)
    text = next(text for text in map(str, (each.message for each in raised)) if "does not know the counts" in text)
    assert re.search(r"counts of \d+ of its 50.*use likelihood='negative_binomial'.*raise inducing above 20", text)
    with pytest.raises(InputError, match=r"beyond float64.*does not suit these counts"):
        model.predict(X)
    with pytest.warns(RsensWarning) as raised:
        GPRegressor(likelihood="poisson", inducing=20, **SETTINGS).fit(*overdispersed(4))
    texts = [str(warning.message) for warning in raised]
    assert any("ended at the limit of variance" in text and "negative_binomial" in text for text in texts)
    assert all(warning.filename == __file__ for warning in raised)


@pytest.mark.parametrize("likelihood", ["poisson", "negative_binomial"])
def test_ordinary_counts_are_no_reason(likelihood):
    X, y = overdispersed(0)
    GPRegressor(likelihood=likelihood, **SETTINGS).fit(X, y / 100)  # warnings are errors here


def test_equal_warnings_of_classes_are_shown_once(monkeypatch):
    monkeypatch.setattr("rsens.models._inference.MOST_STEPS", 1)
    rng = np.random.default_rng(0)
    rows, classes = rng.normal(size=(30, 2)), np.arange(30) % 4
    with pytest.warns(RsensWarning, match="did not converge within 1 steps") as raised:
        GPClassifier(**SETTINGS).fit(rows, classes)
    assert [warning.filename for warning in raised] == [__file__]


X = np.random.default_rng(0).normal(size=(40, 3))
Y = X[:, 0] + 0.1 * np.random.default_rng(1).normal(size=40)


def test_copies_hide_the_noise():
    model = GPRegressor(**SETTINGS)
    with pytest.warns(RsensWarning, match="80 of the 120 rows are exact copies.*too little noise.*Drop") as raised:
        copied = model.fit(np.repeat(X, 3, axis=0), np.repeat(Y, 3)).noise_variance_
    assert raised[0].filename == __file__
    assert copied < 0.7 * model.fit(X, Y).noise_variance_


def test_copies_that_do_no_harm():
    """Noise that is given; counts and classes; few copies; as many rows of the same x and another y."""
    twice, y = np.repeat(X, 2, axis=0), np.repeat(Y, 2)
    few = [*range(40), 0, 1]
    GPRegressor(optimize=False).fit(twice, y)
    GPRegressor(likelihood="poisson", **SETTINGS).fit(twice, np.round(np.exp(y)))
    GPClassifier(**SETTINGS).fit(twice, y > 0.0)
    GPRegressor(**SETTINGS).fit(X[few], Y[few])
    levels, noisy = np.repeat(X[:8], 10, axis=0), np.random.default_rng(2).integers(0, 6, 80).astype(float)
    assert len(np.unique(np.column_stack([levels, noisy]), axis=0)) < 60
    GPRegressor(**SETTINGS).fit(levels, noisy)


def test_resamples_are_silent():
    """One warning per refit would repeat a hundred times a warning that the page on stability has once."""
    stability(GPRegressor(**SETTINGS), X, Y, n_boot=2, methods="rsens", replace=True, random_state=0)
