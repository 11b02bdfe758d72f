"""Folds, targets and rows: what is accepted, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit, TimeSeriesSplit

from rsens import InputError
from rsens._quality._data import read_inputs, read_splits, read_targets, taken
from rsens.models import BayesianLinearRegression

SEED = np.random.SeedSequence(0)
Y = np.arange(20.0)


def splits(cv, y=Y, stratify=False):
    return read_splits(cv, np.zeros((len(y), 1)), y, stratify, SEED)


def test_folds_hold_out_every_row_once():
    folds = splits(6)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(20))
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(20))
        assert len(test) in (3, 4)
    assert not np.array_equal(folds[0][1], np.arange(0, 20, 6))  # shuffled


def test_folds_have_the_same_share_of_every_class():
    y = np.repeat(["a", "b", "c"], [50, 17, 3])
    for _, test in splits(5, y, True):
        assert (y[test] == "a").sum() == 10
        assert (y[test] == "b").sum() in (3, 4)
        assert (y[test] == "c").sum() in (0, 1)


def test_the_seed_decides():
    again = splits(4)
    other = read_splits(4, np.zeros((20, 1)), Y, False, np.random.SeedSequence(1))
    for (_, a), (_, b) in zip(splits(4), again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert any(not np.array_equal(a, b) for (_, a), (_, b) in zip(again, other, strict=True))


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
        (True, "cv must be"),
        ("five", "cv must be"),
        (2.5, "cv must be"),
        ([], "no folds"),
        ([(1,)], "pair"),
        ([3], "pair"),
        ([([1, 2], [2])], "both trains on row 2"),
        ([([1], [99])], "positions from 0 to 19"),
        ([([1], [])], "needs held-out rows"),
        ([([], [1])], "needs training rows"),
        (RepeatedKFold(n_splits=2, n_repeats=3, random_state=0), "out 3 times"),
    ],
)
def test_wrong_folds(cv, text):
    with pytest.raises(InputError, match=text):
        splits(cv)


def test_targets():
    assert read_targets([1, 2, 3], 3).dtype.kind == "i"
    np.testing.assert_array_equal(read_targets(pd.Series(["a", "b"], dtype="category"), 2), ["a", "b"])
    np.testing.assert_array_equal(read_targets(pd.DataFrame({"y": [1.0, 2.0]}), 2), [1.0, 2.0])
    np.testing.assert_array_equal(read_targets(np.array([True, False]), 2), [True, False])


@pytest.mark.parametrize(
    ("y", "text"),
    [
        (None, "one entry for each of the 2 rows"),
        ("ab", "one entry for each of the 2 rows"),
        ([1.0], "got 1"),
        ([1.0, np.nan], "1 missing or infinite values, the first at row 1"),
        ([np.inf, 1.0], "first at row 0"),
        ([None, "a"], "first at row 0"),
        ([[1.0, 2.0], [1.0, 2.0]], "shape"),
    ],
)
def test_wrong_targets(y, text):
    with pytest.raises(InputError, match=text):
        read_targets(y, 2)


def test_levels_of_all_rows_are_known_in_every_fold():
    frame = pd.DataFrame(
        {"x": [1.0, 2.0, 3.0], "town": ["Oslo", "Rome", "Oslo"], 7: [True, False, True]}, index=[5, 6, 7]
    )
    rows = read_inputs(BayesianLinearRegression(), frame)
    assert list(rows.columns) == ["x", "town", 7]
    part = taken(rows, np.array([0, 2]))
    assert list(part["town"]) == ["Oslo", "Oslo"]
    assert list(part["town"].cat.categories) == ["Oslo", "Rome"]
    assert list(part.index) == [5, 7]
    array = read_inputs(BayesianLinearRegression(categorical=[1]), np.array([[0.5, 3.0], [1.5, 4.0]]))
    assert list(array["x1"].cat.categories) == [3.0, 4.0]


def test_other_estimators_get_the_rows_as_they_are():
    frame = pd.DataFrame({"town": ["Oslo", "Rome"]})
    assert read_inputs(None, frame) is frame
    array = np.array([[1.0, 2.0]])
    assert read_inputs(None, array) is array
    assert read_inputs(None, [["a", 1.0]]).dtype == object
    assert read_inputs(None, [[1, 2.0]]).dtype.kind == "f"
