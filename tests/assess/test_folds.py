"""Folds: what is accepted, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, RepeatedKFold

from rsens import BayesianLinearRegression, GPRegressor, InputError, assess

X = np.random.default_rng(0).normal(size=(20, 1))
Y = X[:, 0] + np.arange(20.0)


def folds(cv, seed=0, **options):
    """The number of the fold that holds each row out."""
    return assess(BayesianLinearRegression(), X, Y, cv=cv, random_state=seed, **options).to_frame()["fold"]


def test_the_seed_decides():
    pd.testing.assert_series_equal(folds(4), folds(4))
    assert (folds(4) != folds(4, seed=1)).any()


def test_given_folds_hold_out_every_row_at_most_once():
    assert folds(KFold(4)).tolist() == np.repeat([1, 2, 3, 4], 5).tolist()
    with pytest.raises(InputError, match="out 3 times"):
        folds(RepeatedKFold(n_splits=2, n_repeats=3, random_state=0))


def test_folds_of_whole_clusters():
    clusters = np.repeat(np.arange(5), 4)
    assert (folds(3, clusters=clusters).groupby(clusters).nunique() == 1).all()
    with pytest.raises(InputError, match="from 2 to the 5 clusters"):
        folds(6, clusters=clusters)
    with pytest.raises(InputError, match="of its cluster"):
        folds(KFold(3), clusters=clusters)


def test_new_persons_are_harder_than_known_ones():
    """A random effect of each person: rows of the same person tell it, other persons do not."""
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(20), 4)
    traits = rng.normal(size=(20, 2))
    X, y = traits[person] + 0.01 * rng.normal(size=(80, 2)), rng.normal(size=20)[person]
    model = GPRegressor(n_restarts=0)
    rows = assess(model, X, y, random_state=0)
    persons = assess(model, X, y, clusters=[f"person {p}" for p in person], random_state=0)
    assert rows.r2 > 0.8
    assert persons.r2 < 0.3
    with pytest.raises(InputError, match="clusters must have one label for each of the 80 rows"):
        assess(model, X, y, clusters=person[:-1])
