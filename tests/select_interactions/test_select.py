"""What is found in data whose interactions are known, and that nothing else changes it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import ShuffleSplit

from rsens._errors import RsensWarning
from rsens._select_interactions import SplitAnalysis, select_interactions
from rsens.kernels import EQ, Categorical, Matern52
from rsens.models import GPClassifier, GPRegressor
from tests.select_interactions.made import asked
from tests.select_interactions.simulated import classes, counts, no_interactions, two_interactions, with_levels

GP = GPRegressor(n_restarts=0)
QUICK = {"cv": 3, "repeats": 1, "random_state": 0}


def test_two_interactions_are_found_in_two_rounds_of_five_folds():
    two = select_interactions(GP, *two_interactions(), k=3, random_state=0)
    assert two.suggested == 2
    assert {tuple(pair) for pair in two.pairs[["first", "second"]].head(2).to_numpy()} == {("a", "d"), ("b", "c")}
    assert (two.pairs["share"].head(2) == 1.0).all()
    assert str(two).startswith("2 interactions are enough: ")
    assert two.n_splits == 10
    assert len(two.scores) == 10 * (4 + 1)
    assert two.n_fits == 10 * 5 + 1  # a full model and four reduced ones per split, and a full model of all rows


def test_additive_data_needs_none():
    found = select_interactions(GP, *no_interactions(), k=2, cv=4, random_state=1)
    assert found.suggested == 0
    assert str(found).startswith("No interaction is needed.")


def test_scores_are_those_of_the_models():
    """One split done by hand."""
    X, y = two_interactions()
    train, test = np.arange(60), np.arange(60, 90)
    found = select_interactions(GPRegressor(n_restarts=0, random_state=0), X, y, k=1, cv=[(train, test)])
    full = GPRegressor(n_restarts=0, random_state=0).fit(X.iloc[train], y.iloc[train])
    none = GPRegressor(EQ(dims=0) + EQ(dims=1) + EQ(dims=2) + EQ(dims=3), n_restarts=0).fit(X[:60], y[:60])
    scores = found.scores["log_density"]
    assert scores[2] == pytest.approx(full.log_predictive_density(X[60:], y[60:]).mean(), abs=1e-9)
    assert scores[0] == pytest.approx(none.log_predictive_density(X[60:], y[60:]).mean(), abs=1e-6)
    assert np.isnan(found.summary()["se"]).all()


@pytest.mark.parametrize(
    ("model", "data"),
    [(GPRegressor(likelihood="poisson", n_restarts=0), counts), (GPClassifier(n_restarts=0), classes)],
)
def test_counts_and_classes(model, data):
    found = asked(model, *data(), k=1, **QUICK)
    assert found.suggested == 1
    assert found.pairs.loc[0, ["first", "second"]].tolist() == ["x0", "x1"]
    scores = found.summary().set_index("k")["mean"]
    assert scores[0] < scores[1]
    if data is classes:
        assert scores[0] < -0.6  # without the pair no better than a coin, −log 2


def test_categorical_columns():
    X, y = with_levels()
    found = asked(GP, X, y, k=2, **QUICK)
    assert found.pairs.loc[0, ["first", "second"]].tolist() == ["dose", "site"]
    assert found.suggested == 1
    product = found.kernel(1).terms[-1]
    assert product == EQ(dims=0) * Categorical(dims=1)
    assert found.model(1).predict(X.head(3)).shape == (3,)
    X.loc[3, "site"] = "east"  # a level that the training set lacks
    rows = np.arange(45)
    found = select_interactions(GP, X[:45], y[:45], k=1, cv=[(rows[5:], rows[:5])], random_state=0)
    assert np.isfinite(found.scores["log_density"]).all()


@pytest.mark.parametrize(("kernel", "term"), [(Matern52(), Matern52(dims=0)), (EQ() + EQ(), EQ(dims=0))])
def test_terms_are_of_the_kind_of_the_full_kernel(kernel, term):
    X, y = no_interactions(40)
    split = ShuffleSplit(1, train_size=30, random_state=0)
    found = select_interactions(GPRegressor(kernel, n_restarts=0), X, y, k=0, cv=split)
    assert found.kernel(0).terms[0] == term


def test_fits_that_warn_warn_once(monkeypatch):
    monkeypatch.setattr("rsens.models._inference.MOST_STEPS", 1)
    X, y = no_interactions(40)
    with pytest.warns(
        RsensWarning, match=r"There were \d+ warnings in 9 fits, the first: .*did not converge"
    ) as raised:
        select_interactions(GP, X, y, k=0, cv=2, random_state=0)
    assert len(raised) == 1


def test_a_column_that_is_constant_in_a_split():
    X, y = no_interactions(40)
    X["b"] = (np.arange(40) == 0).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = select_interactions(GP, X, y, k=1, cv=[(np.arange(1, 40), np.array([0]))], random_state=0)
    assert found.n_splits == 1
    found = select_interactions(GP, X, y, k=9, cv=[(np.arange(25), np.arange(25, 40))], random_state=0)
    assert found.k == 3
    assert "there are only 3 pairs; k = 9 was asked for" in str(found)


def test_interrupted_work_is_taken_up_again(tmp_path, monkeypatch):
    X, y = two_interactions(60)
    settings = {"k": 1, "cv": 2, "random_state": 0}
    whole = select_interactions(GP, X, y, **settings)
    run, done = SplitAnalysis.run, []

    def interrupted(task, train, test, seed):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(train)
        return run(task, train, test, seed)

    monkeypatch.setattr(SplitAnalysis, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        select_interactions(GP, X, y, folder=tmp_path / "work", **settings)
    counted = []
    monkeypatch.setattr(SplitAnalysis, "run", lambda task, *rest: counted.append(rest) or run(task, *rest))
    resumed = select_interactions(GP, X, y, folder=tmp_path / "work", **settings)
    assert len(counted) == 2 * 2 + 1 - 2
    pd.testing.assert_frame_equal(resumed.scores, whole.scores, check_exact=True)
    pd.testing.assert_frame_equal(resumed.pairs, whole.pairs, check_exact=True)
    counted.clear()
    select_interactions(GP, X, y, folder=tmp_path / "work", **settings)
    assert not counted
