"""Rows to train on and rows to hold out: what is accepted, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit, TimeSeriesSplit

from rsens._errors import InputError
from rsens._refits import folds, given_splits

Y = np.arange(20.0)


def splits(cv, y=Y, stratify=False):
    given = given_splits(cv, np.zeros((len(y), 1)), y)
    return folds(cv, y, stratify, np.random.default_rng(0)) if given is None else given


def test_folds_hold_out_every_row_once():
    found = splits(6)
    assert sorted(np.concatenate([test for _, test in found])) == list(range(20))
    for train, test in found:
        assert sorted([*train, *test]) == list(range(20))
        assert len(test) in (3, 4)
    assert not np.array_equal(found[0][1], np.arange(0, 20, 6))  # shuffled


def test_folds_have_the_same_share_of_every_class():
    y = np.repeat(["a", "b", "c"], [50, 17, 3])
    for _, test in splits(5, y, True):
        assert (y[test] == "a").sum() == 10
        assert (y[test] == "b").sum() in (3, 4)
        assert (y[test] == "c").sum() in (0, 1)


@pytest.mark.parametrize("cv", [KFold(4), LeaveOneOut(), TimeSeriesSplit(3), ShuffleSplit(1, random_state=0)])
def test_splitters_of_scikit_learn(cv):
    for (train, test), (a, b) in zip(splits(cv), cv.split(Y), strict=True):
        np.testing.assert_array_equal(train, a)
        np.testing.assert_array_equal(test, b)


def test_lists_of_positions_or_masks():
    mask = np.arange(20) < 5
    ((train, test),) = splits([(~mask, mask)])
    np.testing.assert_array_equal(test, np.arange(5))
    np.testing.assert_array_equal(train, np.arange(5, 20))
    assert len(splits([([1, 2], [3]), ([3], [1])])) == 2


@pytest.mark.parametrize(
    ("cv", "text"),
    [
        (1, "from 2 to the 20 rows"),
        (21, "from 2 to the 20 rows"),
        (True, "cannot split"),
        ("five", "cannot split"),
        (2.5, "cannot split"),
        ([], "no folds"),
        ([(1,)], "cannot split"),
        ([3], "cannot split"),
        ([([1, 2], [2])], "both trains on row 2"),
        ([([1], [99])], "positions from 0 to 19"),
        ([([1], [-1])], "positions from 0 to 19"),
        ([([1], [0.5])], "cannot split"),
        ([([1], [])], "cannot split"),
        ([([], [1])], "cannot split"),
    ],
)
def test_wrong_folds(cv, text):
    with pytest.raises(InputError, match=text) as raised:
        splits(cv)
    assert raised.value.argument == "cv"
