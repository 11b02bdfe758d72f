"""Folds: what is accepted, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, RepeatedKFold

from rsens import GPRegressor, InputError, assess
from rsens._assess._assess import read_folds

SEED = np.random.SeedSequence(0)
Y = np.arange(20.0)


def splits(cv):
    return read_folds(cv, np.zeros((20, 1)), Y, False, SEED)


def test_the_seed_decides():
    again, other = splits(4), read_folds(4, np.zeros((20, 1)), Y, False, np.random.SeedSequence(1))
    for (_, a), (_, b) in zip(splits(4), again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert any(not np.array_equal(a, b) for (_, a), (_, b) in zip(again, other, strict=True))


def test_given_folds_hold_out_every_row_at_most_once():
    assert len(splits(KFold(4))) == 4
    with pytest.raises(InputError, match="out 3 times"):
        splits(RepeatedKFold(n_splits=2, n_repeats=3, random_state=0))


def test_folds_of_whole_clusters():
    clusters = np.repeat(np.arange(5), 4)
    for train, test in read_folds(3, np.zeros((20, 1)), Y, False, SEED, clusters):
        assert not set(clusters[train]) & set(clusters[test])
    with pytest.raises(InputError, match="from 2 to the 5 clusters"):
        read_folds(6, np.zeros((20, 1)), Y, False, SEED, clusters)
    with pytest.raises(InputError, match="of its cluster"):
        read_folds(KFold(3), np.zeros((20, 1)), Y, False, SEED, clusters)


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
