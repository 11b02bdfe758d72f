"""Folds and rows: what is accepted, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, RepeatedKFold

from rsens import InputError
from rsens._assess._data import read_inputs, read_splits
from rsens._refits import taken
from rsens.models import BayesianLinearRegression

SEED = np.random.SeedSequence(0)
Y = np.arange(20.0)


def splits(cv):
    return read_splits(cv, np.zeros((20, 1)), Y, False, SEED)


def test_the_seed_decides():
    again, other = splits(4), read_splits(4, np.zeros((20, 1)), Y, False, np.random.SeedSequence(1))
    for (_, a), (_, b) in zip(splits(4), again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert any(not np.array_equal(a, b) for (_, a), (_, b) in zip(again, other, strict=True))


def test_given_folds_hold_out_every_row_at_most_once():
    assert len(splits(KFold(4))) == 4
    with pytest.raises(InputError, match="out 3 times"):
        splits(RepeatedKFold(n_splits=2, n_repeats=3, random_state=0))


def test_levels_of_all_rows_are_known_in_every_fold():
    frame = pd.DataFrame(
        {"x": [1.0, 2.0, 3.0], "town": ["Oslo", "Rome", "Oslo"], 7: [True, False, True]}, index=[5, 6, 7]
    )
    rows = read_inputs(BayesianLinearRegression(), frame)
    assert list(rows.columns) == ["x", "town", 7]
    part = taken(rows, np.array([0, 2]))
    assert list(part["town"]) == ["Oslo", "Oslo"]
    assert list(part["town"].cat.categories) == ["Oslo", "Rome"]
    array = read_inputs(BayesianLinearRegression(categorical=[1]), np.array([[0.5, 3.0], [1.5, 4.0]]))
    assert list(array["x1"].cat.categories) == [3.0, 4.0]


def test_other_estimators_get_the_rows_as_they_are():
    frame = pd.DataFrame({"town": ["Oslo", "Rome"]})
    assert read_inputs(None, frame) is frame
    array = np.array([[1.0, 2.0]])
    assert read_inputs(None, array) is array
    assert read_inputs(None, [["a", 1.0]]).dtype == object
    assert read_inputs(None, [[1, 2.0]]).dtype.kind == "f"
